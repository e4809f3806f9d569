/* SPDX-License-Identifier: Apache-2.0 */
/* C++: memory, attributes and primitives. */
#ifndef ONEAPI_DNNL_DNNL_HPP
#define ONEAPI_DNNL_DNNL_HPP

#include <initializer_list>
#include <string>
#include <unordered_map>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_common.hpp"

/// @file
/// The C API with objects that free themselves and calls that throw. Everything is inline: a
/// program needs this header and the library, which has no C++ in it.
///
/// @code
/// dnnl::engine eng(dnnl::engine::kind::gpu, 0);
/// dnnl::stream strm(eng);
/// dnnl::memory::desc a({64, 128}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
/// ...
/// dnnl::matmul::primitive_desc pd(eng, a, b, c);
/// dnnl::matmul(pd).execute(strm, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, y}, {DNNL_ARG_DST, z}});
/// strm.wait();
/// @endcode
///
/// What holds everywhere:
///
/// - dnnl.h documents operations, parameters, shapes and execution arguments. A class or function
///   here has
/// the
///   name of its C counterpart and says what is different.
/// - A failed call throws dnnl::error with the status of the C function; see
///   DNNL_ENABLE_EXCEPTIONS.
/// Destructors
///   never throw.
/// - Objects are handles: copies share one object of the C API. Queries of descriptors and
///   attributes return copies of their own.
/// - A constructor or factory with a parameter `allow_empty` makes an empty handle instead of
///   throwing where
/// that
///   is true and the library refuses the arguments.
/// - Engines that an object returns are not owned: the engine the object was made with has to live.

namespace dnnl {

template <>
struct handle_traits<dnnl_memory_desc_t>
    : detail::destroyed_by<dnnl_memory_desc_t, dnnl_memory_desc_destroy> {};
template <>
struct handle_traits<dnnl_memory_t> : detail::destroyed_by<dnnl_memory_t, dnnl_memory_destroy> {};
template <>
struct handle_traits<dnnl_post_ops_t>
    : detail::destroyed_by<dnnl_post_ops_t, dnnl_post_ops_destroy> {};
template <>
struct handle_traits<dnnl_primitive_attr_t>
    : detail::destroyed_by<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy> {};
template <>
struct handle_traits<dnnl_primitive_desc_t>
    : detail::destroyed_by<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy> {};
template <>
struct handle_traits<dnnl_primitive_t>
    : detail::destroyed_by<dnnl_primitive_t, dnnl_primitive_destroy> {};

/// Throws unless a container has a number of elements in a range.
///
/// @param v Container.
/// @param error_message What to throw.
/// @param min_size Smallest number.
/// @param max_size Largest number; negative for any.
template <typename T>
void validate_container_size(
        const T &v, const char *error_message, int min_size = 1, int max_size = -1) {
    const int size = static_cast<int>(v.size());
    if (size < min_size || (max_size >= 0 && size > max_size))
        DNNL_THROW_ERROR(dnnl_invalid_arguments, error_message);
}

/// @name Enumerations
/// Those of dnnl_types.h without their prefixes.
/// @{

/// Who provides a primitive's temporary memory; see ::dnnl_scratchpad_mode_t.
enum class scratchpad_mode {
    library = dnnl_scratchpad_mode_library,
    user = dnnl_scratchpad_mode_user,
};

/// How results are rounded; see ::dnnl_rounding_mode_t.
enum class rounding_mode {
    environment = dnnl_rounding_mode_environment,
    stochastic = dnnl_rounding_mode_stochastic,
};

/// How quantization parameters come about; see ::dnnl_quantization_mode_t.
enum class quantization_mode {
    undef = dnnl_quantization_mode_undef,
    static_sazp = dnnl_quantization_mode_static_sazp,
    dynamic_mx = dnnl_quantization_mode_dynamic_mx,
    dynamic_fp = dnnl_quantization_mode_dynamic_fp,
};

/// Direction of a primitive; see ::dnnl_prop_kind_t.
enum class prop_kind {
    undef = dnnl_prop_kind_undef,
    forward_training = dnnl_forward_training,
    forward_inference = dnnl_forward_inference,
    forward = dnnl_forward,
    backward = dnnl_backward,
    backward_data = dnnl_backward_data,
    backward_weights = dnnl_backward_weights,
    backward_bias = dnnl_backward_bias,
};

/// Algorithm of a primitive or post-op; ::dnnl_alg_kind_t has the formulas.
enum class algorithm {
    undef = dnnl_alg_kind_undef,
    convolution_auto = dnnl_convolution_auto,
    convolution_direct = dnnl_convolution_direct,
    convolution_winograd = dnnl_convolution_winograd,
    deconvolution_direct = dnnl_deconvolution_direct,
    deconvolution_winograd = dnnl_deconvolution_winograd,
    eltwise_relu = dnnl_eltwise_relu,
    eltwise_tanh = dnnl_eltwise_tanh,
    eltwise_elu = dnnl_eltwise_elu,
    eltwise_square = dnnl_eltwise_square,
    eltwise_abs = dnnl_eltwise_abs,
    eltwise_sqrt = dnnl_eltwise_sqrt,
    eltwise_linear = dnnl_eltwise_linear,
    eltwise_soft_relu = dnnl_eltwise_soft_relu,
    eltwise_hardsigmoid = dnnl_eltwise_hardsigmoid,
    eltwise_logistic = dnnl_eltwise_logistic,
    eltwise_exp = dnnl_eltwise_exp,
    eltwise_gelu_tanh = dnnl_eltwise_gelu_tanh,
    eltwise_swish = dnnl_eltwise_swish,
    eltwise_log = dnnl_eltwise_log,
    eltwise_clip = dnnl_eltwise_clip,
    eltwise_clip_v2 = dnnl_eltwise_clip_v2,
    eltwise_pow = dnnl_eltwise_pow,
    eltwise_gelu_erf = dnnl_eltwise_gelu_erf,
    eltwise_round = dnnl_eltwise_round,
    eltwise_mish = dnnl_eltwise_mish,
    eltwise_hardswish = dnnl_eltwise_hardswish,
    eltwise_relu_use_dst_for_bwd = dnnl_eltwise_relu_use_dst_for_bwd,
    eltwise_tanh_use_dst_for_bwd = dnnl_eltwise_tanh_use_dst_for_bwd,
    eltwise_elu_use_dst_for_bwd = dnnl_eltwise_elu_use_dst_for_bwd,
    eltwise_sqrt_use_dst_for_bwd = dnnl_eltwise_sqrt_use_dst_for_bwd,
    eltwise_logistic_use_dst_for_bwd = dnnl_eltwise_logistic_use_dst_for_bwd,
    eltwise_exp_use_dst_for_bwd = dnnl_eltwise_exp_use_dst_for_bwd,
    eltwise_clip_v2_use_dst_for_bwd = dnnl_eltwise_clip_v2_use_dst_for_bwd,
    pooling_max = dnnl_pooling_max,
    pooling_avg_include_padding = dnnl_pooling_avg_include_padding,
    pooling_avg_exclude_padding = dnnl_pooling_avg_exclude_padding,
    lrn_across_channels = dnnl_lrn_across_channels,
    lrn_within_channel = dnnl_lrn_within_channel,
    vanilla_rnn = dnnl_vanilla_rnn,
    vanilla_lstm = dnnl_vanilla_lstm,
    vanilla_gru = dnnl_vanilla_gru,
    lbr_gru = dnnl_lbr_gru,
    vanilla_augru = dnnl_vanilla_augru,
    lbr_augru = dnnl_lbr_augru,
    binary_add = dnnl_binary_add,
    binary_mul = dnnl_binary_mul,
    binary_max = dnnl_binary_max,
    binary_min = dnnl_binary_min,
    binary_div = dnnl_binary_div,
    binary_sub = dnnl_binary_sub,
    binary_ge = dnnl_binary_ge,
    binary_gt = dnnl_binary_gt,
    binary_le = dnnl_binary_le,
    binary_lt = dnnl_binary_lt,
    binary_eq = dnnl_binary_eq,
    binary_ne = dnnl_binary_ne,
    binary_select = dnnl_binary_select,
    resampling_nearest = dnnl_resampling_nearest,
    resampling_linear = dnnl_resampling_linear,
    reduction_max = dnnl_reduction_max,
    reduction_min = dnnl_reduction_min,
    reduction_sum = dnnl_reduction_sum,
    reduction_mul = dnnl_reduction_mul,
    reduction_mean = dnnl_reduction_mean,
    reduction_norm_lp_max = dnnl_reduction_norm_lp_max,
    reduction_norm_lp_sum = dnnl_reduction_norm_lp_sum,
    reduction_norm_lp_power_p_max = dnnl_reduction_norm_lp_power_p_max,
    reduction_norm_lp_power_p_sum = dnnl_reduction_norm_lp_power_p_sum,
    softmax_accurate = dnnl_softmax_accurate,
    softmax_log = dnnl_softmax_log,
};

/// Options of normalizations, combined with `|`; see ::dnnl_normalization_flags_t.
enum class normalization_flags : unsigned {
    none = dnnl_normalization_flags_none,
    use_global_stats = dnnl_use_global_stats,
    use_scale = dnnl_use_scale,
    use_shift = dnnl_use_shift,
    fuse_norm_relu = dnnl_fuse_norm_relu,
    fuse_norm_add_relu = dnnl_fuse_norm_add_relu,
    rms_norm = dnnl_rms_norm,
};

/// Options of RNNs, combined with `|`; see ::dnnl_rnn_flags_t.
enum class rnn_flags : unsigned {
    undef = dnnl_rnn_flags_undef,
    diff_weights_overwrite = dnnl_rnn_flags_diff_weights_overwrite,
};

namespace detail {
template <> struct is_flags<normalization_flags> : std::true_type {};
template <> struct is_flags<rnn_flags> : std::true_type {};
} // namespace detail

/// In which direction an RNN walks over time; see ::dnnl_rnn_direction_t.
enum class rnn_direction {
    undef = dnnl_rnn_direction_undef,
    unidirectional_left2right = dnnl_unidirectional_left2right,
    unidirectional_right2left = dnnl_unidirectional_right2left,
    bidirectional_concat = dnnl_bidirectional_concat,
    bidirectional_sum = dnnl_bidirectional_sum,
};

/// What to ask a descriptor for; see ::dnnl_query_t.
enum class query {
    undef = dnnl_query_undef,
    engine = dnnl_query_engine,
    primitive_kind = dnnl_query_primitive_kind,
    num_of_inputs_s32 = dnnl_query_num_of_inputs_s32,
    num_of_outputs_s32 = dnnl_query_num_of_outputs_s32,
    time_estimate_f64 = dnnl_query_time_estimate_f64,
    memory_consumption_s64 = dnnl_query_memory_consumption_s64,
    scratchpad_engine = dnnl_query_scratchpad_engine,
    impl_info_str = dnnl_query_impl_info_str,
    reorder_src_engine = dnnl_query_reorder_src_engine,
    reorder_dst_engine = dnnl_query_reorder_dst_engine,
    prop_kind = dnnl_query_prop_kind,
    cache_blob_id_size_s64 = dnnl_query_cache_blob_id_size_s64,
    cache_blob_id = dnnl_query_cache_blob_id,
    strides = dnnl_query_strides,
    dilations = dnnl_query_dilations,
    padding_l = dnnl_query_padding_l,
    padding_r = dnnl_query_padding_r,
    epsilon_f32 = dnnl_query_epsilon_f32,
    flags = dnnl_query_flags,
    alg_kind = dnnl_query_alg_kind,
    alpha_f32 = dnnl_query_alpha_f32,
    beta_f32 = dnnl_query_beta_f32,
    axis_s32 = dnnl_query_axis_s32,
    local_size_s64 = dnnl_query_local_size_s64,
    k_f32 = dnnl_query_k_f32,
    p_f32 = dnnl_query_p_f32,
    factors = dnnl_query_factors,
    cell_kind = dnnl_query_cell_kind,
    direction = dnnl_query_direction,
    activation_kind = dnnl_query_activation_kind,
    kernel = dnnl_query_kernel,
    group_size_s64 = dnnl_query_group_size_s64,
    src_md = dnnl_query_src_md,
    diff_src_md = dnnl_query_diff_src_md,
    weights_md = dnnl_query_weights_md,
    diff_weights_md = dnnl_query_diff_weights_md,
    dst_md = dnnl_query_dst_md,
    diff_dst_md = dnnl_query_diff_dst_md,
    workspace_md = dnnl_query_workspace_md,
    scratchpad_md = dnnl_query_scratchpad_md,
    exec_arg_md = dnnl_query_exec_arg_md,
    ndims_s32 = dnnl_query_ndims_s32,
    dims = dnnl_query_dims,
    data_type = dnnl_query_data_type,
    submemory_offset_s64 = dnnl_query_submemory_offset_s64,
    padded_dims = dnnl_query_padded_dims,
    padded_offsets = dnnl_query_padded_offsets,
    format_kind = dnnl_query_format_kind,
    inner_nblks_s32 = dnnl_query_inner_nblks_s32,
    inner_blks = dnnl_query_inner_blks,
    inner_idxs = dnnl_query_inner_idxs,
    sparse_encoding = dnnl_query_sparse_encoding,
    nnz_s64 = dnnl_query_nnz_s64,
    num_handles_s32 = dnnl_query_num_handles_s32,
};

#define DNNL_TO_C(type, c_type)                                                                    \
    inline c_type convert_to_c(type v) {                                                           \
        return static_cast<c_type>(v);                                                             \
    }
DNNL_TO_C(scratchpad_mode, dnnl_scratchpad_mode_t)
DNNL_TO_C(rounding_mode, dnnl_rounding_mode_t)
DNNL_TO_C(quantization_mode, dnnl_quantization_mode_t)
DNNL_TO_C(prop_kind, dnnl_prop_kind_t)
DNNL_TO_C(algorithm, dnnl_alg_kind_t)
DNNL_TO_C(normalization_flags, dnnl_normalization_flags_t)
DNNL_TO_C(rnn_flags, dnnl_rnn_flags_t)
DNNL_TO_C(rnn_direction, dnnl_rnn_direction_t)
DNNL_TO_C(query, dnnl_query_t)
/// @}

/// A memory object: a memory descriptor, an engine and buffers. See dnnl_memory_create_v2().
struct memory : public handle<dnnl_memory_t> {
    using handle::handle;

    /// A dimension, stride or offset, in elements.
    using dim = dnnl_dim_t;
    /// Dimensions, strides or offsets.
    using dims = std::vector<dim>;

    /// Throws unless there are at least min_size and at most #DNNL_MAX_NDIMS values.
    template <typename T> static void validate_dims(const std::vector<T> &v, int min_size = 0) {
        validate_container_size(v, "wrong number of dimensions", min_size, DNNL_MAX_NDIMS);
    }

    /// Type of a tensor's elements; see ::dnnl_data_type_t.
    enum class data_type {
        undef = dnnl_data_type_undef,
        f4_e3m0 = dnnl_f4_e3m0,
        f4_e2m1 = dnnl_f4_e2m1,
        e8m0 = dnnl_e8m0,
        f8_e5m2 = dnnl_f8_e5m2,
        f8_e4m3 = dnnl_f8_e4m3,
        f16 = dnnl_f16,
        bf16 = dnnl_bf16,
        f32 = dnnl_f32,
        f64 = dnnl_f64,
        s64 = dnnl_s64,
        s32 = dnnl_s32,
        s8 = dnnl_s8,
        u8 = dnnl_u8,
        s4 = dnnl_s4,
        u4 = dnnl_u4,
    };

    /// Returns the size of an element in bytes; see dnnl_data_type_size().
    static size_t data_type_size(data_type adata_type) {
        return dnnl_data_type_size(convert_to_c(adata_type));
    }

    /// How a memory descriptor describes where elements are; see ::dnnl_format_kind_t.
    enum class format_kind {
        undef = dnnl_format_kind_undef,
        any = dnnl_format_kind_any,
        blocked = dnnl_blocked,
        sparse = dnnl_format_kind_sparse,
        host_scalar = dnnl_format_kind_host_scalar,
        opaque = dnnl_format_kind_opaque,
    };

    /// Encoding of a sparse tensor; see ::dnnl_sparse_encoding_t.
    enum class sparse_encoding {
        undef = dnnl_sparse_encoding_undef,
        csr = dnnl_csr,
        packed = dnnl_packed,
        coo = dnnl_coo,
#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
        grouped = dnnl_grouped,
#endif
    };

    /// Memory format tags, those of ::dnnl_format_tag_t without the prefix: `undef`, `any`, `ab`,
    /// `nChw16c`...
    enum class format_tag {
#include "oneapi/dnnl/dnnl_format_tags.inc"
    };

    static dnnl_data_type_t convert_to_c(data_type v) { return static_cast<dnnl_data_type_t>(v); }
    static dnnl_format_tag_t convert_to_c(format_tag v) {
        return static_cast<dnnl_format_tag_t>(v);
    }

    /// A memory descriptor: dimensions, data type and layout of a tensor.
    struct desc : public handle<dnnl_memory_desc_t> {
        using handle<dnnl_memory_desc_t>::handle;

        /// The zero descriptor, which stands for an absent tensor.
        desc() : desc({}, data_type::undef, format_tag::undef) {}

        /// Takes over a descriptor of the C API.
        desc(dnnl_memory_desc_t md) : handle<dnnl_memory_desc_t>(md) {}

        /// A descriptor with a layout that has a name.
        ///
        /// @param adims Dimensions.
        /// @param adata_type Data type.
        /// @param aformat_tag Layout; format_tag::any leaves it to the primitive.
        /// @param allow_empty Make an empty handle rather than throw.
        desc(const dims &adims, data_type adata_type, format_tag aformat_tag,
                bool allow_empty = false) {
            *this = make("could not create a memory descriptor with a format tag", allow_empty,
                    dnnl_memory_desc_create_with_tag, adims, adata_type, aformat_tag);
        }

        /// A descriptor with a layout given by strides.
        ///
        /// @param adims Dimensions.
        /// @param adata_type Data type.
        /// @param strides Distance of neighbours along each dimension, in elements; empty for a
        ///     dense row-major layout.
        /// @param allow_empty Make an empty handle rather than throw.
        desc(const dims &adims, data_type adata_type, const dims &strides,
                bool allow_empty = false) {
            if (!strides.empty()) validate_dims(strides, static_cast<int>(adims.size()));
            *this = make("could not create a memory descriptor with strides", allow_empty,
                    dnnl_memory_desc_create_with_strides, adims, adata_type, strides);
        }

        /// A descriptor from what get_blob() returned.
        desc(const std::vector<uint8_t> &blob)
            : handle<dnnl_memory_desc_t>(
                      detail::create("could not create a memory descriptor from a blob", false,
                              dnnl_memory_desc_create_with_blob, blob)) {}

        /// A sparse matrix with compressed rows; see dnnl_memory_desc_create_with_csr_encoding().
        static desc csr(const dims &adims, data_type adata_type, dim nnz, data_type index_dt,
                data_type pointer_dt, bool allow_empty = false) {
            return make("could not create a memory descriptor with CSR encoding", allow_empty,
                    dnnl_memory_desc_create_with_csr_encoding, adims, adata_type, nnz, index_dt,
                    pointer_dt);
        }

        /// A sparse tensor with coordinates; see dnnl_memory_desc_create_with_coo_encoding().
        static desc coo(const dims &adims, data_type adata_type, dim nnz, data_type index_dt,
                bool allow_empty = false) {
            return make("could not create a memory descriptor with COO encoding", allow_empty,
                    dnnl_memory_desc_create_with_coo_encoding, adims, adata_type, nnz, index_dt);
        }

        /// Packed sparse weights; see dnnl_memory_desc_create_with_packed_encoding().
        static desc packed(
                const dims &adims, data_type adata_type, dim nnz, bool allow_empty = false) {
            return make("could not create a memory descriptor with packed encoding", allow_empty,
                    dnnl_memory_desc_create_with_packed_encoding, adims, adata_type, nnz);
        }

#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
        /// A group of matrices; see dnnl_memory_desc_create_with_grouped_encoding().
        static desc grouped(const dims &adims, data_type adata_type, int variable_dim_idx,
                dim group_count, data_type offsets_dt = data_type::s32, bool allow_empty = false) {
            return make("could not create a memory descriptor with grouped encoding", allow_empty,
                    dnnl_memory_desc_create_with_grouped_encoding, adims, adata_type,
                    variable_dim_idx, group_count, offsets_dt);
        }
#endif

        /// One value that lives on the host, in the memory object.
        static desc host_scalar(data_type adata_type) {
            return detail::create("could not create a memory descriptor of a host scalar", false,
                    dnnl_memory_desc_create_host_scalar, adata_type);
        }

        /// A descriptor of a part of this tensor, in the same buffer; see
        /// dnnl_memory_desc_create_submemory().
        ///
        /// @param adims Dimensions of the part.
        /// @param offsets Where it begins.
        /// @param allow_empty Make an empty handle rather than throw.
        desc submemory_desc(
                const dims &adims, const dims &offsets, bool allow_empty = false) const {
            validate_dims(adims, get_ndims());
            validate_dims(offsets, get_ndims());
            return detail::create("could not create a memory descriptor of a part", allow_empty,
                    dnnl_memory_desc_create_submemory, *this, adims, offsets);
        }

        /// A descriptor of the same elements with other dimensions; see dnnl_memory_desc_reshape().
        desc reshape(const dims &adims, bool allow_empty = false) const {
            validate_dims(adims, get_ndims() ? 1 : 0);
            return detail::create("could not reshape a memory descriptor", allow_empty,
                    dnnl_memory_desc_reshape, *this, adims.size(), adims);
        }

        /// A descriptor of the same elements with dimensions in another order: dimension i becomes
        /// dimension permutation[i]. See dnnl_memory_desc_permute_axes().
        desc permute_axes(const std::vector<int> &permutation, bool allow_empty = false) const {
            validate_dims(permutation, get_ndims());
            return detail::create("could not permute the axes of a memory descriptor", allow_empty,
                    dnnl_memory_desc_permute_axes, *this, permutation);
        }

        /// @name Queries
        /// What the layout does not have is answered with 0, `undef` or no values.
        /// @{
        int get_ndims() const { return ask(query::ndims_s32, 0); }
        memory::dims get_dims() const { return ask_dims(query::dims); }
        memory::dims get_padded_dims() const { return ask_dims(query::padded_dims); }
        memory::dims get_padded_offsets() const { return ask_dims(query::padded_offsets); }
        memory::dim get_submemory_offset() const {
            return ask(query::submemory_offset_s64, memory::dim(0));
        }
        memory::dims get_strides() const { return ask_dims(query::strides); }
        int get_inner_nblks() const { return ask(query::inner_nblks_s32, 0); }
        memory::dims get_inner_blks() const { return ask_dims(query::inner_blks); }
        memory::dims get_inner_idxs() const { return ask_dims(query::inner_idxs); }
        int get_num_handles() const { return ask(query::num_handles_s32, 0); }
        dim get_nnz() const { return ask(query::nnz_s64, dim(0)); }
        memory::sparse_encoding get_sparse_encoding() const {
            return static_cast<memory::sparse_encoding>(
                    ask(query::sparse_encoding, dnnl_sparse_encoding_undef));
        }
        memory::format_kind get_format_kind() const {
            return static_cast<memory::format_kind>(
                    ask(query::format_kind, dnnl_format_kind_undef));
        }
        /// @param index Number of a buffer: sparse descriptors have several.
        memory::data_type get_data_type(int index = 0) const {
            return static_cast<memory::data_type>(
                    ask(query::data_type, dnnl_data_type_undef, index));
        }
        /// Size in bytes of a buffer, without the offset of a part of a larger tensor; see
        /// dnnl_memory_desc_get_size_v2().
        size_t get_size(int index = 0) const { return dnnl_memory_desc_get_size_v2(get(), index); }
        /// Whether this is the zero descriptor.
        bool is_zero() const { return get_ndims() == 0; }
        /// The descriptor as bytes.
        std::vector<uint8_t> get_blob() const {
            size_t size = 0;
            const char *message = "could not get the blob of a memory descriptor";
            detail::call(message, dnnl_memory_desc_get_blob, nullptr, &size, *this);
            std::vector<uint8_t> blob(size);
            detail::call(message, dnnl_memory_desc_get_blob, blob.data(), &size, *this);
            return blob;
        }
        /// @}

        /// Whether two descriptors describe the same layout; see dnnl_memory_desc_equal().
        bool operator==(const desc &other) const {
            return dnnl_memory_desc_equal(get(), other.get()) != 0;
        }
        bool operator!=(const desc &other) const { return !(*this == other); }

      private:
        template <typename... P, typename... A>
        static desc make(const char *message, bool allow_empty,
                dnnl_status_t (*function)(dnnl_memory_desc_t *, P...), const dims &adims,
                const A &...args) {
            validate_dims(adims);
            return detail::create(message, allow_empty, function, adims.size(), adims, args...);
        }

        template <typename T> T ask(query what, T otherwise, int index = 0) const {
            T value;
            const dnnl_query_t c_what = dnnl::convert_to_c(what);
            return dnnl_memory_desc_query_v2(get(), c_what, index, &value) == dnnl_success
                           ? value
                           : otherwise;
        }

        memory::dims ask_dims(query what) const {
            const bool blocks = what == query::inner_blks || what == query::inner_idxs;
            const dnnl_dims_t *values = ask<const dnnl_dims_t *>(what, nullptr);
            return values ? memory::dims(
                                    *values, *values + (blocks ? get_inner_nblks() : get_ndims()))
                          : memory::dims();
        }
    };

    /// An empty memory object.
    memory() = default;

    /// A memory object on one buffer.
    ///
    /// @param md Memory descriptor.
    /// @param aengine Engine.
    /// @param buffer Buffer, #DNNL_MEMORY_ALLOCATE or #DNNL_MEMORY_NONE.
    memory(const desc &md, const engine &aengine, void *buffer)
        : memory(md, aengine, std::vector<void *>{buffer}) {}

    /// A memory object on several buffers.
    ///
    /// @param md Memory descriptor.
    /// @param aengine Engine.
    /// @param handles What the constructor above takes, for each buffer.
    memory(const desc &md, const engine &aengine, std::vector<void *> handles)
        : handle(detail::create("could not create a memory object", false, dnnl_memory_create_v2,
                  md, aengine, handles.size(), handles.data())) {}

    /// A memory object on buffers that the library allocates and owns.
    memory(const desc &md, const engine &aengine)
        : memory(md, aengine,
                  std::vector<void *>(
                          static_cast<size_t>(md.get_num_handles()), DNNL_MEMORY_ALLOCATE)) {}

    /// A host scalar.
    ///
    /// @param md Descriptor made by desc::host_scalar().
    /// @param value Value, of a type as large as the descriptor's data type.
    template <typename T> memory(const desc &md, const T value) {
        check_scalar<T>(md.get());
        reset(detail::create("could not create a memory object of a host scalar", false,
                dnnl_memory_create_host_scalar, md, const_cast<T *>(&value)));
    }

    /// Returns a copy of the memory descriptor.
    desc get_desc() const {
        return detail::create(
                "could not copy a memory descriptor", false, dnnl_memory_desc_clone, c_desc());
    }

    /// Returns the engine; empty for a host scalar.
    engine get_engine() const {
        return engine(detail::get<dnnl_engine_t>("could not get the engine of a memory object",
                              dnnl_memory_get_engine, *this),
                true);
    }

    /// Returns the pointer to a buffer.
    void *get_data_handle(int index = 0) const {
        void *pointer = nullptr;
        detail::call("could not get a buffer of a memory object", dnnl_memory_get_data_handle_v2,
                *this, &pointer, index);
        return pointer;
    }

    /// Sets the pointer to a buffer; see dnnl_memory_set_data_handle_v2().
    void set_data_handle(void *buffer, int index = 0) const {
        detail::call("could not set a buffer of a memory object", dnnl_memory_set_data_handle_v2,
                *this, buffer, index);
    }

    /// Returns the value of a host scalar.
    ///
    /// @tparam T Type as large as the data type.
    template <typename T> T get_host_scalar_value() const {
        check_scalar<T>(c_desc());
        T value;
        detail::call("could not get the value of a host scalar", dnnl_memory_get_host_scalar_value,
                *this, &value);
        return value;
    }

    /// Sets the value of a host scalar.
    template <typename T> void set_host_scalar_value(const T value) const {
        check_scalar<T>(c_desc());
        detail::call("could not set the value of a host scalar", dnnl_memory_set_host_scalar_value,
                *this, &value);
    }

    /// Makes a buffer accessible to the host until unmap_data(); see dnnl_memory_map_data_v2().
    ///
    /// @tparam T Type of the elements.
    /// @param index Number of the buffer.
    template <typename T = void> T *map_data(int index = 0) const {
        void *mapped = nullptr;
        detail::call(
                "could not map a memory object", dnnl_memory_map_data_v2, *this, &mapped, index);
        return static_cast<T *>(mapped);
    }

    /// Ends what map_data() began.
    void unmap_data(void *mapped_ptr, int index = 0) const {
        detail::call("could not unmap a memory object", dnnl_memory_unmap_data_v2, *this,
                mapped_ptr, index);
    }

  private:
    const_dnnl_memory_desc_t c_desc() const {
        return detail::get<const_dnnl_memory_desc_t>(
                "could not get the descriptor of a memory object", dnnl_memory_get_memory_desc,
                *this);
    }

    template <typename T> static void check_scalar(const_dnnl_memory_desc_t md) {
        if (sizeof(T) != dnnl_memory_desc_get_size_v2(md, 0))
            DNNL_THROW_ERROR(
                    dnnl_invalid_arguments, "the type does not have the size of the host scalar");
    }
};

/// @name Comparisons of enumerators of C++ with those of C
/// @{
#define DNNL_COMPARE(type, c_type)                                                                 \
    inline bool operator==(c_type a, type b) {                                                     \
        return a == memory::convert_to_c(b);                                                       \
    }                                                                                              \
    inline bool operator!=(c_type a, type b) {                                                     \
        return a != memory::convert_to_c(b);                                                       \
    }                                                                                              \
    inline bool operator==(type a, c_type b) {                                                     \
        return b == memory::convert_to_c(a);                                                       \
    }                                                                                              \
    inline bool operator!=(type a, c_type b) {                                                     \
        return b != memory::convert_to_c(a);                                                       \
    }
DNNL_COMPARE(memory::data_type, dnnl_data_type_t)
DNNL_COMPARE(memory::format_tag, dnnl_format_tag_t)
#undef DNNL_COMPARE
/// @}

namespace detail {
inline memory::desc copy(const_dnnl_memory_desc_t md) {
    return create("could not copy a memory descriptor", false, dnnl_memory_desc_clone, md);
}

inline std::vector<dnnl_exec_arg_t> exec_args(const std::unordered_map<int, memory> &args) {
    std::vector<dnnl_exec_arg_t> c_args;
    c_args.reserve(args.size());
    for (const auto &arg : args) c_args.push_back({arg.first, arg.second.get(true)});
    return c_args;
}
} // namespace detail

/// Returns the handles of memory descriptors.
inline std::vector<const_dnnl_memory_desc_t> convert_to_c(const std::vector<memory::desc> &mds) {
    std::vector<const_dnnl_memory_desc_t> c_mds;
    c_mds.reserve(mds.size());
    for (const auto &md : mds) c_mds.push_back(md.get());
    return c_mds;
}

struct primitive_desc;

/// A primitive: an operation ready to be executed any number of times. See dnnl_primitive_create().
struct primitive : public handle<dnnl_primitive_t> {
    using handle::handle;

    /// Kind of a primitive; see ::dnnl_primitive_kind_t.
    enum class kind {
        undef = dnnl_undefined_primitive,
        reorder = dnnl_reorder,
        shuffle = dnnl_shuffle,
        concat = dnnl_concat,
        sum = dnnl_sum,
        convolution = dnnl_convolution,
        deconvolution = dnnl_deconvolution,
        eltwise = dnnl_eltwise,
        lrn = dnnl_lrn,
        batch_normalization = dnnl_batch_normalization,
        inner_product = dnnl_inner_product,
        rnn = dnnl_rnn,
        binary = dnnl_binary,
        matmul = dnnl_matmul,
        resampling = dnnl_resampling,
        pooling = dnnl_pooling,
        reduction = dnnl_reduction,
        prelu = dnnl_prelu,
        softmax = dnnl_softmax,
        layer_normalization = dnnl_layer_normalization,
        group_normalization = dnnl_group_normalization,
    };

    /// An empty primitive.
    primitive() = default;

    /// Creates a primitive.
    primitive(const_dnnl_primitive_desc_t c_pd)
        : handle(detail::create(
                  "could not create a primitive", false, dnnl_primitive_create, c_pd)) {}
    primitive(const primitive_desc &pd);

    /// Creates a primitive from what get_cache_blob() returned, without compiling.
    primitive(const_dnnl_primitive_desc_t c_pd, const std::vector<uint8_t> &cache_blob)
        : handle(detail::create("could not create a primitive from a cache blob", false,
                  dnnl_primitive_create_from_cache_blob, c_pd, cache_blob.size(), cache_blob)) {}
    primitive(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob);

    /// Returns the primitive descriptor, which belongs to the primitive.
    const_dnnl_primitive_desc_t get_primitive_desc() const {
        return detail::get<const_dnnl_primitive_desc_t>(
                "could not get the descriptor of a primitive", dnnl_primitive_get_primitive_desc,
                *this);
    }

    kind get_kind() const {
        dnnl_primitive_kind_t value = dnnl_undefined_primitive;
        detail::call("could not get the kind of a primitive", dnnl_primitive_desc_query,
                get_primitive_desc(), dnnl_query_primitive_kind, 0, &value);
        return static_cast<kind>(value);
    }

    /// Returns the compiled kernels as bytes, for a persistent cache.
    std::vector<uint8_t> get_cache_blob() const {
        return detail::get_blob("could not get the cache blob of a primitive",
                dnnl_primitive_get_cache_blob, *this);
    }

    /// Submits the primitive to a stream; see dnnl_primitive_execute().
    ///
    /// @param astream Stream of the primitive's engine.
    /// @param args Memory objects by DNNL_ARG_ number.
    void execute(const stream &astream, const std::unordered_map<int, memory> &args) const {
        const std::vector<dnnl_exec_arg_t> c_args = detail::exec_args(args);
        detail::call("could not execute a primitive", dnnl_primitive_execute, *this, astream,
                c_args.size(), c_args);
    }
};

DNNL_TO_C(primitive::kind, dnnl_primitive_kind_t)

/// Post-ops: operations on a primitive's result before it is stored. See dnnl_post_ops_create().
struct post_ops : public handle<dnnl_post_ops_t> {
    using handle<dnnl_post_ops_t>::handle;

    /// An empty list.
    post_ops() : handle(detail::create("could not create post-ops", false, dnnl_post_ops_create)) {}

    /// Takes over post-ops of the C API.
    post_ops(dnnl_post_ops_t ops) : handle(ops) {}

    /// Returns the number of post-ops.
    int len() const { return dnnl_post_ops_len(get()); }

    /// Returns the kind of a post-op.
    primitive::kind kind(int index) const {
        if (index < 0 || index >= len())
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "there is no post-op of this number");
        return static_cast<primitive::kind>(dnnl_post_ops_get_kind(get(), index));
    }

    /// Adds the destination's old content; see dnnl_post_ops_append_sum().
    void append_sum(float scale = 1.f, int32_t zero_point = 0,
            memory::data_type data_type = memory::data_type::undef) {
        detail::call("could not append a sum", dnnl_post_ops_append_sum, *this, scale, zero_point,
                data_type);
    }
    void get_params_sum(int index, float &scale) const {
        detail::call("could not get the parameters of a sum", dnnl_post_ops_get_params_sum, *this,
                index, &scale, nullptr, nullptr);
    }
    void get_params_sum(int index, float &scale, memory::data_type &data_type) const {
        int32_t zero_point;
        get_params_sum(index, scale, zero_point, data_type);
    }
    void get_params_sum(
            int index, float &scale, int32_t &zero_point, memory::data_type &data_type) const {
        dnnl_data_type_t c_data_type;
        detail::call("could not get the parameters of a sum", dnnl_post_ops_get_params_sum, *this,
                index, &scale, &zero_point, &c_data_type);
        data_type = static_cast<memory::data_type>(c_data_type);
    }

    /// Applies a function to each element; see dnnl_post_ops_append_eltwise().
    void append_eltwise(algorithm aalgorithm, float alpha, float beta) {
        detail::call("could not append an eltwise post-op", dnnl_post_ops_append_eltwise, *this,
                aalgorithm, alpha, beta);
    }
    void get_params_eltwise(int index, algorithm &aalgorithm, float &alpha, float &beta) const {
        dnnl_alg_kind_t c_algorithm;
        detail::call("could not get the parameters of an eltwise post-op",
                dnnl_post_ops_get_params_eltwise, *this, index, &c_algorithm, &alpha, &beta);
        aalgorithm = static_cast<algorithm>(c_algorithm);
    }

    /// Follows a convolution with a depthwise one; see dnnl_post_ops_append_dw().
    void append_dw(memory::data_type weights_data_type, memory::data_type bias_data_type,
            memory::data_type dst_data_type, memory::dim kernel_size, memory::dim stride_size,
            memory::dim padding_l_size) {
        detail::call("could not append a depthwise convolution", dnnl_post_ops_append_dw, *this,
                weights_data_type, bias_data_type, dst_data_type, kernel_size, stride_size,
                padding_l_size);
    }
    void get_params_dw(int index, memory::data_type &weights_data_type,
            memory::data_type &bias_data_type, memory::data_type &dst_data_type,
            memory::dim &kernel_size, memory::dim &stride_size, memory::dim &padding_l_size) const {
        dnnl_data_type_t weights, bias, dst;
        detail::call("could not get the parameters of a depthwise convolution",
                dnnl_post_ops_get_params_dw, *this, index, &weights, &bias, &dst, &kernel_size,
                &stride_size, &padding_l_size);
        weights_data_type = static_cast<memory::data_type>(weights);
        bias_data_type = static_cast<memory::data_type>(bias);
        dst_data_type = static_cast<memory::data_type>(dst);
    }

    /// Combines each element with one of another tensor; see dnnl_post_ops_append_binary().
    void append_binary(algorithm aalgorithm, const memory::desc &src1_desc) {
        detail::call("could not append a binary post-op", dnnl_post_ops_append_binary, *this,
                aalgorithm, src1_desc);
    }
    /// Combines each element with those of two tensors; see dnnl_post_ops_append_binary_v2().
    void append_binary(
            algorithm aalgorithm, const memory::desc &src1_desc, const memory::desc &src2_desc) {
        detail::call("could not append a binary post-op", dnnl_post_ops_append_binary_v2, *this,
                aalgorithm, src1_desc, src2_desc);
    }
    void get_params_binary(int index, algorithm &aalgorithm, memory::desc &src1_desc) const {
        dnnl_alg_kind_t c_algorithm;
        const_dnnl_memory_desc_t src1;
        detail::call("could not get the parameters of a binary post-op",
                dnnl_post_ops_get_params_binary, *this, index, &c_algorithm, &src1);
        aalgorithm = static_cast<algorithm>(c_algorithm);
        src1_desc = detail::copy(src1);
    }
    void get_params_binary(int index, algorithm &aalgorithm, memory::desc &src1_desc,
            memory::desc &src2_desc) const {
        dnnl_alg_kind_t c_algorithm;
        const_dnnl_memory_desc_t src1, src2;
        detail::call("could not get the parameters of a binary post-op",
                dnnl_post_ops_get_params_binary_v2, *this, index, &c_algorithm, &src1, &src2);
        aalgorithm = static_cast<algorithm>(c_algorithm);
        src1_desc = detail::copy(src1);
        src2_desc = detail::copy(src2);
    }

    /// Applies PReLU with weights given at execution; see dnnl_post_ops_append_prelu().
    void append_prelu(int mask) {
        detail::call("could not append a PReLU post-op", dnnl_post_ops_append_prelu, *this, mask);
    }
    void get_params_prelu(int index, int &mask) const {
        detail::call("could not get the parameters of a PReLU post-op",
                dnnl_post_ops_get_params_prelu, *this, index, &mask);
    }
};

/// Attributes: what is added to an operation. See dnnl_primitive_attr_create().
struct primitive_attr : public handle<dnnl_primitive_attr_t> {
    using handle<dnnl_primitive_attr_t>::handle;

    /// Default attributes.
    primitive_attr()
        : handle(detail::create("could not create attributes", false, dnnl_primitive_attr_create)) {
    }

    /// Takes over attributes of the C API.
    primitive_attr(dnnl_primitive_attr_t attr) : handle(attr) {}

    /// @name Dropout
    /// See dnnl_primitive_attr_set_dropout_v2().
    /// @{
    void set_dropout(const memory::desc &mask_desc) {
        detail::call("could not set dropout", dnnl_primitive_attr_set_dropout, *this, mask_desc);
    }
    void set_dropout(const memory::desc &mask_desc, memory::data_type seed_dt, bool use_offset,
            bool use_host_scalars) {
        detail::call("could not set dropout", dnnl_primitive_attr_set_dropout_v2, *this, mask_desc,
                seed_dt, use_offset, use_host_scalars);
    }
    void get_dropout(memory::desc &mask_desc) const {
        mask_desc = detail::copy(detail::get<const_dnnl_memory_desc_t>(
                "could not get dropout", dnnl_primitive_attr_get_dropout, *this));
    }
    void get_dropout(memory::desc &mask_desc, memory::data_type &seed_dt, bool &use_offset,
            bool &use_host_scalars) const {
        const_dnnl_memory_desc_t mask;
        dnnl_data_type_t seed;
        int offset, host_scalars;
        detail::call("could not get dropout", dnnl_primitive_attr_get_dropout_v2, *this, &mask,
                &seed, &offset, &host_scalars);
        mask_desc = detail::copy(mask);
        seed_dt = static_cast<memory::data_type>(seed);
        use_offset = offset != 0;
        use_host_scalars = host_scalars != 0;
    }
    /// @}

    /// @name Modes
    /// @{
    /// See dnnl_primitive_attr_set_fpmath_mode_v2().
    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false) {
        detail::call("could not set the floating-point math mode",
                dnnl_primitive_attr_set_fpmath_mode_v2, *this, mode, apply_to_int);
    }
    fpmath_mode get_fpmath_mode() const {
        return static_cast<fpmath_mode>(
                detail::get<dnnl_fpmath_mode_t>("could not get the floating-point math mode",
                        dnnl_primitive_attr_get_fpmath_mode, *this));
    }
    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const {
        dnnl_fpmath_mode_t c_mode;
        int to_int;
        detail::call("could not get the floating-point math mode",
                dnnl_primitive_attr_get_fpmath_mode_v2, *this, &c_mode, &to_int);
        mode = static_cast<fpmath_mode>(c_mode);
        apply_to_int = to_int != 0;
    }

    /// See dnnl_primitive_attr_set_accumulation_mode().
    void set_accumulation_mode(accumulation_mode mode) {
        detail::call("could not set the accumulation mode",
                dnnl_primitive_attr_set_accumulation_mode, *this, mode);
    }
    accumulation_mode get_accumulation_mode() const {
        return static_cast<accumulation_mode>(
                detail::get<dnnl_accumulation_mode_t>("could not get the accumulation mode",
                        dnnl_primitive_attr_get_accumulation_mode, *this));
    }

    /// See dnnl_primitive_attr_set_deterministic().
    void set_deterministic(bool value) {
        detail::call("could not set the deterministic flag", dnnl_primitive_attr_set_deterministic,
                *this, value);
    }
    bool get_deterministic() const {
        return detail::get<int>("could not get the deterministic flag",
                       dnnl_primitive_attr_get_deterministic, *this) != 0;
    }

    /// See dnnl_primitive_attr_set_rounding().
    void set_rounding_mode(int arg, rounding_mode mode) {
        detail::call("could not set the rounding mode", dnnl_primitive_attr_set_rounding, *this,
                arg, mode);
    }
    rounding_mode get_rounding_mode(int arg) const {
        return static_cast<rounding_mode>(detail::get<dnnl_rounding_mode_t>(
                "could not get the rounding mode", dnnl_primitive_attr_get_rounding, *this, arg));
    }

    /// See dnnl_primitive_attr_set_scratchpad_mode().
    void set_scratchpad_mode(scratchpad_mode mode) {
        detail::call("could not set the scratchpad mode", dnnl_primitive_attr_set_scratchpad_mode,
                *this, mode);
    }
    scratchpad_mode get_scratchpad_mode() const {
        return static_cast<scratchpad_mode>(
                detail::get<dnnl_scratchpad_mode_t>("could not get the scratchpad mode",
                        dnnl_primitive_attr_get_scratchpad_mode, *this));
    }
    /// @}

    /// @name Quantization
    /// dnnl.h explains masks and groups. The values are execution arguments: DNNL_ARG_ATTR_SCALES |
    /// arg and DNNL_ARG_ATTR_ZERO_POINTS | arg.
    /// @{
    /// Scales in f32, without groups.
    void set_scales_mask(int arg, int mask) {
        detail::call("could not set scales", dnnl_primitive_attr_set_scales_mask, *this, arg, mask);
    }
    /// Scales; see dnnl_primitive_attr_set_scales_v3().
    void set_scales(int arg, int mask, const memory::dims &groups,
            memory::data_type data_type = memory::data_type::f32, bool is_on_host = false,
            quantization_mode qmode = quantization_mode::static_sazp) {
        detail::call("could not set scales", dnnl_primitive_attr_set_scales_v3, *this, arg, mask,
                groups.size(), groups, data_type, is_on_host, qmode);
    }
    /// One scale, given as a host scalar.
    void set_host_scale(int arg, memory::data_type data_type = memory::data_type::f32) {
        set_scales(arg, 0, {}, data_type, true);
    }
    /// Zero points in s32, without groups.
    void set_zero_points_mask(int arg, int mask) {
        detail::call("could not set zero points", dnnl_primitive_attr_set_zero_points_mask, *this,
                arg, mask);
    }
    /// Zero points; see dnnl_primitive_attr_set_zero_points_v2().
    void set_zero_points(int arg, int mask, const memory::dims &groups,
            memory::data_type data_type = memory::data_type::s32, bool is_on_host = false) {
        detail::call("could not set zero points", dnnl_primitive_attr_set_zero_points_v2, *this,
                arg, mask, groups.size(), groups, data_type, is_on_host);
    }
    /// One zero point, given as a host scalar.
    void set_host_zero_point(int arg, memory::data_type data_type = memory::data_type::s32) {
        set_zero_points(arg, 0, {}, data_type, true);
    }
    /// Sums that the caller computed; see dnnl_primitive_attr_set_precomputed_reductions().
    void set_precomputed_reductions(int arg, int mask, const memory::dims &groups,
            memory::data_type data_type = memory::data_type::s32) {
        detail::call("could not set precomputed reductions",
                dnnl_primitive_attr_set_precomputed_reductions, *this, arg, mask, groups.size(),
                groups, data_type);
    }
    /// @}

    /// Sets post-ops, which are copied.
    void set_post_ops(const post_ops &ops) {
        detail::call("could not set post-ops", dnnl_primitive_attr_set_post_ops, *this, ops);
    }
    /// Returns a copy of the post-ops.
    post_ops get_post_ops() const {
        const char *message = "could not get post-ops";
        return detail::create(message, false, dnnl_post_ops_clone,
                detail::get<const_dnnl_post_ops_t>(
                        message, dnnl_primitive_attr_get_post_ops, *this));
    }

    /// @name Quantization of RNNs
    /// See dnnl_primitive_attr_set_rnn_data_qparams() and its neighbours.
    /// @{
    void set_rnn_data_qparams(float scale, float shift) {
        detail::call("could not set the quantization of RNN data",
                dnnl_primitive_attr_set_rnn_data_qparams, *this, scale, shift);
    }
    void get_rnn_data_qparams(float &scale, float &shift) const {
        detail::call("could not get the quantization of RNN data",
                dnnl_primitive_attr_get_rnn_data_qparams, *this, &scale, &shift);
    }
    void set_rnn_weights_qparams(int mask, const std::vector<float> &scales) {
        detail::call("could not set the quantization of RNN weights",
                dnnl_primitive_attr_set_rnn_weights_qparams, *this, scales.size(), mask, scales);
    }
    void get_rnn_weights_qparams(int &mask, std::vector<float> &scales) const {
        get_rnn_scales(dnnl_primitive_attr_get_rnn_weights_qparams, mask, scales);
    }
    void set_rnn_weights_projection_qparams(int mask, const std::vector<float> &scales) {
        detail::call("could not set the quantization of RNN projection weights",
                dnnl_primitive_attr_set_rnn_weights_projection_qparams, *this, scales.size(), mask,
                scales);
    }
    void get_rnn_weights_projection_qparams(int &mask, std::vector<float> &scales) const {
        get_rnn_scales(dnnl_primitive_attr_get_rnn_weights_projection_qparams, mask, scales);
    }
    /// @}

  private:
    void get_rnn_scales(decltype(&dnnl_primitive_attr_get_rnn_weights_qparams) function, int &mask,
            std::vector<float> &scales) const {
        dnnl_dim_t count;
        const float *values;
        detail::call("could not get the quantization of RNN weights", function, *this, &count,
                &mask, &values);
        scales.assign(values, values + count);
    }
};

namespace detail {
// What constructors without attributes use.
inline const primitive_attr &default_attr() {
    static const primitive_attr attr;
    return attr;
}
} // namespace detail

/// What primitive descriptors of every kind answer. A property that the kind does not have is
/// answered with
/// 0, `undef`, no values or the zero descriptor.
struct primitive_desc_base : public handle<dnnl_primitive_desc_t> {
    using handle<dnnl_primitive_desc_t>::handle;

    /// An empty primitive descriptor.
    primitive_desc_base() = default;

    /// @name What was chosen
    /// @{
    dnnl::primitive::kind get_kind() const {
        return static_cast<dnnl::primitive::kind>(
                ask<dnnl_primitive_kind_t>(query::primitive_kind));
    }
    /// Returns the engine that the primitive runs on.
    engine get_engine() const { return query_engine(query::engine); }
    /// Returns the engine that the scratchpad is to be allocated on.
    engine scratchpad_engine() const { return query_engine(query::scratchpad_engine); }
    /// Returns the name of the implementation, which belongs to the primitive descriptor.
    const char *impl_info_str() const { return ask<const char *>(query::impl_info_str); }
    /// Returns a copy of the attributes, with layouts that were left to the library filled in.
    primitive_attr get_primitive_attr() const {
        const char *message = "could not get the attributes of a primitive descriptor";
        return detail::create(message, false, dnnl_primitive_attr_clone,
                detail::get<const_dnnl_primitive_attr_t>(
                        message, dnnl_primitive_desc_get_attr, *this));
    }
    /// Returns an identifier for a persistent cache: what has the same can use the same cache blob.
    std::vector<uint8_t> get_cache_blob_id() const {
        const auto size = ask<dnnl_dim_t>(query::cache_blob_id_size_s64);
        const auto *id = ask<const uint8_t *>(query::cache_blob_id);
        return std::vector<uint8_t>(id, id + size);
    }
    /// @}

    /// @name Memory descriptors
    /// Of tensor number idx, with the layout that was chosen.
    /// @{
    memory::desc src_desc(int idx) const { return query_md(query::src_md, idx); }
    memory::desc dst_desc(int idx) const { return query_md(query::dst_md, idx); }
    memory::desc weights_desc(int idx) const { return query_md(query::weights_md, idx); }
    memory::desc diff_src_desc(int idx) const { return query_md(query::diff_src_md, idx); }
    memory::desc diff_dst_desc(int idx) const { return query_md(query::diff_dst_md, idx); }
    memory::desc diff_weights_desc(int idx) const { return query_md(query::diff_weights_md, idx); }
    memory::desc src_desc() const { return src_desc(0); }
    memory::desc dst_desc() const { return dst_desc(0); }
    memory::desc weights_desc() const { return weights_desc(0); }
    memory::desc diff_src_desc() const { return diff_src_desc(0); }
    memory::desc diff_dst_desc() const { return diff_dst_desc(0); }
    memory::desc diff_weights_desc() const { return diff_weights_desc(0); }
    memory::desc workspace_desc() const { return query_md(query::workspace_md); }
    memory::desc scratchpad_desc() const { return query_md(query::scratchpad_md); }

    /// @param what One of the queries whose name ends in _md.
    /// @param idx Number of the tensor; a DNNL_ARG_ number with query::exec_arg_md.
    memory::desc query_md(query what, int idx = 0) const {
        const bool is_md = what >= query::src_md && what <= query::exec_arg_md;
        if (!is_md)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the query is not one of a memory descriptor");
        const_dnnl_memory_desc_t md =
                dnnl_primitive_desc_query_md(get(), dnnl::convert_to_c(what), idx);
        return md ? detail::copy(md) : memory::desc();
    }
    /// @}

    /// @name Parameters
    /// @{
    dnnl::prop_kind get_prop_kind() const {
        return static_cast<dnnl::prop_kind>(try_ask(query::prop_kind, dnnl_prop_kind_undef));
    }
    dnnl::algorithm get_algorithm() const { return query_alg(query::alg_kind); }
    dnnl::algorithm get_cell_kind() const { return query_alg(query::cell_kind); }
    dnnl::algorithm get_activation_kind() const { return query_alg(query::activation_kind); }
    dnnl::rnn_direction get_direction() const {
        return static_cast<dnnl::rnn_direction>(
                try_ask(query::direction, dnnl_rnn_direction_undef));
    }
    memory::dims get_strides() const { return query_dims(query::strides); }
    memory::dims get_dilations() const { return query_dims(query::dilations); }
    memory::dims get_padding_l() const { return query_dims(query::padding_l); }
    memory::dims get_padding_r() const { return query_dims(query::padding_r); }
    memory::dims get_kernel() const { return query_dims(query::kernel); }
    std::vector<float> get_factors() const {
        const auto *factors = try_ask<const float *>(query::factors, nullptr);
        return factors ? std::vector<float>(factors, factors + spatial_ndims())
                       : std::vector<float>();
    }
    float get_epsilon() const { return query_f32(query::epsilon_f32); }
    float get_alpha() const { return query_f32(query::alpha_f32); }
    float get_beta() const { return query_f32(query::beta_f32); }
    float get_k() const { return query_f32(query::k_f32); }
    float get_p() const { return query_f32(query::p_f32); }
    /// @returns -1 where there is no axis.
    int get_axis() const { return try_ask(query::axis_s32, -1); }
    memory::dim get_local_size() const { return query_s64(query::local_size_s64); }
    memory::dim get_group_size() const { return query_s64(query::group_size_s64); }
    template <typename T = unsigned> T get_flags() const {
        return static_cast<T>(try_ask(query::flags, 0U));
    }
    memory::dim query_s64(query what) const { return try_ask(what, memory::dim(0)); }
    /// @}

  protected:
    using base = primitive_desc_base;

    float query_f32(query what) const { return try_ask(what, 0.f); }
    algorithm query_alg(query what) const {
        return static_cast<algorithm>(try_ask(what, dnnl_alg_kind_undef));
    }
    memory::dims query_dims(query what) const {
        const auto *values = try_ask<const dnnl_dims_t *>(what, nullptr);
        return values ? memory::dims(*values, *values + spatial_ndims()) : memory::dims();
    }
    engine query_engine(query what) const { return engine(ask<dnnl_engine_t>(what), true); }

    static const primitive_attr &default_attr() { return detail::default_attr(); }

    /// Makes what one of the functions dnnl_..._primitive_desc_create() makes of the arguments.
    template <typename... P, typename... A>
    void create(const char *message, bool allow_empty,
            dnnl_status_t (*function)(dnnl_primitive_desc_t *, P...), const A &...args) {
        reset(detail::create(message, allow_empty, function, args...));
    }

    /// Copies a primitive descriptor of the C API.
    ///
    /// @param pd Primitive descriptor, or nullptr, which leaves this one empty.
    /// @param kind Kind that it has to be of.
    /// @param prop_kinds One of which it has to have; none for kinds that have none.
    void copy(const_dnnl_primitive_desc_t pd, dnnl::primitive::kind kind,
            std::initializer_list<dnnl::prop_kind> prop_kinds) {
        if (!pd) return;
        primitive_desc_base pd_copy(detail::create(
                "could not copy a primitive descriptor", false, dnnl_primitive_desc_clone, pd));
        bool fits = prop_kinds.size() == 0;
        for (dnnl::prop_kind prop_kind : prop_kinds)
            fits = fits || pd_copy.get_prop_kind() == prop_kind;
        if (!fits || pd_copy.get_kind() != kind)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the primitive descriptor is of another kind");
        primitive_desc_base::operator=(pd_copy);
    }

  private:
    template <typename T> T try_ask(query what, T otherwise) const {
        T value;
        const dnnl_query_t c_what = dnnl::convert_to_c(what);
        return dnnl_primitive_desc_query(get(), c_what, 0, &value) == dnnl_success ? value
                                                                                   : otherwise;
    }

    template <typename T> T ask(query what) const {
        T value{};
        detail::call("could not query a primitive descriptor", dnnl_primitive_desc_query, *this,
                what, 0, static_cast<void *>(&value));
        return value;
    }

    int spatial_ndims() const {
        const int ndims = dst_desc(0).get_ndims();
        return (ndims ? ndims : diff_dst_desc(0).get_ndims()) - 2;
    }
};

/// A primitive descriptor of a kind with more than one implementation.
struct primitive_desc : public primitive_desc_base {
    using primitive_desc_base::primitive_desc_base;

    /// An empty primitive descriptor.
    primitive_desc() = default;

    /// Moves on to the next implementation that can do the same.
    ///
    /// @returns Whether there was one.
    bool next_impl() {
        const dnnl_status_t status = dnnl_primitive_desc_next_impl(get());
        if (status == dnnl_last_impl_reached) return false;
        error::wrap_c_api(status, "could not move on to the next implementation");
        return true;
    }
};

inline primitive::primitive(const primitive_desc &pd) : primitive(pd.get()) {}
inline primitive::primitive(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
    : primitive(pd.get(), cache_blob) {}

// How primitives are declared: DNNL_PRIMITIVE lists what primitive descriptors are made from. A
// list becomes a constructor.
namespace detail {
// Primitive descriptors of one kind, with one of some propagation kinds.
template <primitive::kind akind, prop_kind... prop_kinds> struct pd_of : public primitive_desc {
    pd_of() = default;
    pd_of(dnnl_primitive_desc_t pd) { copy(pd, akind, {prop_kinds...}); }
};
template <primitive::kind akind>
using forward_pd = pd_of<akind, prop_kind::forward_training, prop_kind::forward_inference>;
template <primitive::kind akind> using backward_pd = pd_of<akind, prop_kind::backward>;
template <primitive::kind akind> using backward_data_pd = pd_of<akind, prop_kind::backward_data>;
template <primitive::kind akind>
using backward_weights_pd = pd_of<akind, prop_kind::backward_weights>;

// The same with queries that only some kinds have.
template <typename pd> struct with_bias : public pd {
    using pd::pd;
    with_bias() = default;
    memory::desc bias_desc() const { return this->weights_desc(1); }
};
template <typename pd> struct with_diff_bias : public pd {
    using pd::pd;
    with_diff_bias() = default;
    memory::desc diff_bias_desc() const { return this->diff_weights_desc(1); }
};
template <typename pd> struct with_sources : public pd {
    using pd::pd;
    with_sources() = default;
    memory::desc src0_desc() const { return this->src_desc(0); }
    memory::desc src1_desc() const { return this->src_desc(1); }
    memory::desc src2_desc() const { return this->src_desc(2); }
};
template <typename pd> struct with_statistics : public pd {
    using pd::pd;
    with_statistics() = default;

    normalization_flags get_flags() const { return pd::template get_flags<normalization_flags>(); }
    memory::desc mean_desc() const { return stat_desc(1); }
    memory::desc variance_desc() const { return stat_desc(2); }

  private:
    // Statistics are results of a forward primitive that computes them, and otherwise sources.
    memory::desc stat_desc(int number) const {
        const prop_kind direction = this->get_prop_kind();
        const bool forward = direction == prop_kind::forward_training ||
                             direction == prop_kind::forward_inference;
        const bool given =
                (get_flags() & normalization_flags::use_global_stats) != normalization_flags::none;
        return this->query_md(forward && !given ? query::dst_md : query::src_md, number);
    }
};
template <primitive::kind akind> using norm_forward_pd = with_statistics<forward_pd<akind>>;
template <primitive::kind akind>
using norm_backward_pd =
        with_statistics<pd_of<akind, prop_kind::backward, prop_kind::backward_data>>;

// A list: the parameters of the C function between its engine and its attributes, in order. Several
// of them.
template <typename... A> struct from {};
template <typename... lists> struct any_of {};

// Parameters of the C function that a constructor does not have, and what they are given.
struct left_out {};
struct none : left_out {
    static std::nullptr_t value() { return nullptr; }
};
struct zero : left_out {
    static float value() { return 0.f; }
};
struct f32 : left_out {
    static memory::data_type value() { return memory::data_type::f32; }
};
struct no_flags : left_out {
    static rnn_flags value() { return rnn_flags::undef; }
};

// What the lists call parameters.
struct parameter_names {
    template <typename... A> using from = detail::from<A...>;
    template <typename... lists> using any_of = detail::any_of<lists...>;
    using none = detail::none;
    using zero = detail::zero;
    using f32 = detail::f32;
    using no_flags = detail::no_flags;

    typedef prop_kind prop;
    typedef algorithm alg;
    typedef rnn_direction direction;
    typedef normalization_flags flags;
    typedef int axis, group_size;
    typedef memory::dim groups, local_size;
    typedef float alpha, beta, k, p, epsilon;
    typedef memory::data_type scale_shift_type, diff_scale_shift_type;
    typedef const std::vector<float> &factors;
    typedef const memory::dims &strides, &dilates, &kernel, &padding_l, &padding_r;
    typedef const memory::desc &src, &src1, &src2, &weights, &bias, &dst, &statistics, &diff_src,
            &diff_weights, &diff_bias, &diff_dst;
    typedef const memory::desc &src_layer, &src_iter, &src_iter_c, &attention, &weights_layer,
            &weights_iter, &weights_peephole, &weights_projection, &dst_layer, &dst_iter,
            &dst_iter_c, &diff_src_layer, &diff_src_iter, &diff_src_iter_c, &diff_attention,
            &diff_weights_layer, &diff_weights_iter, &diff_weights_peephole,
            &diff_weights_projection, &diff_dst_layer, &diff_dst_iter, &diff_dst_iter_c;
    template <typename forward> using hint = const typename forward::primitive_desc &;

    // Lists that several kinds share.
    using convolution = any_of<
            from<prop, alg, src, weights, bias, dst, strides, none, padding_l, padding_r>,
            from<prop, alg, src, weights, none, dst, strides, none, padding_l, padding_r>,
            from<prop, alg, src, weights, bias, dst, strides, dilates, padding_l, padding_r>,
            from<prop, alg, src, weights, none, dst, strides, dilates, padding_l, padding_r>>;
    template <typename fwd>
    using convolution_data = any_of<
            from<alg, diff_src, weights, diff_dst, strides, none, padding_l, padding_r, hint<fwd>>,
            from<alg, diff_src, weights, diff_dst, strides, dilates, padding_l, padding_r,
                    hint<fwd>>>;
    template <typename fwd>
    using convolution_weights = any_of<from<alg, src, diff_weights, diff_bias, diff_dst, strides,
                                               none, padding_l, padding_r, hint<fwd>>,
            from<alg, src, diff_weights, none, diff_dst, strides, none, padding_l, padding_r,
                    hint<fwd>>,
            from<alg, src, diff_weights, diff_bias, diff_dst, strides, dilates, padding_l,
                    padding_r, hint<fwd>>,
            from<alg, src, diff_weights, none, diff_dst, strides, dilates, padding_l, padding_r,
                    hint<fwd>>>;
    using gru = from<prop, direction, src_layer, src_iter, weights_layer, weights_iter, bias,
            dst_layer, dst_iter, no_flags>;
    template <typename fwd>
    using gru_backward = from<prop, direction, src_layer, src_iter, weights_layer, weights_iter,
            bias, dst_layer, dst_iter, diff_src_layer, diff_src_iter, diff_weights_layer,
            diff_weights_iter, diff_bias, diff_dst_layer, diff_dst_iter, no_flags, hint<fwd>>;
    using augru = from<prop, direction, src_layer, src_iter, attention, weights_layer, weights_iter,
            bias, dst_layer, dst_iter, no_flags>;
    template <typename fwd>
    using augru_backward = from<prop, direction, src_layer, src_iter, attention, weights_layer,
            weights_iter, bias, dst_layer, dst_iter, diff_src_layer, diff_src_iter, diff_attention,
            diff_weights_layer, diff_weights_iter, diff_bias, diff_dst_layer, diff_dst_iter,
            no_flags, hint<fwd>>;
};

// The arrays of a spatial primitive have a value for each spatial dimension of its first tensor.
struct spatial_check {
    int ndims = -1;

    void look_at(const memory::desc &md) {
        if (ndims < 0) ndims = md.get_ndims() - 2;
    }
    template <typename T> void look_at(const T &) {}

    template <typename T> void check(const std::vector<T> &values) const {
        memory::validate_dims(values, ndims);
    }
    template <typename T> void check(const T &) const {}

    template <typename... T> explicit spatial_check(const T &...args) {
        const int done[] = {(look_at(args), 0)..., (check(args), 0)...};
        static_cast<void>(done);
    }
};

template <typename... lists> struct lists_of {
    using type = any_of<lists...>;
};
template <typename... lists> struct lists_of<any_of<lists...>> {
    using type = any_of<lists...>;
};

// List number n; void after the last.
template <size_t n, typename lists> struct list_of;
template <> struct list_of<0, any_of<>> {
    using type = void;
};
template <typename list, typename... more> struct list_of<0, any_of<list, more...>> {
    using type = list;
};
template <size_t n, typename list, typename... more>
struct list_of<n, any_of<list, more...>> : list_of<n - 1, any_of<more...>> {};

// What constructors take of a list: all that is not left out.
template <typename list, typename... given> struct given_of;
template <> struct given_of<void> {
    using type = void;
};
template <typename... given> struct given_of<from<>, given...> {
    using type = from<given...>;
};
template <typename A, typename... rest, typename... given>
struct given_of<from<A, rest...>, given...>
    : std::conditional<std::is_base_of<left_out, A>::value, given_of<from<rest...>, given...>,
              given_of<from<rest...>, given..., A>>::type {};

// Puts arguments where the C function has them, and calls it. info: what DNNL_PRIMITIVE says.
template <typename info> struct pd_maker : public info::base {
    pd_maker() = default;
    pd_maker(dnnl_primitive_desc_t pd) : info::base(pd) {}

  protected:
    template <typename... A, typename... G>
    void make(from<A...>, bool allow_empty, const engine &aengine, const primitive_attr &attr,
            const G &...args) {
        place(from<engine, A..., primitive_attr>(), allow_empty, aengine, args..., attr);
    }

  private:
    // One parameter at a time: its argument, the first, goes to the end.
    template <typename A, typename... rest, typename T, typename... G>
    typename std::enable_if<!std::is_base_of<left_out, A>::value>::type place(
            from<A, rest...>, bool allow_empty, const T &first, const G &...args) {
        place(from<rest...>(), allow_empty, args..., first);
    }
    template <typename A, typename... rest, typename... G>
    typename std::enable_if<std::is_base_of<left_out, A>::value>::type place(
            from<A, rest...>, bool allow_empty, const G &...args) {
        place(from<rest...>(), allow_empty, args..., A::value());
    }
    template <typename... G> void place(from<>, bool allow_empty, const G &...args) {
        spatial_check{args...};
        this->create(info::message(), allow_empty, info::function(), args...);
    }
};

// A primitive descriptor with a constructor for each list from number n on.
template <typename info, size_t n,
        typename given = typename given_of<typename list_of<n, typename info::lists>::type>::type>
struct pd_made_from;
template <typename info, size_t n> struct pd_made_from<info, n, void> : public pd_maker<info> {
    using pd_maker<info>::pd_maker;
    pd_made_from() = default;
};
template <typename info, size_t n, typename... given>
struct pd_made_from<info, n, from<given...>> : public pd_made_from<info, n + 1> {
    using pd_made_from<info, n + 1>::pd_made_from;
    pd_made_from() = default;
    pd_made_from(const engine &aengine, given... args,
            const primitive_attr &attr = detail::default_attr(), bool allow_empty = false) {
        this->make(typename list_of<n, typename info::lists>::type(), allow_empty, aengine, attr,
                args...);
    }
};
} // namespace detail

// The constructors of a primitive.
#define DNNL_PRIMITIVE_CONSTRUCTORS(name)                                                          \
    name() = default;                                                                              \
    name(const primitive_desc &pd) : primitive(pd.get()) {}                                        \
    name(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)                         \
        : primitive(pd.get(), cache_blob) {}

// Why there is no primitive descriptor.
#define DNNL_NO_PD(name)                                                                           \
    "could not create a primitive descriptor of " #name " (ONEDNN_VERBOSE=all shows the reason)"

// The members of a primitive. pd_base: what its primitive descriptors answer; c_function: what
// makes them; the rest: lists of what they are made from.
#define DNNL_PRIMITIVE(name, pd_base, c_function, ...)                                             \
  private:                                                                                         \
    struct info : public detail::parameter_names {                                                 \
        using base = pd_base;                                                                      \
        using lists = typename detail::lists_of<__VA_ARGS__>::type;                                \
        static const char *message() {                                                             \
            return DNNL_NO_PD(name);                                                               \
        }                                                                                          \
        static decltype(&c_function) function() {                                                  \
            return c_function;                                                                     \
        }                                                                                          \
    };                                                                                             \
                                                                                                   \
  public:                                                                                          \
    struct primitive_desc : public detail::pd_made_from<info, 0> {                                 \
        using pd_made_from::pd_made_from;                                                          \
        primitive_desc() = default;                                                                \
    };                                                                                             \
    DNNL_PRIMITIVE_CONSTRUCTORS(name)

/// @name Primitives
/// Each is made from its primitive_desc, or from that and a cache blob. A primitive_desc is made
/// from
///
/// - an engine, what one of the lists `from<...>` says, and, if need be, attributes
///   (`primitive_attr()`) and `allow_empty` (`false`). A list has the parameters of the C function
///   in their order; `none`, `zero`, `f32` and `no_flags` are not parameters of the constructor: it
///   passes no tensor or dilation, 0, f32 or no flags. So `from<src, weights, none, dst>` is
///   @code
///   primitive_desc(const engine &aengine, const memory::desc &src, const memory::desc &weights,
///           const memory::desc &dst, const primitive_attr &attr = primitive_attr(), bool
///           allow_empty = false);
///   @endcode
/// - a primitive descriptor of the C API of the right kind and direction, which is copied;
/// - nothing: it is empty.
/// @{

/// Copies a tensor into another layout or data type; see dnnl_reorder_primitive_desc_create().
struct reorder : public primitive {
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;
        primitive_desc() = default;
        primitive_desc(dnnl_primitive_desc_t pd) { copy(pd, kind::reorder, {}); }
        primitive_desc(const engine &src_engine, const memory::desc &src_md,
                const engine &dst_engine, const memory::desc &dst_md,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD(reorder), allow_empty, dnnl_reorder_primitive_desc_create, src_md,
                    src_engine, dst_md, dst_engine, attr);
        }
        /// From the descriptors and engines of memory objects.
        primitive_desc(const memory &src, const memory &dst,
                const primitive_attr &attr = default_attr(), bool allow_empty = false)
            : primitive_desc(src.get_engine(), src.get_desc(), dst.get_engine(), dst.get_desc(),
                      attr, allow_empty) {}

        engine get_src_engine() const { return query_engine(query::reorder_src_engine); }
        engine get_dst_engine() const { return query_engine(query::reorder_dst_engine); }
    };
    DNNL_PRIMITIVE_CONSTRUCTORS(reorder)

    /// From memory objects like those it will be executed with.
    reorder(const memory &src, const memory &dst, const primitive_attr &attr = primitive_attr())
        : reorder(primitive_desc(src, dst, attr)) {}

    using primitive::execute;
    /// Copies one memory object into another.
    void execute(const stream &astream, const memory &src, const memory &dst) const {
        execute(astream, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
    }
};

/// Puts tensors next to each other; see dnnl_concat_primitive_desc_create().
struct concat : public primitive {
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;
        primitive_desc() = default;
        primitive_desc(dnnl_primitive_desc_t pd) { copy(pd, kind::concat, {}); }
        primitive_desc(const engine &aengine, const memory::desc &dst, int concat_dimension,
                const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            create(DNNL_NO_PD(concat), allow_empty, dnnl_concat_primitive_desc_create, aengine, dst,
                    srcs.size(), concat_dimension, convert_to_c(srcs), attr);
        }
        /// With a destination of the library's choice.
        primitive_desc(const engine &aengine, int concat_dimension,
                const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            create(DNNL_NO_PD(concat), allow_empty, dnnl_concat_primitive_desc_create, aengine,
                    nullptr, srcs.size(), concat_dimension, convert_to_c(srcs), attr);
        }
    };
    DNNL_PRIMITIVE_CONSTRUCTORS(concat)
};

/// Adds tensors with a factor each; see dnnl_sum_primitive_desc_create().
struct sum : public primitive {
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;
        primitive_desc() = default;
        primitive_desc(dnnl_primitive_desc_t pd) { copy(pd, kind::sum, {}); }
        primitive_desc(const engine &aengine, const memory::desc &dst,
                const std::vector<float> &scales, const std::vector<memory::desc> &srcs,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            check(scales, srcs);
            create(DNNL_NO_PD(sum), allow_empty, dnnl_sum_primitive_desc_create, aengine, dst,
                    srcs.size(), scales, convert_to_c(srcs), attr);
        }
        /// With a destination of the library's choice.
        primitive_desc(const engine &aengine, const std::vector<float> &scales,
                const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            check(scales, srcs);
            create(DNNL_NO_PD(sum), allow_empty, dnnl_sum_primitive_desc_create, aengine, nullptr,
                    srcs.size(), scales, convert_to_c(srcs), attr);
        }

      private:
        static void check(const std::vector<float> &scales, const std::vector<memory::desc> &srcs) {
            const int count = static_cast<int>(srcs.size());
            validate_container_size(
                    scales, "there are not as many scales as sources", count, count);
        }
    };
    DNNL_PRIMITIVE_CONSTRUCTORS(sum)
};

/// Convolution, forward; see dnnl_convolution_forward_primitive_desc_create().
struct convolution_forward : public primitive {
    DNNL_PRIMITIVE(convolution_forward, detail::with_bias<detail::forward_pd<kind::convolution>>,
            dnnl_convolution_forward_primitive_desc_create, convolution)
};

/// Convolution, backward by data; see dnnl_convolution_backward_data_primitive_desc_create().
struct convolution_backward_data : public primitive {
    DNNL_PRIMITIVE(convolution_backward_data, detail::backward_data_pd<kind::convolution>,
            dnnl_convolution_backward_data_primitive_desc_create,
            convolution_data<convolution_forward>)
};

/// Convolution, backward by weights; see dnnl_convolution_backward_weights_primitive_desc_create().
struct convolution_backward_weights : public primitive {
    DNNL_PRIMITIVE(convolution_backward_weights,
            detail::with_diff_bias<detail::backward_weights_pd<kind::convolution>>,
            dnnl_convolution_backward_weights_primitive_desc_create,
            convolution_weights<convolution_forward>)
};

/// Deconvolution, forward; see dnnl_deconvolution_forward_primitive_desc_create().
struct deconvolution_forward : public primitive {
    DNNL_PRIMITIVE(deconvolution_forward,
            detail::with_bias<detail::forward_pd<kind::deconvolution>>,
            dnnl_deconvolution_forward_primitive_desc_create, convolution)
};

/// Deconvolution, backward by data; see dnnl_deconvolution_backward_data_primitive_desc_create().
struct deconvolution_backward_data : public primitive {
    DNNL_PRIMITIVE(deconvolution_backward_data, detail::backward_data_pd<kind::deconvolution>,
            dnnl_deconvolution_backward_data_primitive_desc_create,
            convolution_data<deconvolution_forward>)
};

/// Deconvolution, backward by weights; see
/// dnnl_deconvolution_backward_weights_primitive_desc_create().
struct deconvolution_backward_weights : public primitive {
    DNNL_PRIMITIVE(deconvolution_backward_weights,
            detail::with_diff_bias<detail::backward_weights_pd<kind::deconvolution>>,
            dnnl_deconvolution_backward_weights_primitive_desc_create,
            convolution_weights<deconvolution_forward>)
};

/// Local response normalization, forward; see dnnl_lrn_forward_primitive_desc_create().
struct lrn_forward : public primitive {
    DNNL_PRIMITIVE(lrn_forward, detail::forward_pd<kind::lrn>,
            dnnl_lrn_forward_primitive_desc_create,
            from<prop, alg, src, dst, local_size, alpha, beta, k>)
};

/// Local response normalization, backward; see dnnl_lrn_backward_primitive_desc_create().
struct lrn_backward : public primitive {
    DNNL_PRIMITIVE(lrn_backward, detail::backward_data_pd<kind::lrn>,
            dnnl_lrn_backward_primitive_desc_create,
            from<alg, diff_src, diff_dst, src, local_size, alpha, beta, k, hint<lrn_forward>>)
};

/// Function of each element, forward; see dnnl_eltwise_forward_primitive_desc_create().
struct eltwise_forward : public primitive {
    DNNL_PRIMITIVE(eltwise_forward, detail::forward_pd<kind::eltwise>,
            dnnl_eltwise_forward_primitive_desc_create, from<prop, alg, src, dst, zero, zero>,
            from<prop, alg, src, dst, alpha, zero>, from<prop, alg, src, dst, alpha, beta>)
};

/// Function of each element, backward; the third tensor is the source or, for some algorithms, the
/// destination; see dnnl_eltwise_backward_primitive_desc_create().
struct eltwise_backward : public primitive {
    DNNL_PRIMITIVE(eltwise_backward, detail::backward_data_pd<kind::eltwise>,
            dnnl_eltwise_backward_primitive_desc_create,
            from<alg, diff_src, diff_dst, src, zero, zero, hint<eltwise_forward>>,
            from<alg, diff_src, diff_dst, src, alpha, zero, hint<eltwise_forward>>,
            from<alg, diff_src, diff_dst, src, alpha, beta, hint<eltwise_forward>>)
};

/// Softmax, forward; see dnnl_softmax_forward_primitive_desc_create().
struct softmax_forward : public primitive {
    DNNL_PRIMITIVE(softmax_forward, detail::forward_pd<kind::softmax>,
            dnnl_softmax_forward_primitive_desc_create, from<prop, alg, src, dst, axis>)
};

/// Softmax, backward; see dnnl_softmax_backward_primitive_desc_create().
struct softmax_backward : public primitive {
    DNNL_PRIMITIVE(softmax_backward, detail::backward_data_pd<kind::softmax>,
            dnnl_softmax_backward_primitive_desc_create,
            from<alg, diff_src, diff_dst, dst, axis, hint<softmax_forward>>)
};

/// Batch normalization, forward; see dnnl_batch_normalization_forward_primitive_desc_create().
struct batch_normalization_forward : public primitive {
    DNNL_PRIMITIVE(batch_normalization_forward, detail::norm_forward_pd<kind::batch_normalization>,
            dnnl_batch_normalization_forward_primitive_desc_create,
            from<prop, src, dst, epsilon, flags>)
};

/// Batch normalization, backward; see dnnl_batch_normalization_backward_primitive_desc_create().
struct batch_normalization_backward : public primitive {
    DNNL_PRIMITIVE(batch_normalization_backward,
            detail::norm_backward_pd<kind::batch_normalization>,
            dnnl_batch_normalization_backward_primitive_desc_create,
            from<prop, diff_src, diff_dst, src, epsilon, flags, hint<batch_normalization_forward>>)
};

/// Group normalization, forward; see dnnl_group_normalization_forward_primitive_desc_create().
struct group_normalization_forward : public primitive {
    DNNL_PRIMITIVE(group_normalization_forward, detail::norm_forward_pd<kind::group_normalization>,
            dnnl_group_normalization_forward_primitive_desc_create,
            from<prop, src, dst, groups, epsilon, flags>)
};

/// Group normalization, backward; see dnnl_group_normalization_backward_primitive_desc_create().
struct group_normalization_backward : public primitive {
    DNNL_PRIMITIVE(group_normalization_backward,
            detail::norm_backward_pd<kind::group_normalization>,
            dnnl_group_normalization_backward_primitive_desc_create,
            from<prop, diff_src, diff_dst, src, groups, epsilon, flags,
                    hint<group_normalization_forward>>)
};

/// Layer normalization, forward; scale and shift are f32 unless said otherwise; see
/// dnnl_layer_normalization_forward_primitive_desc_create_v2().
struct layer_normalization_forward : public primitive {
    DNNL_PRIMITIVE(layer_normalization_forward, detail::norm_forward_pd<kind::layer_normalization>,
            dnnl_layer_normalization_forward_primitive_desc_create_v2,
            from<prop, src, dst, statistics, f32, epsilon, flags>,
            from<prop, src, dst, none, f32, epsilon, flags>,
            from<prop, src, dst, statistics, scale_shift_type, epsilon, flags>,
            from<prop, src, dst, none, scale_shift_type, epsilon, flags>)
};

/// Layer normalization, backward; see dnnl_layer_normalization_backward_primitive_desc_create_v2().
struct layer_normalization_backward : public primitive {
    DNNL_PRIMITIVE(layer_normalization_backward,
            detail::norm_backward_pd<kind::layer_normalization>,
            dnnl_layer_normalization_backward_primitive_desc_create_v2,
            from<prop, diff_src, diff_dst, src, statistics, f32, f32, epsilon, flags,
                    hint<layer_normalization_forward>>,
            from<prop, diff_src, diff_dst, src, none, f32, f32, epsilon, flags,
                    hint<layer_normalization_forward>>,
            from<prop, diff_src, diff_dst, src, statistics, diff_scale_shift_type, scale_shift_type,
                    epsilon, flags, hint<layer_normalization_forward>>,
            from<prop, diff_src, diff_dst, src, none, diff_scale_shift_type, scale_shift_type,
                    epsilon, flags, hint<layer_normalization_forward>>)
};

/// Inner product, forward; see dnnl_inner_product_forward_primitive_desc_create().
struct inner_product_forward : public primitive {
    DNNL_PRIMITIVE(inner_product_forward,
            detail::with_bias<detail::forward_pd<kind::inner_product>>,
            dnnl_inner_product_forward_primitive_desc_create, from<prop, src, weights, bias, dst>,
            from<prop, src, weights, none, dst>)
};

/// Inner product, backward by data; see dnnl_inner_product_backward_data_primitive_desc_create().
struct inner_product_backward_data : public primitive {
    DNNL_PRIMITIVE(inner_product_backward_data, detail::backward_data_pd<kind::inner_product>,
            dnnl_inner_product_backward_data_primitive_desc_create,
            from<diff_src, weights, diff_dst, hint<inner_product_forward>>)
};

/// Inner product, backward by weights; see
/// dnnl_inner_product_backward_weights_primitive_desc_create().
struct inner_product_backward_weights : public primitive {
    DNNL_PRIMITIVE(inner_product_backward_weights,
            detail::with_diff_bias<detail::backward_weights_pd<kind::inner_product>>,
            dnnl_inner_product_backward_weights_primitive_desc_create,
            from<src, diff_weights, diff_bias, diff_dst, hint<inner_product_forward>>,
            from<src, diff_weights, none, diff_dst, hint<inner_product_forward>>)
};

/// What primitive descriptors of RNNs answer.
struct rnn_primitive_desc_base : public primitive_desc {
    using primitive_desc::primitive_desc;

    /// An empty primitive descriptor.
    rnn_primitive_desc_base() = default;

    /// @name Memory descriptors
    /// @{
    memory::desc src_layer_desc() const { return arg_md(DNNL_ARG_SRC_LAYER); }
    memory::desc src_iter_desc() const { return arg_md(DNNL_ARG_SRC_ITER); }
    memory::desc src_iter_c_desc() const { return arg_md(DNNL_ARG_SRC_ITER_C); }
    memory::desc weights_layer_desc() const { return arg_md(DNNL_ARG_WEIGHTS_LAYER); }
    memory::desc weights_iter_desc() const { return arg_md(DNNL_ARG_WEIGHTS_ITER); }
    memory::desc weights_peephole_desc() const { return arg_md(DNNL_ARG_WEIGHTS_PEEPHOLE); }
    memory::desc weights_projection_desc() const { return arg_md(DNNL_ARG_WEIGHTS_PROJECTION); }
    memory::desc bias_desc() const { return arg_md(DNNL_ARG_BIAS); }
    memory::desc dst_layer_desc() const { return arg_md(DNNL_ARG_DST_LAYER); }
    memory::desc dst_iter_desc() const { return arg_md(DNNL_ARG_DST_ITER); }
    memory::desc dst_iter_c_desc() const { return arg_md(DNNL_ARG_DST_ITER_C); }
    memory::desc augru_attention_desc() const { return arg_md(DNNL_ARG_AUGRU_ATTENTION); }
    memory::desc attention_desc() const { return augru_attention_desc(); }
    memory::desc diff_src_layer_desc() const { return arg_md(DNNL_ARG_DIFF_SRC_LAYER); }
    memory::desc diff_src_iter_desc() const { return arg_md(DNNL_ARG_DIFF_SRC_ITER); }
    memory::desc diff_src_iter_c_desc() const { return arg_md(DNNL_ARG_DIFF_SRC_ITER_C); }
    memory::desc diff_weights_layer_desc() const { return arg_md(DNNL_ARG_DIFF_WEIGHTS_LAYER); }
    memory::desc diff_weights_iter_desc() const { return arg_md(DNNL_ARG_DIFF_WEIGHTS_ITER); }
    memory::desc diff_weights_peephole_desc() const {
        return arg_md(DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE);
    }
    memory::desc diff_weights_projection_desc() const {
        return arg_md(DNNL_ARG_DIFF_WEIGHTS_PROJECTION);
    }
    memory::desc diff_bias_desc() const { return arg_md(DNNL_ARG_DIFF_BIAS); }
    memory::desc diff_dst_layer_desc() const { return arg_md(DNNL_ARG_DIFF_DST_LAYER); }
    memory::desc diff_dst_iter_desc() const { return arg_md(DNNL_ARG_DIFF_DST_ITER); }
    memory::desc diff_dst_iter_c_desc() const { return arg_md(DNNL_ARG_DIFF_DST_ITER_C); }
    memory::desc diff_augru_attention_desc() const { return arg_md(DNNL_ARG_DIFF_AUGRU_ATTENTION); }
    memory::desc diff_attention_desc() const { return diff_augru_attention_desc(); }
    /// @}

  protected:
    using rnn_base = rnn_primitive_desc_base;

    memory::desc arg_md(int arg) const { return query_md(query::exec_arg_md, arg); }

    /// Copies a primitive descriptor of the C API; the cell has to be the given one.
    void copy_cell(const_dnnl_primitive_desc_t pd, algorithm cell,
            std::initializer_list<dnnl::prop_kind> prop_kinds) {
        rnn_primitive_desc_base pd_copy;
        pd_copy.copy(pd, dnnl::primitive::kind::rnn, prop_kinds);
        if (pd && pd_copy.get_cell_kind() != cell)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the primitive descriptor is of another cell");
        primitive_desc_base::operator=(pd_copy);
    }
};

namespace detail {
// RNNs of one cell.
template <algorithm cell> struct rnn_forward_pd : public rnn_primitive_desc_base {
    rnn_forward_pd() = default;
    rnn_forward_pd(dnnl_primitive_desc_t pd) {
        copy_cell(pd, cell, {prop_kind::forward_training, prop_kind::forward_inference});
    }
};
template <algorithm cell> struct rnn_backward_pd : public rnn_primitive_desc_base {
    rnn_backward_pd() = default;
    rnn_backward_pd(dnnl_primitive_desc_t pd) { copy_cell(pd, cell, {prop_kind::backward}); }
};
} // namespace detail

/// Vanilla RNN, forward; see dnnl_vanilla_rnn_forward_primitive_desc_create().
struct vanilla_rnn_forward : public primitive {
    DNNL_PRIMITIVE(vanilla_rnn_forward, detail::rnn_forward_pd<algorithm::vanilla_rnn>,
            dnnl_vanilla_rnn_forward_primitive_desc_create,
            from<prop, alg, direction, src_layer, src_iter, weights_layer, weights_iter, bias,
                    dst_layer, dst_iter, no_flags, zero, zero>,
            from<prop, alg, direction, src_layer, src_iter, weights_layer, weights_iter, bias,
                    dst_layer, dst_iter, no_flags, alpha, zero>)
};

/// Vanilla RNN, backward; see dnnl_vanilla_rnn_backward_primitive_desc_create().
struct vanilla_rnn_backward : public primitive {
    DNNL_PRIMITIVE(vanilla_rnn_backward, detail::rnn_backward_pd<algorithm::vanilla_rnn>,
            dnnl_vanilla_rnn_backward_primitive_desc_create,
            from<prop, alg, direction, src_layer, src_iter, weights_layer, weights_iter, bias,
                    dst_layer, dst_iter, diff_src_layer, diff_src_iter, diff_weights_layer,
                    diff_weights_iter, diff_bias, diff_dst_layer, diff_dst_iter, no_flags, zero,
                    zero, hint<vanilla_rnn_forward>>,
            from<prop, alg, direction, src_layer, src_iter, weights_layer, weights_iter, bias,
                    dst_layer, dst_iter, diff_src_layer, diff_src_iter, diff_weights_layer,
                    diff_weights_iter, diff_bias, diff_dst_layer, diff_dst_iter, no_flags, alpha,
                    zero, hint<vanilla_rnn_forward>>)
};

/// LSTM, forward, with or without peephole and projection; see
/// dnnl_lstm_forward_primitive_desc_create().
struct lstm_forward : public primitive {
    DNNL_PRIMITIVE(lstm_forward, detail::rnn_forward_pd<algorithm::vanilla_lstm>,
            dnnl_lstm_forward_primitive_desc_create,
            from<prop, direction, src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
                    weights_peephole, weights_projection, bias, dst_layer, dst_iter, dst_iter_c,
                    no_flags>,
            from<prop, direction, src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
                    weights_peephole, none, bias, dst_layer, dst_iter, dst_iter_c, no_flags>,
            from<prop, direction, src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
                    none, none, bias, dst_layer, dst_iter, dst_iter_c, no_flags>)
};

/// LSTM, backward; see dnnl_lstm_backward_primitive_desc_create().
struct lstm_backward : public primitive {
    DNNL_PRIMITIVE(lstm_backward, detail::rnn_backward_pd<algorithm::vanilla_lstm>,
            dnnl_lstm_backward_primitive_desc_create,
            from<prop, direction, src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
                    weights_peephole, weights_projection, bias, dst_layer, dst_iter, dst_iter_c,
                    diff_src_layer, diff_src_iter, diff_src_iter_c, diff_weights_layer,
                    diff_weights_iter, diff_weights_peephole, diff_weights_projection, diff_bias,
                    diff_dst_layer, diff_dst_iter, diff_dst_iter_c, no_flags, hint<lstm_forward>>,
            from<prop, direction, src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
                    weights_peephole, none, bias, dst_layer, dst_iter, dst_iter_c, diff_src_layer,
                    diff_src_iter, diff_src_iter_c, diff_weights_layer, diff_weights_iter,
                    diff_weights_peephole, none, diff_bias, diff_dst_layer, diff_dst_iter,
                    diff_dst_iter_c, no_flags, hint<lstm_forward>>,
            from<prop, direction, src_layer, src_iter, src_iter_c, weights_layer, weights_iter,
                    none, none, bias, dst_layer, dst_iter, dst_iter_c, diff_src_layer,
                    diff_src_iter, diff_src_iter_c, diff_weights_layer, diff_weights_iter, none,
                    none, diff_bias, diff_dst_layer, diff_dst_iter, diff_dst_iter_c, no_flags,
                    hint<lstm_forward>>)
};

/// GRU, forward; see dnnl_gru_forward_primitive_desc_create().
struct gru_forward : public primitive {
    DNNL_PRIMITIVE(gru_forward, detail::rnn_forward_pd<algorithm::vanilla_gru>,
            dnnl_gru_forward_primitive_desc_create, gru)
};

/// GRU, backward; see dnnl_gru_backward_primitive_desc_create().
struct gru_backward : public primitive {
    DNNL_PRIMITIVE(gru_backward, detail::rnn_backward_pd<algorithm::vanilla_gru>,
            dnnl_gru_backward_primitive_desc_create, gru_backward<gru_forward>)
};

/// GRU with linear before reset, forward; see dnnl_lbr_gru_forward_primitive_desc_create().
struct lbr_gru_forward : public primitive {
    DNNL_PRIMITIVE(lbr_gru_forward, detail::rnn_forward_pd<algorithm::lbr_gru>,
            dnnl_lbr_gru_forward_primitive_desc_create, gru)
};

/// GRU with linear before reset, backward; see dnnl_lbr_gru_backward_primitive_desc_create().
struct lbr_gru_backward : public primitive {
    DNNL_PRIMITIVE(lbr_gru_backward, detail::rnn_backward_pd<algorithm::lbr_gru>,
            dnnl_lbr_gru_backward_primitive_desc_create, gru_backward<lbr_gru_forward>)
};

/// AUGRU, forward; see dnnl_augru_forward_primitive_desc_create().
struct augru_forward : public primitive {
    DNNL_PRIMITIVE(augru_forward, detail::rnn_forward_pd<algorithm::vanilla_augru>,
            dnnl_augru_forward_primitive_desc_create, augru)
};

/// AUGRU, backward; see dnnl_augru_backward_primitive_desc_create().
struct augru_backward : public primitive {
    DNNL_PRIMITIVE(augru_backward, detail::rnn_backward_pd<algorithm::vanilla_augru>,
            dnnl_augru_backward_primitive_desc_create, augru_backward<augru_forward>)
};

/// AUGRU with linear before reset, forward; see dnnl_lbr_augru_forward_primitive_desc_create().
struct lbr_augru_forward : public primitive {
    DNNL_PRIMITIVE(lbr_augru_forward, detail::rnn_forward_pd<algorithm::lbr_augru>,
            dnnl_lbr_augru_forward_primitive_desc_create, augru)
};

/// AUGRU with linear before reset, backward; see dnnl_lbr_augru_backward_primitive_desc_create().
struct lbr_augru_backward : public primitive {
    DNNL_PRIMITIVE(lbr_augru_backward, detail::rnn_backward_pd<algorithm::lbr_augru>,
            dnnl_lbr_augru_backward_primitive_desc_create, augru_backward<lbr_augru_forward>)
};

/// Shuffle, forward; see dnnl_shuffle_forward_primitive_desc_create().
struct shuffle_forward : public primitive {
    DNNL_PRIMITIVE(shuffle_forward, detail::forward_pd<kind::shuffle>,
            dnnl_shuffle_forward_primitive_desc_create, from<prop, src, dst, axis, group_size>)
};

/// Shuffle, backward; see dnnl_shuffle_backward_primitive_desc_create().
struct shuffle_backward : public primitive {
    DNNL_PRIMITIVE(shuffle_backward, detail::backward_data_pd<kind::shuffle>,
            dnnl_shuffle_backward_primitive_desc_create,
            from<diff_src, diff_dst, axis, group_size, hint<shuffle_forward>>)
};

/// Operation on the elements of two tensors, or three; see dnnl_binary_primitive_desc_create_v2().
struct binary : public primitive {
    DNNL_PRIMITIVE(binary, detail::with_sources<detail::pd_of<kind::binary>>,
            dnnl_binary_primitive_desc_create_v2, from<alg, src, src1, none, dst>,
            from<alg, src, src1, src2, dst>)
};

/// Matrix multiplication; see dnnl_matmul_primitive_desc_create().
struct matmul : public primitive {
    DNNL_PRIMITIVE(matmul, detail::with_bias<detail::pd_of<kind::matmul>>,
            dnnl_matmul_primitive_desc_create, from<src, weights, none, dst>,
            from<src, weights, bias, dst>)
};

/// Resampling, forward; see dnnl_resampling_forward_primitive_desc_create().
struct resampling_forward : public primitive {
    DNNL_PRIMITIVE(resampling_forward, detail::forward_pd<kind::resampling>,
            dnnl_resampling_forward_primitive_desc_create, from<prop, alg, none, src, dst>,
            from<prop, alg, factors, src, none>, from<prop, alg, factors, src, dst>)
};

/// Resampling, backward; see dnnl_resampling_backward_primitive_desc_create().
struct resampling_backward : public primitive {
    DNNL_PRIMITIVE(resampling_backward, detail::backward_data_pd<kind::resampling>,
            dnnl_resampling_backward_primitive_desc_create,
            from<alg, none, diff_src, diff_dst, hint<resampling_forward>>,
            from<alg, factors, diff_src, diff_dst, hint<resampling_forward>>)
};

/// Pooling, forward; see dnnl_pooling_forward_primitive_desc_create().
struct pooling_forward : public primitive {
    DNNL_PRIMITIVE(pooling_forward, detail::forward_pd<kind::pooling>,
            dnnl_pooling_forward_primitive_desc_create,
            from<prop, alg, src, dst, strides, kernel, dilates, padding_l, padding_r>)
};

/// Pooling, backward; see dnnl_pooling_backward_primitive_desc_create().
struct pooling_backward : public primitive {
    DNNL_PRIMITIVE(pooling_backward, detail::backward_data_pd<kind::pooling>,
            dnnl_pooling_backward_primitive_desc_create,
            from<alg, diff_src, diff_dst, strides, kernel, dilates, padding_l, padding_r,
                    hint<pooling_forward>>)
};

/// PReLU, forward; see dnnl_prelu_forward_primitive_desc_create().
struct prelu_forward : public primitive {
    DNNL_PRIMITIVE(prelu_forward, detail::forward_pd<kind::prelu>,
            dnnl_prelu_forward_primitive_desc_create, from<prop, src, weights, dst>)
};

/// PReLU, backward; see dnnl_prelu_backward_primitive_desc_create().
struct prelu_backward : public primitive {
    DNNL_PRIMITIVE(prelu_backward, detail::backward_pd<kind::prelu>,
            dnnl_prelu_backward_primitive_desc_create,
            from<src, weights, diff_src, diff_weights, diff_dst, hint<prelu_forward>>)
};

/// Reduction along dimensions; see dnnl_reduction_primitive_desc_create().
struct reduction : public primitive {
    DNNL_PRIMITIVE(reduction, detail::pd_of<kind::reduction>, dnnl_reduction_primitive_desc_create,
            from<alg, src, dst, p, epsilon>)
};

/// @}

#undef DNNL_TO_C
#undef DNNL_PRIMITIVE
#undef DNNL_NO_PD
#undef DNNL_PRIMITIVE_CONSTRUCTORS

/// @name Library
/// @{

/// Versions and runtimes; see ::dnnl_version_t.
using version_t = dnnl_version_t;

/// Status of a call that does not throw; see ::dnnl_status_t.
enum class status {
    success = dnnl_success,
    out_of_memory = dnnl_out_of_memory,
    invalid_arguments = dnnl_invalid_arguments,
    unimplemented = dnnl_unimplemented,
    last_impl_reached = dnnl_last_impl_reached,
    runtime_error = dnnl_runtime_error,
    not_required = dnnl_not_required,
};

/// See dnnl_version().
inline const version_t *version() {
    return dnnl_version();
}

/// See dnnl_set_verbose().
inline status set_verbose(int level) {
    return static_cast<status>(dnnl_set_verbose(level));
}

/// See dnnl_get_default_fpmath_mode().
inline fpmath_mode get_default_fpmath_mode() {
    return static_cast<fpmath_mode>(detail::get<dnnl_fpmath_mode_t>(
            "could not get the default floating-point math mode", dnnl_get_default_fpmath_mode));
}

/// See dnnl_set_default_fpmath_mode().
inline status set_default_fpmath_mode(fpmath_mode mode) {
    return static_cast<status>(dnnl_set_default_fpmath_mode(convert_to_c(mode)));
}

/// See dnnl_get_primitive_cache_capacity().
inline int get_primitive_cache_capacity() {
    return detail::get<int>(
            "could not get the capacity of the primitive cache", dnnl_get_primitive_cache_capacity);
}

/// See dnnl_set_primitive_cache_capacity().
inline void set_primitive_cache_capacity(int capacity) {
    detail::call("could not set the capacity of the primitive cache",
            dnnl_set_primitive_cache_capacity, capacity);
}

#ifdef DNNL_EXPERIMENTAL_PROFILING
/// What get_profiling_data() reports; see ::dnnl_profiling_data_kind_t.
enum class profiling_data_kind {
    undef = dnnl_profiling_data_kind_undef,
    time = dnnl_profiling_data_kind_time,
};

/// Waits for a stream with profiling and forgets what was recorded.
inline void reset_profiling(stream &astream) {
    detail::call("could not reset profiling", dnnl_reset_profiling, astream);
}

/// Waits for a stream with profiling and returns what was recorded, an entry for each execution;
/// see dnnl_query_profiling_data().
inline std::vector<uint64_t> get_profiling_data(stream &astream, profiling_data_kind data_kind) {
    const char *message = "could not get profiling data";
    int count = 0;
    detail::call(message, dnnl_query_profiling_data, astream, data_kind, &count, nullptr);
    std::vector<uint64_t> data(static_cast<size_t>(count));
    if (count)
        detail::call(message, dnnl_query_profiling_data, astream, data_kind, &count, data.data());
    data.resize(static_cast<size_t>(count));
    return data;
}
#endif
/// @}

/// @name Functions of CPU runtimes
/// Declared so that programs compile; this library answers as dnnl.h says.
/// @{

/// Instruction sets; see ::dnnl_cpu_isa_t.
enum class cpu_isa {
    isa_default = dnnl_cpu_isa_default,
    sse41 = dnnl_cpu_isa_sse41,
    avx = dnnl_cpu_isa_avx,
    avx2 = dnnl_cpu_isa_avx2,
    avx2_vnni = dnnl_cpu_isa_avx2_vnni,
    avx2_vnni_2 = dnnl_cpu_isa_avx2_vnni_2,
    avx512_core = dnnl_cpu_isa_avx512_core,
    avx512_core_vnni = dnnl_cpu_isa_avx512_core_vnni,
    avx512_core_bf16 = dnnl_cpu_isa_avx512_core_bf16,
    avx10_1_512 = dnnl_cpu_isa_avx10_1_512,
    avx512_core_fp16 = dnnl_cpu_isa_avx512_core_fp16,
    avx10_1_512_amx = dnnl_cpu_isa_avx10_1_512_amx,
    avx512_core_amx = dnnl_cpu_isa_avx512_core_amx,
    avx10_1_512_amx_fp16 = dnnl_cpu_isa_avx10_1_512_amx_fp16,
    avx512_core_amx_fp16 = dnnl_cpu_isa_avx512_core_amx_fp16,
    avx10_2 = dnnl_cpu_isa_avx10_2,
    avx10_2_512 = dnnl_cpu_isa_avx10_2_512,
    avx10_2_amx_2 = dnnl_cpu_isa_avx10_2_amx_2,
    avx10_2_512_amx_2 = dnnl_cpu_isa_avx10_2_512_amx_2,
    avx10_2_ace = dnnl_cpu_isa_avx10_2_ace,
};

/// Hints; see ::dnnl_cpu_isa_hints_t.
enum class cpu_isa_hints {
    no_hints = dnnl_cpu_isa_no_hints,
    prefer_ymm = dnnl_cpu_isa_prefer_ymm,
};

inline status set_max_cpu_isa(cpu_isa isa) {
    return static_cast<status>(dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(isa)));
}
inline cpu_isa get_effective_cpu_isa() {
    return static_cast<cpu_isa>(dnnl_get_effective_cpu_isa());
}
inline status set_cpu_isa_hints(cpu_isa_hints isa_hints) {
    return static_cast<status>(
            dnnl_set_cpu_isa_hints(static_cast<dnnl_cpu_isa_hints_t>(isa_hints)));
}
inline cpu_isa_hints get_cpu_isa_hints() {
    return static_cast<cpu_isa_hints>(dnnl_get_cpu_isa_hints());
}
inline status set_jit_dump(int enable) {
    return static_cast<status>(dnnl_set_jit_dump(enable));
}
inline status set_jit_profiling_flags(unsigned flags) {
    return static_cast<status>(dnnl_set_jit_profiling_flags(flags));
}
inline status set_jit_profiling_jitdumpdir(const std::string &dir) {
    return static_cast<status>(dnnl_set_jit_profiling_jitdumpdir(dir.c_str()));
}
inline status sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha,
        const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb, float beta, float *C,
        dnnl_dim_t ldc) {
    return static_cast<status>(
            dnnl_sgemm(transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc));
}
inline status gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
        dnnl_dim_t K, float alpha, const uint8_t *A, dnnl_dim_t lda, uint8_t ao, const int8_t *B,
        dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co) {
    return static_cast<status>(dnnl_gemm_u8s8s32(
            transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co));
}
inline status gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
        dnnl_dim_t K, float alpha, const int8_t *A, dnnl_dim_t lda, int8_t ao, const int8_t *B,
        dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co) {
    return static_cast<status>(dnnl_gemm_s8s8s32(
            transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co));
}
/// @}

} // namespace dnnl

/// The same namespace under a longer name.
namespace oneapi {
namespace dnnl = ::dnnl;
}

#endif

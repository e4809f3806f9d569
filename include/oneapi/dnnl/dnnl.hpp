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
/// The C API with objects that free themselves and calls that throw. Everything is inline: a program needs
/// this header and the library, which has no C++ in it.
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
/// - dnnl.h documents operations, parameters, shapes and execution arguments. A class or function here has
/// the
///   name of its C counterpart and says what is different.
/// - A failed call throws dnnl::error with the status of the C function; see DNNL_ENABLE_EXCEPTIONS.
/// Destructors
///   never throw.
/// - Objects are handles: copies share one object of the C API. Queries of descriptors and attributes return
///   copies of their own.
/// - A constructor or factory with a parameter `allow_empty` makes an empty handle instead of throwing where
/// that
///   is true and the library refuses the arguments.
/// - Engines that an object returns are not owned: the engine the object was made with has to live.

namespace dnnl {

template <>
struct handle_traits<dnnl_memory_desc_t>
    : detail::destroyed_by<dnnl_memory_desc_t, dnnl_memory_desc_destroy> {};
template <> struct handle_traits<dnnl_memory_t> : detail::destroyed_by<dnnl_memory_t, dnnl_memory_destroy> {};
template <>
struct handle_traits<dnnl_post_ops_t> : detail::destroyed_by<dnnl_post_ops_t, dnnl_post_ops_destroy> {};
template <>
struct handle_traits<dnnl_primitive_attr_t>
    : detail::destroyed_by<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy> {};
template <>
struct handle_traits<dnnl_primitive_desc_t>
    : detail::destroyed_by<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy> {};
template <>
struct handle_traits<dnnl_primitive_t> : detail::destroyed_by<dnnl_primitive_t, dnnl_primitive_destroy> {};

/// Throws unless a container has a number of elements in a range.
///
/// @param v Container.
/// @param error_message What to throw.
/// @param min_size Smallest number.
/// @param max_size Largest number; negative for any.
template <typename T>
void validate_container_size(const T &v, const char *error_message, int min_size = 1, int max_size = -1) {
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

inline dnnl_scratchpad_mode_t convert_to_c(scratchpad_mode v) {
    return static_cast<dnnl_scratchpad_mode_t>(v);
}
inline dnnl_rounding_mode_t convert_to_c(rounding_mode v) {
    return static_cast<dnnl_rounding_mode_t>(v);
}
inline dnnl_quantization_mode_t convert_to_c(quantization_mode v) {
    return static_cast<dnnl_quantization_mode_t>(v);
}
inline dnnl_prop_kind_t convert_to_c(prop_kind v) {
    return static_cast<dnnl_prop_kind_t>(v);
}
inline dnnl_alg_kind_t convert_to_c(algorithm v) {
    return static_cast<dnnl_alg_kind_t>(v);
}
inline dnnl_normalization_flags_t convert_to_c(normalization_flags v) {
    return static_cast<dnnl_normalization_flags_t>(v);
}
inline dnnl_rnn_flags_t convert_to_c(rnn_flags v) {
    return static_cast<dnnl_rnn_flags_t>(v);
}
inline dnnl_rnn_direction_t convert_to_c(rnn_direction v) {
    return static_cast<dnnl_rnn_direction_t>(v);
}
inline dnnl_query_t convert_to_c(query v) {
    return static_cast<dnnl_query_t>(v);
}
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

    static dnnl_data_type_t convert_to_c(data_type v) {
        return static_cast<dnnl_data_type_t>(v);
    }
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
        desc(const dims &adims, data_type adata_type, format_tag aformat_tag, bool allow_empty = false) {
            *this = make("could not create a memory descriptor with a format tag", allow_empty,
                    dnnl_memory_desc_create_with_tag, adims, adata_type, aformat_tag);
        }

        /// A descriptor with a layout given by strides.
        ///
        /// @param adims Dimensions.
        /// @param adata_type Data type.
        /// @param strides Distance of neighbours along each dimension, in elements; empty for a dense
        /// row-major
        ///     layout.
        /// @param allow_empty Make an empty handle rather than throw.
        desc(const dims &adims, data_type adata_type, const dims &strides, bool allow_empty = false) {
            if (!strides.empty()) validate_dims(strides, static_cast<int>(adims.size()));
            *this = make("could not create a memory descriptor with strides", allow_empty,
                    dnnl_memory_desc_create_with_strides, adims, adata_type, strides);
        }

        /// A descriptor from what get_blob() returned.
        desc(const std::vector<uint8_t> &blob)
            : handle<dnnl_memory_desc_t>(detail::create("could not create a memory descriptor from a blob",
                      false, dnnl_memory_desc_create_with_blob, blob)) {}

        /// A sparse matrix with compressed rows; see dnnl_memory_desc_create_with_csr_encoding().
        static desc csr(const dims &adims, data_type adata_type, dim nnz, data_type index_dt,
                data_type pointer_dt, bool allow_empty = false) {
            return make("could not create a memory descriptor with CSR encoding", allow_empty,
                    dnnl_memory_desc_create_with_csr_encoding, adims, adata_type, nnz, index_dt, pointer_dt);
        }

        /// A sparse tensor with coordinates; see dnnl_memory_desc_create_with_coo_encoding().
        static desc coo(const dims &adims, data_type adata_type, dim nnz, data_type index_dt,
                bool allow_empty = false) {
            return make("could not create a memory descriptor with COO encoding", allow_empty,
                    dnnl_memory_desc_create_with_coo_encoding, adims, adata_type, nnz, index_dt);
        }

        /// Packed sparse weights; see dnnl_memory_desc_create_with_packed_encoding().
        static desc packed(const dims &adims, data_type adata_type, dim nnz, bool allow_empty = false) {
            return make("could not create a memory descriptor with packed encoding", allow_empty,
                    dnnl_memory_desc_create_with_packed_encoding, adims, adata_type, nnz);
        }

#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
        /// A group of matrices; see dnnl_memory_desc_create_with_grouped_encoding().
        static desc grouped(const dims &adims, data_type adata_type, int variable_dim_idx, dim group_count,
                data_type offsets_dt = data_type::s32, bool allow_empty = false) {
            return make("could not create a memory descriptor with grouped encoding", allow_empty,
                    dnnl_memory_desc_create_with_grouped_encoding, adims, adata_type, variable_dim_idx,
                    group_count, offsets_dt);
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
        desc submemory_desc(const dims &adims, const dims &offsets, bool allow_empty = false) const {
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

        /// A descriptor of the same elements with dimensions in another order: dimension i becomes dimension
        /// permutation[i]. See dnnl_memory_desc_permute_axes().
        desc permute_axes(const std::vector<int> &permutation, bool allow_empty = false) const {
            validate_dims(permutation, get_ndims());
            return detail::create("could not permute the axes of a memory descriptor", allow_empty,
                    dnnl_memory_desc_permute_axes, *this, permutation);
        }

        /// @name Queries
        /// What the layout does not have is answered with 0, `undef` or no values.
        /// @{
        int get_ndims() const {
            return ask(query::ndims_s32, 0);
        }
        memory::dims get_dims() const {
            return ask_dims(query::dims);
        }
        memory::dims get_padded_dims() const {
            return ask_dims(query::padded_dims);
        }
        memory::dims get_padded_offsets() const {
            return ask_dims(query::padded_offsets);
        }
        memory::dim get_submemory_offset() const {
            return ask(query::submemory_offset_s64, memory::dim(0));
        }
        memory::dims get_strides() const {
            return ask_dims(query::strides);
        }
        int get_inner_nblks() const {
            return ask(query::inner_nblks_s32, 0);
        }
        memory::dims get_inner_blks() const {
            return ask_dims(query::inner_blks);
        }
        memory::dims get_inner_idxs() const {
            return ask_dims(query::inner_idxs);
        }
        int get_num_handles() const {
            return ask(query::num_handles_s32, 0);
        }
        dim get_nnz() const {
            return ask(query::nnz_s64, dim(0));
        }
        memory::sparse_encoding get_sparse_encoding() const {
            return static_cast<memory::sparse_encoding>(
                    ask(query::sparse_encoding, dnnl_sparse_encoding_undef));
        }
        memory::format_kind get_format_kind() const {
            return static_cast<memory::format_kind>(ask(query::format_kind, dnnl_format_kind_undef));
        }
        /// @param index Number of a buffer: sparse descriptors have several.
        memory::data_type get_data_type(int index = 0) const {
            return static_cast<memory::data_type>(ask(query::data_type, dnnl_data_type_undef, index));
        }
        /// Size in bytes of a buffer; see dnnl_memory_desc_get_size_v2().
        size_t get_size(int index = 0) const {
            return dnnl_memory_desc_get_size_v2(get(), index);
        }
        /// Whether this is the zero descriptor.
        bool is_zero() const {
            return get_ndims() == 0;
        }
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
        bool operator!=(const desc &other) const {
            return !(*this == other);
        }

      private:
        template <typename... P, typename... A>
        static desc make(const char *message, bool allow_empty,
                dnnl_status_t (*function)(dnnl_memory_desc_t *, P...), const dims &adims, const A &...args) {
            validate_dims(adims);
            return detail::create(message, allow_empty, function, adims.size(), adims, args...);
        }

        template <typename T> T ask(query what, T otherwise, int index = 0) const {
            T value;
            const dnnl_query_t c_what = dnnl::convert_to_c(what);
            return dnnl_memory_desc_query_v2(get(), c_what, index, &value) == dnnl_success ? value
                                                                                           : otherwise;
        }

        memory::dims ask_dims(query what) const {
            const bool blocks = what == query::inner_blks || what == query::inner_idxs;
            const dnnl_dims_t *values = ask<const dnnl_dims_t *>(what, nullptr);
            return values ? memory::dims(*values, *values + (blocks ? get_inner_nblks() : get_ndims()))
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
        : handle(detail::create("could not create a memory object", false, dnnl_memory_create_v2, md, aengine,
                  handles.size(), handles.data())) {}

    /// A memory object on buffers that the library allocates and owns.
    memory(const desc &md, const engine &aengine)
        : memory(md, aengine,
                  std::vector<void *>(static_cast<size_t>(md.get_num_handles()), DNNL_MEMORY_ALLOCATE)) {}

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
        return detail::create("could not copy a memory descriptor", false, dnnl_memory_desc_clone, c_desc());
    }

    /// Returns the engine; empty for a host scalar.
    engine get_engine() const {
        return engine(detail::get<dnnl_engine_t>(
                              "could not get the engine of a memory object", dnnl_memory_get_engine, *this),
                true);
    }

    /// Returns the pointer to a buffer.
    void *get_data_handle(int index = 0) const {
        void *pointer = nullptr;
        detail::call("could not get a buffer of a memory object", dnnl_memory_get_data_handle_v2, *this,
                &pointer, index);
        return pointer;
    }

    /// Sets the pointer to a buffer; see dnnl_memory_set_data_handle_v2().
    void set_data_handle(void *buffer, int index = 0) const {
        detail::call("could not set a buffer of a memory object", dnnl_memory_set_data_handle_v2, *this,
                buffer, index);
    }

    /// Returns the value of a host scalar.
    ///
    /// @tparam T Type as large as the data type.
    template <typename T> T get_host_scalar_value() const {
        check_scalar<T>(c_desc());
        T value;
        detail::call(
                "could not get the value of a host scalar", dnnl_memory_get_host_scalar_value, *this, &value);
        return value;
    }

    /// Sets the value of a host scalar.
    template <typename T> void set_host_scalar_value(const T value) const {
        check_scalar<T>(c_desc());
        detail::call(
                "could not set the value of a host scalar", dnnl_memory_set_host_scalar_value, *this, &value);
    }

    /// Makes a buffer accessible to the host until unmap_data(); see dnnl_memory_map_data_v2().
    ///
    /// @tparam T Type of the elements.
    /// @param index Number of the buffer.
    template <typename T = void> T *map_data(int index = 0) const {
        void *mapped = nullptr;
        detail::call("could not map a memory object", dnnl_memory_map_data_v2, *this, &mapped, index);
        return static_cast<T *>(mapped);
    }

    /// Ends what map_data() began.
    void unmap_data(void *mapped_ptr, int index = 0) const {
        detail::call("could not unmap a memory object", dnnl_memory_unmap_data_v2, *this, mapped_ptr, index);
    }

  private:
    const_dnnl_memory_desc_t c_desc() const {
        return detail::get<const_dnnl_memory_desc_t>(
                "could not get the descriptor of a memory object", dnnl_memory_get_memory_desc, *this);
    }

    template <typename T> static void check_scalar(const_dnnl_memory_desc_t md) {
        if (sizeof(T) != dnnl_memory_desc_get_size_v2(md, 0))
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the type does not have the size of the host scalar");
    }
};

/// @name Comparisons of enumerators of C++ with those of C
/// @{
inline bool operator==(dnnl_data_type_t a, memory::data_type b) {
    return a == memory::convert_to_c(b);
}
inline bool operator!=(dnnl_data_type_t a, memory::data_type b) {
    return a != memory::convert_to_c(b);
}
inline bool operator==(memory::data_type a, dnnl_data_type_t b) {
    return b == memory::convert_to_c(a);
}
inline bool operator!=(memory::data_type a, dnnl_data_type_t b) {
    return b != memory::convert_to_c(a);
}
inline bool operator==(dnnl_format_tag_t a, memory::format_tag b) {
    return a == memory::convert_to_c(b);
}
inline bool operator!=(dnnl_format_tag_t a, memory::format_tag b) {
    return a != memory::convert_to_c(b);
}
inline bool operator==(memory::format_tag a, dnnl_format_tag_t b) {
    return b == memory::convert_to_c(a);
}
inline bool operator!=(memory::format_tag a, dnnl_format_tag_t b) {
    return b != memory::convert_to_c(a);
}
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
        : handle(detail::create("could not create a primitive", false, dnnl_primitive_create, c_pd)) {}
    primitive(const primitive_desc &pd);

    /// Creates a primitive from what get_cache_blob() returned, without compiling.
    primitive(const_dnnl_primitive_desc_t c_pd, const std::vector<uint8_t> &cache_blob)
        : handle(detail::create("could not create a primitive from a cache blob", false,
                  dnnl_primitive_create_from_cache_blob, c_pd, cache_blob.size(), cache_blob)) {}
    primitive(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob);

    /// Returns the primitive descriptor, which belongs to the primitive.
    const_dnnl_primitive_desc_t get_primitive_desc() const {
        return detail::get<const_dnnl_primitive_desc_t>(
                "could not get the descriptor of a primitive", dnnl_primitive_get_primitive_desc, *this);
    }

    kind get_kind() const {
        dnnl_primitive_kind_t value = dnnl_undefined_primitive;
        detail::call("could not get the kind of a primitive", dnnl_primitive_desc_query, get_primitive_desc(),
                dnnl_query_primitive_kind, 0, &value);
        return static_cast<kind>(value);
    }

    /// Returns the compiled kernels as bytes, for a persistent cache.
    std::vector<uint8_t> get_cache_blob() const {
        return detail::get_blob(
                "could not get the cache blob of a primitive", dnnl_primitive_get_cache_blob, *this);
    }

    /// Submits the primitive to a stream; see dnnl_primitive_execute().
    ///
    /// @param astream Stream of the primitive's engine.
    /// @param args Memory objects by DNNL_ARG_ number.
    void execute(const stream &astream, const std::unordered_map<int, memory> &args) const {
        const std::vector<dnnl_exec_arg_t> c_args = detail::exec_args(args);
        detail::call("could not execute a primitive", dnnl_primitive_execute, *this, astream, c_args.size(),
                c_args);
    }
};

inline dnnl_primitive_kind_t convert_to_c(primitive::kind v) {
    return static_cast<dnnl_primitive_kind_t>(v);
}

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
        detail::call("could not append a sum", dnnl_post_ops_append_sum, *this, scale, zero_point, data_type);
    }
    void get_params_sum(int index, float &scale) const {
        detail::call("could not get the parameters of a sum", dnnl_post_ops_get_params_sum, *this, index,
                &scale, nullptr, nullptr);
    }
    void get_params_sum(int index, float &scale, memory::data_type &data_type) const {
        int32_t zero_point;
        get_params_sum(index, scale, zero_point, data_type);
    }
    void get_params_sum(int index, float &scale, int32_t &zero_point, memory::data_type &data_type) const {
        dnnl_data_type_t c_data_type;
        detail::call("could not get the parameters of a sum", dnnl_post_ops_get_params_sum, *this, index,
                &scale, &zero_point, &c_data_type);
        data_type = static_cast<memory::data_type>(c_data_type);
    }

    /// Applies a function to each element; see dnnl_post_ops_append_eltwise().
    void append_eltwise(algorithm aalgorithm, float alpha, float beta) {
        detail::call("could not append an eltwise post-op", dnnl_post_ops_append_eltwise, *this, aalgorithm,
                alpha, beta);
    }
    void get_params_eltwise(int index, algorithm &aalgorithm, float &alpha, float &beta) const {
        dnnl_alg_kind_t c_algorithm;
        detail::call("could not get the parameters of an eltwise post-op", dnnl_post_ops_get_params_eltwise,
                *this, index, &c_algorithm, &alpha, &beta);
        aalgorithm = static_cast<algorithm>(c_algorithm);
    }

    /// Follows a convolution with a depthwise one; see dnnl_post_ops_append_dw().
    void append_dw(memory::data_type weights_data_type, memory::data_type bias_data_type,
            memory::data_type dst_data_type, memory::dim kernel_size, memory::dim stride_size,
            memory::dim padding_l_size) {
        detail::call("could not append a depthwise convolution", dnnl_post_ops_append_dw, *this,
                weights_data_type, bias_data_type, dst_data_type, kernel_size, stride_size, padding_l_size);
    }
    void get_params_dw(int index, memory::data_type &weights_data_type, memory::data_type &bias_data_type,
            memory::data_type &dst_data_type, memory::dim &kernel_size, memory::dim &stride_size,
            memory::dim &padding_l_size) const {
        dnnl_data_type_t weights, bias, dst;
        detail::call("could not get the parameters of a depthwise convolution", dnnl_post_ops_get_params_dw,
                *this, index, &weights, &bias, &dst, &kernel_size, &stride_size, &padding_l_size);
        weights_data_type = static_cast<memory::data_type>(weights);
        bias_data_type = static_cast<memory::data_type>(bias);
        dst_data_type = static_cast<memory::data_type>(dst);
    }

    /// Combines each element with one of another tensor; see dnnl_post_ops_append_binary().
    void append_binary(algorithm aalgorithm, const memory::desc &src1_desc) {
        detail::call("could not append a binary post-op", dnnl_post_ops_append_binary, *this, aalgorithm,
                src1_desc);
    }
    /// Combines each element with those of two tensors; see dnnl_post_ops_append_binary_v2().
    void append_binary(algorithm aalgorithm, const memory::desc &src1_desc, const memory::desc &src2_desc) {
        detail::call("could not append a binary post-op", dnnl_post_ops_append_binary_v2, *this, aalgorithm,
                src1_desc, src2_desc);
    }
    void get_params_binary(int index, algorithm &aalgorithm, memory::desc &src1_desc) const {
        dnnl_alg_kind_t c_algorithm;
        const_dnnl_memory_desc_t src1;
        detail::call("could not get the parameters of a binary post-op", dnnl_post_ops_get_params_binary,
                *this, index, &c_algorithm, &src1);
        aalgorithm = static_cast<algorithm>(c_algorithm);
        src1_desc = detail::copy(src1);
    }
    void get_params_binary(
            int index, algorithm &aalgorithm, memory::desc &src1_desc, memory::desc &src2_desc) const {
        dnnl_alg_kind_t c_algorithm;
        const_dnnl_memory_desc_t src1, src2;
        detail::call("could not get the parameters of a binary post-op", dnnl_post_ops_get_params_binary_v2,
                *this, index, &c_algorithm, &src1, &src2);
        aalgorithm = static_cast<algorithm>(c_algorithm);
        src1_desc = detail::copy(src1);
        src2_desc = detail::copy(src2);
    }

    /// Applies PReLU with weights given at execution; see dnnl_post_ops_append_prelu().
    void append_prelu(int mask) {
        detail::call("could not append a PReLU post-op", dnnl_post_ops_append_prelu, *this, mask);
    }
    void get_params_prelu(int index, int &mask) const {
        detail::call("could not get the parameters of a PReLU post-op", dnnl_post_ops_get_params_prelu, *this,
                index, &mask);
    }
};

/// Attributes: what is added to an operation. See dnnl_primitive_attr_create().
struct primitive_attr : public handle<dnnl_primitive_attr_t> {
    using handle<dnnl_primitive_attr_t>::handle;

    /// Default attributes.
    primitive_attr()
        : handle(detail::create("could not create attributes", false, dnnl_primitive_attr_create)) {}

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
        detail::call("could not set dropout", dnnl_primitive_attr_set_dropout_v2, *this, mask_desc, seed_dt,
                use_offset, use_host_scalars);
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
        detail::call("could not get dropout", dnnl_primitive_attr_get_dropout_v2, *this, &mask, &seed,
                &offset, &host_scalars);
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
        detail::call("could not set the floating-point math mode", dnnl_primitive_attr_set_fpmath_mode_v2,
                *this, mode, apply_to_int);
    }
    fpmath_mode get_fpmath_mode() const {
        return static_cast<fpmath_mode>(detail::get<dnnl_fpmath_mode_t>(
                "could not get the floating-point math mode", dnnl_primitive_attr_get_fpmath_mode, *this));
    }
    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const {
        dnnl_fpmath_mode_t c_mode;
        int to_int;
        detail::call("could not get the floating-point math mode", dnnl_primitive_attr_get_fpmath_mode_v2,
                *this, &c_mode, &to_int);
        mode = static_cast<fpmath_mode>(c_mode);
        apply_to_int = to_int != 0;
    }

    /// See dnnl_primitive_attr_set_accumulation_mode().
    void set_accumulation_mode(accumulation_mode mode) {
        detail::call("could not set the accumulation mode", dnnl_primitive_attr_set_accumulation_mode, *this,
                mode);
    }
    accumulation_mode get_accumulation_mode() const {
        return static_cast<accumulation_mode>(detail::get<dnnl_accumulation_mode_t>(
                "could not get the accumulation mode", dnnl_primitive_attr_get_accumulation_mode, *this));
    }

    /// See dnnl_primitive_attr_set_deterministic().
    void set_deterministic(bool value) {
        detail::call(
                "could not set the deterministic flag", dnnl_primitive_attr_set_deterministic, *this, value);
    }
    bool get_deterministic() const {
        return detail::get<int>("could not get the deterministic flag", dnnl_primitive_attr_get_deterministic,
                       *this) != 0;
    }

    /// See dnnl_primitive_attr_set_rounding().
    void set_rounding_mode(int arg, rounding_mode mode) {
        detail::call("could not set the rounding mode", dnnl_primitive_attr_set_rounding, *this, arg, mode);
    }
    rounding_mode get_rounding_mode(int arg) const {
        return static_cast<rounding_mode>(detail::get<dnnl_rounding_mode_t>(
                "could not get the rounding mode", dnnl_primitive_attr_get_rounding, *this, arg));
    }

    /// See dnnl_primitive_attr_set_scratchpad_mode().
    void set_scratchpad_mode(scratchpad_mode mode) {
        detail::call(
                "could not set the scratchpad mode", dnnl_primitive_attr_set_scratchpad_mode, *this, mode);
    }
    scratchpad_mode get_scratchpad_mode() const {
        return static_cast<scratchpad_mode>(detail::get<dnnl_scratchpad_mode_t>(
                "could not get the scratchpad mode", dnnl_primitive_attr_get_scratchpad_mode, *this));
    }
    /// @}

    /// @name Quantization
    /// dnnl.h explains masks and groups. The values are execution arguments: DNNL_ARG_ATTR_SCALES | arg and
    /// DNNL_ARG_ATTR_ZERO_POINTS | arg.
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
        detail::call("could not set zero points", dnnl_primitive_attr_set_zero_points_mask, *this, arg, mask);
    }
    /// Zero points; see dnnl_primitive_attr_set_zero_points_v2().
    void set_zero_points(int arg, int mask, const memory::dims &groups,
            memory::data_type data_type = memory::data_type::s32, bool is_on_host = false) {
        detail::call("could not set zero points", dnnl_primitive_attr_set_zero_points_v2, *this, arg, mask,
                groups.size(), groups, data_type, is_on_host);
    }
    /// One zero point, given as a host scalar.
    void set_host_zero_point(int arg, memory::data_type data_type = memory::data_type::s32) {
        set_zero_points(arg, 0, {}, data_type, true);
    }
    /// Sums that the caller computed; see dnnl_primitive_attr_set_precomputed_reductions().
    void set_precomputed_reductions(int arg, int mask, const memory::dims &groups,
            memory::data_type data_type = memory::data_type::s32) {
        detail::call("could not set precomputed reductions", dnnl_primitive_attr_set_precomputed_reductions,
                *this, arg, mask, groups.size(), groups, data_type);
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
                detail::get<const_dnnl_post_ops_t>(message, dnnl_primitive_attr_get_post_ops, *this));
    }

    /// @name Quantization of RNNs
    /// See dnnl_primitive_attr_set_rnn_data_qparams() and its neighbours.
    /// @{
    void set_rnn_data_qparams(float scale, float shift) {
        detail::call("could not set the quantization of RNN data", dnnl_primitive_attr_set_rnn_data_qparams,
                *this, scale, shift);
    }
    void get_rnn_data_qparams(float &scale, float &shift) const {
        detail::call("could not get the quantization of RNN data", dnnl_primitive_attr_get_rnn_data_qparams,
                *this, &scale, &shift);
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
                dnnl_primitive_attr_set_rnn_weights_projection_qparams, *this, scales.size(), mask, scales);
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
        detail::call(
                "could not get the quantization of RNN weights", function, *this, &count, &mask, &values);
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

/// What primitive descriptors of every kind answer. A property that the kind does not have is answered with
/// 0, `undef`, no values or the zero descriptor.
struct primitive_desc_base : public handle<dnnl_primitive_desc_t> {
    using handle<dnnl_primitive_desc_t>::handle;

    /// An empty primitive descriptor.
    primitive_desc_base() = default;

    /// @name What was chosen
    /// @{
    dnnl::primitive::kind get_kind() const {
        return static_cast<dnnl::primitive::kind>(ask<dnnl_primitive_kind_t>(query::primitive_kind));
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
                detail::get<const_dnnl_primitive_attr_t>(message, dnnl_primitive_desc_get_attr, *this));
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
        if (!is_md) DNNL_THROW_ERROR(dnnl_invalid_arguments, "the query is not one of a memory descriptor");
        const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(get(), dnnl::convert_to_c(what), idx);
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
        return static_cast<dnnl::rnn_direction>(try_ask(query::direction, dnnl_rnn_direction_undef));
    }
    memory::dims get_strides() const { return query_dims(query::strides); }
    memory::dims get_dilations() const { return query_dims(query::dilations); }
    memory::dims get_padding_l() const { return query_dims(query::padding_l); }
    memory::dims get_padding_r() const { return query_dims(query::padding_r); }
    memory::dims get_kernel() const { return query_dims(query::kernel); }
    std::vector<float> get_factors() const {
        const auto *factors = try_ask<const float *>(query::factors, nullptr);
        return factors ? std::vector<float>(factors, factors + spatial_ndims()) : std::vector<float>();
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
    template <typename T = unsigned> T get_flags() const { return static_cast<T>(try_ask(query::flags, 0U)); }
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
        for (dnnl::prop_kind prop_kind : prop_kinds) fits = fits || pd_copy.get_prop_kind() == prop_kind;
        if (!fits || pd_copy.get_kind() != kind)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the primitive descriptor is of another kind");
        primitive_desc_base::operator=(pd_copy);
    }

    /// Throws unless there is a value for each spatial dimension of a tensor.
    template <typename... V>
    static void check_spatial(const memory::desc &md, const std::vector<V> &...values) {
        const int count = md.get_ndims() - 2;
        const int checked[] = {(memory::validate_dims(values, count), 0)...};
        static_cast<void>(checked);
    }

  private:
    template <typename T> T try_ask(query what, T otherwise) const {
        T value;
        const dnnl_query_t c_what = dnnl::convert_to_c(what);
        return dnnl_primitive_desc_query(get(), c_what, 0, &value) == dnnl_success ? value : otherwise;
    }

    template <typename T> T ask(query what) const {
        T value{};
        detail::call("could not query a primitive descriptor", dnnl_primitive_desc_query, *this, what, 0,
                static_cast<void *>(&value));
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

namespace detail {
// Primitive descriptors of one kind and direction: what they are made from, apart from parameters.
template <primitive::kind akind, prop_kind... prop_kinds> struct pd_of : public primitive_desc {
    pd_of() = default;
    pd_of(dnnl_primitive_desc_t pd) { copy(pd, akind, {prop_kinds...}); }
};
template <primitive::kind akind>
struct forward_pd : public pd_of<akind, prop_kind::forward_training, prop_kind::forward_inference> {
    using pd_of<akind, prop_kind::forward_training, prop_kind::forward_inference>::pd_of;
    forward_pd() = default;
};
template <primitive::kind akind> struct backward_data_pd : public pd_of<akind, prop_kind::backward_data> {
    using pd_of<akind, prop_kind::backward_data>::pd_of;
    backward_data_pd() = default;
};
template <primitive::kind akind>
struct backward_weights_pd : public pd_of<akind, prop_kind::backward_weights> {
    using pd_of<akind, prop_kind::backward_weights>::pd_of;
    backward_weights_pd() = default;
};
} // namespace detail

// The constructors of a primitive.
#define DNNL_PRIMITIVE(name)                                                                                 \
    name() = default;                                                                                        \
    name(const primitive_desc &pd) : primitive(pd.get()) {}                                                  \
    name(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)                                   \
        : primitive(pd.get(), cache_blob) {}

// Why there is no primitive descriptor.
#define DNNL_NO_PD(what)                                                                                     \
    "could not create a primitive descriptor for " what " (ONEDNN_VERBOSE=all shows the reason)"

/// @name Primitives
/// Each is made from its primitive_desc, or from that and a cache blob. The constructors of primitive_desc
/// take what the C function takes; tensors that are not named are absent. All can also be made from a
/// primitive descriptor of the C API of the right kind and direction, which they copy.
/// @{

/// Copies a tensor into another layout or data type; see dnnl_reorder_primitive_desc_create().
struct reorder : public primitive {
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;
        primitive_desc() = default;
        primitive_desc(dnnl_primitive_desc_t pd) { copy(pd, kind::reorder, {}); }
        primitive_desc(const engine &src_engine, const memory::desc &src_md, const engine &dst_engine,
                const memory::desc &dst_md, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            create(DNNL_NO_PD("reorder"), allow_empty, dnnl_reorder_primitive_desc_create, src_md, src_engine,
                    dst_md, dst_engine, attr);
        }
        /// From the descriptors and engines of memory objects.
        primitive_desc(const memory &src, const memory &dst, const primitive_attr &attr = default_attr(),
                bool allow_empty = false)
            : primitive_desc(src.get_engine(), src.get_desc(), dst.get_engine(), dst.get_desc(), attr,
                      allow_empty) {}

        engine get_src_engine() const { return query_engine(query::reorder_src_engine); }
        engine get_dst_engine() const { return query_engine(query::reorder_dst_engine); }
    };
    DNNL_PRIMITIVE(reorder)

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
            create(DNNL_NO_PD("concat"), allow_empty, dnnl_concat_primitive_desc_create, aengine, dst,
                    srcs.size(), concat_dimension, convert_to_c(srcs), attr);
        }
        /// With a destination of the library's choice.
        primitive_desc(const engine &aengine, int concat_dimension, const std::vector<memory::desc> &srcs,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("concat"), allow_empty, dnnl_concat_primitive_desc_create, aengine, nullptr,
                    srcs.size(), concat_dimension, convert_to_c(srcs), attr);
        }
    };
    DNNL_PRIMITIVE(concat)
};

/// Adds tensors with a factor each; see dnnl_sum_primitive_desc_create().
struct sum : public primitive {
    struct primitive_desc : public primitive_desc_base {
        using primitive_desc_base::primitive_desc_base;
        primitive_desc() = default;
        primitive_desc(dnnl_primitive_desc_t pd) { copy(pd, kind::sum, {}); }
        primitive_desc(const engine &aengine, const memory::desc &dst, const std::vector<float> &scales,
                const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            check(scales, srcs);
            create(DNNL_NO_PD("sum"), allow_empty, dnnl_sum_primitive_desc_create, aengine, dst, srcs.size(),
                    scales, convert_to_c(srcs), attr);
        }
        /// With a destination of the library's choice.
        primitive_desc(const engine &aengine, const std::vector<float> &scales,
                const std::vector<memory::desc> &srcs, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            check(scales, srcs);
            create(DNNL_NO_PD("sum"), allow_empty, dnnl_sum_primitive_desc_create, aengine, nullptr,
                    srcs.size(), scales, convert_to_c(srcs), attr);
        }

      private:
        static void check(const std::vector<float> &scales, const std::vector<memory::desc> &srcs) {
            const int count = static_cast<int>(srcs.size());
            validate_container_size(scales, "there are not as many scales as sources", count, count);
        }
    };
    DNNL_PRIMITIVE(sum)
};

namespace detail {
// Convolution and deconvolution differ in their C functions only.
template <primitive::kind akind, decltype(&dnnl_convolution_forward_primitive_desc_create) function>
struct convolution_forward_pd : public forward_pd<akind> {
    using forward_pd<akind>::forward_pd;
    convolution_forward_pd() = default;
    convolution_forward_pd(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &weights_desc, const memory::desc &bias_desc,
            const memory::desc &dst_desc, const memory::dims &strides, const memory::dims &padding_l,
            const memory::dims &padding_r, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
        this->check_spatial(src_desc, strides, padding_l, padding_r);
        make(allow_empty, aengine, aprop_kind, aalgorithm, src_desc, weights_desc, bias_desc, dst_desc,
                strides, nullptr, padding_l, padding_r, attr);
    }
    convolution_forward_pd(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &weights_desc, const memory::desc &dst_desc,
            const memory::dims &strides, const memory::dims &padding_l, const memory::dims &padding_r,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        this->check_spatial(src_desc, strides, padding_l, padding_r);
        make(allow_empty, aengine, aprop_kind, aalgorithm, src_desc, weights_desc, nullptr, dst_desc, strides,
                nullptr, padding_l, padding_r, attr);
    }
    convolution_forward_pd(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &weights_desc, const memory::desc &bias_desc,
            const memory::desc &dst_desc, const memory::dims &strides, const memory::dims &dilates,
            const memory::dims &padding_l, const memory::dims &padding_r,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        this->check_spatial(src_desc, strides, dilates, padding_l, padding_r);
        make(allow_empty, aengine, aprop_kind, aalgorithm, src_desc, weights_desc, bias_desc, dst_desc,
                strides, dilates, padding_l, padding_r, attr);
    }
    convolution_forward_pd(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
            const memory::desc &src_desc, const memory::desc &weights_desc, const memory::desc &dst_desc,
            const memory::dims &strides, const memory::dims &dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
        this->check_spatial(src_desc, strides, dilates, padding_l, padding_r);
        make(allow_empty, aengine, aprop_kind, aalgorithm, src_desc, weights_desc, nullptr, dst_desc, strides,
                dilates, padding_l, padding_r, attr);
    }

    memory::desc bias_desc() const { return this->weights_desc(1); }

  private:
    template <typename... T> void make(bool allow_empty, const T &...args) {
        this->create(DNNL_NO_PD("a forward (de)convolution"), allow_empty, function, args...);
    }
};

template <primitive::kind akind, typename hint,
        decltype(&dnnl_convolution_backward_data_primitive_desc_create) function>
struct convolution_backward_data_pd : public backward_data_pd<akind> {
    using backward_data_pd<akind>::backward_data_pd;
    convolution_backward_data_pd() = default;
    convolution_backward_data_pd(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &weights_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides, const memory::dims &padding_l,
            const memory::dims &padding_r, const hint &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        this->check_spatial(diff_src_desc, strides, padding_l, padding_r);
        make(allow_empty, aengine, aalgorithm, diff_src_desc, weights_desc, diff_dst_desc, strides, nullptr,
                padding_l, padding_r, hint_fwd_pd, attr);
    }
    convolution_backward_data_pd(const engine &aengine, algorithm aalgorithm,
            const memory::desc &diff_src_desc, const memory::desc &weights_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides, const memory::dims &dilates,
            const memory::dims &padding_l, const memory::dims &padding_r, const hint &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        this->check_spatial(diff_src_desc, strides, dilates, padding_l, padding_r);
        make(allow_empty, aengine, aalgorithm, diff_src_desc, weights_desc, diff_dst_desc, strides, dilates,
                padding_l, padding_r, hint_fwd_pd, attr);
    }

  private:
    template <typename... T> void make(bool allow_empty, const T &...args) {
        this->create(DNNL_NO_PD("a (de)convolution backward by data"), allow_empty, function, args...);
    }
};

template <primitive::kind akind, typename hint,
        decltype(&dnnl_convolution_backward_weights_primitive_desc_create) function>
struct convolution_backward_weights_pd : public backward_weights_pd<akind> {
    using backward_weights_pd<akind>::backward_weights_pd;
    convolution_backward_weights_pd() = default;
    convolution_backward_weights_pd(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
            const memory::desc &diff_weights_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides, const memory::dims &padding_l,
            const memory::dims &padding_r, const hint &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        this->check_spatial(src_desc, strides, padding_l, padding_r);
        make(allow_empty, aengine, aalgorithm, src_desc, diff_weights_desc, diff_bias_desc, diff_dst_desc,
                strides, nullptr, padding_l, padding_r, hint_fwd_pd, attr);
    }
    convolution_backward_weights_pd(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
            const memory::desc &diff_weights_desc, const memory::desc &diff_dst_desc,
            const memory::dims &strides, const memory::dims &padding_l, const memory::dims &padding_r,
            const hint &hint_fwd_pd, const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        this->check_spatial(src_desc, strides, padding_l, padding_r);
        make(allow_empty, aengine, aalgorithm, src_desc, diff_weights_desc, nullptr, diff_dst_desc, strides,
                nullptr, padding_l, padding_r, hint_fwd_pd, attr);
    }
    convolution_backward_weights_pd(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
            const memory::desc &diff_weights_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_desc, const memory::dims &strides, const memory::dims &dilates,
            const memory::dims &padding_l, const memory::dims &padding_r, const hint &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        this->check_spatial(src_desc, strides, dilates, padding_l, padding_r);
        make(allow_empty, aengine, aalgorithm, src_desc, diff_weights_desc, diff_bias_desc, diff_dst_desc,
                strides, dilates, padding_l, padding_r, hint_fwd_pd, attr);
    }
    convolution_backward_weights_pd(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
            const memory::desc &diff_weights_desc, const memory::desc &diff_dst_desc,
            const memory::dims &strides, const memory::dims &dilates, const memory::dims &padding_l,
            const memory::dims &padding_r, const hint &hint_fwd_pd,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        this->check_spatial(src_desc, strides, dilates, padding_l, padding_r);
        make(allow_empty, aengine, aalgorithm, src_desc, diff_weights_desc, nullptr, diff_dst_desc, strides,
                dilates, padding_l, padding_r, hint_fwd_pd, attr);
    }

    memory::desc diff_bias_desc() const { return this->diff_weights_desc(1); }

  private:
    template <typename... T> void make(bool allow_empty, const T &...args) {
        this->create(DNNL_NO_PD("a (de)convolution backward by weights"), allow_empty, function, args...);
    }
};
} // namespace detail

/// Convolution, forward; see dnnl_convolution_forward_primitive_desc_create().
struct convolution_forward : public primitive {
    struct primitive_desc : public detail::convolution_forward_pd<kind::convolution,
                                    dnnl_convolution_forward_primitive_desc_create> {
        using convolution_forward_pd::convolution_forward_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(convolution_forward)
};

/// Convolution, backward by data; see dnnl_convolution_backward_data_primitive_desc_create().
struct convolution_backward_data : public primitive {
    struct primitive_desc
        : public detail::convolution_backward_data_pd<kind::convolution, convolution_forward::primitive_desc,
                  dnnl_convolution_backward_data_primitive_desc_create> {
        using convolution_backward_data_pd::convolution_backward_data_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(convolution_backward_data)
};

/// Convolution, backward by weights; see dnnl_convolution_backward_weights_primitive_desc_create().
struct convolution_backward_weights : public primitive {
    struct primitive_desc : public detail::convolution_backward_weights_pd<kind::convolution,
                                    convolution_forward::primitive_desc,
                                    dnnl_convolution_backward_weights_primitive_desc_create> {
        using convolution_backward_weights_pd::convolution_backward_weights_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(convolution_backward_weights)
};

/// Deconvolution, forward; see dnnl_deconvolution_forward_primitive_desc_create().
struct deconvolution_forward : public primitive {
    struct primitive_desc : public detail::convolution_forward_pd<kind::deconvolution,
                                    dnnl_deconvolution_forward_primitive_desc_create> {
        using convolution_forward_pd::convolution_forward_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(deconvolution_forward)
};

/// Deconvolution, backward by data; see dnnl_deconvolution_backward_data_primitive_desc_create().
struct deconvolution_backward_data : public primitive {
    struct primitive_desc : public detail::convolution_backward_data_pd<kind::deconvolution,
                                    deconvolution_forward::primitive_desc,
                                    dnnl_deconvolution_backward_data_primitive_desc_create> {
        using convolution_backward_data_pd::convolution_backward_data_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(deconvolution_backward_data)
};

/// Deconvolution, backward by weights; see dnnl_deconvolution_backward_weights_primitive_desc_create().
struct deconvolution_backward_weights : public primitive {
    struct primitive_desc : public detail::convolution_backward_weights_pd<kind::deconvolution,
                                    deconvolution_forward::primitive_desc,
                                    dnnl_deconvolution_backward_weights_primitive_desc_create> {
        using convolution_backward_weights_pd::convolution_backward_weights_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(deconvolution_backward_weights)
};

/// Local response normalization, forward; see dnnl_lrn_forward_primitive_desc_create().
struct lrn_forward : public primitive {
    struct primitive_desc : public detail::forward_pd<kind::lrn> {
        using forward_pd::forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc, memory::dim local_size,
                float alpha, float beta, float k, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            create(DNNL_NO_PD("a forward LRN"), allow_empty, dnnl_lrn_forward_primitive_desc_create, aengine,
                    aprop_kind, aalgorithm, src_desc, dst_desc, local_size, alpha, beta, k, attr);
        }
    };
    DNNL_PRIMITIVE(lrn_forward)
};

/// Local response normalization, backward; see dnnl_lrn_backward_primitive_desc_create().
struct lrn_backward : public primitive {
    struct primitive_desc : public detail::backward_data_pd<kind::lrn> {
        using backward_data_pd::backward_data_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const memory::desc &src_desc, memory::dim local_size,
                float alpha, float beta, float k, const lrn_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward LRN"), allow_empty, dnnl_lrn_backward_primitive_desc_create,
                    aengine, aalgorithm, diff_src_desc, diff_dst_desc, src_desc, local_size, alpha, beta, k,
                    hint_fwd_pd, attr);
        }
    };
    DNNL_PRIMITIVE(lrn_backward)
};

/// Function of each element, forward; see dnnl_eltwise_forward_primitive_desc_create().
struct eltwise_forward : public primitive {
    struct primitive_desc : public detail::forward_pd<kind::eltwise> {
        using forward_pd::forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward eltwise"), allow_empty, dnnl_eltwise_forward_primitive_desc_create,
                    aengine, aprop_kind, aalgorithm, src_desc, dst_desc, 0.f, 0.f, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc, float alpha,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward eltwise"), allow_empty, dnnl_eltwise_forward_primitive_desc_create,
                    aengine, aprop_kind, aalgorithm, src_desc, dst_desc, alpha, 0.f, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc, float alpha, float beta,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward eltwise"), allow_empty, dnnl_eltwise_forward_primitive_desc_create,
                    aengine, aprop_kind, aalgorithm, src_desc, dst_desc, alpha, beta, attr);
        }
    };
    DNNL_PRIMITIVE(eltwise_forward)
};

/// Function of each element, backward; see dnnl_eltwise_backward_primitive_desc_create().
struct eltwise_backward : public primitive {
    struct primitive_desc : public detail::backward_data_pd<kind::eltwise> {
        using backward_data_pd::backward_data_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const memory::desc &data_desc,
                const eltwise_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward eltwise"), allow_empty, dnnl_eltwise_backward_primitive_desc_create,
                    aengine, aalgorithm, diff_src_desc, diff_dst_desc, data_desc, 0.f, 0.f, hint_fwd_pd,
                    attr);
        }
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const memory::desc &data_desc, float alpha,
                const eltwise_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward eltwise"), allow_empty, dnnl_eltwise_backward_primitive_desc_create,
                    aengine, aalgorithm, diff_src_desc, diff_dst_desc, data_desc, alpha, 0.f, hint_fwd_pd,
                    attr);
        }
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const memory::desc &data_desc, float alpha, float beta,
                const eltwise_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward eltwise"), allow_empty, dnnl_eltwise_backward_primitive_desc_create,
                    aengine, aalgorithm, diff_src_desc, diff_dst_desc, data_desc, alpha, beta, hint_fwd_pd,
                    attr);
        }
    };
    DNNL_PRIMITIVE(eltwise_backward)
};

/// Softmax, forward; see dnnl_softmax_forward_primitive_desc_create().
struct softmax_forward : public primitive {
    struct primitive_desc : public detail::forward_pd<kind::softmax> {
        using forward_pd::forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc, int axis,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward softmax"), allow_empty, dnnl_softmax_forward_primitive_desc_create,
                    aengine, aprop_kind, aalgorithm, src_desc, dst_desc, axis, attr);
        }
    };
    DNNL_PRIMITIVE(softmax_forward)
};

/// Softmax, backward; see dnnl_softmax_backward_primitive_desc_create().
struct softmax_backward : public primitive {
    struct primitive_desc : public detail::backward_data_pd<kind::softmax> {
        using backward_data_pd::backward_data_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const memory::desc &dst_desc, int axis,
                const softmax_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward softmax"), allow_empty, dnnl_softmax_backward_primitive_desc_create,
                    aengine, aalgorithm, diff_src_desc, diff_dst_desc, dst_desc, axis, hint_fwd_pd, attr);
        }
    };
    DNNL_PRIMITIVE(softmax_backward)
};

namespace detail {
// What normalizations answer, in both directions.
template <typename pd> struct norm_pd : public pd {
    using pd::pd;
    norm_pd() = default;

    normalization_flags get_flags() const { return pd::template get_flags<normalization_flags>(); }
    memory::desc mean_desc() const { return stat_desc(1); }
    memory::desc variance_desc() const { return stat_desc(2); }

  private:
    // Statistics are results of a forward primitive that computes them, and otherwise sources.
    memory::desc stat_desc(int number) const {
        const prop_kind direction = this->get_prop_kind();
        const bool forward =
                direction == prop_kind::forward_training || direction == prop_kind::forward_inference;
        const bool given = (get_flags() & normalization_flags::use_global_stats) != normalization_flags::none;
        return this->query_md(forward && !given ? query::dst_md : query::src_md, number);
    }
};
template <primitive::kind akind> struct norm_forward_pd : public norm_pd<forward_pd<akind>> {
    using norm_pd<forward_pd<akind>>::norm_pd;
    norm_forward_pd() = default;
};
template <primitive::kind akind>
struct norm_backward_pd : public norm_pd<pd_of<akind, prop_kind::backward, prop_kind::backward_data>> {
    using norm_pd<pd_of<akind, prop_kind::backward, prop_kind::backward_data>>::norm_pd;
    norm_backward_pd() = default;
};
} // namespace detail

/// Batch normalization, forward; see dnnl_batch_normalization_forward_primitive_desc_create().
struct batch_normalization_forward : public primitive {
    struct primitive_desc : public detail::norm_forward_pd<kind::batch_normalization> {
        using norm_forward_pd::norm_forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, float epsilon, normalization_flags flags,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward batch normalization"), allow_empty,
                    dnnl_batch_normalization_forward_primitive_desc_create, aengine, aprop_kind, src_desc,
                    dst_desc, epsilon, flags, attr);
        }
    };
    DNNL_PRIMITIVE(batch_normalization_forward)
};

/// Batch normalization, backward; see dnnl_batch_normalization_backward_primitive_desc_create().
struct batch_normalization_backward : public primitive {
    struct primitive_desc : public detail::norm_backward_pd<kind::batch_normalization> {
        using norm_backward_pd::norm_backward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const memory::desc &src_desc, float epsilon,
                normalization_flags flags, const batch_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward batch normalization"), allow_empty,
                    dnnl_batch_normalization_backward_primitive_desc_create, aengine, aprop_kind,
                    diff_src_desc, diff_dst_desc, src_desc, epsilon, flags, hint_fwd_pd, attr);
        }
    };
    DNNL_PRIMITIVE(batch_normalization_backward)
};

/// Group normalization, forward; see dnnl_group_normalization_forward_primitive_desc_create().
struct group_normalization_forward : public primitive {
    struct primitive_desc : public detail::norm_forward_pd<kind::group_normalization> {
        using norm_forward_pd::norm_forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, memory::dim groups, float epsilon, normalization_flags flags,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward group normalization"), allow_empty,
                    dnnl_group_normalization_forward_primitive_desc_create, aengine, aprop_kind, src_desc,
                    dst_desc, groups, epsilon, flags, attr);
        }
    };
    DNNL_PRIMITIVE(group_normalization_forward)
};

/// Group normalization, backward; see dnnl_group_normalization_backward_primitive_desc_create().
struct group_normalization_backward : public primitive {
    struct primitive_desc : public detail::norm_backward_pd<kind::group_normalization> {
        using norm_backward_pd::norm_backward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const memory::desc &src_desc, memory::dim groups,
                float epsilon, normalization_flags flags,
                const group_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward group normalization"), allow_empty,
                    dnnl_group_normalization_backward_primitive_desc_create, aengine, aprop_kind,
                    diff_src_desc, diff_dst_desc, src_desc, groups, epsilon, flags, hint_fwd_pd, attr);
        }
    };
    DNNL_PRIMITIVE(group_normalization_backward)
};

/// Layer normalization, forward; see dnnl_layer_normalization_forward_primitive_desc_create_v2(). Scale and
/// shift are f32 unless said otherwise.
struct layer_normalization_forward : public primitive {
    struct primitive_desc : public detail::norm_forward_pd<kind::layer_normalization> {
        using norm_forward_pd::norm_forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, const memory::desc &stat_desc, float epsilon,
                normalization_flags flags, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            create(DNNL_NO_PD("a forward layer normalization"), allow_empty,
                    dnnl_layer_normalization_forward_primitive_desc_create_v2, aengine, aprop_kind, src_desc,
                    dst_desc, stat_desc, memory::data_type::f32, epsilon, flags, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, float epsilon, normalization_flags flags,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward layer normalization"), allow_empty,
                    dnnl_layer_normalization_forward_primitive_desc_create_v2, aengine, aprop_kind, src_desc,
                    dst_desc, nullptr, memory::data_type::f32, epsilon, flags, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, const memory::desc &stat_desc,
                memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward layer normalization"), allow_empty,
                    dnnl_layer_normalization_forward_primitive_desc_create_v2, aengine, aprop_kind, src_desc,
                    dst_desc, stat_desc, scale_shift_data_type, epsilon, flags, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, memory::data_type scale_shift_data_type, float epsilon,
                normalization_flags flags, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            create(DNNL_NO_PD("a forward layer normalization"), allow_empty,
                    dnnl_layer_normalization_forward_primitive_desc_create_v2, aengine, aprop_kind, src_desc,
                    dst_desc, nullptr, scale_shift_data_type, epsilon, flags, attr);
        }
    };
    DNNL_PRIMITIVE(layer_normalization_forward)
};

/// Layer normalization, backward; see dnnl_layer_normalization_backward_primitive_desc_create_v2().
struct layer_normalization_backward : public primitive {
    struct primitive_desc : public detail::norm_backward_pd<kind::layer_normalization> {
        using norm_backward_pd::norm_backward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const memory::desc &src_desc,
                const memory::desc &stat_desc, float epsilon, normalization_flags flags,
                const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward layer normalization"), allow_empty,
                    dnnl_layer_normalization_backward_primitive_desc_create_v2, aengine, aprop_kind,
                    diff_src_desc, diff_dst_desc, src_desc, stat_desc, memory::data_type::f32,
                    memory::data_type::f32, epsilon, flags, hint_fwd_pd, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const memory::desc &src_desc, float epsilon,
                normalization_flags flags, const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward layer normalization"), allow_empty,
                    dnnl_layer_normalization_backward_primitive_desc_create_v2, aengine, aprop_kind,
                    diff_src_desc, diff_dst_desc, src_desc, nullptr, memory::data_type::f32,
                    memory::data_type::f32, epsilon, flags, hint_fwd_pd, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const memory::desc &src_desc,
                const memory::desc &stat_desc, memory::data_type diff_scale_shift_data_type,
                memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward layer normalization"), allow_empty,
                    dnnl_layer_normalization_backward_primitive_desc_create_v2, aengine, aprop_kind,
                    diff_src_desc, diff_dst_desc, src_desc, stat_desc, diff_scale_shift_data_type,
                    scale_shift_data_type, epsilon, flags, hint_fwd_pd, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const memory::desc &src_desc,
                memory::data_type diff_scale_shift_data_type, memory::data_type scale_shift_data_type,
                float epsilon, normalization_flags flags,
                const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward layer normalization"), allow_empty,
                    dnnl_layer_normalization_backward_primitive_desc_create_v2, aengine, aprop_kind,
                    diff_src_desc, diff_dst_desc, src_desc, nullptr, diff_scale_shift_data_type,
                    scale_shift_data_type, epsilon, flags, hint_fwd_pd, attr);
        }
    };
    DNNL_PRIMITIVE(layer_normalization_backward)
};

/// Inner product, forward; see dnnl_inner_product_forward_primitive_desc_create().
struct inner_product_forward : public primitive {
    struct primitive_desc : public detail::forward_pd<kind::inner_product> {
        using forward_pd::forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &weights_desc, const memory::desc &bias_desc, const memory::desc &dst_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward inner product"), allow_empty,
                    dnnl_inner_product_forward_primitive_desc_create, aengine, aprop_kind, src_desc,
                    weights_desc, bias_desc, dst_desc, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &weights_desc, const memory::desc &dst_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward inner product"), allow_empty,
                    dnnl_inner_product_forward_primitive_desc_create, aengine, aprop_kind, src_desc,
                    weights_desc, nullptr, dst_desc, attr);
        }

        memory::desc bias_desc() const { return weights_desc(1); }
    };
    DNNL_PRIMITIVE(inner_product_forward)
};

/// Inner product, backward by data; see dnnl_inner_product_backward_data_primitive_desc_create().
struct inner_product_backward_data : public primitive {
    struct primitive_desc : public detail::backward_data_pd<kind::inner_product> {
        using backward_data_pd::backward_data_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, const memory::desc &diff_src_desc,
                const memory::desc &weights_desc, const memory::desc &diff_dst_desc,
                const inner_product_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("an inner product backward by data"), allow_empty,
                    dnnl_inner_product_backward_data_primitive_desc_create, aengine, diff_src_desc,
                    weights_desc, diff_dst_desc, hint_fwd_pd, attr);
        }
    };
    DNNL_PRIMITIVE(inner_product_backward_data)
};

/// Inner product, backward by weights; see dnnl_inner_product_backward_weights_primitive_desc_create().
struct inner_product_backward_weights : public primitive {
    struct primitive_desc : public detail::backward_weights_pd<kind::inner_product> {
        using backward_weights_pd::backward_weights_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
                const memory::desc &diff_weights_desc, const memory::desc &diff_bias_desc,
                const memory::desc &diff_dst_desc, const inner_product_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("an inner product backward by weights"), allow_empty,
                    dnnl_inner_product_backward_weights_primitive_desc_create, aengine, src_desc,
                    diff_weights_desc, diff_bias_desc, diff_dst_desc, hint_fwd_pd, attr);
        }
        primitive_desc(const engine &aengine, const memory::desc &src_desc,
                const memory::desc &diff_weights_desc, const memory::desc &diff_dst_desc,
                const inner_product_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("an inner product backward by weights"), allow_empty,
                    dnnl_inner_product_backward_weights_primitive_desc_create, aengine, src_desc,
                    diff_weights_desc, nullptr, diff_dst_desc, hint_fwd_pd, attr);
        }

        memory::desc diff_bias_desc() const { return diff_weights_desc(1); }
    };
    DNNL_PRIMITIVE(inner_product_backward_weights)
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
    memory::desc diff_src_layer_desc() const { return arg_md(DNNL_ARG_DIFF_SRC_LAYER); }
    memory::desc diff_src_iter_desc() const { return arg_md(DNNL_ARG_DIFF_SRC_ITER); }
    memory::desc diff_src_iter_c_desc() const { return arg_md(DNNL_ARG_DIFF_SRC_ITER_C); }
    memory::desc diff_weights_layer_desc() const { return arg_md(DNNL_ARG_DIFF_WEIGHTS_LAYER); }
    memory::desc diff_weights_iter_desc() const { return arg_md(DNNL_ARG_DIFF_WEIGHTS_ITER); }
    memory::desc diff_weights_peephole_desc() const { return arg_md(DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE); }
    memory::desc diff_weights_projection_desc() const { return arg_md(DNNL_ARG_DIFF_WEIGHTS_PROJECTION); }
    memory::desc diff_bias_desc() const { return arg_md(DNNL_ARG_DIFF_BIAS); }
    memory::desc diff_dst_layer_desc() const { return arg_md(DNNL_ARG_DIFF_DST_LAYER); }
    memory::desc diff_dst_iter_desc() const { return arg_md(DNNL_ARG_DIFF_DST_ITER); }
    memory::desc diff_dst_iter_c_desc() const { return arg_md(DNNL_ARG_DIFF_DST_ITER_C); }
    memory::desc diff_augru_attention_desc() const { return arg_md(DNNL_ARG_DIFF_AUGRU_ATTENTION); }
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
    struct primitive_desc : public detail::rnn_forward_pd<algorithm::vanilla_rnn> {
        using rnn_forward_pd::rnn_forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
                rnn_direction direction, const memory::desc &src_layer_desc,
                const memory::desc &src_iter_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward vanilla RNN"), allow_empty,
                    dnnl_vanilla_rnn_forward_primitive_desc_create, aengine, aprop_kind, activation,
                    direction, src_layer_desc, src_iter_desc, weights_layer_desc, weights_iter_desc,
                    bias_desc, dst_layer_desc, dst_iter_desc, rnn_flags::undef, 0.f, 0.f, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
                rnn_direction direction, const memory::desc &src_layer_desc,
                const memory::desc &src_iter_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc, float alpha,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward vanilla RNN"), allow_empty,
                    dnnl_vanilla_rnn_forward_primitive_desc_create, aengine, aprop_kind, activation,
                    direction, src_layer_desc, src_iter_desc, weights_layer_desc, weights_iter_desc,
                    bias_desc, dst_layer_desc, dst_iter_desc, rnn_flags::undef, alpha, 0.f, attr);
        }
    };
    DNNL_PRIMITIVE(vanilla_rnn_forward)
};

/// Vanilla RNN, backward; see dnnl_vanilla_rnn_backward_primitive_desc_create().
struct vanilla_rnn_backward : public primitive {
    struct primitive_desc : public detail::rnn_backward_pd<algorithm::vanilla_rnn> {
        using rnn_backward_pd::rnn_backward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
                rnn_direction direction, const memory::desc &src_layer_desc,
                const memory::desc &src_iter_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &diff_src_layer_desc, const memory::desc &diff_src_iter_desc,
                const memory::desc &diff_weights_layer_desc, const memory::desc &diff_weights_iter_desc,
                const memory::desc &diff_bias_desc, const memory::desc &diff_dst_layer_desc,
                const memory::desc &diff_dst_iter_desc,
                const vanilla_rnn_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward vanilla RNN"), allow_empty,
                    dnnl_vanilla_rnn_backward_primitive_desc_create, aengine, aprop_kind, activation,
                    direction, src_layer_desc, src_iter_desc, weights_layer_desc, weights_iter_desc,
                    bias_desc, dst_layer_desc, dst_iter_desc, diff_src_layer_desc, diff_src_iter_desc,
                    diff_weights_layer_desc, diff_weights_iter_desc, diff_bias_desc, diff_dst_layer_desc,
                    diff_dst_iter_desc, rnn_flags::undef, 0.f, 0.f, hint_fwd_pd, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm activation,
                rnn_direction direction, const memory::desc &src_layer_desc,
                const memory::desc &src_iter_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &diff_src_layer_desc, const memory::desc &diff_src_iter_desc,
                const memory::desc &diff_weights_layer_desc, const memory::desc &diff_weights_iter_desc,
                const memory::desc &diff_bias_desc, const memory::desc &diff_dst_layer_desc,
                const memory::desc &diff_dst_iter_desc, float alpha,
                const vanilla_rnn_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward vanilla RNN"), allow_empty,
                    dnnl_vanilla_rnn_backward_primitive_desc_create, aengine, aprop_kind, activation,
                    direction, src_layer_desc, src_iter_desc, weights_layer_desc, weights_iter_desc,
                    bias_desc, dst_layer_desc, dst_iter_desc, diff_src_layer_desc, diff_src_iter_desc,
                    diff_weights_layer_desc, diff_weights_iter_desc, diff_bias_desc, diff_dst_layer_desc,
                    diff_dst_iter_desc, rnn_flags::undef, alpha, 0.f, hint_fwd_pd, attr);
        }
    };
    DNNL_PRIMITIVE(vanilla_rnn_backward)
};

/// LSTM, forward, with or without peephole and projection; see dnnl_lstm_forward_primitive_desc_create().
struct lstm_forward : public primitive {
    struct primitive_desc : public detail::rnn_forward_pd<algorithm::vanilla_lstm> {
        using rnn_forward_pd::rnn_forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &weights_peephole_desc,
                const memory::desc &weights_projection_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &dst_iter_c_desc, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            create(DNNL_NO_PD("a forward LSTM"), allow_empty, dnnl_lstm_forward_primitive_desc_create,
                    aengine, aprop_kind, direction, src_layer_desc, src_iter_desc, src_iter_c_desc,
                    weights_layer_desc, weights_iter_desc, weights_peephole_desc, weights_projection_desc,
                    bias_desc, dst_layer_desc, dst_iter_desc, dst_iter_c_desc, rnn_flags::undef, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &weights_peephole_desc,
                const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
                const memory::desc &dst_iter_desc, const memory::desc &dst_iter_c_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward LSTM"), allow_empty, dnnl_lstm_forward_primitive_desc_create,
                    aengine, aprop_kind, direction, src_layer_desc, src_iter_desc, src_iter_c_desc,
                    weights_layer_desc, weights_iter_desc, weights_peephole_desc, nullptr, bias_desc,
                    dst_layer_desc, dst_iter_desc, dst_iter_c_desc, rnn_flags::undef, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &dst_iter_c_desc, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            create(DNNL_NO_PD("a forward LSTM"), allow_empty, dnnl_lstm_forward_primitive_desc_create,
                    aengine, aprop_kind, direction, src_layer_desc, src_iter_desc, src_iter_c_desc,
                    weights_layer_desc, weights_iter_desc, nullptr, nullptr, bias_desc, dst_layer_desc,
                    dst_iter_desc, dst_iter_c_desc, rnn_flags::undef, attr);
        }
    };
    DNNL_PRIMITIVE(lstm_forward)
};

/// LSTM, backward; see dnnl_lstm_backward_primitive_desc_create().
struct lstm_backward : public primitive {
    struct primitive_desc : public detail::rnn_backward_pd<algorithm::vanilla_lstm> {
        using rnn_backward_pd::rnn_backward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &weights_peephole_desc,
                const memory::desc &weights_projection_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &dst_iter_c_desc, const memory::desc &diff_src_layer_desc,
                const memory::desc &diff_src_iter_desc, const memory::desc &diff_src_iter_c_desc,
                const memory::desc &diff_weights_layer_desc, const memory::desc &diff_weights_iter_desc,
                const memory::desc &diff_weights_peephole_desc,
                const memory::desc &diff_weights_projection_desc, const memory::desc &diff_bias_desc,
                const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
                const memory::desc &diff_dst_iter_c_desc, const lstm_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward LSTM"), allow_empty, dnnl_lstm_backward_primitive_desc_create,
                    aengine, aprop_kind, direction, src_layer_desc, src_iter_desc, src_iter_c_desc,
                    weights_layer_desc, weights_iter_desc, weights_peephole_desc, weights_projection_desc,
                    bias_desc, dst_layer_desc, dst_iter_desc, dst_iter_c_desc, diff_src_layer_desc,
                    diff_src_iter_desc, diff_src_iter_c_desc, diff_weights_layer_desc, diff_weights_iter_desc,
                    diff_weights_peephole_desc, diff_weights_projection_desc, diff_bias_desc,
                    diff_dst_layer_desc, diff_dst_iter_desc, diff_dst_iter_c_desc, rnn_flags::undef,
                    hint_fwd_pd, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &weights_peephole_desc,
                const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
                const memory::desc &dst_iter_desc, const memory::desc &dst_iter_c_desc,
                const memory::desc &diff_src_layer_desc, const memory::desc &diff_src_iter_desc,
                const memory::desc &diff_src_iter_c_desc, const memory::desc &diff_weights_layer_desc,
                const memory::desc &diff_weights_iter_desc, const memory::desc &diff_weights_peephole_desc,
                const memory::desc &diff_bias_desc, const memory::desc &diff_dst_layer_desc,
                const memory::desc &diff_dst_iter_desc, const memory::desc &diff_dst_iter_c_desc,
                const lstm_forward::primitive_desc &hint_fwd_pd, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            create(DNNL_NO_PD("a backward LSTM"), allow_empty, dnnl_lstm_backward_primitive_desc_create,
                    aengine, aprop_kind, direction, src_layer_desc, src_iter_desc, src_iter_c_desc,
                    weights_layer_desc, weights_iter_desc, weights_peephole_desc, nullptr, bias_desc,
                    dst_layer_desc, dst_iter_desc, dst_iter_c_desc, diff_src_layer_desc, diff_src_iter_desc,
                    diff_src_iter_c_desc, diff_weights_layer_desc, diff_weights_iter_desc,
                    diff_weights_peephole_desc, nullptr, diff_bias_desc, diff_dst_layer_desc,
                    diff_dst_iter_desc, diff_dst_iter_c_desc, rnn_flags::undef, hint_fwd_pd, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
                const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
                const memory::desc &src_iter_c_desc, const memory::desc &weights_layer_desc,
                const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
                const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
                const memory::desc &dst_iter_c_desc, const memory::desc &diff_src_layer_desc,
                const memory::desc &diff_src_iter_desc, const memory::desc &diff_src_iter_c_desc,
                const memory::desc &diff_weights_layer_desc, const memory::desc &diff_weights_iter_desc,
                const memory::desc &diff_bias_desc, const memory::desc &diff_dst_layer_desc,
                const memory::desc &diff_dst_iter_desc, const memory::desc &diff_dst_iter_c_desc,
                const lstm_forward::primitive_desc &hint_fwd_pd, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            create(DNNL_NO_PD("a backward LSTM"), allow_empty, dnnl_lstm_backward_primitive_desc_create,
                    aengine, aprop_kind, direction, src_layer_desc, src_iter_desc, src_iter_c_desc,
                    weights_layer_desc, weights_iter_desc, nullptr, nullptr, bias_desc, dst_layer_desc,
                    dst_iter_desc, dst_iter_c_desc, diff_src_layer_desc, diff_src_iter_desc,
                    diff_src_iter_c_desc, diff_weights_layer_desc, diff_weights_iter_desc, nullptr, nullptr,
                    diff_bias_desc, diff_dst_layer_desc, diff_dst_iter_desc, diff_dst_iter_c_desc,
                    rnn_flags::undef, hint_fwd_pd, attr);
        }
    };
    DNNL_PRIMITIVE(lstm_backward)
};

namespace detail {
// The cells of GRUs differ in their C functions only.
template <algorithm cell, decltype(&dnnl_gru_forward_primitive_desc_create) function>
struct gru_forward_pd : public rnn_forward_pd<cell> {
    using rnn_forward_pd<cell>::rnn_forward_pd;
    gru_forward_pd() = default;
    gru_forward_pd(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &weights_layer_desc, const memory::desc &weights_iter_desc,
            const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
            const memory::desc &dst_iter_desc, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
        this->create(DNNL_NO_PD("a forward GRU"), allow_empty, function, aengine, aprop_kind, direction,
                src_layer_desc, src_iter_desc, weights_layer_desc, weights_iter_desc, bias_desc,
                dst_layer_desc, dst_iter_desc, rnn_flags::undef, attr);
    }
};

template <algorithm cell, typename hint, decltype(&dnnl_gru_backward_primitive_desc_create) function>
struct gru_backward_pd : public rnn_backward_pd<cell> {
    using rnn_backward_pd<cell>::rnn_backward_pd;
    gru_backward_pd() = default;
    gru_backward_pd(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &weights_layer_desc, const memory::desc &weights_iter_desc,
            const memory::desc &bias_desc, const memory::desc &dst_layer_desc,
            const memory::desc &dst_iter_desc, const memory::desc &diff_src_layer_desc,
            const memory::desc &diff_src_iter_desc, const memory::desc &diff_weights_layer_desc,
            const memory::desc &diff_weights_iter_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
            const hint &hint_fwd_pd, const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        this->create(DNNL_NO_PD("a backward GRU"), allow_empty, function, aengine, aprop_kind, direction,
                src_layer_desc, src_iter_desc, weights_layer_desc, weights_iter_desc, bias_desc,
                dst_layer_desc, dst_iter_desc, diff_src_layer_desc, diff_src_iter_desc,
                diff_weights_layer_desc, diff_weights_iter_desc, diff_bias_desc, diff_dst_layer_desc,
                diff_dst_iter_desc, rnn_flags::undef, hint_fwd_pd, attr);
    }
};

template <algorithm cell, decltype(&dnnl_augru_forward_primitive_desc_create) function>
struct augru_forward_pd : public rnn_forward_pd<cell> {
    using rnn_forward_pd<cell>::rnn_forward_pd;
    augru_forward_pd() = default;
    augru_forward_pd(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &attention_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        this->create(DNNL_NO_PD("a forward AUGRU"), allow_empty, function, aengine, aprop_kind, direction,
                src_layer_desc, src_iter_desc, attention_desc, weights_layer_desc, weights_iter_desc,
                bias_desc, dst_layer_desc, dst_iter_desc, rnn_flags::undef, attr);
    }

    memory::desc attention_desc() const { return this->augru_attention_desc(); }
};

template <algorithm cell, typename hint, decltype(&dnnl_augru_backward_primitive_desc_create) function>
struct augru_backward_pd : public rnn_backward_pd<cell> {
    using rnn_backward_pd<cell>::rnn_backward_pd;
    augru_backward_pd() = default;
    augru_backward_pd(const engine &aengine, prop_kind aprop_kind, rnn_direction direction,
            const memory::desc &src_layer_desc, const memory::desc &src_iter_desc,
            const memory::desc &attention_desc, const memory::desc &weights_layer_desc,
            const memory::desc &weights_iter_desc, const memory::desc &bias_desc,
            const memory::desc &dst_layer_desc, const memory::desc &dst_iter_desc,
            const memory::desc &diff_src_layer_desc, const memory::desc &diff_src_iter_desc,
            const memory::desc &diff_attention_desc, const memory::desc &diff_weights_layer_desc,
            const memory::desc &diff_weights_iter_desc, const memory::desc &diff_bias_desc,
            const memory::desc &diff_dst_layer_desc, const memory::desc &diff_dst_iter_desc,
            const hint &hint_fwd_pd, const primitive_attr &attr = default_attr(), bool allow_empty = false) {
        this->create(DNNL_NO_PD("a backward AUGRU"), allow_empty, function, aengine, aprop_kind, direction,
                src_layer_desc, src_iter_desc, attention_desc, weights_layer_desc, weights_iter_desc,
                bias_desc, dst_layer_desc, dst_iter_desc, diff_src_layer_desc, diff_src_iter_desc,
                diff_attention_desc, diff_weights_layer_desc, diff_weights_iter_desc, diff_bias_desc,
                diff_dst_layer_desc, diff_dst_iter_desc, rnn_flags::undef, hint_fwd_pd, attr);
    }

    memory::desc attention_desc() const { return this->augru_attention_desc(); }
    memory::desc diff_attention_desc() const { return this->diff_augru_attention_desc(); }
};

} // namespace detail

/// GRU, forward; see dnnl_gru_forward_primitive_desc_create().
struct gru_forward : public primitive {
    struct primitive_desc
        : public detail::gru_forward_pd<algorithm::vanilla_gru, dnnl_gru_forward_primitive_desc_create> {
        using gru_forward_pd::gru_forward_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(gru_forward)
};

/// GRU, backward; see dnnl_gru_backward_primitive_desc_create().
struct gru_backward : public primitive {
    struct primitive_desc : public detail::gru_backward_pd<algorithm::vanilla_gru,
                                    gru_forward::primitive_desc, dnnl_gru_backward_primitive_desc_create> {
        using gru_backward_pd::gru_backward_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(gru_backward)
};

/// GRU with linear before reset, forward; see dnnl_lbr_gru_forward_primitive_desc_create().
struct lbr_gru_forward : public primitive {
    struct primitive_desc
        : public detail::gru_forward_pd<algorithm::lbr_gru, dnnl_lbr_gru_forward_primitive_desc_create> {
        using gru_forward_pd::gru_forward_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(lbr_gru_forward)
};

/// GRU with linear before reset, backward; see dnnl_lbr_gru_backward_primitive_desc_create().
struct lbr_gru_backward : public primitive {
    struct primitive_desc
        : public detail::gru_backward_pd<algorithm::lbr_gru, lbr_gru_forward::primitive_desc,
                  dnnl_lbr_gru_backward_primitive_desc_create> {
        using gru_backward_pd::gru_backward_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(lbr_gru_backward)
};

/// AUGRU, forward; see dnnl_augru_forward_primitive_desc_create().
struct augru_forward : public primitive {
    struct primitive_desc : public detail::augru_forward_pd<algorithm::vanilla_augru,
                                    dnnl_augru_forward_primitive_desc_create> {
        using augru_forward_pd::augru_forward_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(augru_forward)
};

/// AUGRU, backward; see dnnl_augru_backward_primitive_desc_create().
struct augru_backward : public primitive {
    struct primitive_desc
        : public detail::augru_backward_pd<algorithm::vanilla_augru, augru_forward::primitive_desc,
                  dnnl_augru_backward_primitive_desc_create> {
        using augru_backward_pd::augru_backward_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(augru_backward)
};

/// AUGRU with linear before reset, forward; see dnnl_lbr_augru_forward_primitive_desc_create().
struct lbr_augru_forward : public primitive {
    struct primitive_desc : public detail::augru_forward_pd<algorithm::lbr_augru,
                                    dnnl_lbr_augru_forward_primitive_desc_create> {
        using augru_forward_pd::augru_forward_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(lbr_augru_forward)
};

/// AUGRU with linear before reset, backward; see dnnl_lbr_augru_backward_primitive_desc_create().
struct lbr_augru_backward : public primitive {
    struct primitive_desc
        : public detail::augru_backward_pd<algorithm::lbr_augru, lbr_augru_forward::primitive_desc,
                  dnnl_lbr_augru_backward_primitive_desc_create> {
        using augru_backward_pd::augru_backward_pd;
        primitive_desc() = default;
    };
    DNNL_PRIMITIVE(lbr_augru_backward)
};

/// Shuffle, forward; see dnnl_shuffle_forward_primitive_desc_create().
struct shuffle_forward : public primitive {
    struct primitive_desc : public detail::forward_pd<kind::shuffle> {
        using forward_pd::forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &dst_desc, int axis, int group_size,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward shuffle"), allow_empty, dnnl_shuffle_forward_primitive_desc_create,
                    aengine, aprop_kind, src_desc, dst_desc, axis, group_size, attr);
        }
    };
    DNNL_PRIMITIVE(shuffle_forward)
};

/// Shuffle, backward; see dnnl_shuffle_backward_primitive_desc_create().
struct shuffle_backward : public primitive {
    struct primitive_desc : public detail::backward_data_pd<kind::shuffle> {
        using backward_data_pd::backward_data_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, int axis, int group_size,
                const shuffle_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward shuffle"), allow_empty, dnnl_shuffle_backward_primitive_desc_create,
                    aengine, diff_src_desc, diff_dst_desc, axis, group_size, hint_fwd_pd, attr);
        }
    };
    DNNL_PRIMITIVE(shuffle_backward)
};

/// Operation on the elements of two tensors, or three; see dnnl_binary_primitive_desc_create_v2().
struct binary : public primitive {
    struct primitive_desc : public detail::pd_of<kind::binary> {
        using pd_of::pd_of;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src0,
                const memory::desc &src1, const memory::desc &dst,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a binary operation"), allow_empty, dnnl_binary_primitive_desc_create, aengine,
                    aalgorithm, src0, src1, dst, attr);
        }
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src0,
                const memory::desc &src1, const memory::desc &src2, const memory::desc &dst,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a binary operation"), allow_empty, dnnl_binary_primitive_desc_create_v2,
                    aengine, aalgorithm, src0, src1, src2, dst, attr);
        }

        memory::desc src0_desc() const { return src_desc(0); }
        memory::desc src1_desc() const { return src_desc(1); }
        memory::desc src2_desc() const { return src_desc(2); }
    };
    DNNL_PRIMITIVE(binary)
};

/// Matrix multiplication; see dnnl_matmul_primitive_desc_create().
struct matmul : public primitive {
    struct primitive_desc : public detail::pd_of<kind::matmul> {
        using pd_of::pd_of;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, const memory::desc &src_desc, const memory::desc &weights_desc,
                const memory::desc &dst_desc, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            create(DNNL_NO_PD("a matmul"), allow_empty, dnnl_matmul_primitive_desc_create, aengine, src_desc,
                    weights_desc, nullptr, dst_desc, attr);
        }
        primitive_desc(const engine &aengine, const memory::desc &src_desc, const memory::desc &weights_desc,
                const memory::desc &bias_desc, const memory::desc &dst_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a matmul"), allow_empty, dnnl_matmul_primitive_desc_create, aengine, src_desc,
                    weights_desc, bias_desc, dst_desc, attr);
        }

        memory::desc bias_desc() const { return weights_desc(1); }
    };
    DNNL_PRIMITIVE(matmul)
};

/// Resampling, forward; see dnnl_resampling_forward_primitive_desc_create().
struct resampling_forward : public primitive {
    struct primitive_desc : public detail::forward_pd<kind::resampling> {
        using forward_pd::forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward resampling"), allow_empty,
                    dnnl_resampling_forward_primitive_desc_create, aengine, aprop_kind, aalgorithm, nullptr,
                    src_desc, dst_desc, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const std::vector<float> &factors, const memory::desc &src_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            check_spatial(src_desc, factors);
            create(DNNL_NO_PD("a forward resampling"), allow_empty,
                    dnnl_resampling_forward_primitive_desc_create, aengine, aprop_kind, aalgorithm, factors,
                    src_desc, nullptr, attr);
        }
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const std::vector<float> &factors, const memory::desc &src_desc, const memory::desc &dst_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            check_spatial(src_desc, factors);
            create(DNNL_NO_PD("a forward resampling"), allow_empty,
                    dnnl_resampling_forward_primitive_desc_create, aengine, aprop_kind, aalgorithm, factors,
                    src_desc, dst_desc, attr);
        }
    };
    DNNL_PRIMITIVE(resampling_forward)
};

/// Resampling, backward; see dnnl_resampling_backward_primitive_desc_create().
struct resampling_backward : public primitive {
    struct primitive_desc : public detail::backward_data_pd<kind::resampling> {
        using backward_data_pd::backward_data_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const resampling_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward resampling"), allow_empty,
                    dnnl_resampling_backward_primitive_desc_create, aengine, aalgorithm, nullptr,
                    diff_src_desc, diff_dst_desc, hint_fwd_pd, attr);
        }
        primitive_desc(const engine &aengine, algorithm aalgorithm, const std::vector<float> &factors,
                const memory::desc &diff_src_desc, const memory::desc &diff_dst_desc,
                const resampling_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            check_spatial(diff_src_desc, factors);
            create(DNNL_NO_PD("a backward resampling"), allow_empty,
                    dnnl_resampling_backward_primitive_desc_create, aengine, aalgorithm, factors,
                    diff_src_desc, diff_dst_desc, hint_fwd_pd, attr);
        }
    };
    DNNL_PRIMITIVE(resampling_backward)
};

/// Pooling, forward; see dnnl_pooling_forward_primitive_desc_create().
struct pooling_forward : public primitive {
    struct primitive_desc : public detail::forward_pd<kind::pooling> {
        using forward_pd::forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, algorithm aalgorithm,
                const memory::desc &src_desc, const memory::desc &dst_desc, const memory::dims &strides,
                const memory::dims &kernel, const memory::dims &dilation, const memory::dims &padding_l,
                const memory::dims &padding_r, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            check_spatial(src_desc, strides, kernel, dilation, padding_l, padding_r);
            create(DNNL_NO_PD("a forward pooling"), allow_empty, dnnl_pooling_forward_primitive_desc_create,
                    aengine, aprop_kind, aalgorithm, src_desc, dst_desc, strides, kernel, dilation, padding_l,
                    padding_r, attr);
        }
    };
    DNNL_PRIMITIVE(pooling_forward)
};

/// Pooling, backward; see dnnl_pooling_backward_primitive_desc_create().
struct pooling_backward : public primitive {
    struct primitive_desc : public detail::backward_data_pd<kind::pooling> {
        using backward_data_pd::backward_data_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &diff_src_desc,
                const memory::desc &diff_dst_desc, const memory::dims &strides, const memory::dims &kernel,
                const memory::dims &dilation, const memory::dims &padding_l, const memory::dims &padding_r,
                const pooling_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            check_spatial(diff_src_desc, strides, kernel, dilation, padding_l, padding_r);
            create(DNNL_NO_PD("a backward pooling"), allow_empty, dnnl_pooling_backward_primitive_desc_create,
                    aengine, aalgorithm, diff_src_desc, diff_dst_desc, strides, kernel, dilation, padding_l,
                    padding_r, hint_fwd_pd, attr);
        }
    };
    DNNL_PRIMITIVE(pooling_backward)
};

/// PReLU, forward; see dnnl_prelu_forward_primitive_desc_create().
struct prelu_forward : public primitive {
    struct primitive_desc : public detail::forward_pd<kind::prelu> {
        using forward_pd::forward_pd;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, prop_kind aprop_kind, const memory::desc &src_desc,
                const memory::desc &weight_desc, const memory::desc &dst_desc,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a forward PReLU"), allow_empty, dnnl_prelu_forward_primitive_desc_create,
                    aengine, aprop_kind, src_desc, weight_desc, dst_desc, attr);
        }
    };
    DNNL_PRIMITIVE(prelu_forward)
};

/// PReLU, backward; see dnnl_prelu_backward_primitive_desc_create().
struct prelu_backward : public primitive {
    struct primitive_desc : public detail::pd_of<kind::prelu, prop_kind::backward> {
        using pd_of::pd_of;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, const memory::desc &src_desc, const memory::desc &weight_desc,
                const memory::desc &diff_src_desc, const memory::desc &diff_weights_desc,
                const memory::desc &diff_dst_desc, const prelu_forward::primitive_desc &hint_fwd_pd,
                const primitive_attr &attr = default_attr(), bool allow_empty = false) {
            create(DNNL_NO_PD("a backward PReLU"), allow_empty, dnnl_prelu_backward_primitive_desc_create,
                    aengine, src_desc, weight_desc, diff_src_desc, diff_weights_desc, diff_dst_desc,
                    hint_fwd_pd, attr);
        }
    };
    DNNL_PRIMITIVE(prelu_backward)
};

/// Reduction along dimensions; see dnnl_reduction_primitive_desc_create().
struct reduction : public primitive {
    struct primitive_desc : public detail::pd_of<kind::reduction> {
        using pd_of::pd_of;
        primitive_desc() = default;
        primitive_desc(const engine &aengine, algorithm aalgorithm, const memory::desc &src_desc,
                const memory::desc &dst_desc, float p, float eps, const primitive_attr &attr = default_attr(),
                bool allow_empty = false) {
            create(DNNL_NO_PD("a reduction"), allow_empty, dnnl_reduction_primitive_desc_create, aengine,
                    aalgorithm, src_desc, dst_desc, p, eps, attr);
        }
    };
    DNNL_PRIMITIVE(reduction)
};

/// @}

#undef DNNL_NO_PD
#undef DNNL_PRIMITIVE

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
    detail::call(
            "could not set the capacity of the primitive cache", dnnl_set_primitive_cache_capacity, capacity);
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

/// Waits for a stream with profiling and returns what was recorded, an entry for each execution; see
/// dnnl_query_profiling_data().
inline std::vector<uint64_t> get_profiling_data(stream &astream, profiling_data_kind data_kind) {
    const char *message = "could not get profiling data";
    int count = 0;
    detail::call(message, dnnl_query_profiling_data, astream, data_kind, &count, nullptr);
    std::vector<uint64_t> data(static_cast<size_t>(count));
    if (count) detail::call(message, dnnl_query_profiling_data, astream, data_kind, &count, data.data());
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
    return static_cast<status>(dnnl_set_cpu_isa_hints(static_cast<dnnl_cpu_isa_hints_t>(isa_hints)));
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
    return static_cast<status>(dnnl_sgemm(transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc));
}
inline status gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
        float alpha, const uint8_t *A, dnnl_dim_t lda, uint8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo,
        float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co) {
    return static_cast<status>(dnnl_gemm_u8s8s32(
            transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co));
}
inline status gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
        float alpha, const int8_t *A, dnnl_dim_t lda, int8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo,
        float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co) {
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

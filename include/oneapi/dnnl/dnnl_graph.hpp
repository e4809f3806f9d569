/* SPDX-License-Identifier: Apache-2.0 */
/* C++: the Graph API. The functions are those of dnnl_graph.h, which documents them. */
#ifndef ONEAPI_DNNL_DNNL_GRAPH_HPP
#define ONEAPI_DNNL_DNNL_GRAPH_HPP

#include <utility>

#include "oneapi/dnnl/dnnl_common.hpp"

#include "oneapi/dnnl/dnnl_graph.h"

namespace dnnl {

template <>
struct handle_traits<dnnl_graph_allocator_t>
    : detail::destroyed_by<dnnl_graph_allocator_t, dnnl_graph_allocator_destroy> {};
template <>
struct handle_traits<dnnl_graph_tensor_t>
    : detail::destroyed_by<dnnl_graph_tensor_t, dnnl_graph_tensor_destroy> {};
template <>
struct handle_traits<dnnl_graph_op_t>
    : detail::destroyed_by<dnnl_graph_op_t, dnnl_graph_op_destroy> {};
template <>
struct handle_traits<dnnl_graph_graph_t>
    : detail::destroyed_by<dnnl_graph_graph_t, dnnl_graph_graph_destroy> {};
template <>
struct handle_traits<dnnl_graph_partition_t>
    : detail::destroyed_by<dnnl_graph_partition_t, dnnl_graph_partition_destroy> {};
template <>
struct handle_traits<dnnl_graph_compiled_partition_t>
    : detail::destroyed_by<dnnl_graph_compiled_partition_t, dnnl_graph_compiled_partition_destroy> {
};

/// The Graph API: operations, graphs of them, and partitions that are compiled and executed.
namespace graph {

using engine = dnnl::engine;
using stream = dnnl::stream;
using fpmath_mode = dnnl::fpmath_mode;

/// What a call answers that does not throw.
enum class status {
    success = dnnl_success,
    out_of_memory = dnnl_out_of_memory,
    invalid_arguments = dnnl_invalid_arguments,
    unimplemented = dnnl_unimplemented,
    last_impl_reached = dnnl_last_impl_reached,
    runtime_error = dnnl_runtime_error,
    not_required = dnnl_not_required,
    invalid_graph = dnnl_invalid_graph,
    invalid_graph_op = dnnl_invalid_graph_op,
    invalid_shape = dnnl_invalid_shape,
    invalid_data_type = dnnl_invalid_data_type,
};

/// Where an engine's memory comes from. See dnnl_graph_allocator_create().
class allocator : public handle<dnnl_graph_allocator_t> {
  public:
    using handle::handle;

    /// The default allocator.
    allocator() : allocator(nullptr, nullptr) {}

    /// @param host_malloc Allocates host memory.
    /// @param host_free Frees it.
    allocator(dnnl_graph_host_allocate_f host_malloc, dnnl_graph_host_deallocate_f host_free)
        : handle(detail::create("could not create an allocator", false, dnnl_graph_allocator_create,
                  host_malloc, host_free)) {}
};

/// Creates an engine with an allocator, which is copied.
///
/// @param kind Kind.
/// @param index Number of the device.
/// @param alloc Allocator.
inline engine make_engine_with_allocator(engine::kind kind, size_t index, const allocator &alloc) {
    return engine(detail::create("could not create an engine with an allocator", false,
            dnnl_graph_make_engine_with_allocator, kind, index, alloc));
}

/// A tensor without data: number, type, dimensions and layout.
class logical_tensor {
  public:
    using dim = dnnl_dim_t;
    using dims = std::vector<dim>;

    /// Type of the elements.
    enum class data_type {
        undef = dnnl_data_type_undef,
        f16 = dnnl_f16,
        bf16 = dnnl_bf16,
        f32 = dnnl_f32,
        s32 = dnnl_s32,
        s64 = dnnl_s64,
        s8 = dnnl_s8,
        u8 = dnnl_u8,
        boolean = dnnl_boolean,
        f8_e5m2 = dnnl_f8_e5m2,
        f8_e4m3 = dnnl_f8_e4m3,
        s4 = dnnl_s4,
        u4 = dnnl_u4,
    };

    /// What is known about the layout.
    enum class layout_type {
        undef = dnnl_graph_layout_type_undef,
        any = dnnl_graph_layout_type_any,
        strided = dnnl_graph_layout_type_strided,
        opaque = dnnl_graph_layout_type_opaque,
    };

    /// Whether the data changes, and where it is.
    enum class property_type {
        undef = dnnl_graph_tensor_property_undef,
        variable = dnnl_graph_tensor_property_variable,
        constant = dnnl_graph_tensor_property_constant,
        host_scalar = dnnl_graph_tensor_property_host_scalar,
    };

    /// The C structure.
    dnnl_graph_logical_tensor_t data;

    /// An empty logical tensor.
    logical_tensor() : data() {}

    /// @param c_data C structure; copied.
    explicit logical_tensor(const dnnl_graph_logical_tensor_t &c_data) : data(c_data) {}

    /// A tensor whose dimensions are not known.
    logical_tensor(size_t tid, data_type dtype, int32_t ndims, layout_type ltype,
            property_type ptype = property_type::undef) {
        init(tid, dtype, ndims, ltype, ptype);
    }

    /// A tensor whose number of dimensions is not known.
    logical_tensor(size_t tid, data_type dtype, layout_type ltype = layout_type::undef)
        : logical_tensor(tid, dtype, DNNL_GRAPH_UNKNOWN_NDIMS, ltype) {}

    /// A tensor with dimensions; with a strided layout it is row-major.
    logical_tensor(size_t tid, data_type dtype, const dims &adims, layout_type ltype,
            property_type ptype = property_type::undef) {
        if (adims.empty()) init(tid, dtype, 0, ltype, ptype);
        else
            detail::call("could not create a logical tensor with dimensions",
                    dnnl_graph_logical_tensor_init_with_dims, &data, tid, dtype, adims.size(),
                    adims, ltype, ptype);
    }

    /// A tensor with dimensions and strides.
    logical_tensor(size_t tid, data_type dtype, const dims &adims, const dims &strides,
            property_type ptype = property_type::undef) {
        if (adims.size() != strides.size())
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "dimensions and strides differ in number");
        if (adims.empty()) init(tid, dtype, 0, layout_type::strided, ptype);
        else
            detail::call("could not create a logical tensor with strides",
                    dnnl_graph_logical_tensor_init_with_strides, &data, tid, dtype, adims.size(),
                    adims, strides, ptype);
    }

    /// A tensor with an opaque layout.
    logical_tensor(size_t tid, data_type dtype, const dims &adims, size_t lid,
            property_type ptype = property_type::undef)
        : logical_tensor(tid, dtype, adims, layout_type::opaque, ptype) {
        data.layout.layout_id = lid;
    }

    /// Returns the dimensions; an error if their number is not known.
    dims get_dims() const {
        if (data.ndims < 0)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the number of dimensions is not known");
        return dims(data.dims, data.dims + data.ndims);
    }

    /// Returns the strides; an error unless the layout is strided.
    dims get_strides() const {
        if (get_layout_type() != layout_type::strided)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the layout is not strided");
        if (data.ndims < 0)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the number of dimensions is not known");
        return dims(data.layout.strides, data.layout.strides + data.ndims);
    }

    size_t get_id() const { return data.id; }
    data_type get_data_type() const { return static_cast<data_type>(data.data_type); }
    property_type get_property_type() const { return static_cast<property_type>(data.property); }
    layout_type get_layout_type() const { return static_cast<layout_type>(data.layout_type); }

    /// Returns the number of an opaque layout; an error for other layouts.
    size_t get_layout_id() const {
        if (get_layout_type() != layout_type::opaque)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the layout is not opaque");
        return data.layout.layout_id;
    }

    /// Returns the bytes that the data needs.
    size_t get_mem_size() const {
        return detail::get<size_t>("could not get the size of a logical tensor",
                dnnl_graph_logical_tensor_get_mem_size, &data);
    }

    bool is_equal(const logical_tensor &lt) const {
        return detail::get<uint8_t>("could not compare logical tensors",
                       dnnl_graph_logical_tensor_is_equal, &data, &lt.data) != 0;
    }

  private:
    void init(size_t tid, data_type dtype, int32_t ndims, layout_type ltype, property_type ptype) {
        detail::call("could not create a logical tensor", dnnl_graph_logical_tensor_init, &data,
                tid, dtype, ndims, ltype, ptype);
    }
};

/// A logical tensor with data. See dnnl_graph_tensor_create().
class tensor : public handle<dnnl_graph_tensor_t> {
  public:
    using handle::handle;

    tensor() = default;

    /// A tensor in memory of the program.
    ///
    /// @param lt Logical tensor.
    /// @param aengine Engine; has to outlive the tensor.
    /// @param ahandle Memory.
    tensor(const logical_tensor &lt, const engine &aengine, void *ahandle)
        : handle(detail::create("could not create a tensor", false, dnnl_graph_tensor_create,
                  &lt.data, aengine, ahandle)) {}

    /// A tensor in memory that the engine's allocator provides.
    tensor(const logical_tensor &lt, const engine &aengine)
        : tensor(lt, aengine, DNNL_MEMORY_ALLOCATE) {}

    /// A host scalar.
    ///
    /// @param lt Logical tensor of a host scalar.
    /// @param scalar The value; copied.
    static tensor make_scalar_tensor(const logical_tensor &lt, void *scalar) {
        return tensor(detail::create("could not create a tensor of a scalar", false,
                dnnl_graph_tensor_create_scalar, &lt.data, scalar));
    }

    void *get_data_handle() const {
        return detail::get<void *>(
                "could not get the memory of a tensor", dnnl_graph_tensor_get_data_handle, *this);
    }

    void set_data_handle(void *ahandle) {
        detail::call("could not set the memory of a tensor", dnnl_graph_tensor_set_data_handle,
                *this, ahandle);
    }

    /// Returns the engine, which has to outlive what is returned.
    engine get_engine() const {
        return engine(detail::get<dnnl_engine_t>("could not get the engine of a tensor",
                              dnnl_graph_tensor_get_engine, *this),
                true);
    }

    logical_tensor get_logical_tensor() const {
        return logical_tensor(detail::get<dnnl_graph_logical_tensor_t>(
                "could not get the logical tensor of a tensor",
                dnnl_graph_tensor_get_logical_tensor, *this));
    }
};

/// An operation. See dnnl_graph_op_create().
class op : public handle<dnnl_graph_op_t> {
  public:
    using handle::handle;

    enum class kind {
        Abs = dnnl_graph_op_abs,
        AbsBackward = dnnl_graph_op_abs_backward,
        Add = dnnl_graph_op_add,
        AvgPool = dnnl_graph_op_avg_pool,
        AvgPoolBackward = dnnl_graph_op_avg_pool_backward,
        BatchNormTrainingBackward = dnnl_graph_op_batch_norm_backward,
        BatchNormForwardTraining = dnnl_graph_op_batch_norm_forward_training,
        BatchNormInference = dnnl_graph_op_batch_norm_inference,
        BiasAdd = dnnl_graph_op_bias_add,
        BiasAddBackward = dnnl_graph_op_bias_add_backward,
        Clamp = dnnl_graph_op_clamp,
        ClampBackward = dnnl_graph_op_clamp_backward,
        Concat = dnnl_graph_op_concat,
        Convolution = dnnl_graph_op_convolution,
        ConvolutionBackwardData = dnnl_graph_op_convolution_backward_data,
        ConvolutionBackwardWeights = dnnl_graph_op_convolution_backward_weights,
        ConvTranspose = dnnl_graph_op_conv_transpose,
        ConvTransposeBackwardData = dnnl_graph_op_conv_transpose_backward_data,
        ConvTransposeBackwardWeights = dnnl_graph_op_conv_transpose_backward_weights,
        Dequantize = dnnl_graph_op_dequantize,
        Divide = dnnl_graph_op_divide,
        DynamicDequantize = dnnl_graph_op_dynamic_dequantize,
        DynamicQuantize = dnnl_graph_op_dynamic_quantize,
        Elu = dnnl_graph_op_elu,
        EluBackward = dnnl_graph_op_elu_backward,
        End = dnnl_graph_op_end,
        Exp = dnnl_graph_op_exp,
        GELU = dnnl_graph_op_gelu,
        GELUBackward = dnnl_graph_op_gelu_backward,
        HardSwish = dnnl_graph_op_hard_swish,
        HardSwishBackward = dnnl_graph_op_hard_swish_backward,
        Interpolate = dnnl_graph_op_interpolate,
        InterpolateBackward = dnnl_graph_op_interpolate_backward,
        LayerNorm = dnnl_graph_op_layer_norm,
        LayerNormBackward = dnnl_graph_op_layer_norm_backward,
        LeakyReLU = dnnl_graph_op_leaky_relu,
        Log = dnnl_graph_op_log,
        LogSoftmax = dnnl_graph_op_log_softmax,
        LogSoftmaxBackward = dnnl_graph_op_log_softmax_backward,
        MatMul = dnnl_graph_op_matmul,
        Maximum = dnnl_graph_op_maximum,
        MaxPool = dnnl_graph_op_max_pool,
        MaxPoolBackward = dnnl_graph_op_max_pool_backward,
        Minimum = dnnl_graph_op_minimum,
        Mish = dnnl_graph_op_mish,
        MishBackward = dnnl_graph_op_mish_backward,
        Multiply = dnnl_graph_op_multiply,
        PReLU = dnnl_graph_op_prelu,
        PReLUBackward = dnnl_graph_op_prelu_backward,
        Quantize = dnnl_graph_op_quantize,
        Reciprocal = dnnl_graph_op_reciprocal,
        ReduceL1 = dnnl_graph_op_reduce_l1,
        ReduceL2 = dnnl_graph_op_reduce_l2,
        ReduceMax = dnnl_graph_op_reduce_max,
        ReduceMean = dnnl_graph_op_reduce_mean,
        ReduceMin = dnnl_graph_op_reduce_min,
        ReduceProd = dnnl_graph_op_reduce_prod,
        ReduceSum = dnnl_graph_op_reduce_sum,
        ReLU = dnnl_graph_op_relu,
        ReLUBackward = dnnl_graph_op_relu_backward,
        Reorder = dnnl_graph_op_reorder,
        Round = dnnl_graph_op_round,
        Sigmoid = dnnl_graph_op_sigmoid,
        SigmoidBackward = dnnl_graph_op_sigmoid_backward,
        SoftMax = dnnl_graph_op_softmax,
        SoftMaxBackward = dnnl_graph_op_softmax_backward,
        SoftPlus = dnnl_graph_op_softplus,
        SoftPlusBackward = dnnl_graph_op_softplus_backward,
        Sqrt = dnnl_graph_op_sqrt,
        SqrtBackward = dnnl_graph_op_sqrt_backward,
        Square = dnnl_graph_op_square,
        SquaredDifference = dnnl_graph_op_squared_difference,
        StaticReshape = dnnl_graph_op_static_reshape,
        StaticTranspose = dnnl_graph_op_static_transpose,
        Subtract = dnnl_graph_op_subtract,
        Tanh = dnnl_graph_op_tanh,
        TanhBackward = dnnl_graph_op_tanh_backward,
        TypeCast = dnnl_graph_op_type_cast,
        Wildcard = dnnl_graph_op_wildcard,
        HardSigmoid = dnnl_graph_op_hard_sigmoid,
        HardSigmoidBackward = dnnl_graph_op_hard_sigmoid_backward,
        Select = dnnl_graph_op_select,
        Pow = dnnl_graph_op_pow,
        GroupNorm = dnnl_graph_op_group_norm,
        GenIndex = dnnl_graph_op_gen_index,
        GreaterEqual = dnnl_graph_op_greater_equal,
        RMSNorm = dnnl_graph_op_rms_norm,
        Dropout = dnnl_graph_op_dropout,
        LastSymbol = dnnl_graph_op_last_symbol,
    };

    enum class attr {
        undef = dnnl_graph_op_attr_undef,
        alpha = dnnl_graph_op_attr_alpha,
        beta = dnnl_graph_op_attr_beta,
        epsilon = dnnl_graph_op_attr_epsilon,
        max = dnnl_graph_op_attr_max,
        min = dnnl_graph_op_attr_min,
        momentum = dnnl_graph_op_attr_momentum,
        scales = dnnl_graph_op_attr_scales,
        axis = dnnl_graph_op_attr_axis,
        begin_norm_axis = dnnl_graph_op_attr_begin_norm_axis,
        groups = dnnl_graph_op_attr_groups,
        axes = dnnl_graph_op_attr_axes,
        dilations = dnnl_graph_op_attr_dilations,
        dst_shape = dnnl_graph_op_attr_dst_shape,
        kernel = dnnl_graph_op_attr_kernel,
        order = dnnl_graph_op_attr_order,
        output_padding = dnnl_graph_op_attr_output_padding,
        pads_begin = dnnl_graph_op_attr_pads_begin,
        pads_end = dnnl_graph_op_attr_pads_end,
        shape = dnnl_graph_op_attr_shape,
        sizes = dnnl_graph_op_attr_sizes,
        src_shape = dnnl_graph_op_attr_src_shape,
        strides = dnnl_graph_op_attr_strides,
        weights_shape = dnnl_graph_op_attr_weights_shape,
        zps = dnnl_graph_op_attr_zps,
        group_shape = dnnl_graph_op_attr_group_shape,
        exclude_pad = dnnl_graph_op_attr_exclude_pad,
        keep_dims = dnnl_graph_op_attr_keep_dims,
        keep_stats = dnnl_graph_op_attr_keep_stats,
        per_channel_broadcast = dnnl_graph_op_attr_per_channel_broadcast,
        special_zero = dnnl_graph_op_attr_special_zero,
        transpose_a = dnnl_graph_op_attr_transpose_a,
        transpose_b = dnnl_graph_op_attr_transpose_b,
        use_affine = dnnl_graph_op_attr_use_affine,
        use_dst = dnnl_graph_op_attr_use_dst,
        auto_broadcast = dnnl_graph_op_attr_auto_broadcast,
        auto_pad = dnnl_graph_op_attr_auto_pad,
        coordinate_transformation_mode = dnnl_graph_op_attr_coordinate_transformation_mode,
        data_format = dnnl_graph_op_attr_data_format,
        mode = dnnl_graph_op_attr_mode,
        qtype = dnnl_graph_op_attr_qtype,
        rounding_type = dnnl_graph_op_attr_rounding_type,
        weights_format = dnnl_graph_op_attr_weights_format,
        accumulation_mode = dnnl_graph_op_attr_accumulation_mode,
    };

    /// @param id Number; different in each operation of a graph.
    /// @param akind Kind.
    /// @param verbose_name Name for the log.
    op(size_t id, kind akind, const std::string &verbose_name = "")
        : handle(detail::create("could not create an operation", false, dnnl_graph_op_create, id,
                  akind, verbose_name.c_str())) {}

    /// The same with inputs and outputs.
    op(size_t id, kind akind, const std::vector<logical_tensor> &inputs,
            const std::vector<logical_tensor> &outputs, const std::string &verbose_name = "")
        : op(id, akind, verbose_name) {
        add_inputs(inputs);
        add_outputs(outputs);
    }

    void add_input(const logical_tensor &t) {
        detail::call("could not add an input", dnnl_graph_op_add_input, *this, &t.data);
    }

    void add_inputs(const std::vector<logical_tensor> &ts) {
        for (const logical_tensor &t : ts) add_input(t);
    }

    void add_output(const logical_tensor &t) {
        detail::call("could not add an output", dnnl_graph_op_add_output, *this, &t.data);
    }

    void add_outputs(const std::vector<logical_tensor> &ts) {
        for (const logical_tensor &t : ts) add_output(t);
    }

    /// Sets an attribute.
    ///
    /// @tparam Type float, bool, int64_t, std::string, or a std::vector of float or int64_t.
    /// @param name Attribute.
    /// @param value Value; copied.
    template <typename Type> op &set_attr(attr name, const Type &value) {
        set(name, value);
        return *this;
    }

  private:
    void set(attr name, float value) {
        detail::call(failed(), dnnl_graph_op_set_attr_f32, *this, name, &value, 1);
    }
    void set(attr name, int64_t value) {
        detail::call(failed(), dnnl_graph_op_set_attr_s64, *this, name, &value, 1);
    }
    void set(attr name, bool value) {
        const uint8_t byte = value;
        detail::call(failed(), dnnl_graph_op_set_attr_bool, *this, name, &byte, 1);
    }
    void set(attr name, const std::string &value) {
        detail::call(
                failed(), dnnl_graph_op_set_attr_str, *this, name, value.c_str(), value.size() + 1);
    }
    void set(attr name, const std::vector<float> &value) {
        detail::call(failed(), dnnl_graph_op_set_attr_f32, *this, name, value, value.size());
    }
    void set(attr name, const std::vector<int64_t> &value) {
        detail::call(failed(), dnnl_graph_op_set_attr_s64, *this, name, value, value.size());
    }
    static const char *failed() { return "could not set an attribute of an operation"; }
};

/// A partition for given shapes and an engine. See dnnl_graph_partition_compile().
class compiled_partition : public handle<dnnl_graph_compiled_partition_t> {
  public:
    using handle::handle;

    compiled_partition() = default;

    /// Returns the logical tensor of a number, with the dimensions and the layout that compilation
    /// found.
    logical_tensor query_logical_tensor(size_t tid) const {
        return logical_tensor(
                detail::get<dnnl_graph_logical_tensor_t>("could not query a logical tensor",
                        dnnl_graph_compiled_partition_query_logical_tensor, *this, tid));
    }

    /// Returns pairs of numbers: an input, and the output that may use its memory.
    std::vector<std::pair<size_t, size_t>> get_inplace_ports() const {
        size_t num = 0;
        const dnnl_graph_inplace_pair_t *pairs = nullptr;
        detail::call("could not get the pairs that work in place",
                dnnl_graph_compiled_partition_get_inplace_ports, *this, &num, &pairs);
        std::vector<std::pair<size_t, size_t>> ports;
        for (size_t i = 0; i < num; i++) ports.emplace_back(pairs[i].input_id, pairs[i].output_id);
        return ports;
    }

    /// Returns the logical tensor of the scratchpad.
    logical_tensor get_scratchpad_logical_tensor() const {
        return logical_tensor(detail::get<dnnl_graph_logical_tensor_t>(
                "could not get the logical tensor of the scratchpad",
                dnnl_graph_compiled_partition_get_scratchpad_logical_tensor, *this));
    }

    /// Executes it, with a scratchpad of the library.
    void execute(stream &astream, const std::vector<tensor> &inputs,
            const std::vector<tensor> &outputs) const {
        std::vector<const_dnnl_graph_tensor_t> in = handles(inputs), out = handles(outputs);
        detail::call("could not execute a compiled partition",
                dnnl_graph_compiled_partition_execute, *this, astream, in.size(), in.data(),
                out.size(), out.data());
    }

    /// Executes it with a scratchpad of the program.
    void execute(stream &astream, const std::vector<tensor> &inputs,
            const std::vector<tensor> &outputs, const tensor &scratchpad) const {
        std::vector<const_dnnl_graph_tensor_t> in = handles(inputs), out = handles(outputs);
        detail::call("could not execute a compiled partition with a scratchpad",
                dnnl_graph_compiled_partition_execute_v2, *this, astream, in.size(), in.data(),
                out.size(), out.data(), scratchpad.get(true));
    }

  private:
    static std::vector<const_dnnl_graph_tensor_t> handles(const std::vector<tensor> &tensors) {
        std::vector<const_dnnl_graph_tensor_t> list;
        for (const tensor &t : tensors) list.push_back(t.get());
        return list;
    }
};

/// A part of a graph. See dnnl_graph_graph_get_partitions().
class partition : public handle<dnnl_graph_partition_t> {
  public:
    using handle::handle;

    /// How a graph is divided.
    enum class policy {
        fusion = dnnl_graph_partition_policy_fusion,
        debug = dnnl_graph_partition_policy_debug,
    };

    partition() = default;

    /// A partition of one operation.
    partition(const op &aop, engine::kind ekind)
        : handle(detail::create("could not create a partition of an operation", false,
                  dnnl_graph_partition_create_with_op, aop, ekind)) {}

    size_t get_ops_num() const {
        return detail::get<size_t>(
                "could not get the number of operations", dnnl_graph_partition_get_op_num, *this);
    }

    /// Returns the numbers of the operations.
    std::vector<size_t> get_ops() const {
        std::vector<size_t> ids(get_ops_num());
        detail::call("could not get the operations of a partition", dnnl_graph_partition_get_ops,
                *this, ids.size(), ids.data());
        return ids;
    }

    size_t get_id() const {
        return detail::get<size_t>(
                "could not get the number of a partition", dnnl_graph_partition_get_id, *this);
    }

    bool is_supported() const {
        return detail::get<uint8_t>("could not tell whether a partition is supported",
                       dnnl_graph_partition_is_supported, *this) != 0;
    }

    std::vector<logical_tensor> get_input_ports() const {
        return ports("could not get the inputs of a partition",
                dnnl_graph_partition_get_input_ports_num, dnnl_graph_partition_get_input_ports);
    }

    std::vector<logical_tensor> get_output_ports() const {
        return ports("could not get the outputs of a partition",
                dnnl_graph_partition_get_output_ports_num, dnnl_graph_partition_get_output_ports);
    }

    engine::kind get_engine_kind() const {
        return static_cast<engine::kind>(
                detail::get<dnnl_engine_kind_t>("could not get the engine kind of a partition",
                        dnnl_graph_partition_get_engine_kind, *this));
    }

    /// Compiles it.
    compiled_partition compile(const std::vector<logical_tensor> &inputs,
            const std::vector<logical_tensor> &outputs, const engine &aengine) const {
        const compiled_partition compiled(detail::create("could not create a compiled partition",
                false, dnnl_graph_compiled_partition_create, *this));
        std::vector<const dnnl_graph_logical_tensor_t *> in = list(inputs), out = list(outputs);
        detail::call("could not compile a partition", dnnl_graph_partition_compile, *this, compiled,
                in.size(), in.data(), out.size(), out.data(), aengine);
        return compiled;
    }

  private:
    typedef dnnl_status_t (*num_t)(const_dnnl_graph_partition_t, size_t *);
    typedef dnnl_status_t (*ports_t)(
            const_dnnl_graph_partition_t, size_t, dnnl_graph_logical_tensor_t *);

    std::vector<logical_tensor> ports(const char *message, num_t get_num, ports_t get_ports) const {
        std::vector<dnnl_graph_logical_tensor_t> c(detail::get<size_t>(message, get_num, *this));
        if (!c.empty()) detail::call(message, get_ports, *this, c.size(), c.data());
        std::vector<logical_tensor> lts;
        for (const dnnl_graph_logical_tensor_t &lt : c) lts.emplace_back(lt);
        return lts;
    }

    static std::vector<const dnnl_graph_logical_tensor_t *> list(
            const std::vector<logical_tensor> &lts) {
        std::vector<const dnnl_graph_logical_tensor_t *> c;
        for (const logical_tensor &lt : lts) c.push_back(&lt.data);
        return c;
    }
};

/// A graph. See dnnl_graph_graph_create().
class graph : public handle<dnnl_graph_graph_t> {
  public:
    using handle::handle;

    explicit graph(engine::kind kind)
        : handle(detail::create("could not create a graph", false, dnnl_graph_graph_create, kind)) {
    }

    graph(engine::kind kind, fpmath_mode mode)
        : handle(detail::create("could not create a graph with a math mode", false,
                  dnnl_graph_graph_create_with_fpmath_mode, kind, mode)) {}

    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false) {
        detail::call("could not set the math mode of a graph", dnnl_graph_graph_set_fpmath_mode,
                *this, mode, apply_to_int);
    }

    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const {
        dnnl_fpmath_mode_t c_mode = dnnl_fpmath_mode_strict;
        int c_apply = 0;
        detail::call("could not get the math mode of a graph", dnnl_graph_graph_get_fpmath_mode,
                *this, &c_mode, &c_apply);
        mode = static_cast<fpmath_mode>(c_mode);
        apply_to_int = c_apply != 0;
    }

    /// Adds an operation, which is copied.
    ///
    /// @param aop Operation.
    /// @param allow_exception true: a refused operation throws. false: the answer tells.
    status add_op(const op &aop, bool allow_exception = true) {
        const dnnl_status_t answer = dnnl_graph_add_op(get(), aop.get());
        if (allow_exception) error::wrap_c_api(answer, "could not add an operation to a graph");
        return static_cast<status>(answer);
    }

    void finalize() {
        detail::call("could not finalize a graph", dnnl_graph_graph_finalize, *this);
    }

    bool is_finalized() const {
        return detail::get<uint8_t>("could not tell whether a graph is finalized",
                       dnnl_graph_graph_is_finalized, *this) != 0;
    }

    /// Divides the graph. It is finalized if it was not.
    std::vector<partition> get_partitions(partition::policy policy = partition::policy::fusion) {
        if (!is_finalized()) finalize();
        detail::call("could not divide a graph", dnnl_graph_graph_filter, *this, policy);
        std::vector<dnnl_graph_partition_t> c(
                detail::get<size_t>("could not get the number of partitions",
                        dnnl_graph_graph_get_partition_num, *this));
        std::vector<partition> parts;
        if (c.empty()) return parts;
        detail::call("could not get the partitions", dnnl_graph_graph_get_partitions, *this,
                c.size(), c.data());
        for (dnnl_graph_partition_t p : c) parts.emplace_back(p);
        return parts;
    }
};

/// @name Caches
/// @{
inline int get_compiled_partition_cache_capacity() {
    return detail::get<int>("could not get the capacity of the cache of compiled partitions",
            dnnl_graph_get_compiled_partition_cache_capacity);
}

inline void set_compiled_partition_cache_capacity(int capacity) {
    detail::call("could not set the capacity of the cache of compiled partitions",
            dnnl_graph_set_compiled_partition_cache_capacity, capacity);
}

inline int get_constant_tensor_cache() {
    return detail::get<int>("could not tell whether constant tensors are cached",
            dnnl_graph_get_constant_tensor_cache);
}

inline void set_constant_tensor_cache(int flag) {
    detail::call("could not switch the cache of constant tensors",
            dnnl_graph_set_constant_tensor_cache, flag);
}

inline size_t get_constant_tensor_cache_capacity(engine::kind kind) {
    return detail::get<size_t>("could not get the capacity of the cache of constant tensors",
            dnnl_graph_get_constant_tensor_cache_capacity, kind);
}

inline void set_constant_tensor_cache_capacity(engine::kind kind, size_t size) {
    detail::call("could not set the capacity of the cache of constant tensors",
            dnnl_graph_set_constant_tensor_cache_capacity, kind, size);
}
/// @}

/// @name Dumps
/// @{

/// Which graphs are written to files; the values can be combined.
enum class graph_dump_mode : unsigned {
    none = dnnl_graph_dump_mode_none,
    subgraph = dnnl_graph_dump_mode_subgraph,
    graph = dnnl_graph_dump_mode_graph,
};

using dnnl::operator|;
using dnnl::operator&;
using dnnl::operator^;
using dnnl::operator~;
using dnnl::operator|=;
using dnnl::operator&=;
using dnnl::operator^=;

/// See dnnl_graph_set_dump_mode(). Does not throw.
inline status set_dump_mode(graph_dump_mode modes) {
    return static_cast<status>(
            dnnl_graph_set_dump_mode(static_cast<dnnl_graph_dump_mode_t>(modes)));
}
/// @}

} // namespace graph

namespace detail {
template <> struct is_flags<graph::graph_dump_mode> : std::true_type {};
} // namespace detail
} // namespace dnnl

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the Graph API: logical tensors, operations, attributes and the handles of objects. */
#ifndef ONEAPI_DNNL_DNNL_GRAPH_TYPES_H
#define ONEAPI_DNNL_DNNL_GRAPH_TYPES_H

#include "oneapi/dnnl/dnnl_common_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// Types of the Graph API.

/// A number of dimensions that is not known yet.
#define DNNL_GRAPH_UNKNOWN_NDIMS -1

/// A dimension or a stride that is not known yet.
#define DNNL_GRAPH_UNKNOWN_DIM INT64_MIN

/// How the elements of a tensor lie in memory.
typedef enum {
    dnnl_graph_layout_type_undef = 0,   ///< Not said.
    dnnl_graph_layout_type_any = 1,     ///< The library chooses when a partition is compiled.
    dnnl_graph_layout_type_strided = 2, ///< By the strides of the logical tensor.
    dnnl_graph_layout_type_opaque = 3,  ///< By a layout of the library, which has a number.
} dnnl_graph_layout_type_t;

/// What is known about the content of a tensor.
typedef enum {
    dnnl_graph_tensor_property_undef = 0,       ///< Nothing.
    dnnl_graph_tensor_property_variable = 1,    ///< It changes between executions.
    dnnl_graph_tensor_property_constant = 2,    ///< It is the same in all executions.
    dnnl_graph_tensor_property_host_scalar = 3, ///< It is one value in host memory.
} dnnl_graph_tensor_property_t;

/// How a graph is divided into partitions.
typedef enum {
    dnnl_graph_partition_policy_fusion = 1, ///< Operations are fused where possible.
    dnnl_graph_partition_policy_debug = 2,  ///< Each operation is a partition of its own.
} dnnl_graph_partition_policy_t;

/// Which graphs are written to files, combined with `|`.
typedef enum {
    dnnl_graph_dump_mode_none = 0x0U,     ///< None.
    dnnl_graph_dump_mode_subgraph = 0x1U, ///< The operations of each partition.
    dnnl_graph_dump_mode_graph = 0x2U,    ///< Whole graphs.
} dnnl_graph_dump_mode_t;

/// Kinds of operations. docs/graph.md has their inputs, outputs and attributes.
typedef enum {
    dnnl_graph_op_abs = 0,                              ///< Abs.
    dnnl_graph_op_abs_backward = 1,                     ///< AbsBackward.
    dnnl_graph_op_add = 2,                              ///< Add.
    dnnl_graph_op_avg_pool = 3,                         ///< AvgPool.
    dnnl_graph_op_avg_pool_backward = 4,                ///< AvgPoolBackward.
    dnnl_graph_op_batch_norm_backward = 5,              ///< BatchNormTrainingBackward.
    dnnl_graph_op_batch_norm_forward_training = 6,      ///< BatchNormForwardTraining.
    dnnl_graph_op_batch_norm_inference = 7,             ///< BatchNormInference.
    dnnl_graph_op_bias_add = 8,                         ///< BiasAdd.
    dnnl_graph_op_bias_add_backward = 9,                ///< BiasAddBackward.
    dnnl_graph_op_clamp = 10,                           ///< Clamp.
    dnnl_graph_op_clamp_backward = 11,                  ///< ClampBackward.
    dnnl_graph_op_concat = 12,                          ///< Concat.
    dnnl_graph_op_convolution = 13,                     ///< Convolution.
    dnnl_graph_op_convolution_backward_data = 14,       ///< ConvolutionBackwardData.
    dnnl_graph_op_convolution_backward_weights = 15,    ///< ConvolutionBackwardWeights.
    dnnl_graph_op_conv_transpose = 16,                  ///< ConvTranspose.
    dnnl_graph_op_conv_transpose_backward_data = 17,    ///< ConvTransposeBackwardData.
    dnnl_graph_op_conv_transpose_backward_weights = 18, ///< ConvTransposeBackwardWeights.
    dnnl_graph_op_dequantize = 19,                      ///< Dequantize.
    dnnl_graph_op_divide = 20,                          ///< Divide.
    dnnl_graph_op_dynamic_dequantize = 21,              ///< DynamicDequantize.
    dnnl_graph_op_dynamic_quantize = 22,                ///< DynamicQuantize.
    dnnl_graph_op_elu = 23,                             ///< Elu.
    dnnl_graph_op_elu_backward = 24,                    ///< EluBackward.
    dnnl_graph_op_end = 25,                             ///< End.
    dnnl_graph_op_exp = 26,                             ///< Exp.
    dnnl_graph_op_gelu = 27,                            ///< GELU.
    dnnl_graph_op_gelu_backward = 28,                   ///< GELUBackward.
    dnnl_graph_op_hard_swish = 29,                      ///< HardSwish.
    dnnl_graph_op_hard_swish_backward = 30,             ///< HardSwishBackward.
    dnnl_graph_op_interpolate = 31,                     ///< Interpolate.
    dnnl_graph_op_interpolate_backward = 32,            ///< InterpolateBackward.
    dnnl_graph_op_layer_norm = 33,                      ///< LayerNorm.
    dnnl_graph_op_layer_norm_backward = 34,             ///< LayerNormBackward.
    dnnl_graph_op_leaky_relu = 35,                      ///< LeakyReLU.
    dnnl_graph_op_log = 36,                             ///< Log.
    dnnl_graph_op_log_softmax = 37,                     ///< LogSoftmax.
    dnnl_graph_op_log_softmax_backward = 38,            ///< LogSoftmaxBackward.
    dnnl_graph_op_matmul = 39,                          ///< MatMul.
    dnnl_graph_op_maximum = 40,                         ///< Maximum.
    dnnl_graph_op_max_pool = 41,                        ///< MaxPool.
    dnnl_graph_op_max_pool_backward = 42,               ///< MaxPoolBackward.
    dnnl_graph_op_minimum = 43,                         ///< Minimum.
    dnnl_graph_op_mish = 44,                            ///< Mish.
    dnnl_graph_op_mish_backward = 45,                   ///< MishBackward.
    dnnl_graph_op_multiply = 46,                        ///< Multiply.
    dnnl_graph_op_prelu = 47,                           ///< PReLU.
    dnnl_graph_op_prelu_backward = 48,                  ///< PReLUBackward.
    dnnl_graph_op_quantize = 49,                        ///< Quantize.
    dnnl_graph_op_reciprocal = 50,                      ///< Reciprocal.
    dnnl_graph_op_reduce_l1 = 51,                       ///< ReduceL1.
    dnnl_graph_op_reduce_l2 = 52,                       ///< ReduceL2.
    dnnl_graph_op_reduce_max = 53,                      ///< ReduceMax.
    dnnl_graph_op_reduce_mean = 54,                     ///< ReduceMean.
    dnnl_graph_op_reduce_min = 55,                      ///< ReduceMin.
    dnnl_graph_op_reduce_prod = 56,                     ///< ReduceProd.
    dnnl_graph_op_reduce_sum = 57,                      ///< ReduceSum.
    dnnl_graph_op_relu = 58,                            ///< ReLU.
    dnnl_graph_op_relu_backward = 59,                   ///< ReLUBackward.
    dnnl_graph_op_reorder = 60,                         ///< Reorder.
    dnnl_graph_op_round = 61,                           ///< Round.
    dnnl_graph_op_sigmoid = 62,                         ///< Sigmoid.
    dnnl_graph_op_sigmoid_backward = 63,                ///< SigmoidBackward.
    dnnl_graph_op_softmax = 64,                         ///< SoftMax.
    dnnl_graph_op_softmax_backward = 65,                ///< SoftMaxBackward.
    dnnl_graph_op_softplus = 66,                        ///< SoftPlus.
    dnnl_graph_op_softplus_backward = 67,               ///< SoftPlusBackward.
    dnnl_graph_op_sqrt = 68,                            ///< Sqrt.
    dnnl_graph_op_sqrt_backward = 69,                   ///< SqrtBackward.
    dnnl_graph_op_square = 70,                          ///< Square.
    dnnl_graph_op_squared_difference = 71,              ///< SquaredDifference.
    dnnl_graph_op_static_reshape = 72,                  ///< StaticReshape.
    dnnl_graph_op_static_transpose = 73,                ///< StaticTranspose.
    dnnl_graph_op_subtract = 74,                        ///< Subtract.
    dnnl_graph_op_tanh = 75,                            ///< Tanh.
    dnnl_graph_op_tanh_backward = 76,                   ///< TanhBackward.
    dnnl_graph_op_type_cast = 77,                       ///< TypeCast.
    dnnl_graph_op_wildcard = 78,                        ///< Wildcard.
    dnnl_graph_op_hard_sigmoid = 79,                    ///< HardSigmoid.
    dnnl_graph_op_hard_sigmoid_backward = 80,           ///< HardSigmoidBackward.
    dnnl_graph_op_select = 81,                          ///< Select.
    dnnl_graph_op_pow = 82,                             ///< Pow.
    dnnl_graph_op_group_norm = 83,                      ///< GroupNorm.
    dnnl_graph_op_gen_index = 84,                       ///< GenIndex.
    dnnl_graph_op_greater_equal = 85,                   ///< GreaterEqual.
    dnnl_graph_op_rms_norm = 86,                        ///< RMSNorm.
    dnnl_graph_op_dropout = 87,                         ///< Dropout.
    dnnl_graph_op_last_symbol,                          ///< Not a kind: their number.
} dnnl_graph_op_kind_t;

/// Attributes of operations. The number of an attribute tells the type of its value: from 0x1 f32,
/// from 0x20 a list of f32, from 0x30 s64, from 0x40 a list of s64, from 0x60 bool, from 0x80 a
/// string.
typedef enum {
    dnnl_graph_op_attr_undef = 0x0,
    dnnl_graph_op_attr_alpha = 0x1,
    dnnl_graph_op_attr_beta = 0x2,
    dnnl_graph_op_attr_epsilon = 0x3,
    dnnl_graph_op_attr_max = 0x4,
    dnnl_graph_op_attr_min = 0x5,
    dnnl_graph_op_attr_momentum = 0x6,
    dnnl_graph_op_attr_scales = 0x20,
    dnnl_graph_op_attr_axis = 0x30,
    dnnl_graph_op_attr_begin_norm_axis = 0x31,
    dnnl_graph_op_attr_groups = 0x32,
    dnnl_graph_op_attr_axes = 0x40,
    dnnl_graph_op_attr_dilations = 0x41,
    dnnl_graph_op_attr_dst_shape = 0x42,
    dnnl_graph_op_attr_kernel = 0x43,
    dnnl_graph_op_attr_order = 0x44,
    dnnl_graph_op_attr_output_padding = 0x45,
    dnnl_graph_op_attr_pads_begin = 0x46,
    dnnl_graph_op_attr_pads_end = 0x47,
    dnnl_graph_op_attr_shape = 0x48,
    dnnl_graph_op_attr_sizes = 0x49,
    dnnl_graph_op_attr_src_shape = 0x4a,
    dnnl_graph_op_attr_strides = 0x4b,
    dnnl_graph_op_attr_weights_shape = 0x4c,
    dnnl_graph_op_attr_zps = 0x4d,
    dnnl_graph_op_attr_group_shape = 0x4e,
    dnnl_graph_op_attr_exclude_pad = 0x60,
    dnnl_graph_op_attr_keep_dims = 0x61,
    dnnl_graph_op_attr_keep_stats = 0x62,
    dnnl_graph_op_attr_per_channel_broadcast = 0x63,
    dnnl_graph_op_attr_special_zero = 0x64,
    dnnl_graph_op_attr_transpose_a = 0x65,
    dnnl_graph_op_attr_transpose_b = 0x66,
    dnnl_graph_op_attr_use_affine = 0x67,
    dnnl_graph_op_attr_use_dst = 0x68,
    dnnl_graph_op_attr_auto_broadcast = 0x80,
    dnnl_graph_op_attr_auto_pad = 0x81,
    dnnl_graph_op_attr_coordinate_transformation_mode = 0x82,
    dnnl_graph_op_attr_data_format = 0x83,
    dnnl_graph_op_attr_mode = 0x84,
    dnnl_graph_op_attr_qtype = 0x85,
    dnnl_graph_op_attr_rounding_type = 0x86,
    dnnl_graph_op_attr_weights_format = 0x87,
    dnnl_graph_op_attr_accumulation_mode = 0x88,
    dnnl_graph_op_attr_end = 0xff,
} dnnl_graph_op_attr_t;

/// A logical tensor: what is known about a tensor, without its data. The functions
/// dnnl_graph_logical_tensor_init...() fill it in.
typedef struct {
    size_t id;        ///< Chosen by the program; the same tensor has the same number everywhere.
    int ndims;        ///< Number of dimensions, or #DNNL_GRAPH_UNKNOWN_NDIMS.
    dnnl_dims_t dims; ///< Dimensions; each may be #DNNL_GRAPH_UNKNOWN_DIM.
    dnnl_data_type_t data_type;            ///< Type of the elements.
    dnnl_graph_tensor_property_t property; ///< What is known about the content.
    dnnl_graph_layout_type_t layout_type;  ///< Which member of @c layout holds.
    union {
        dnnl_dims_t strides; ///< Of the dimensions, in elements.
        size_t layout_id;    ///< Number of an opaque layout.
    } layout;                ///< Where the elements are.
} dnnl_graph_logical_tensor_t;

/// An output that may share its buffer with an input.
typedef struct {
    size_t input_id;  ///< The input.
    size_t output_id; ///< The output.
} dnnl_graph_inplace_pair_t;

/// Allocates host memory.
typedef void *(*dnnl_graph_host_allocate_f)(size_t size, size_t alignment);
/// Frees what a ::dnnl_graph_host_allocate_f allocated.
typedef void (*dnnl_graph_host_deallocate_f)(void *);

struct dnnl_graph_allocator;
/// An allocator of memory for tensors and scratchpads.
typedef struct dnnl_graph_allocator *dnnl_graph_allocator_t;
/// The same, not changed by the callee.
typedef const struct dnnl_graph_allocator *const_dnnl_graph_allocator_t;

struct dnnl_graph_op;
/// An operation of a graph.
typedef struct dnnl_graph_op *dnnl_graph_op_t;
/// The same, not changed by the callee.
typedef const struct dnnl_graph_op *const_dnnl_graph_op_t;

struct dnnl_graph_partition;
/// Operations of a graph that are compiled together.
typedef struct dnnl_graph_partition *dnnl_graph_partition_t;
/// The same, not changed by the callee.
typedef const struct dnnl_graph_partition *const_dnnl_graph_partition_t;

struct dnnl_graph_graph;
/// A graph under construction, or divided into partitions.
typedef struct dnnl_graph_graph *dnnl_graph_graph_t;
/// The same, not changed by the callee.
typedef const struct dnnl_graph_graph *const_dnnl_graph_graph_t;

struct dnnl_graph_compiled_partition;
/// A partition that was compiled for shapes and an engine.
typedef struct dnnl_graph_compiled_partition *dnnl_graph_compiled_partition_t;
/// The same, not changed by the callee.
typedef const struct dnnl_graph_compiled_partition *const_dnnl_graph_compiled_partition_t;

struct dnnl_graph_tensor;
/// A logical tensor and its data.
typedef struct dnnl_graph_tensor *dnnl_graph_tensor_t;
/// The same, not changed by the callee.
typedef const struct dnnl_graph_tensor *const_dnnl_graph_tensor_t;

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the primitive API: enumerations, opaque objects, execution arguments. */
#ifndef ONEAPI_DNNL_DNNL_TYPES_H
#define ONEAPI_DNNL_DNNL_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_format_tags.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// Types of the primitive API: enumerations, opaque objects, execution arguments.

/// How a memory descriptor describes where elements are.
typedef enum {
    dnnl_format_kind_undef = 0, ///< Not described: an empty (zero) descriptor.
    dnnl_format_kind_any,       ///< Left to the primitive to choose.
    dnnl_blocked, ///< Strides, and possibly inner blocks. Plain layouts are the case of no blocks.
    dnnl_format_kind_opaque,      ///< A layout that only the library understands.
    dnnl_format_kind_sparse,      ///< Values with index arrays; see ::dnnl_sparse_encoding_t.
    dnnl_format_kind_host_scalar, ///< One value, on the host, in the memory object itself.

    dnnl_format_kind_max = 0x7fff, ///< Not a kind; makes the enumeration as wide as an int.
} dnnl_format_kind_t;

/// Encoding of a sparse tensor. Each is stored in several buffers, numbered from 0.
typedef enum {
    dnnl_sparse_encoding_undef = 0, ///< None.
    dnnl_csr,    ///< Compressed sparse rows: 0 values, 1 column indices, 2 row pointers.
    dnnl_packed, ///< The library's own packing of weights; opaque.
    dnnl_coo,    ///< Coordinates: 0 values, 1 to ndims the indices of one dimension each.
#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
    dnnl_grouped, ///< Several dense matrices that differ in one dimension: 0 values, 1 end offsets.
#endif
} dnnl_sparse_encoding_t;

#ifdef DNNL_EXPERIMENTAL_PROFILING
/// What dnnl_query_profiling_data() reports.
typedef enum {
    dnnl_profiling_data_kind_undef = 0, ///< Nothing.
    dnnl_profiling_data_kind_time,      ///< Device time in nanoseconds.

    dnnl_profiling_data_max = 0x7fff, ///< Not a kind; makes the enumeration as wide as an int.
} dnnl_profiling_data_kind_t;

/// An addition of this library, with the number that oneDNN has for it inside: device time in
/// nanoseconds of each kernel, in the order of submission. A primitive is one or several kernels,
/// or none where it has nothing to do.
#define DNNL_ZE_PROFILING_TIME_PER_KERNEL ((dnnl_profiling_data_kind_t)0x102)
#endif

/// Direction of a primitive.
typedef enum {
    dnnl_prop_kind_undef = 0,             ///< None.
    dnnl_forward_training = 64,           ///< Forward, keeping what the backward pass needs.
    dnnl_forward_inference = 96,          ///< Forward, keeping nothing.
    dnnl_forward = dnnl_forward_training, ///< The same as ::dnnl_forward_training.
    dnnl_backward = 128, ///< Backward with respect to data and, where there are any, parameters.
    dnnl_backward_data = 160,    ///< Backward with respect to data.
    dnnl_backward_weights = 192, ///< Backward with respect to weights.
    dnnl_backward_bias = 193,    ///< Backward with respect to bias.
} dnnl_prop_kind_t;

/// Kind of a primitive.
typedef enum {
    dnnl_undefined_primitive,
    dnnl_reorder,
    dnnl_shuffle,
    dnnl_concat,
    dnnl_sum,
    dnnl_convolution,
    dnnl_deconvolution,
    dnnl_eltwise,
    dnnl_lrn,
    dnnl_batch_normalization,
    dnnl_inner_product,
    dnnl_rnn,
    dnnl_gemm, ///< Internal: never the kind of a primitive that a program creates.
    dnnl_binary,
    dnnl_matmul,
    dnnl_resampling,
    dnnl_pooling,
    dnnl_reduction,
    dnnl_prelu,
    dnnl_softmax,
    dnnl_layer_normalization,
    dnnl_group_normalization,

    dnnl_primitive_kind_max = 0x7fff, ///< Not a kind; makes the enumeration as wide as an int.
} dnnl_primitive_kind_t;

/// Algorithm of a primitive or post-op. x is the (first) source's element, y the second's, d the
/// destination's; alpha, beta, p and eps are the parameters of the call that takes the algorithm.
typedef enum {
    dnnl_alg_kind_undef, ///< None.

    dnnl_convolution_direct = 0x1,   ///< Convolution by its definition.
    dnnl_convolution_winograd = 0x2, ///< Winograd's minimal filtering.
    dnnl_convolution_auto = 0x3,     ///< The library chooses.

    dnnl_deconvolution_direct = 0xa,   ///< Transposed convolution by its definition.
    dnnl_deconvolution_winograd = 0xb, ///< Transposed convolution by Winograd's minimal filtering.

    /// Functions of one value. That of a NaN is a NaN, also of ::dnnl_eltwise_relu and
    /// ::dnnl_eltwise_clip, but for ::dnnl_eltwise_pow with beta 0, which gives alpha.
    dnnl_eltwise_relu = 0x20, ///< d = x > 0 ? x : alpha * x
    dnnl_eltwise_tanh,        ///< d = tanh(x)
    dnnl_eltwise_elu,         ///< d = x > 0 ? x : alpha * (exp(x) - 1)
    dnnl_eltwise_square,      ///< d = x * x
    dnnl_eltwise_abs,         ///< d = |x|
    dnnl_eltwise_sqrt,        ///< d = sqrt(x)
    dnnl_eltwise_linear,      ///< d = alpha * x + beta
    dnnl_eltwise_soft_relu,   ///< d = log(1 + exp(alpha * x)) / alpha
    dnnl_eltwise_hardsigmoid, ///< d = max(0, min(1, alpha * x + beta))
    dnnl_eltwise_logistic,    ///< d = 1 / (1 + exp(-x))
    dnnl_eltwise_exp,         ///< d = exp(x)
    dnnl_eltwise_gelu_tanh,   ///< d = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
    dnnl_eltwise_swish,       ///< d = x / (1 + exp(-alpha * x))
    dnnl_eltwise_log,         ///< d = log(x)
    dnnl_eltwise_clip,    ///< d = min(beta, max(alpha, x)); its gradient is 1 for alpha < x <= beta
    dnnl_eltwise_clip_v2, ///< d = min(beta, max(alpha, x)); its gradient is 1 for alpha < x < beta
    dnnl_eltwise_pow,     ///< d = alpha * x^beta
    dnnl_eltwise_gelu_erf,  ///< d = x / 2 * (1 + erf(x / sqrt(2)))
    dnnl_eltwise_round,     ///< d = x rounded to an integer, ties to even
    dnnl_eltwise_mish,      ///< d = x * tanh(log(1 + exp(x)))
    dnnl_eltwise_hardswish, ///< d = x * max(0, min(1, alpha * x + beta))

    /// The same functions with a backward pass that reads the destination in place of the source.
    dnnl_eltwise_relu_use_dst_for_bwd = 0x100,
    dnnl_eltwise_tanh_use_dst_for_bwd,
    dnnl_eltwise_elu_use_dst_for_bwd,
    dnnl_eltwise_sqrt_use_dst_for_bwd,
    dnnl_eltwise_logistic_use_dst_for_bwd,
    dnnl_eltwise_exp_use_dst_for_bwd,
    dnnl_eltwise_clip_v2_use_dst_for_bwd,

    dnnl_pooling_max = 0x1ff,                 ///< Maximum of the window; NaN if the window has one.
    dnnl_pooling_avg_include_padding = 0x2ff, ///< Sum of the window over its size.
    dnnl_pooling_avg_exclude_padding =
            0x3ff, ///< Sum of the window over the number of its elements not in padding.

    dnnl_lrn_across_channels = 0xaff, ///< Local response normalization over neighbouring channels.
    dnnl_lrn_within_channel =
            0xbff, ///< Local response normalization over a neighbourhood in the plane.

    dnnl_vanilla_rnn = 0x1fff,   ///< RNN with one gate and a chosen activation.
    dnnl_vanilla_lstm = 0x2fff,  ///< LSTM; optionally with peephole and projection.
    dnnl_vanilla_gru = 0x3fff,   ///< GRU.
    dnnl_lbr_gru = 0x4fff,       ///< GRU with the linear step before the reset gate.
    dnnl_vanilla_augru = 0x5fff, ///< GRU whose update gate is scaled by attention.
    dnnl_lbr_augru = 0x6fff,     ///< ::dnnl_lbr_gru whose update gate is scaled by attention.

    dnnl_binary_add = 0x1fff0,    ///< d = x + y
    dnnl_binary_mul = 0x1fff1,    ///< d = x * y
    dnnl_binary_max = 0x1fff2,    ///< d = max(x, y); NaN if x or y is NaN
    dnnl_binary_min = 0x1fff3,    ///< d = min(x, y); NaN if x or y is NaN
    dnnl_binary_div = 0x1fff4,    ///< d = x / y
    dnnl_binary_sub = 0x1fff5,    ///< d = x - y
    dnnl_binary_ge = 0x1fff6,     ///< d = x >= y ? 1 : 0
    dnnl_binary_gt = 0x1fff7,     ///< d = x > y ? 1 : 0
    dnnl_binary_le = 0x1fff8,     ///< d = x <= y ? 1 : 0
    dnnl_binary_lt = 0x1fff9,     ///< d = x < y ? 1 : 0
    dnnl_binary_eq = 0x1fffa,     ///< d = x == y ? 1 : 0
    dnnl_binary_ne = 0x1fffb,     ///< d = x != y ? 1 : 0
    dnnl_binary_select = 0x1fffc, ///< d = c != 0 ? x : y, c being the element of a third source

    dnnl_resampling_nearest = 0x2fff0, ///< The nearest element.
    dnnl_resampling_linear = 0x2fff1,  ///< Linear, bilinear or trilinear interpolation.

    dnnl_reduction_max,                 ///< Maximum; NaN if an element is NaN.
    dnnl_reduction_min,                 ///< Minimum; NaN if an element is NaN.
    dnnl_reduction_sum,                 ///< Sum.
    dnnl_reduction_mul,                 ///< Product.
    dnnl_reduction_mean,                ///< Sum over the number of elements.
    dnnl_reduction_norm_lp_max,         ///< (max(sum |x|^p, eps))^(1/p)
    dnnl_reduction_norm_lp_sum,         ///< (sum |x|^p + eps)^(1/p)
    dnnl_reduction_norm_lp_power_p_max, ///< max(sum |x|^p, eps)
    dnnl_reduction_norm_lp_power_p_sum, ///< sum |x|^p + eps

    dnnl_softmax_accurate =
            0x30000,  ///< exp(x - m) / sum exp(x - m), m being the maximum along the axis. A NaN on
                      ///< the axis makes all results on it NaN.
    dnnl_softmax_log, ///< The logarithm of it.
} dnnl_alg_kind_t;

/// Options of the normalization primitives, combined with `|`.
typedef enum {
    dnnl_normalization_flags_none = 0x0U, ///< None.
    dnnl_use_global_stats = 0x1U,         ///< Mean and variance are inputs and not computed.
    dnnl_use_scale = 0x2U,                ///< The result is multiplied by #DNNL_ARG_SCALE.
    dnnl_use_shift = 0x4U,                ///< #DNNL_ARG_SHIFT is added to the result.
    dnnl_fuse_norm_relu = 0x8U,      ///< ReLU follows; in training its mask goes to the workspace.
    dnnl_fuse_norm_add_relu = 0x10U, ///< A second source is added and ReLU follows.
    dnnl_rms_norm = 0x20U, ///< Only divide by the root mean square; no mean is subtracted.
} dnnl_normalization_flags_t;

/// A dimension, stride or offset that becomes known only when the primitive is executed.
#define DNNL_RUNTIME_DIM_VAL INT64_MIN

/// The size of a memory with a #DNNL_RUNTIME_DIM_VAL among its dimensions.
#define DNNL_RUNTIME_SIZE_VAL ((size_t)DNNL_RUNTIME_DIM_VAL)

/// Bits of #DNNL_RUNTIME_F32_VAL, a NaN that no computation produces.
static const union {
    unsigned u; ///< The bits, first so that it is the member which is initialized.
    float f;    ///< The value.
} DNNL_RUNTIME_F32_VAL_REP = {0x7fc000d0};

/// A float parameter that becomes known only when the primitive is executed. Compare its bits: it
/// is a NaN.
#define DNNL_RUNTIME_F32_VAL (DNNL_RUNTIME_F32_VAL_REP.f)

/// The constant behind #DNNL_RUNTIME_S32_VAL.
static const int DNNL_RUNTIME_S32_VAL_REP = INT32_MIN;

/// An int parameter that becomes known only when the primitive is executed.
#define DNNL_RUNTIME_S32_VAL DNNL_RUNTIME_S32_VAL_REP

struct dnnl_memory_desc;
/// A memory descriptor: dimensions, data type and layout of a tensor, without its data.
typedef struct dnnl_memory_desc *dnnl_memory_desc_t;
/// A memory descriptor that the callee does not change.
typedef const struct dnnl_memory_desc *const_dnnl_memory_desc_t;

struct dnnl_memory;
/// A memory object: a memory descriptor, an engine, and buffers.
typedef struct dnnl_memory *dnnl_memory_t;
/// A memory object that the callee does not change.
typedef const struct dnnl_memory *const_dnnl_memory_t;

/// Options of RNN primitives, combined with `|`.
typedef enum {
    dnnl_rnn_flags_undef = 0x0, ///< None: gradients of weights are added to what the buffers hold.
    dnnl_rnn_flags_diff_weights_overwrite =
            0x1, ///< Gradients of weights overwrite what the buffers hold.
} dnnl_rnn_flags_t;

/// In which direction an RNN walks over time.
typedef enum {
    dnnl_rnn_direction_undef = 0,   ///< None.
    dnnl_unidirectional_left2right, ///< From the first time step to the last.
    dnnl_unidirectional_right2left, ///< From the last time step to the first.
    dnnl_bidirectional_concat,      ///< Both ways, results concatenated along the channels.
    dnnl_bidirectional_sum,         ///< Both ways, results added.
} dnnl_rnn_direction_t;

struct dnnl_primitive_desc;
/// A primitive descriptor: an operation with its descriptors, attributes and the chosen
/// implementation.
typedef struct dnnl_primitive_desc *dnnl_primitive_desc_t;
/// A primitive descriptor that the callee does not change.
typedef const struct dnnl_primitive_desc *const_dnnl_primitive_desc_t;

/// Who provides a primitive's temporary memory.
typedef enum {
    dnnl_scratchpad_mode_library, ///< The library, one for each stream. The default.
    dnnl_scratchpad_mode_user,    ///< The caller, as #DNNL_ARG_SCRATCHPAD, of the queried size.
} dnnl_scratchpad_mode_t;

/// How results are rounded to a destination's type.
typedef enum {
    dnnl_rounding_mode_environment, ///< To nearest, ties to even. The default.
    dnnl_rounding_mode_stochastic,  ///< Up or down at random, by a seed given at execution.
} dnnl_rounding_mode_t;

/// How quantization parameters of an argument come about.
typedef enum {
    dnnl_quantization_mode_undef,       ///< None.
    dnnl_quantization_mode_static_sazp, ///< Scales and zero points are inputs. The default.
    dnnl_quantization_mode_dynamic_mx,  ///< Scales are outputs, computed per group by the OCP MX
                                        ///< rules.
    dnnl_quantization_mode_dynamic_fp,  ///< Scales are outputs, computed per group in floating
                                        ///< point.
} dnnl_quantization_mode_t;

struct dnnl_primitive_attr;
/// Primitive attributes: what is added to an operation, such as scales, post-ops or numerical
/// modes.
typedef struct dnnl_primitive_attr *dnnl_primitive_attr_t;
/// Primitive attributes that the callee does not change.
typedef const struct dnnl_primitive_attr *const_dnnl_primitive_attr_t;

struct dnnl_post_ops;
/// Post-ops: a list of operations on a primitive's result before it is stored.
typedef struct dnnl_post_ops *dnnl_post_ops_t;
/// Post-ops that the callee does not change.
typedef const struct dnnl_post_ops *const_dnnl_post_ops_t;

struct dnnl_primitive;
/// A primitive: an operation ready to be executed any number of times.
typedef struct dnnl_primitive *dnnl_primitive_t;
/// A primitive that the callee does not change.
typedef const struct dnnl_primitive *const_dnnl_primitive_t;

/// @name Execution arguments
/// Which argument of a primitive a memory object is, in ::dnnl_exec_arg_t. Names with the same
/// number are the same argument under the name that suits the primitive.
/// @{

/// No argument.
#define DNNL_ARG_UNDEF 0

/// Sources. FROM is for reorder, LAYER, ITER and ITER_C (cell state) and AUGRU_ATTENTION for RNNs.
#define DNNL_ARG_SRC_0 1
#define DNNL_ARG_SRC DNNL_ARG_SRC_0
#define DNNL_ARG_SRC_LAYER DNNL_ARG_SRC_0
#define DNNL_ARG_FROM DNNL_ARG_SRC_0
#define DNNL_ARG_SRC_1 2
#define DNNL_ARG_SRC_ITER DNNL_ARG_SRC_1
#define DNNL_ARG_SRC_2 3
#define DNNL_ARG_SRC_ITER_C DNNL_ARG_SRC_2
#define DNNL_ARG_SRC_3 4
#define DNNL_ARG_AUGRU_ATTENTION DNNL_ARG_SRC_3

/// Destinations. TO is for reorder, LAYER, ITER and ITER_C for RNNs.
#define DNNL_ARG_DST_0 17
#define DNNL_ARG_DST DNNL_ARG_DST_0
#define DNNL_ARG_TO DNNL_ARG_DST_0
#define DNNL_ARG_DST_LAYER DNNL_ARG_DST_0
#define DNNL_ARG_DST_1 18
#define DNNL_ARG_DST_ITER DNNL_ARG_DST_1
#define DNNL_ARG_DST_2 19
#define DNNL_ARG_DST_ITER_C DNNL_ARG_DST_2

/// Weights. LAYER, ITER, PEEPHOLE and PROJECTION are for RNNs.
#define DNNL_ARG_WEIGHTS_0 33
#define DNNL_ARG_WEIGHTS DNNL_ARG_WEIGHTS_0
#define DNNL_ARG_WEIGHTS_LAYER DNNL_ARG_WEIGHTS_0
#define DNNL_ARG_WEIGHTS_1 34
#define DNNL_ARG_WEIGHTS_ITER DNNL_ARG_WEIGHTS_1
#define DNNL_ARG_WEIGHTS_2 35
#define DNNL_ARG_WEIGHTS_PEEPHOLE DNNL_ARG_WEIGHTS_2
#define DNNL_ARG_WEIGHTS_3 36
#define DNNL_ARG_WEIGHTS_PROJECTION DNNL_ARG_WEIGHTS_3

/// Bias, and the reduction that matmul returns beside its result.
#define DNNL_ARG_BIAS 41
#define DNNL_ARG_REDUCE 42

/// Statistics and parameters of normalizations.
#define DNNL_ARG_MEAN 49
#define DNNL_ARG_VARIANCE 50
#define DNNL_ARG_SCALE 51
#define DNNL_ARG_SHIFT 52

/// What a forward primitive keeps for its backward primitive.
#define DNNL_ARG_WORKSPACE 64
/// Temporary memory, with ::dnnl_scratchpad_mode_user.
#define DNNL_ARG_SCRATCHPAD 80

/// Gradients of sources.
#define DNNL_ARG_DIFF_SRC_0 129
#define DNNL_ARG_DIFF_SRC DNNL_ARG_DIFF_SRC_0
#define DNNL_ARG_DIFF_SRC_LAYER DNNL_ARG_DIFF_SRC_0
#define DNNL_ARG_DIFF_SRC_1 130
#define DNNL_ARG_DIFF_SRC_ITER DNNL_ARG_DIFF_SRC_1
#define DNNL_ARG_DIFF_SRC_2 131
#define DNNL_ARG_DIFF_SRC_ITER_C DNNL_ARG_DIFF_SRC_2
#define DNNL_ARG_DIFF_SRC_3 132
#define DNNL_ARG_DIFF_AUGRU_ATTENTION DNNL_ARG_DIFF_SRC_3

/// Gradients of destinations.
#define DNNL_ARG_DIFF_DST_0 145
#define DNNL_ARG_DIFF_DST DNNL_ARG_DIFF_DST_0
#define DNNL_ARG_DIFF_DST_LAYER DNNL_ARG_DIFF_DST_0
#define DNNL_ARG_DIFF_DST_1 146
#define DNNL_ARG_DIFF_DST_ITER DNNL_ARG_DIFF_DST_1
#define DNNL_ARG_DIFF_DST_2 147
#define DNNL_ARG_DIFF_DST_ITER_C DNNL_ARG_DIFF_DST_2

/// Gradients of weights.
#define DNNL_ARG_DIFF_WEIGHTS_0 161
#define DNNL_ARG_DIFF_WEIGHTS DNNL_ARG_DIFF_WEIGHTS_0
#define DNNL_ARG_DIFF_WEIGHTS_LAYER DNNL_ARG_DIFF_WEIGHTS_0
#define DNNL_ARG_DIFF_WEIGHTS_1 162
#define DNNL_ARG_DIFF_WEIGHTS_ITER DNNL_ARG_DIFF_WEIGHTS_1
#define DNNL_ARG_DIFF_WEIGHTS_2 163
#define DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE DNNL_ARG_DIFF_WEIGHTS_2
#define DNNL_ARG_DIFF_WEIGHTS_3 164
#define DNNL_ARG_DIFF_WEIGHTS_PROJECTION DNNL_ARG_DIFF_WEIGHTS_3

/// Gradients of bias, scale and shift.
#define DNNL_ARG_DIFF_BIAS 169
#define DNNL_ARG_DIFF_SCALE 255
#define DNNL_ARG_DIFF_SHIFT 256

#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
/// The size of the largest group, a hint for grouped memory (host scalar).
#define DNNL_ARG_HINT_MAX_GROUP_SIZE 384
#endif

/// Arguments of attributes: dropout and stochastic rounding.
#define DNNL_ARG_ATTR_DROPOUT_OFFSET 507
#define DNNL_ARG_ATTR_ROUNDING_SEED 508
#define DNNL_ARG_ATTR_DROPOUT_MASK 509
#define DNNL_ARG_ATTR_DROPOUT_PROBABILITY 510
#define DNNL_ARG_ATTR_DROPOUT_SEED 511

/// Sums of a quantized source, given by the caller; combined with `|` with the source's argument.
#define DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS 512
/// Reserved: no primitive of API version 3 takes it.
#define DNNL_ARG_ATTR_OUTPUT_SCALES 513

/// The first of many sources or destinations (concat, sum); number i is this plus i.
#define DNNL_ARG_MULTIPLE_SRC 1024
#define DNNL_ARG_MULTIPLE_DST 2048

/// Quantization scales and zero points of an argument; combined with `|` with that argument.
#define DNNL_ARG_ATTR_SCALES 4096
#define DNNL_ARG_ATTR_ZERO_POINTS 8192

/// Arguments of a depthwise convolution post-op; combined with `|` with weights or bias.
#define DNNL_ARG_ATTR_POST_OP_DW 16384

/// What post-op number idx takes; combined with `|` with the argument of that post-op, for instance
/// #DNNL_ARG_SRC_1 for a binary one.
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE 32768
#define DNNL_ARG_ATTR_MULTIPLE_POST_OP(idx) (DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE * ((idx) + 1))
/// @}

/// One argument of an execution: which it is, and the memory object.
typedef struct {
    int arg;              ///< A DNNL_ARG_ number.
    dnnl_memory_t memory; ///< The memory object. Not owned.
} dnnl_exec_arg_t;

/// What to ask a primitive descriptor, a primitive attribute or a memory descriptor for. The
/// comment gives the C type that the result pointer points to.
typedef enum {
    dnnl_query_undef = 0, ///< Nothing.

    dnnl_query_engine,         ///< dnnl_engine_t: where the primitive runs.
    dnnl_query_primitive_kind, ///< dnnl_primitive_kind_t

    dnnl_query_num_of_inputs_s32,  ///< int: number of inputs.
    dnnl_query_num_of_outputs_s32, ///< int: number of outputs.

    dnnl_query_time_estimate_f64,      ///< double: estimated run time in seconds, 0 where unknown.
    dnnl_query_memory_consumption_s64, ///< int64_t: bytes of memory besides the arguments.

    dnnl_query_scratchpad_engine, ///< dnnl_engine_t: where the scratchpad is to be allocated.

    dnnl_query_impl_info_str, ///< const char *: name of the implementation.

    dnnl_query_reorder_src_engine, ///< dnnl_engine_t: engine of a reorder's source.
    dnnl_query_reorder_dst_engine, ///< dnnl_engine_t: engine of a reorder's destination.

    dnnl_query_prop_kind, ///< dnnl_prop_kind_t

    dnnl_query_cache_blob_id_size_s64, ///< int64_t: size of the identifier in bytes.
    dnnl_query_cache_blob_id,          ///< const uint8_t *: identifier for a persistent cache.

    dnnl_query_strides,         ///< const dnnl_dims_t *: of a window or a memory descriptor.
    dnnl_query_dilations,       ///< const dnnl_dims_t *
    dnnl_query_padding_l,       ///< const dnnl_dims_t *: padding at the lower ends.
    dnnl_query_padding_r,       ///< const dnnl_dims_t *: padding at the upper ends.
    dnnl_query_epsilon_f32,     ///< float
    dnnl_query_flags,           ///< unsigned
    dnnl_query_alg_kind,        ///< dnnl_alg_kind_t
    dnnl_query_alpha_f32,       ///< float
    dnnl_query_beta_f32,        ///< float
    dnnl_query_axis_s32,        ///< int
    dnnl_query_local_size_s64,  ///< dnnl_dim_t: size of an LRN neighbourhood.
    dnnl_query_k_f32,           ///< float: k of an LRN.
    dnnl_query_p_f32,           ///< float: p of a reduction.
    dnnl_query_factors,         ///< const float *: output over input sizes of a resampling.
    dnnl_query_cell_kind,       ///< dnnl_alg_kind_t: cell of an RNN.
    dnnl_query_direction,       ///< dnnl_rnn_direction_t
    dnnl_query_activation_kind, ///< dnnl_alg_kind_t: activation of a vanilla RNN.
    dnnl_query_kernel,          ///< const dnnl_dims_t *: window of a pooling.
    dnnl_query_group_size_s64,  ///< dnnl_dim_t: groups of a shuffle or group normalization.

    /// Memory descriptors, const_dnnl_memory_desc_t, owned by the primitive descriptor. `some` is
    /// not a query.
    dnnl_query_some_md = 128,
    dnnl_query_src_md,
    dnnl_query_diff_src_md,
    dnnl_query_weights_md,
    dnnl_query_diff_weights_md,
    dnnl_query_dst_md,
    dnnl_query_diff_dst_md,
    dnnl_query_workspace_md,
    dnnl_query_scratchpad_md,
    dnnl_query_exec_arg_md = 255, ///< The descriptor of the DNNL_ARG_ number given as index.

    dnnl_query_ndims_s32,            ///< int: number of dimensions.
    dnnl_query_dims,                 ///< const dnnl_dims_t *
    dnnl_query_data_type,            ///< dnnl_data_type_t
    dnnl_query_submemory_offset_s64, ///< dnnl_dim_t: elements before the first one.
    dnnl_query_padded_dims,          ///< const dnnl_dims_t *: dimensions rounded up to blocks.
    dnnl_query_padded_offsets,       ///< const dnnl_dims_t *: where data starts within them.
    dnnl_query_format_kind,          ///< dnnl_format_kind_t
    dnnl_query_inner_nblks_s32,      ///< int: number of inner blocks.
    dnnl_query_inner_blks,           ///< const dnnl_dims_t *: sizes of inner blocks, outer first.
    dnnl_query_inner_idxs,      ///< const dnnl_dims_t *: which dimension each inner block splits.
    dnnl_query_sparse_encoding, ///< dnnl_sparse_encoding_t
    dnnl_query_nnz_s64,         ///< dnnl_dim_t: number of stored values.
    dnnl_query_num_handles_s32, ///< int: number of buffers of a memory object.

    dnnl_query_max = 0x7fff, ///< Not a query; makes the enumeration as wide as an int.
} dnnl_query_t;

/// @name Profiling of code generated for the CPU
/// Flags of dnnl_set_jit_profiling_flags().
/// @{
#define DNNL_JIT_PROFILE_NONE 0u
#define DNNL_JIT_PROFILE_VTUNE 1u
#define DNNL_JIT_PROFILE_LINUX_PERFMAP 2u
#define DNNL_JIT_PROFILE_LINUX_JITDUMP 4u
#define DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC 8u
#define DNNL_JIT_PROFILE_LINUX_PERF                                                                \
    (DNNL_JIT_PROFILE_LINUX_JITDUMP | DNNL_JIT_PROFILE_LINUX_PERFMAP)
/// @}

/// Instruction sets of x86 CPUs. One bit each, a set includes what it builds on.
typedef enum {
    dnnl_cpu_isa_default = 0x0, ///< No limit.
    dnnl_cpu_isa_sse41 = 0x1,
    dnnl_cpu_isa_avx = 0x3,
    dnnl_cpu_isa_avx2 = 0x7,
    dnnl_cpu_isa_avx2_vnni = 0xf,
    dnnl_cpu_isa_avx2_vnni_2 = 0x1f,
    dnnl_cpu_isa_avx512_core = 0x27,
    dnnl_cpu_isa_avx512_core_vnni = 0x67,
    dnnl_cpu_isa_avx512_core_bf16 = 0xe7,
    dnnl_cpu_isa_avx10_1_512 = 0x1ef,
    dnnl_cpu_isa_avx512_core_fp16 = dnnl_cpu_isa_avx10_1_512,
    dnnl_cpu_isa_avx10_1_512_amx = 0xfef,
    dnnl_cpu_isa_avx512_core_amx = dnnl_cpu_isa_avx10_1_512_amx,
    dnnl_cpu_isa_avx10_1_512_amx_fp16 = 0x1fef,
    dnnl_cpu_isa_avx512_core_amx_fp16 = dnnl_cpu_isa_avx10_1_512_amx_fp16,
    dnnl_cpu_isa_avx10_2 = 0x201ff,
    dnnl_cpu_isa_avx10_2_512 = dnnl_cpu_isa_avx10_2,
    dnnl_cpu_isa_avx10_2_amx_2 = 0x22fff,
    dnnl_cpu_isa_avx10_2_512_amx_2 = dnnl_cpu_isa_avx10_2_amx_2,
    dnnl_cpu_isa_avx10_2_ace = 0xa03ff,
} dnnl_cpu_isa_t;

/// Hints for generated CPU code.
typedef enum {
    dnnl_cpu_isa_no_hints = 0x0,   ///< None.
    dnnl_cpu_isa_prefer_ymm = 0x1, ///< 256-bit registers rather than 512-bit ones.
} dnnl_cpu_isa_hints_t;

#ifdef __cplusplus
}
#endif

#endif

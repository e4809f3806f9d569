/* SPDX-License-Identifier: Apache-2.0 */
/* Attention in one primitive: an addition of this library, which oneDNN's C API does not have. */
#ifndef ONEAPI_DNNL_DNNL_ZE_SDPA_H
#define ONEAPI_DNNL_DNNL_ZE_SDPA_H

#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// Scaled dot product attention, forward: for each matrix of a batch
///
///     dst = softmax(queries * keys * scale + mask) * values
///
/// without the matrix of scores ever being in memory. oneDNN has such a primitive for its graph
/// compiler and does not declare it; the arguments here have the numbers that it has there. The
/// primitive descriptor is created by the function below; everything else about it (queries,
/// execution, cache, blobs, recording) is as with any other primitive.

/// What dnnl_primitive_get_primitive_desc() and #dnnl_query_primitive_kind answer for it. No
/// enumerator of
/// ::dnnl_primitive_kind_t has this value.
#define DNNL_ZE_PRIMITIVE_KIND_SDPA ((dnnl_primitive_kind_t)48)

#define DNNL_ARG_QUERIES DNNL_ARG_SRC_0 ///< Queries.
#define DNNL_ARG_KEYS DNNL_ARG_SRC_1    ///< Keys.
#define DNNL_ARG_VALUES DNNL_ARG_SRC_2  ///< Values.
/// Mask that is added to the scores. The scale is DNNL_ARG_SCALE.
#define DNNL_ARG_ATTN_MASK DNNL_ARG_SHIFT
/// Soft cap of the scores.
#define DNNL_ARG_ATTN_CAP DNNL_ARG_SRC_3
/// Replaces scores, with a mask that selects.
#define DNNL_ARG_ATTN_FILL 5
#define DNNL_ARG_ATTN_WEIGHT_SCALE 6      ///< Scale of weights that are rounded.
#define DNNL_ARG_ATTN_WEIGHT_ZERO_POINT 7 ///< Their zero point.

/// Gradients, in backward propagation.
#define DNNL_ARG_DIFF_QUERIES DNNL_ARG_DIFF_SRC_0 ///< Of the queries.
#define DNNL_ARG_DIFF_KEYS DNNL_ARG_DIFF_SRC_1    ///< Of the keys.
#define DNNL_ARG_DIFF_VALUES DNNL_ARG_DIFF_SRC_2  ///< Of the values.
/// Of the scores behind the mask.
#define DNNL_ARG_DIFF_ATTN_SCORES DNNL_ARG_DIFF_SRC_3

/// Which keys a query sees.
typedef enum {
    dnnl_ze_attn_mask_none = 0,     ///< All of them.
    dnnl_ze_attn_mask_buffer = 1,   ///< The mask is a tensor, added to the scores.
    dnnl_ze_attn_mask_top_left = 2, ///< Query number i sees the keys up to number i.
    dnnl_ze_attn_mask_bottom_right =
            3,                    ///< Query number i sees the keys up to number i + keys - queries.
    dnnl_ze_attn_mask_select = 4, ///< The mask is a tensor, 0 where the score is replaced.
    dnnl_ze_attn_mask_select_inverted =
            5, ///< The mask is a tensor, 0 where the score is not replaced.
} dnnl_ze_attn_mask_t;

/// What the weights, i.e. the results of the softmax, are rounded to before they are multiplied
/// with the values.
typedef struct {
    /// s8, u8, f8_e4m3 or f8_e5m2; #dnnl_data_type_undef: they are not rounded.
    dnnl_data_type_t data_type;
    /// Descriptor of the scale, of one element: memory, or a host scalar, of type f32, f16 or bf16.
    /// NULL or the zero descriptor: 1.
    const_dnnl_memory_desc_t scale_desc;
    /// The same for the zero point, which is a number of one of these types, too; only integers
    /// have one. NULL or the zero descriptor: 0.
    const_dnnl_memory_desc_t zero_point_desc;
} dnnl_ze_attn_weights_t;

/// Creates a descriptor of attention in forward propagation.
///
/// Tensors have 2 to 6 dimensions, as many each: batch dimensions, then heads, then a matrix. The
/// types of all are f32, f16 or bf16, in any combination; scores and sums are f32. Any strides are
/// supported, inner blocks are not. Layouts whose innermost dimension is contiguous are the fastest
/// (keys: the head size, i.e. the layout `abdc` of four dimensions).
///
/// On devices with matrix units, probabilities are rounded to the type of the values before they
/// are multiplied with them. A query that sees no key, or whose scores are all minus infinity,
/// gives zeros.
///
/// **Quantised keys and values.** Keys and values, each for itself, may also be of type s8, u8, s4,
/// u4, f8_e4m3 or f8_e5m2. Attention then works with (element - zero point) * scale. Scales and
/// zero points are set in attributes of their own, as those of #DNNL_ARG_WEIGHTS, with any mask and
/// with groups of the last two dimensions: groups {G, 1} of keys and {1, G} of values are G
/// elements of a head. Scales are of type f32, f16 or bf16, zero points s32, s8, u8, s4 or u4;
/// either may be missing. Only integers have zero points. At execution they are in memory, one
/// value after the other, as #DNNL_ARG_ATTR_SCALES | #DNNL_ARG_KEYS,
/// #DNNL_ARG_ATTR_ZERO_POINTS | #DNNL_ARG_KEYS, and the same with #DNNL_ARG_VALUES. The attributes
/// that the descriptor answers have them under these two arguments.
///
/// On devices with matrix units, quantised keys and values are converted to the type of the queries
/// first, in the scratchpad, and rounded to that type.
///
/// **Quantised queries and results.** Queries and the destination may also be of type s8, u8,
/// f8_e4m3 or f8_e5m2, with one scale (f32) and, for integers, one zero point (s32) each, in
/// memory. They are attributes of `attr`, for #DNNL_ARG_QUERIES and #DNNL_ARG_DST, with mask 0.
/// Attention works with (query - zero point) * scale, and stores result / scale + zero point,
/// rounded to the nearest integer and saturated. With one scale of type f32 for all keys, and one
/// for all values, sums of products of integers are exact on matrix units as long as they are below
/// 2^24.
///
/// **Masks that select.** With ::dnnl_ze_attn_mask_select and ::dnnl_ze_attn_mask_select_inverted
/// the mask has elements of type u8 or s8, and replaces scores, after scale and soft cap, by a
/// value: #DNNL_ARG_ATTN_FILL, or minus infinity if there is none.
///
/// **Dropout.** The attribute of dropout (dnnl_primitive_attr_set_dropout_v2()), with a seed of
/// type s64 and an offset, drops weights after the softmax: weight number i of all weights, in the
/// order of the dimensions [batch.., heads, queries, keys], is kept if the random number i is above
/// the probability, and then divided by the probability of keeping. Statistics are those of all
/// weights. The mask, if the attribute has one, has these dimensions, is dense and row-major, and
/// has an element for each weight, also for keys that a query does not see.
///
/// **Statistics.** With ::dnnl_forward_training there is one more output, #DNNL_ARG_WORKSPACE: for
/// each query, one after the other in the order of the dimensions of the queries, an f32, the
/// logarithm (natural) of the sum of the exponentials of its scores, which are scaled and masked.
/// The exponential of a score minus this number is the weight of its value. The number is 0 for a
/// query that sees no key or whose scores are all minus infinity, so that this is true of its
/// weights, too; and NaN where the result is. #dnnl_query_workspace_md answers the descriptor.
///
/// Arguments: #DNNL_ARG_QUERIES, #DNNL_ARG_KEYS, #DNNL_ARG_VALUES, #DNNL_ARG_ATTN_MASK and
/// #DNNL_ARG_SCALE if there are such, scales, zero points, those of dropout -> #DNNL_ARG_DST,
/// #DNNL_ARG_ATTR_DROPOUT_MASK if dropout has a mask, and #DNNL_ARG_WORKSPACE for training.
///
/// @param primitive_desc Output primitive descriptor, owned by the caller.
/// @param engine Engine to use.
/// @param prop_kind ::dnnl_forward_inference, or ::dnnl_forward_training for statistics.
/// @param query_desc Queries: [batch.., heads, queries, head size].
/// @param key_desc Keys: [batch.., key heads, head size, keys].
/// @param value_desc Values: [batch.., key heads, keys, value size].
/// @param dst_desc Destination: [batch.., heads, queries, value size]; its layout may be `any`.
/// @param mask_desc Mask with ::dnnl_ze_attn_mask_buffer, else NULL or the zero descriptor:
///     [batch.., heads, queries, keys], each dimension being 1 where it is broadcast.
/// @param scale_desc Descriptor of the scale, of one element: memory, or a host scalar. NULL or
///     the zero descriptor: scores are not scaled.
/// @param invert_scale Not 0: scores are divided by the scale instead.
/// @param kv_head_number Number of heads of keys and values. It divides the number of heads of
///     the queries; that many consecutive heads of queries (the quotient) share one head of keys.
///     With 2 dimensions: 1.
/// @param attn_mask Which keys a query sees.
/// @param attr Attributes. Post-ops and other attributes that change the result are not supported,
///     except dropout.
/// @param key_attr Scales and zero points of the keys, or NULL.
/// @param value_attr Scales and zero points of the values, or NULL.
/// @returns ::dnnl_success; ::dnnl_invalid_arguments if dimensions, the mask, scales or zero points
///     do not agree; ::dnnl_unimplemented for types, layouts or attributes that are not supported,
///     and for run-time dimensions.
DNNL_API dnnl_status_t dnnl_ze_sdpa_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t query_desc, const_dnnl_memory_desc_t key_desc,
        const_dnnl_memory_desc_t value_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t mask_desc, const_dnnl_memory_desc_t scale_desc, int invert_scale,
        dnnl_dim_t kv_head_number, dnnl_ze_attn_mask_t attn_mask, const_dnnl_primitive_attr_t attr,
        const_dnnl_primitive_attr_t key_attr, const_dnnl_primitive_attr_t value_attr);

/// Creates a descriptor of attention in forward propagation with a soft cap:
///
///     dst = softmax(cap * tanh(queries * keys * scale) + mask) * values
///
/// so that a score before the mask lies between -cap and cap. Everything else is as with
/// dnnl_ze_sdpa_forward_primitive_desc_create(). The cap is one more argument, #DNNL_ARG_ATTN_CAP.
///
/// @param primitive_desc Output primitive descriptor, owned by the caller.
/// @param engine Engine to use.
/// @param prop_kind ::dnnl_forward_inference, or ::dnnl_forward_training for statistics.
/// @param query_desc Queries.
/// @param key_desc Keys.
/// @param value_desc Values.
/// @param dst_desc Destination.
/// @param mask_desc Mask, or NULL.
/// @param scale_desc Descriptor of the scale, or NULL.
/// @param invert_scale Not 0: scores are divided by the scale instead.
/// @param cap_desc Descriptor of the cap, of one element: memory, or a host scalar. NULL or the
///     zero descriptor: there is no cap.
/// @param kv_head_number Number of heads of keys and values.
/// @param attn_mask Which keys a query sees.
/// @param attr Attributes.
/// @param key_attr Scales and zero points of the keys, or NULL.
/// @param value_attr Scales and zero points of the values, or NULL.
/// @returns What dnnl_ze_sdpa_forward_primitive_desc_create() answers.
DNNL_API dnnl_status_t dnnl_ze_sdpa_forward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t query_desc, const_dnnl_memory_desc_t key_desc,
        const_dnnl_memory_desc_t value_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t mask_desc, const_dnnl_memory_desc_t scale_desc, int invert_scale,
        const_dnnl_memory_desc_t cap_desc, dnnl_dim_t kv_head_number, dnnl_ze_attn_mask_t attn_mask,
        const_dnnl_primitive_attr_t attr, const_dnnl_primitive_attr_t key_attr,
        const_dnnl_primitive_attr_t value_attr);

/// Creates a descriptor of attention in forward propagation whose mask may select scores.
/// Everything else is as with dnnl_ze_sdpa_forward_primitive_desc_create_v2().
///
/// @param primitive_desc Output primitive descriptor, owned by the caller.
/// @param engine Engine to use.
/// @param prop_kind ::dnnl_forward_inference, or ::dnnl_forward_training for statistics.
/// @param query_desc Queries.
/// @param key_desc Keys.
/// @param value_desc Values.
/// @param dst_desc Destination.
/// @param mask_desc Mask, or NULL.
/// @param scale_desc Descriptor of the scale, or NULL.
/// @param invert_scale Not 0: scores are divided by the scale instead.
/// @param cap_desc Descriptor of the cap, or NULL.
/// @param fill_desc Descriptor of what replaces scores, of one element: memory, or a host scalar.
///     NULL or the zero descriptor: minus infinity, or a mask that does not select.
/// @param kv_head_number Number of heads of keys and values.
/// @param attn_mask Which keys a query sees.
/// @param attr Attributes.
/// @param key_attr Scales and zero points of the keys, or NULL.
/// @param value_attr Scales and zero points of the values, or NULL.
/// @returns What dnnl_ze_sdpa_forward_primitive_desc_create() answers.
DNNL_API dnnl_status_t dnnl_ze_sdpa_forward_primitive_desc_create_v3(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t query_desc, const_dnnl_memory_desc_t key_desc,
        const_dnnl_memory_desc_t value_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t mask_desc, const_dnnl_memory_desc_t scale_desc, int invert_scale,
        const_dnnl_memory_desc_t cap_desc, const_dnnl_memory_desc_t fill_desc,
        dnnl_dim_t kv_head_number, dnnl_ze_attn_mask_t attn_mask, const_dnnl_primitive_attr_t attr,
        const_dnnl_primitive_attr_t key_attr, const_dnnl_primitive_attr_t value_attr);

/// Creates a descriptor of attention in forward propagation whose weights may be rounded.
/// Everything else is as with dnnl_ze_sdpa_forward_primitive_desc_create_v3().
///
/// The weights become (round(weight / scale + zero point) - zero point) * scale, where round()
/// rounds to the type and saturates. They have to be known as a whole for it, so that scores are
/// computed twice. Scale and zero point are arguments, #DNNL_ARG_ATTN_WEIGHT_SCALE and
/// #DNNL_ARG_ATTN_WEIGHT_ZERO_POINT. Statistics are those of the weights before. Dropout is not
/// supported together with it.
///
/// @param primitive_desc Output primitive descriptor, owned by the caller.
/// @param engine Engine to use.
/// @param prop_kind ::dnnl_forward_inference, or ::dnnl_forward_training for statistics.
/// @param query_desc Queries.
/// @param key_desc Keys.
/// @param value_desc Values.
/// @param dst_desc Destination.
/// @param mask_desc Mask, or NULL.
/// @param scale_desc Descriptor of the scale, or NULL.
/// @param invert_scale Not 0: scores are divided by the scale instead.
/// @param cap_desc Descriptor of the cap, or NULL.
/// @param fill_desc Descriptor of what replaces scores, or NULL.
/// @param weights What weights are rounded to, or NULL: they are not rounded.
/// @param kv_head_number Number of heads of keys and values.
/// @param attn_mask Which keys a query sees.
/// @param attr Attributes.
/// @param key_attr Scales and zero points of the keys, or NULL.
/// @param value_attr Scales and zero points of the values, or NULL.
/// @returns What dnnl_ze_sdpa_forward_primitive_desc_create() answers.
DNNL_API dnnl_status_t dnnl_ze_sdpa_forward_primitive_desc_create_v4(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t query_desc, const_dnnl_memory_desc_t key_desc,
        const_dnnl_memory_desc_t value_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t mask_desc, const_dnnl_memory_desc_t scale_desc, int invert_scale,
        const_dnnl_memory_desc_t cap_desc, const_dnnl_memory_desc_t fill_desc,
        const dnnl_ze_attn_weights_t *weights, dnnl_dim_t kv_head_number,
        dnnl_ze_attn_mask_t attn_mask, const_dnnl_primitive_attr_t attr,
        const_dnnl_primitive_attr_t key_attr, const_dnnl_primitive_attr_t value_attr);

/// Creates a descriptor of attention for inference: the same with ::dnnl_forward_inference and
/// without key_attr and value_attr.
///
/// @param primitive_desc Output primitive descriptor, owned by the caller.
/// @param engine Engine to use.
/// @param query_desc Queries.
/// @param key_desc Keys.
/// @param value_desc Values.
/// @param dst_desc Destination.
/// @param mask_desc Mask, or NULL.
/// @param scale_desc Descriptor of the scale, or NULL.
/// @param invert_scale Not 0: scores are divided by the scale instead.
/// @param kv_head_number Number of heads of keys and values.
/// @param attn_mask Which keys a query sees.
/// @param attr Attributes.
/// @returns What dnnl_ze_sdpa_forward_primitive_desc_create() answers.
DNNL_API dnnl_status_t dnnl_ze_sdpa_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t query_desc,
        const_dnnl_memory_desc_t key_desc, const_dnnl_memory_desc_t value_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t mask_desc,
        const_dnnl_memory_desc_t scale_desc, int invert_scale, dnnl_dim_t kv_head_number,
        dnnl_ze_attn_mask_t attn_mask, const_dnnl_primitive_attr_t attr);

/// Creates a descriptor of attention in backward propagation: the gradients of queries, keys and
/// values from the gradient of the destination. Neither the scores nor their gradients are ever in
/// memory as a whole, unless the program asks for the latter.
///
/// Everything is as with dnnl_ze_sdpa_forward_primitive_desc_create_v3(), except that keys and
/// values are not quantised, and that the attribute of dropout has no mask:
/// which weights are dropped follows from seed and offset. Gradients are of type f32, f16 or bf16
/// each, of any layout without inner blocks, and `any` means the layout of the tensor itself. All
/// sums are f32. Those of shared keys and values are sums over the queries of all heads that share
/// them. Each gradient is the sum of the same numbers in the same order in each execution.
///
/// Scores that a mask replaces, keys that a query does not see, and queries without any score above
/// minus infinity add nothing to the gradients of queries and keys.
///
/// **Statistics.** #DNNL_ARG_WORKSPACE is an input: the statistics that forward propagation for
/// training wrote.
///
/// **Gradient of the scores.** If there is a descriptor, #DNNL_ARG_DIFF_ATTN_SCORES is one more
/// output: the gradient of the scores behind the mask. It is the gradient of a mask that is added
/// and not broadcast; that of a broadcast one is its sum over the mask's dimensions of 1.
///
/// Arguments: those that forward propagation reads, #DNNL_ARG_DST, #DNNL_ARG_WORKSPACE and
/// #DNNL_ARG_DIFF_DST -> #DNNL_ARG_DIFF_QUERIES, #DNNL_ARG_DIFF_KEYS, #DNNL_ARG_DIFF_VALUES, and
/// #DNNL_ARG_DIFF_ATTN_SCORES if there is such.
///
/// @param primitive_desc Output primitive descriptor, owned by the caller.
/// @param engine Engine to use.
/// @param diff_query_desc Gradient of the queries.
/// @param diff_key_desc Gradient of the keys.
/// @param diff_value_desc Gradient of the values.
/// @param diff_dst_desc Gradient of the destination.
/// @param diff_score_desc Gradient of the scores: [batch.., heads, queries, keys], or NULL.
/// @param query_desc Queries.
/// @param key_desc Keys.
/// @param value_desc Values.
/// @param dst_desc Destination.
/// @param mask_desc Mask, or NULL.
/// @param scale_desc Descriptor of the scale, or NULL.
/// @param invert_scale Not 0: scores are divided by the scale instead.
/// @param cap_desc Descriptor of the cap, or NULL.
/// @param fill_desc Descriptor of what replaces scores, or NULL.
/// @param kv_head_number Number of heads of keys and values.
/// @param attn_mask Which keys a query sees.
/// @param hint_fwd_pd Descriptor of forward propagation, or NULL.
/// @param attr Attributes: dropout, or NULL.
/// @returns What dnnl_ze_sdpa_forward_primitive_desc_create() answers.
DNNL_API dnnl_status_t dnnl_ze_sdpa_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t diff_query_desc, const_dnnl_memory_desc_t diff_key_desc,
        const_dnnl_memory_desc_t diff_value_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t diff_score_desc, const_dnnl_memory_desc_t query_desc,
        const_dnnl_memory_desc_t key_desc, const_dnnl_memory_desc_t value_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t mask_desc,
        const_dnnl_memory_desc_t scale_desc, int invert_scale, const_dnnl_memory_desc_t cap_desc,
        const_dnnl_memory_desc_t fill_desc, dnnl_dim_t kv_head_number,
        dnnl_ze_attn_mask_t attn_mask, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_primitive_attr_*: scales, zero points, precomputed reductions, and the quantization of
 * RNNs. */
#include <string.h>

#include "core/check.h"
#include "core/alloc.h"
#include "core/attr.h"
#include "oneapi/dnnl/dnnl.h"

static bool is_one_of(int value, const int *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (list[i] == value) return true;
    return false;
}
#define ONE_OF(value, ...)                                                                         \
    is_one_of((int)(value), (const int[]){__VA_ARGS__},                                            \
            sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static bool can_have_scales(int arg) {
    return (arg & DNNL_ARG_MULTIPLE_SRC) ||
           ONE_OF(arg, DNNL_ARG_SRC, DNNL_ARG_SRC_1, DNNL_ARG_SRC_2, DNNL_ARG_WEIGHTS,
                   DNNL_ARG_WEIGHTS_1, DNNL_ARG_WEIGHTS_2, DNNL_ARG_DST,
                   DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC,
                   DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS,
                   DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST);
}

static bool can_have_zero_points(int arg) {
    return ONE_OF(arg, DNNL_ARG_SRC, DNNL_ARG_SRC_2, DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS_1,
            DNNL_ARG_WEIGHTS_2, DNNL_ARG_DST);
}

/* Checks what scales, zero points and precomputed reductions have in common, and fills in q. */
static dnnl_status_t check_quant(quant_t *q, const char *what, int arg, int mask, int group_ndims,
        const dnnl_dim_t *group_dims, dnnl_data_type_t dt, int on_host,
        dnnl_quantization_mode_t qmode) {
    CHECK_ARG(mask >= 0, "attr", "%s: the mask %d is negative", what, mask);
    CHECK_ARG(group_ndims == 0 || group_ndims == 2, "attr",
            "%s: groups have 0 or 2 dimensions, not %d", what, group_ndims);
    CHECK_ARG(group_ndims == 0 || group_dims, "attr", "%s: group_dims is NULL", what);
    for (int d = 0; d < group_ndims; d++)
        CHECK_ARG(group_dims[d] > 0, "attr", "%s: group_dims[%d] is not positive", what, d);
    CHECK_ARG(group_ndims == 0 || mask > 0, "attr", "%s: with groups the mask cannot be 0", what);
    CHECK_ARG(!on_host || mask == 0, "attr",
            "%s: a host scalar has one value, so the mask has to be 0", what);
    memset(q, 0, sizeof(*q));
    q->arg = arg;
    q->mask = mask;
    q->dt = dt;
    q->group_ndims = group_ndims;
    for (int d = 0; d < group_ndims; d++) q->group_dims[d] = group_dims[d];
    q->on_host = on_host != 0;
    q->qmode = qmode;
    return dnnl_success;
}

static dnnl_status_t store(quant_map_t *map, const quant_t *q) {
    if (quant_set(map, q) == dnnl_success) return dnnl_success;
    return verbose_error(dnnl_out_of_memory, "attr", "no memory for attributes");
}

dnnl_status_t dnnl_primitive_attr_set_scales_mask(dnnl_primitive_attr_t attr, int arg, int mask) {
    return dnnl_primitive_attr_set_scales(attr, arg, mask, 0, NULL, dnnl_f32);
}

dnnl_status_t dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr, int arg, int mask,
        int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type) {
    return dnnl_primitive_attr_set_scales_v2(
            attr, arg, mask, group_ndims, group_dims, data_type, 0);
}

dnnl_status_t dnnl_primitive_attr_set_scales_v2(dnnl_primitive_attr_t attr, int arg, int mask,
        int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type, int is_on_host) {
    return dnnl_primitive_attr_set_scales_v3(attr, arg, mask, ndims, group_dims, data_type,
            is_on_host, dnnl_quantization_mode_static_sazp);
}

dnnl_status_t dnnl_primitive_attr_set_scales_v3(dnnl_primitive_attr_t attr, int arg, int mask,
        int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type, int is_on_host,
        dnnl_quantization_mode_t qmode) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_ARG(arg >= 0 && can_have_scales(arg), "attr", "argument %d cannot have scales", arg);
    CHECK_ARG(ONE_OF(qmode, dnnl_quantization_mode_static_sazp, dnnl_quantization_mode_dynamic_mx,
                      dnnl_quantization_mode_dynamic_fp),
            "attr", "%d is not a quantization mode of scales", (int)qmode);
    CHECK_ARG(ONE_OF(data_type, dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_e8m0, dnnl_f8_e4m3), "attr",
            "scales are of type f32, bf16, f16, e8m0 or f8_e4m3");
    CHECK_ARG(mask > 0 || !ONE_OF(data_type, dnnl_e8m0, dnnl_f8_e4m3), "attr",
            "for scales of 8 bits the mask cannot be 0");
    quant_t q;
    TRY(check_quant(&q, "scales", arg, mask, ndims, group_dims, data_type, is_on_host, qmode));
    return store(&attr->scales, &q);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points_mask(
        dnnl_primitive_attr_t attr, int arg, int mask) {
    return dnnl_primitive_attr_set_zero_points(attr, arg, mask, 0, NULL, dnnl_s32);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr, int arg, int mask,
        int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type) {
    return dnnl_primitive_attr_set_zero_points_v2(
            attr, arg, mask, group_ndims, group_dims, data_type, 0);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points_v2(dnnl_primitive_attr_t attr, int arg, int mask,
        int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type, int is_on_host) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_ARG(arg >= 0 && can_have_zero_points(arg), "attr", "argument %d cannot have zero points",
            arg);
    CHECK_ARG(ONE_OF(data_type, dnnl_s32, dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4), "attr",
            "zero points are of type s32, s8, u8, s4 or u4");
    CHECK_ARG(mask > 0 || !ONE_OF(data_type, dnnl_s4, dnnl_u4), "attr",
            "for zero points of 4 bits the mask cannot be 0");
    CHECK_ARG(ONE_OF(arg, DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS_1, DNNL_ARG_WEIGHTS_2) ||
                      (data_type == dnnl_s32 && ndims == 0),
            "attr", "zero points of argument %d are of type s32 and have no groups", arg);
    quant_t q;
    TRY(check_quant(&q, "zero points", arg, mask, ndims, group_dims, data_type, is_on_host,
            dnnl_quantization_mode_static_sazp));
    return store(&attr->zero_points, &q);
}

dnnl_status_t dnnl_primitive_attr_set_precomputed_reductions(dnnl_primitive_attr_t attr, int arg,
        int mask, int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type) {
    CHECK_NOT_NULL(attr, "attr");
    CHECK_ARG(arg == DNNL_ARG_SRC, "attr", "argument %d cannot have precomputed reductions", arg);
    CHECK_ARG(data_type == dnnl_s32, "attr", "precomputed reductions are of type s32");
    quant_t q;
    TRY(check_quant(&q, "precomputed reductions", arg, mask, group_ndims, group_dims, data_type, 0,
            dnnl_quantization_mode_static_sazp));
    return store(&attr->precomputed_reductions, &q);
}

dnnl_status_t dnnl_primitive_attr_set_rnn_data_qparams(
        dnnl_primitive_attr_t attr, const float scale, const float shift) {
    CHECK_NOT_NULL(attr, "attr");
    attr->rnn_data_scale = scale;
    attr->rnn_data_shift = shift;
    attr->rnn_data_set = scale != 1.0f || shift != 0.0f;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_rnn_data_qparams(
        const_dnnl_primitive_attr_t attr, float *scale, float *shift) {
    CHECK_NOT_NULL(attr, "attr");
    if (scale) *scale = attr->rnn_data_scale;
    if (shift) *shift = attr->rnn_data_shift;
    return dnnl_success;
}

static dnnl_status_t set_rnn_scales(
        attr_rnn_scales_t *to, dnnl_dim_t count, int mask, const float *scales) {
    CHECK_NOT_NULL(scales, "attr");
    CHECK_ARG(count > 0 && count <= INT32_MAX, "attr", "the number of scales is out of range");
    CHECK_ARG(mask >= 0, "attr", "the mask of the scales is negative");
    float *copy = dz_malloc(sizeof(float) * (size_t)count);
    if (!copy) return verbose_error(dnnl_out_of_memory, "attr", "no memory for attributes");
    /* A run-time value stands for the whole array, which may end after it. */
    const float runtime = DNNL_RUNTIME_F32_VAL;
    const bool at_runtime = memcmp(scales, &runtime, sizeof(runtime)) == 0;
    for (dnnl_dim_t i = 0; i < count; i++) copy[i] = at_runtime ? runtime : scales[i];
    dz_free(to->scales);
    *to = (attr_rnn_scales_t){true, mask, count, copy};
    return dnnl_success;
}

static void get_rnn_scales(
        const attr_rnn_scales_t *from, dnnl_dim_t *count, int *mask, const float **scales) {
    static const float one = 1.0f;
    if (count) *count = from->set ? from->count : 1;
    if (mask) *mask = from->mask;
    if (scales) *scales = from->set ? from->scales : &one;
}

#define RNN_SCALES(name, field)                                                                    \
    dnnl_status_t dnnl_primitive_attr_set_##name(                                                  \
            dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales) {         \
        CHECK_NOT_NULL(attr, "attr");                                                              \
        return set_rnn_scales(&attr->field, count, mask, scales);                                  \
    }                                                                                              \
    dnnl_status_t dnnl_primitive_attr_get_##name(const_dnnl_primitive_attr_t attr,                 \
            dnnl_dim_t *count, int *mask, const float **scales) {                                  \
        CHECK_NOT_NULL(attr, "attr");                                                              \
        get_rnn_scales(&attr->field, count, mask, scales);                                         \
        return dnnl_success;                                                                       \
    }
RNN_SCALES(rnn_weights_qparams, rnn_weights)
RNN_SCALES(rnn_weights_projection_qparams, rnn_projection)

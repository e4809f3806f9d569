/* SPDX-License-Identifier: Apache-2.0 */
/* What a convolution or deconvolution may be: shapes, data types, attributes. */
#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "ops/conv/check.h"
#include "ops/conv/depthwise_fused.h"
#include "plan/attributes.h"
#include "plan/op.h"
#include "plan/type_rules.h"

#define INVALID(...) verbose_check(dnnl_invalid_arguments, pd->op->name, __VA_ARGS__)
#define REFUSE(...) verbose_refuse(dnnl_unimplemented, pd->op->name, __VA_ARGS__)

dnnl_status_t conv_check_algorithm(const pd_t *pd) {
    const bool transposed = pd->params.kind == dnnl_deconvolution;
    switch (pd->params.alg_kind) {
    case dnnl_convolution_direct:
    case dnnl_convolution_auto:
        if (!transposed) return dnnl_success;
        break;
    case dnnl_deconvolution_direct:
        if (transposed) return dnnl_success;
        break;
    case dnnl_convolution_winograd:
        if (!transposed) return REFUSE("the Winograd algorithm is not implemented");
        break;
    case dnnl_deconvolution_winograd:
        if (transposed) return REFUSE("the Winograd algorithm is not implemented");
        break;
    default: break;
    }
    return INVALID("the algorithm is not one of this kind");
}

/* A tensor, or the gradient of it where the primitive has that. */
static const md_t *md_or_diff(const pd_t *pd, int arg, int diff) {
    return pd_md(pd, pd_find_arg(pd, arg) < 0 ? diff : arg);
}
static const md_t *src_of(const pd_t *pd) {
    return pd_md(pd, DNNL_ARG_SRC);
}
static const md_t *weights_of(const pd_t *pd) {
    return md_or_diff(pd, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS);
}
static const md_t *bias_of(const pd_t *pd) {
    return md_or_diff(pd, DNNL_ARG_BIAS, DNNL_ARG_DIFF_BIAS);
}
static const md_t *dst_of(const pd_t *pd) {
    return md_or_diff(pd, DNNL_ARG_DST, DNNL_ARG_DIFF_DST);
}

/* What the log calls the tensors. Where the product is a gradient, its source is that of dst. */
static bool is_gradient(const pd_t *pd) {
    return pd->op->directions == DIRECTION_BACKWARD_DATA;
}
static const char *src_name(const pd_t *pd) {
    return is_gradient(pd) ? "diff_dst" : "src";
}
static const char *dst_name(const pd_t *pd) {
    return is_gradient(pd) ? "diff_src" : "dst";
}

/* The largest dimension, stride or padding: kernels count positions in 32 bits, and add two of
 * them. */
enum { MOST = INT32_MAX / 2 };

/* One spatial dimension. `in` slides under the window: the source, or the destination of a
 * deconvolution. */
static dnnl_status_t check_window(const pd_t *pd, int d, int64_t in, int64_t kernel, int64_t out) {
    const op_params_t *p = &pd->params;
    const int64_t stride = p->strides[d], dilate = p->dilates[d];
    const int64_t left = p->padding[0][d], right = p->padding[1][d];
    if (stride <= 0 || dilate < 0 || left < 0)
        return INVALID(
                "spatial dimension %d: a stride, dilation or left padding is out of range", d);
    if (stride > MOST || dilate > MOST || left > MOST || right > MOST)
        return REFUSE("spatial dimension %d: a stride, dilation or padding is 2^30 or more", d);
    if (right + stride <= 0)
        return INVALID("spatial dimension %d: right padding and stride add up to %lld", d,
                (long long)(right + stride));
    const int64_t range = 1 + (kernel - 1) * (dilate + 1);
    const int64_t room = in - range + left + right;
    if (room / stride + 1 != out || room + stride < 0)
        return INVALID("spatial dimension %d: a window of %lld over %lld, padding %lld and %lld, "
                       "stride %lld "
                       "does not have %lld positions",
                d, (long long)range, (long long)in, (long long)left, (long long)right,
                (long long)stride, (long long)out);
    if (in + left + right > INT32_MAX)
        return REFUSE("spatial dimension %d: it has 2^31 or more positions with its padding", d);
    return dnnl_success;
}

/* The numbers of dimensions, and sizes that kernels can count. */
static dnnl_status_t check_dims(const pd_t *pd) {
    const md_t *src = src_of(pd), *wei = weights_of(pd), *dst = dst_of(pd);
    const md_t *tensors[] = {src, wei, dst};
    const int nd = src->ndims;
    if (nd < 3 || nd > 5) return INVALID("%s has %d dimensions, not 3 to 5", src_name(pd), nd);
    if (dst->ndims != nd)
        return INVALID("%s has %d dimensions, %s %d", src_name(pd), nd, dst_name(pd), dst->ndims);
    if (wei->ndims != nd && wei->ndims != nd + 1)
        return INVALID("weights have %d dimensions for %d of %s", wei->ndims, nd, src_name(pd));
    if (md_has_zero_dim(wei)) return INVALID("weights are empty");
    for (int t = 0; t < ARRAY_LEN(tensors); t++)
        for (int d = 0; d < tensors[t]->ndims; d++)
            if (tensors[t]->dims[d] > MOST) return REFUSE("a dimension is 2^30 or more");
    return dnnl_success;
}

static dnnl_status_t check_channels(
        const pd_t *pd, const char *name, const md_t *md, int64_t groups, int64_t of_group) {
    if (md->dims[1] == groups * of_group) return dnnl_success;
    return INVALID("%s has %lld channels, weights are for %lld groups of %lld", name,
            (long long)md->dims[1], (long long)groups, (long long)of_group);
}

static dnnl_status_t check_shapes(const pd_t *pd, bool transposed) {
    const md_t *src = src_of(pd), *wei = weights_of(pd);
    const md_t *dst = dst_of(pd), *bias = bias_of(pd);
    TRY(check_dims(pd));
    const int first = wei->ndims - src->ndims; /* 1: with groups */
    const int64_t groups = first ? wei->dims[0] : 1;
    if (src->dims[0] != dst->dims[0])
        return INVALID("%s and %s differ in their first dimension", src_name(pd), dst_name(pd));
    TRY(check_channels(pd, src_name(pd), src, groups, wei->dims[first + 1]));
    TRY(check_channels(pd, dst_name(pd), dst, groups, wei->dims[first]));
    if (!md_is_zero(bias) && (bias->ndims != 1 || bias->dims[0] != dst->dims[1]))
        return INVALID("bias does not have one dimension of dst's channels");
    for (int d = 0; d < src->ndims - 2; d++) {
        const int64_t s = src->dims[d + 2], o = dst->dims[d + 2], k = wei->dims[first + d + 2];
        TRY(transposed ? check_window(pd, d, o, k, s) : check_window(pd, d, s, k, o));
    }
    return dnnl_success;
}

static const type_rule_t type_rules[] = {
        {DT_SET(dnnl_f64), DT_SET(dnnl_f64), DT_SET(dnnl_f64), DT_SET(dnnl_f64), false},
        {FLOATS | SMALL_FLOATS | BYTES, FLOATS | SMALL_FLOATS | INTS,
                FLOATS | SMALL_FLOATS | BYTES | DT_SET(dnnl_s32), BIASES, false},
};

static dnnl_status_t check_format(const pd_t *pd, const md_t *md, const char *name) {
    if (md_is_zero(md) || md_is_any(md)) return dnnl_success;
    if (!md_is_blocked(md)) return REFUSE("%s is not a dense array", name);
    if (md->extra.flags) return REFUSE("%s has compensation or other extra data", name);
    if (dt_is_nibble(md->data_type) && md->offset0 % 2)
        return REFUSE("%s begins in the middle of a byte", name);
    return dnnl_success;
}

static dnnl_status_t check_formats(const pd_t *pd) {
    const md_t *bias = bias_of(pd);
    TRY(check_format(pd, src_of(pd), src_name(pd)));
    TRY(check_format(pd, weights_of(pd), "weights"));
    TRY(check_format(pd, bias, "bias"));
    TRY(check_format(pd, dst_of(pd), dst_name(pd)));
    if (md_is_zero(bias) || md_is_any(bias)) return dnnl_success;
    if (!md_is_dense(bias, true)) return REFUSE("bias has holes between its elements");
    if (pd_find_arg(pd, DNNL_ARG_DIFF_BIAS) >= 0 && !md_is_plain(bias))
        return REFUSE("the gradient of the bias has blocks");
    return dnnl_success;
}

/* The mask of weights' scales that run along the output channels of all groups. */
static unsigned mask_of_channels(const pd_t *pd) {
    const bool with_groups = pd_md(pd, DNNL_ARG_WEIGHTS)->ndims > pd_md(pd, DNNL_ARG_SRC)->ndims;
    return with_groups ? 3 : 1;
}

/* Dimensions of 1 do not count: the mask of a depthwise convolution may leave out the channels of a
 * group. */
static dnnl_status_t check_scales(const pd_t *pd) {
    const quant_t *q = quant_find(&pd->attr.scales, DNNL_ARG_WEIGHTS);
    const md_t *wei = pd_md(pd, DNNL_ARG_WEIGHTS);
    unsigned ones = 0;
    for (int d = 0; d < wei->ndims; d++) ones |= (unsigned)(wei->dims[d] == 1) << d;
    if (q && q->mask && ((unsigned)q->mask | ones) != (mask_of_channels(pd) | ones))
        return REFUSE("scales of weights: mask %d is not supported", q->mask);
    return dnnl_success;
}

static dnnl_status_t check_zero_points(const pd_t *pd) {
    const bool integers =
            dt_in(pd_md(pd, DNNL_ARG_SRC), BYTES) && dt_in(pd_md(pd, DNNL_ARG_WEIGHTS), INTS);
    for (int i = 0; i < pd->attr.zero_points.len; i++) {
        const quant_t *q = &pd->attr.zero_points.entry[i];
        if (q->arg != DNNL_ARG_DST && !integers)
            return REFUSE("zero points of src and weights need integers in both");
        if (q->dt != dnnl_s32 && q->dt != dnnl_s8 && q->dt != dnnl_u8)
            return REFUSE("zero points are s32, s8 or u8");
    }
    return dnnl_success;
}

static dnnl_status_t check_attr(const pd_t *pd, bool transposed) {
    const attr_quant_rule_t rules[] = {
            {ATTR_SCALES, DNNL_ARG_SRC, 0},
            {ATTR_SCALES, DNNL_ARG_WEIGHTS, mask_of_channels(pd)},
            {ATTR_SCALES, DNNL_ARG_DST, 2},
            {ATTR_ZERO_POINTS, DNNL_ARG_SRC, 2},
            {ATTR_ZERO_POINTS, DNNL_ARG_DST, 2},
            {transposed ? 0 : ATTR_ZERO_POINTS, DNNL_ARG_WEIGHTS, 0},
            {0, 0, 0},
    };
    TRY(attr_check(pd, ATTR_SCALES | ATTR_ZERO_POINTS | ATTR_POST_OPS | ATTR_ROUNDING, ALL_POST_OPS,
            rules));
    TRY(check_scales(pd));
    return check_zero_points(pd);
}

dnnl_status_t conv_check_tensors(const pd_t *pd) {
    TRY(check_shapes(pd, pd->params.kind == dnnl_deconvolution));
    return check_formats(pd);
}

dnnl_status_t conv_check(const pd_t *pd) {
    const bool transposed = pd->params.kind == dnnl_deconvolution;
    TRY(conv_check_algorithm(pd));
    TRY(conv_check_tensors(pd));
    TRY(product_types_check(pd, type_rules, ARRAY_LEN(type_rules)));
    /* With a depthwise post-op each of the two convolutions checks its part. */
    return conv_find_depthwise(&pd->attr) < 0 ? check_attr(pd, transposed) : dnnl_success;
}

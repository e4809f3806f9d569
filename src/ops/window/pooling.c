/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling: the maximum or the average under a window. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "ops/window/window.h"
#include "plan/check.h"
#include "plan/op.h"
#include "plan/type_rules.h"

#define INVALID(...) verbose_check(dnnl_invalid_arguments, "pooling", __VA_ARGS__)
#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "pooling", __VA_ARGS__)

/* ---- checks ---- */

/* Every window of an average without padding needs an element. `last` is the position of the last
 * window. */
static dnnl_status_t check_average(
        int d, int64_t in, int64_t range, int64_t dilate, int64_t left, int64_t last) {
    if (left >= range)
        return INVALID("spatial dimension %d: the first window of an average, of %lld, lies in the "
                       "padding of %lld",
                d, (long long)range, (long long)left);
    if (last >= in)
        return INVALID("spatial dimension %d: the last window of an average begins at %lld, behind "
                       "the source of %lld",
                d, (long long)last, (long long)in);
    if (dilate >= in && left)
        return INVALID("spatial dimension %d: a window of an average with dilation %lld can step "
                       "over the source of %lld",
                d, (long long)dilate, (long long)in);
    return dnnl_success;
}

static dnnl_status_t check_algorithm(const pd_t *pd) {
    const dnnl_alg_kind_t alg = pd->params.alg_kind;
    if (alg != dnnl_pooling_max && alg != dnnl_pooling_avg_include_padding &&
            alg != dnnl_pooling_avg_exclude_padding)
        return INVALID("the algorithm is not one of this primitive");
    return dnnl_success;
}

static dnnl_status_t check_windows(const pd_t *pd, const md_t *src, const md_t *dst) {
    const op_params_t *p = &pd->params;
    for (int d = 0; d < src->ndims - 2; d++) {
        const int64_t in = src->dims[d + 2], out = dst->dims[d + 2], kernel = p->kernel[d];
        const int64_t stride = p->strides[d], dilate = p->dilates[d];
        const int64_t left = p->padding[0][d], right = p->padding[1][d];
        const int64_t large = INT32_MAX / 4;
        if (stride <= 0 || dilate < 0 || left < 0 || kernel <= 0)
            return INVALID("spatial dimension %d: a kernel, stride, dilation or left padding is "
                           "out of range",
                    d);
        if (kernel > large || stride > large || dilate > large || left > large || right > large ||
                right < -large || (kernel - 1) * (dilate + 1) > large)
            return REFUSE(
                    "spatial dimension %d: a kernel, stride, dilation or padding is 2^29 or more",
                    d);
        const int64_t range = 1 + (kernel - 1) * (dilate + 1), room = in - range + left + right;
        if (right + stride < 0)
            return INVALID(
                    "spatial dimension %d: right padding and stride add up to less than 0", d);
        if (room / stride + 1 != out || room + stride < 0)
            return INVALID("spatial dimension %d: a window of %lld over %lld, padding %lld and "
                           "%lld, stride %lld "
                           "does not have %lld positions",
                    d, (long long)range, (long long)in, (long long)left, (long long)right,
                    (long long)stride, (long long)out);
        if (p->alg_kind == dnnl_pooling_avg_exclude_padding)
            TRY(check_average(d, in, range, dilate, left, (out - 1) * stride - left));
    }
    return dnnl_success;
}

/* Destinations for each type of source; others than its own are for inference. */
static const unsigned dst_types[] = {
        [dnnl_f64] = DT_SET(dnnl_f64),
        [dnnl_f32] = DT_SET(dnnl_f32) | BYTES,
        [dnnl_f16] = DT_SET(dnnl_f16) | BYTES,
        [dnnl_bf16] = DT_SET(dnnl_bf16),
        [dnnl_s32] = DT_SET(dnnl_s32),
        [dnnl_s8] = BYTES | DT_SET(dnnl_f16) | DT_SET(dnnl_f32),
        [dnnl_u8] = BYTES | DT_SET(dnnl_f16) | DT_SET(dnnl_f32),
        [dnnl_f8_e5m2] = DT_SET(dnnl_f8_e5m2),
        [dnnl_f8_e4m3] = DT_SET(dnnl_f8_e4m3),
};

static dnnl_status_t check_types(const pd_t *pd) {
    const dnnl_data_type_t src = pd_md(pd, DNNL_ARG_SRC)->data_type,
                           dst = pd_md(pd, DNNL_ARG_DST)->data_type;
    if (!(dst_types[src] & DT_SET(dst)))
        return REFUSE("the destination's data type is not supported with the source's");
    if (src != dst && pd->params.prop_kind == dnnl_forward_training)
        return REFUSE("training needs one data type for source and destination");
    return dnnl_success;
}

/* The type of the indices of elements in a window; undefined: there are too many. */
static dnnl_data_type_t index_type(const pd_t *pd, int spatial) {
    int64_t taps = 1;
    for (int d = 0; d < spatial; d++)
        if (!mul_ok(taps, pd->params.kernel[d], &taps) || taps > INT32_MAX)
            return dnnl_data_type_undef;
    return taps <= UINT8_MAX ? dnnl_u8 : dnnl_s32;
}

/* Indices of maxima, for backward propagation. */
static dnnl_status_t add_workspace(pd_t *pd) {
    if (pd->params.prop_kind != dnnl_forward_training || pd->params.alg_kind != dnnl_pooling_max)
        return dnnl_success;
    md_t ws = *pd_md(pd, DNNL_ARG_DST);
    ws.data_type = index_type(pd, ws.ndims - 2);
    if (ws.data_type == dnnl_data_type_undef) return REFUSE("a window has 2^31 or more elements");
    ws.offset0 = 0;
    return pd_add_arg(pd, DNNL_ARG_WORKSPACE, PD_OUT, &ws);
}

/* Indices of elements in a window mean nothing in another one. The padding at the end follows from
 * the rest. */
static bool same_windows(const op_params_t *a, const op_params_t *b) {
    return !memcmp(a->kernel, b->kernel, sizeof(a->kernel)) &&
           !memcmp(a->strides, b->strides, sizeof(a->strides)) &&
           !memcmp(a->dilates, b->dilates, sizeof(a->dilates)) &&
           !memcmp(a->padding[0], b->padding[0], sizeof(a->padding[0]));
}

/* What the forward primitive wrote there. */
static dnnl_status_t take_workspace(pd_t *pd) {
    if (pd->params.alg_kind != dnnl_pooling_max) return dnnl_success;
    const md_t *ws = pd_hint_workspace(pd), *diff_dst = pd_md(pd, DNNL_ARG_DIFF_DST);
    if (!ws)
        return REFUSE("the gradient of a maximum needs the descriptor of forward training as its "
                      "hint");
    if (!md_same_dims(ws, diff_dst) || ws->data_type != index_type(pd, ws->ndims - 2))
        return REFUSE("the hint's workspace belongs to another problem");
    if (!same_windows(&pd->params, &pd->request.hint_fwd->params))
        return REFUSE("the hint has other windows: another kernel, stride, dilation or padding");
    return pd_add_arg(pd, DNNL_ARG_WORKSPACE, PD_IN, ws);
}

/* ---- the primitive ---- */

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(check_algorithm(pd));
    TRY(window_check(pd));
    TRY(check_windows(pd, pd_md(pd, DNNL_ARG_SRC), pd_md(pd, DNNL_ARG_DST)));
    TRY(check_types(pd));
    TRY(attr_check(pd, ATTR_POST_OPS, POST_OP_ELTWISE | POST_OP_BINARY, NULL));
    TRY(add_workspace(pd));
    TRY(attr_add_args(pd));
    return window_plan(pd, caps, "pooling");
}

static dnnl_status_t init_backward(pd_t *pd, const caps_t *caps) {
    TRY(check_algorithm(pd));
    TRY(window_check_backward(pd));
    const md_t *diff_src = pd_md(pd, DNNL_ARG_DIFF_SRC), *diff_dst = pd_md(pd, DNNL_ARG_DIFF_DST);
    TRY(check_windows(pd, diff_src, diff_dst));
    TRY(gradients_like_forward(pd, DNNL_ARG_SRC));
    if (diff_src->data_type != diff_dst->data_type || !dt_in(diff_src, FLOATS | DT_SET(dnnl_f64)))
        return REFUSE("the gradients need one type of f32, f16, bf16 and f64");
    TRY(take_workspace(pd));
    TRY(attr_add_args(pd));
    return window_plan(pd, caps, "pooling_backward");
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    return window_format(pd, true, buf, size);
}

const op_kind_t op_pooling = {.kind = dnnl_pooling,
        .name = "pooling",
        .init = init,
        .format_problem = format_problem,
        .format_aux = format_alg};

const op_kind_t op_pooling_backward = {.kind = dnnl_pooling,
        .directions = DIRECTION_BACKWARD_DATA,
        .name = "pooling",
        .init = init_backward,
        .format_problem = format_problem,
        .format_aux = format_alg};

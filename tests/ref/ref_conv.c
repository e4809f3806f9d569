/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products, computed directly from their definitions. */
#include "ref_conv.h"

#include <math.h>

typedef struct {
    double sum, magnitude;
    int64_t count;
} products_t;

static void add_product(const ref_t *ref, products_t *p, const dnnl_dim_t *s, const dnnl_dim_t *w) {
    const double a = ref_at(ref, DNNL_ARG_SRC, s).v - ref_zero_point(ref, DNNL_ARG_SRC, s).v;
    const double b =
            ref_at(ref, DNNL_ARG_WEIGHTS, w).v - ref_zero_point(ref, DNNL_ARG_WEIGHTS, w).v;
    p->sum += a * b;
    p->magnitude += fabs(a * b);
    p->count++;
}

static bool sums_integers(const ref_t *ref) {
    return dt_is_int(pd_md(ref->pd, DNNL_ARG_SRC)->data_type) &&
           dt_is_int(pd_md(ref->pd, DNNL_ARG_WEIGHTS)->data_type);
}

/* Finishes a sum. w: a position in the weights with the right group and output channel. */
static ref_value_t finish(
        const ref_t *ref, const products_t *p, const dnnl_dim_t *w, const dnnl_dim_t *pos) {
    const double eps = ref->epsilon;
    const attr_t *attr = &ref->pd->attr;
    const bool exact = sums_integers(ref);
    const bool alone = pd_find_arg(ref->pd, DNNL_ARG_BIAS) < 0 && !attr_nondefault(attr);
    ref_value_t x = {p->sum, 0};
    if (!exact)
        x.error = (0.5 * eps * (double)(p->count + 1) + ref_product_loss(ref->pd)) * p->magnitude;
    else if (!alone || pd_md(ref->pd, DNNL_ARG_DST)->data_type != dnnl_s32)
        x = ref_input(ref, dnnl_s32, p->sum);
    if (quant_find(&attr->scales, DNNL_ARG_SRC))
        x = ref_binary(eps, dnnl_binary_mul, x, ref_scale(ref, DNNL_ARG_SRC, pos));
    if (quant_find(&attr->scales, DNNL_ARG_WEIGHTS))
        x = ref_binary(eps, dnnl_binary_mul, x, ref_scale(ref, DNNL_ARG_WEIGHTS, w));
    if (pd_find_arg(ref->pd, DNNL_ARG_BIAS) >= 0)
        x = ref_binary(eps, dnnl_binary_add, x, ref_at(ref, DNNL_ARG_BIAS, &pos[1]));
    return ref_finish(ref, ref_post_ops(ref, x, pos), pos);
}

/* source_at returns the source position that tap k reads for position o in spatial dimension d; -1:
 * there is none. */
static ref_value_t window(const ref_t *ref, const dnnl_dim_t *pos,
        int64_t (*source_at)(const op_params_t *, int d, int64_t o, int64_t k)) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC), *wei = pd_md(ref->pd, DNNL_ARG_WEIGHTS);
    const int nd = src->ndims, first = wei->ndims - nd;
    const int64_t oc = wei->dims[first], ic = wei->dims[first + 1];
    products_t p = {0, 0, 0};
    dnnl_dims_t s = {pos[0]}, w = {0}, taps = {1, 1, 1, 1, 1}, k = {0};
    w[0] = pos[1] / oc;
    w[first] = pos[1] % oc;
    for (int d = 0; d < nd - 2; d++) taps[d] = wei->dims[first + 2 + d];
    do {
        bool inside = true;
        for (int d = 0; d < nd - 2; d++) {
            const int64_t at = source_at(&ref->pd->params, d, pos[2 + d], k[d]);
            inside = inside && at >= 0 && at < src->dims[2 + d];
            s[2 + d] = at;
            w[first + 2 + d] = k[d];
        }
        for (int64_t i = 0; inside && i < ic; i++) {
            s[1] = pos[1] / oc * ic + i;
            w[first + 1] = i;
            add_product(ref, &p, s, w);
        }
    } while (ref_next(taps, nd - 2, k));
    return finish(ref, &p, w, pos);
}

static int64_t read_by_convolution(const op_params_t *p, int d, int64_t o, int64_t k) {
    return o * p->strides[d] - p->padding[0][d] + k * (p->dilates[d] + 1);
}

/* The position o of a convolution that would have read this position. */
static int64_t read_by_deconvolution(const op_params_t *p, int d, int64_t o, int64_t k) {
    const int64_t at = o + p->padding[0][d] - k * (p->dilates[d] + 1);
    return at < 0 || at % p->strides[d] ? -1 : at / p->strides[d];
}

ref_value_t ref_convolution(const ref_t *ref, const dnnl_dim_t *pos) {
    return window(ref, pos, read_by_convolution);
}

ref_value_t ref_deconvolution(const ref_t *ref, const dnnl_dim_t *pos) {
    return window(ref, pos, read_by_deconvolution);
}

ref_value_t ref_inner_product(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    products_t p = {0, 0, 0};
    dnnl_dims_t k = {0};
    do {
        dnnl_dims_t s = {pos[0]}, w = {pos[1]};
        for (int d = 1; d < src->ndims; d++) s[d] = w[d] = k[d - 1];
        add_product(ref, &p, s, w);
    } while (ref_next(&src->dims[1], src->ndims - 1, k));
    const dnnl_dims_t w = {pos[1]};
    return finish(ref, &p, w, pos);
}

/* ---- a depthwise convolution as post-op ---- */

static ref_value_t scaled(
        const ref_t *ref, dnnl_alg_kind_t alg, ref_value_t x, int arg, const dnnl_dim_t *pos) {
    if (!quant_find(&ref->pd->attr.scales, arg)) return x;
    return ref_binary(ref->epsilon, alg, x, ref_scale(ref, arg, pos));
}

/* The type of the tensor between the two convolutions, which the caller described as
 * the destination. */
static dnnl_data_type_t between_dt(const ref_t *ref) {
    for (int i = 0; i < ref->pd->request.ntensors; i++)
        if (ref->pd->request.tensor[i].arg == DNNL_ARG_DST)
            return ref->pd->request.tensor[i].md->data_type;
    return dnnl_f32;
}

/* A value that may be stored as any value within its error. */
static ref_value_t stored(dnnl_data_type_t dt, ref_value_t x) {
    const double low = ref_round(dt, x.v - x.error), high = ref_round(dt, x.v + x.error),
                 v = ref_round(dt, x.v);
    return (ref_value_t){v, fmax(high - v, v - low)};
}

/* The value that the 1x1 convolution writes at a position. index: number of the
 * depthwise post-op. */
static ref_value_t between(const ref_t *ref, const dnnl_dim_t *pos, int index) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    products_t p = {0, 0, 0};
    for (int64_t c = 0; c < src->dims[1]; c++) {
        const dnnl_dims_t s = {pos[0], c, pos[2], pos[3]}, t = {pos[1], c};
        add_product(ref, &p, s, t);
    }
    const bool exact = sums_integers(ref);
    const dnnl_dims_t w = {pos[1]};
    ref_value_t x =
            exact ? ref_input(ref, dnnl_s32, p.sum)
                  : (ref_value_t){p.sum, 0.5 * ref->epsilon * (double)(p.count + 1) * p.magnitude};
    x = scaled(ref, dnnl_binary_mul, x, DNNL_ARG_SRC, pos);
    x = scaled(ref, dnnl_binary_mul, x, DNNL_ARG_WEIGHTS, w);
    if (pd_find_arg(ref->pd, DNNL_ARG_BIAS) >= 0)
        x = ref_binary(ref->epsilon, dnnl_binary_add, x, ref_at(ref, DNNL_ARG_BIAS, &pos[1]));
    x = ref_post_ops_between(ref, x, pos, 0, index);
    return stored(between_dt(ref), scaled(ref, dnnl_binary_div, x, DNNL_ARG_DST, pos));
}

ref_value_t ref_fused_convolution(const ref_t *ref, const dnnl_dim_t *pos) {
    enum { WEI = DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS };
    const struct dnnl_post_ops *ops = &ref->pd->attr.post_ops;
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    const double eps = ref->epsilon;
    int index = 0;
    while (ops->entry[index].kind != dnnl_convolution) index++;
    const post_op_t *dw = &ops->entry[index];
    double sum = 0, error = 0, magnitude = 0;
    dnnl_dims_t k = {0}, taps = {dw->depthwise.kernel, dw->depthwise.kernel};
    do {
        const int64_t h = pos[2] * dw->depthwise.stride - dw->depthwise.padding + k[0];
        const int64_t w = pos[3] * dw->depthwise.stride - dw->depthwise.padding + k[1];
        if (h < 0 || h >= src->dims[2] || w < 0 || w >= src->dims[3]) continue;
        const dnnl_dims_t at = {pos[0], pos[1], h, w}, wei = {pos[1], 0, 0, k[0], k[1]};
        const ref_value_t x = between(ref, at, index);
        const double v = ref_at(ref, WEI, wei).v;
        sum += x.v * v;
        magnitude += fabs(x.v * v);
        error += x.error * fabs(v);
    } while (ref_next(taps, 2, k));
    ref_value_t x = {sum, error + 0.5 * eps * (double)(taps[0] * taps[1] + 1) * magnitude};
    const dnnl_dims_t w = {pos[1]};
    x = scaled(ref, dnnl_binary_mul, x, DNNL_ARG_DST, pos); /* the scale of the tensor in between */
    x = scaled(ref, dnnl_binary_mul, x, WEI, w);
    if (dw->depthwise.bias_dt)
        x = ref_binary(eps, dnnl_binary_add, x,
                ref_at(ref, DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_BIAS, &pos[1]));
    x = ref_post_ops_between(ref, x, pos, index + 1, ops->len);
    return scaled(ref, dnnl_binary_div, x, DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST, pos);
}

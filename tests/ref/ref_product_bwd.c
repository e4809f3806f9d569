/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the sums of products, computed directly from their definitions. */
#include <math.h>

#include "ref_conv.h"

typedef struct {
    double sum, magnitude;
    int64_t count;
} products_t;

static void add_product(
        const ref_t *ref, products_t *p, int arg, const dnnl_dim_t *at, const dnnl_dim_t *diff_at) {
    const double v = ref_at(ref, arg, at).v * ref_at(ref, DNNL_ARG_DIFF_DST, diff_at).v;
    p->sum += v;
    p->magnitude += fabs(v);
    p->count++;
}

static ref_value_t finish(const ref_t *ref, const products_t *p) {
    const double rounding = 0.5 * ref->epsilon * (double)(p->count + 1);
    return (ref_value_t){p->sum, (rounding + ref_product_loss(ref->pd)) * p->magnitude};
}

/* ---- inner product ---- */

ref_value_t ref_inner_product_diff_src(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *wei = pd_md(ref->pd, DNNL_ARG_WEIGHTS);
    products_t p = {0, 0, 0};
    dnnl_dims_t w = {0}, d = {pos[0]};
    for (int i = 1; i < wei->ndims; i++) w[i] = pos[i];
    for (; w[0] < wei->dims[0]; w[0]++) {
        d[1] = w[0];
        add_product(ref, &p, DNNL_ARG_WEIGHTS, w, d);
    }
    return finish(ref, &p);
}

ref_value_t ref_inner_product_diff_weights(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    products_t p = {0, 0, 0};
    dnnl_dims_t s = {0}, d = {0, pos[0]};
    for (int i = 1; i < src->ndims; i++) s[i] = pos[i];
    for (; s[0] < src->dims[0]; s[0]++) {
        d[0] = s[0];
        add_product(ref, &p, DNNL_ARG_SRC, s, d);
    }
    return finish(ref, &p);
}

/* ---- convolution and deconvolution ---- */

/* Which weights connect a channel of the source with one of the destination. */
static int64_t first_dim(const md_t *wei, const md_t *image) {
    return wei->ndims - image->ndims;
}

/* The position of diff_dst that tap k connects with position i of the source; -1: there is none. */
static int64_t dst_at(const op_params_t *p, int d, int64_t i, int64_t k) {
    const int64_t tap = k * (p->dilates[d] + 1) - p->padding[0][d];
    if (p->kind == dnnl_deconvolution) return i * p->strides[d] + tap;
    const int64_t steps = i - tap;
    return steps < 0 || steps % p->strides[d] ? -1 : steps / p->strides[d];
}

ref_value_t ref_convolution_diff_src(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *wei = pd_md(ref->pd, DNNL_ARG_WEIGHTS), *dst = pd_md(ref->pd, DNNL_ARG_DIFF_DST);
    const int nd = dst->ndims;
    const int64_t first = first_dim(wei, dst), oc = wei->dims[first], ic = wei->dims[first + 1];
    products_t p = {0, 0, 0};
    dnnl_dims_t w = {0}, o = {pos[0]}, k = {0};
    w[0] = pos[1] / ic;
    w[first + 1] = pos[1] % ic;
    do {
        bool inside = true;
        for (int d = 0; d < nd - 2; d++) {
            w[first + 2 + d] = k[d];
            o[2 + d] = dst_at(&ref->pd->params, d, pos[2 + d], k[d]);
            inside = inside && o[2 + d] >= 0 && o[2 + d] < dst->dims[2 + d];
        }
        for (int64_t c = 0; inside && c < oc; c++) {
            w[first] = c;
            o[1] = pos[1] / ic * oc + c;
            add_product(ref, &p, DNNL_ARG_WEIGHTS, w, o);
        }
    } while (ref_next(&wei->dims[first + 2], nd - 2, k));
    return finish(ref, &p);
}

/* The positions of the source and of diff_dst that tap k connects, from the position of the image
 * in which windows have positions; false: the tap lies outside of the other one. */
static bool connect(const ref_t *ref, const dnnl_dim_t *k, const dnnl_dim_t *out, dnnl_dim_t *in,
        const md_t *in_md) {
    const op_params_t *p = &ref->pd->params;
    for (int d = 0; d < in_md->ndims - 2; d++) {
        in[2 + d] = out[2 + d] * p->strides[d] - p->padding[0][d] + k[d] * (p->dilates[d] + 1);
        if (in[2 + d] < 0 || in[2 + d] >= in_md->dims[2 + d]) return false;
    }
    return true;
}

ref_value_t ref_convolution_diff_weights(const ref_t *ref, const dnnl_dim_t *pos) {
    if (md_has_zero_dim(pd_md(ref->pd, DNNL_ARG_DIFF_DST))) return (ref_value_t){0, 0};
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC), *dst = pd_md(ref->pd, DNNL_ARG_DIFF_DST);
    const md_t *wei = pd_md(ref->pd, DNNL_ARG_DIFF_WEIGHTS);
    const bool transposed = ref->pd->params.kind == dnnl_deconvolution;
    const int nd = src->ndims, first = (int)first_dim(wei, src);
    const int64_t g = first ? pos[0] : 0;
    products_t p = {0, 0, 0};
    dnnl_dims_t s = {0}, o = {0}, dims = {0};
    dnnl_dim_t *in = transposed ? o : s, *out = transposed ? s : o;
    for (int d = 0; d < nd; d++) dims[d] = d == 1 ? 1 : (transposed ? src : dst)->dims[d];
    dnnl_dims_t at = {0};
    do {
        for (int d = 0; d < nd; d++) out[d] = at[d];
        in[0] = at[0];
        s[1] = g * wei->dims[first + 1] + pos[first + 1];
        o[1] = g * wei->dims[first] + pos[first];
        if (connect(ref, &pos[first + 2], out, in, transposed ? dst : src))
            add_product(ref, &p, DNNL_ARG_SRC, s, o);
    } while (ref_next(dims, nd, at));
    return finish(ref, &p);
}

/* ---- bias ---- */

ref_value_t ref_product_diff_bias(const ref_t *ref, const dnnl_dim_t *pos) {
    if (md_has_zero_dim(pd_md(ref->pd, DNNL_ARG_DIFF_DST))) return (ref_value_t){0, 0};
    const md_t *diff_dst = pd_md(ref->pd, DNNL_ARG_DIFF_DST);
    dnnl_dims_t at = {0}, dims = {0};
    double sum = 0, magnitude = 0;
    int64_t count = 0;
    for (int d = 0; d < diff_dst->ndims; d++) dims[d] = d == 1 ? 1 : diff_dst->dims[d];
    do {
        dnnl_dims_t diff_at;
        for (int d = 0; d < diff_dst->ndims; d++) diff_at[d] = d == 1 ? pos[0] : at[d];
        const double v = ref_at(ref, DNNL_ARG_DIFF_DST, diff_at).v;
        sum += v;
        magnitude += fabs(v);
        count++;
    } while (ref_next(dims, diff_dst->ndims, at));
    return (ref_value_t){sum, 0.5 * ref->epsilon * (double)(count + 1) * magnitude};
}

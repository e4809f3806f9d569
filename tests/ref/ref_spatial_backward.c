/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the source of pooling, computed directly from their definitions. */
#include "ref_spatial_backward.h"

#include <math.h>

static ref_value_t element(const ref_t *ref, int arg, const dnnl_dim_t *pos) {
    const int slot = pd_find_arg(ref->pd, arg);
    const md_t *md = &ref->pd->args[slot].md;
    return ref_input(
            ref, md->data_type, ref_load(md->data_type, ref->data[slot], md_offset(md, pos)));
}

/* A sum, with the errors of its terms, and the magnitude that counts for its own error. */
typedef struct {
    double v, error, magnitude;
    int64_t terms;
} sum_t;

static void add(sum_t *s, ref_value_t x) {
    s->v += x.v;
    s->error += x.error;
    s->magnitude += fabs(x.v);
    s->terms++;
}

static ref_value_t total(const ref_t *ref, const sum_t *s) {
    return (ref_value_t){s->v, s->error + ref->epsilon * (double)s->terms * s->magnitude};
}

/* ---- pooling ---- */

/* The window at position o of the destination that reads position i of the source with tap k. */
static bool window_at(const ref_t *ref, const dnnl_dim_t *i, const dnnl_dim_t *k, dnnl_dim_t *o) {
    const op_params_t *p = &ref->pd->params;
    const md_t *dst = pd_md(ref->pd, DNNL_ARG_DIFF_DST);
    for (int d = 0; d < dst->ndims - 2; d++) {
        const dnnl_dim_t first = i[2 + d] + p->padding[0][d] - k[d] * (p->dilates[d] + 1);
        if (first < 0 || first % p->strides[d]) return false;
        o[2 + d] = first / p->strides[d];
        if (o[2 + d] >= dst->dims[2 + d]) return false;
    }
    return true;
}

/* How many elements of the source a window has. */
static double elements_of(const ref_t *ref, const dnnl_dim_t *o) {
    const op_params_t *p = &ref->pd->params;
    const md_t *src = pd_md(ref->pd, DNNL_ARG_DIFF_SRC);
    double n = 1;
    for (int d = 0; d < src->ndims - 2; d++) {
        int64_t inside = 0;
        for (dnnl_dim_t k = 0; k < p->kernel[d]; k++) {
            const dnnl_dim_t at =
                    o[2 + d] * p->strides[d] - p->padding[0][d] + k * (p->dilates[d] + 1);
            inside += at >= 0 && at < src->dims[2 + d];
        }
        n *= (double)inside;
    }
    return n;
}

ref_value_t ref_pooling_backward(const ref_t *ref, const dnnl_dim_t *pos) {
    const op_params_t *p = &ref->pd->params;
    const int nd = pd_md(ref->pd, DNNL_ARG_DIFF_SRC)->ndims - 2;
    double taps = 1, tap = 0;
    for (int d = 0; d < nd; d++) taps *= (double)p->kernel[d];
    sum_t s = {0};
    dnnl_dims_t k = {0}, o = {pos[0], pos[1]};
    do {
        const double index = tap++;
        if (!window_at(ref, pos, k, o)) continue;
        const ref_value_t v = element(ref, DNNL_ARG_DIFF_DST, o);
        if (p->alg_kind == dnnl_pooling_max) {
            if (element(ref, DNNL_ARG_WORKSPACE, o).v == index) add(&s, v);
            continue;
        }
        const bool exclude = p->alg_kind == dnnl_pooling_avg_exclude_padding;
        add(&s, ref_binary(ref->epsilon, dnnl_binary_div, v,
                        (ref_value_t){exclude ? elements_of(ref, o) : taps, 0}));
    } while (ref_next(p->kernel, nd, k));
    return total(ref, &s);
}

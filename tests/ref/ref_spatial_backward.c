/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the source of pooling, resampling and LRN, computed directly from their definitions.
 */
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

/* ---- resampling ---- */

/* The weight of element i at position o of the forward destination, in one dimension. */
static double weight(const ref_t *ref, int64_t i, int64_t o, int64_t in, int64_t out) {
    if (ref->pd->params.alg_kind == dnnl_resampling_nearest)
        return (2 * o + 1) * in / (2 * out) == i ? 1 : 0;
    const double at = ((double)o + 0.5) * (double)in / (double)out - 0.5, low = floor(at);
    double sum = 0;
    for (int high = 0; high < 2; high++)
        if (fmin(fmax(low + high, 0), (double)in - 1) == (double)i)
            sum += high ? at - low : 1 - (at - low);
    return sum;
}

/* The first position whose weight is not 0, and the one after the last. */
static void readers(const ref_t *ref, int64_t i, int64_t in, int64_t out, dnnl_dim_t *first,
        dnnl_dim_t *count) {
    int64_t end = 0;
    *first = out;
    for (int64_t o = 0; o < out; o++) {
        if (weight(ref, i, o, in, out) == 0) continue;
        if (*first == out) *first = o;
        end = o + 1;
    }
    *count = *first < out ? end - *first : 0;
}

ref_value_t ref_resampling_backward(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_DIFF_SRC), *dst = pd_md(ref->pd, DNNL_ARG_DIFF_DST);
    const int nd = src->ndims - 2;
    dnnl_dims_t first, count, k = {0}, o = {pos[0], pos[1]};
    for (int d = 0; d < nd; d++) {
        readers(ref, pos[2 + d], src->dims[2 + d], dst->dims[2 + d], &first[d], &count[d]);
        if (count[d] == 0) return (ref_value_t){0, 0};
    }
    sum_t s = {0};
    do {
        double product = 1, loss = 0;
        for (int d = 0; d < nd; d++) {
            o[2 + d] = first[d] + k[d];
            product *= weight(ref, pos[2 + d], o[2 + d], src->dims[2 + d], dst->dims[2 + d]);
        }
        if (product == 0) continue;
        const ref_value_t v = element(ref, DNNL_ARG_DIFF_DST, o);
        /* Each factor is rounded twice, and a small one, 1 - w, has the error of w. */
        if (ref->pd->params.alg_kind == dnnl_resampling_linear)
            loss = ref->epsilon * (double)(4 * nd) * (1 + product);
        add(&s, (ref_value_t){product * v.v, product * v.error + loss * fabs(v.v)});
    } while (ref_next(count, nd, k));
    s.terms += nd; /* sums of rows are multiplied */
    return total(ref, &s);
}

/* ---- LRN ---- */

static ref_value_t mul(const ref_t *ref, ref_value_t a, ref_value_t b) {
    return ref_binary(ref->epsilon, dnnl_binary_mul, a, b);
}

/* The base at a position to the power of -beta. */
static ref_value_t scale_at(const ref_t *ref, const dnnl_dim_t *pos) {
    return ref_eltwise(ref->epsilon, dnnl_eltwise_pow, element(ref, DNNL_ARG_WORKSPACE, pos), 1,
            -(double)ref->pd->params.beta);
}

ref_value_t ref_lrn_backward(const ref_t *ref, const dnnl_dim_t *pos) {
    const op_params_t *p = &ref->pd->params;
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    const bool across = p->alg_kind == dnnl_lrn_across_channels;
    const int first = across ? 1 : 2, last = across ? 1 : src->ndims - 1;
    const dnnl_dim_t half = (p->local_size - 1) / 2;
    dnnl_dims_t window, k = {0}, j;
    double elements = 1;
    sum_t s = {0};
    for (int d = 0; d < src->ndims; d++) {
        j[d] = pos[d];
        window[d] = d >= first && d <= last ? 2 * half + 1 : 1;
        if (d >= first && d <= last) elements *= (double)p->local_size;
    }
    do {
        bool inside = true;
        for (int d = first; d <= last; d++) {
            j[d] = pos[d] + k[d] - half;
            inside = inside && j[d] >= 0 && j[d] < src->dims[d];
        }
        if (!inside) continue;
        const ref_value_t power = ref_binary(ref->epsilon, dnnl_binary_div, scale_at(ref, j),
                element(ref, DNNL_ARG_WORKSPACE, j));
        const ref_value_t product =
                mul(ref, element(ref, DNNL_ARG_DIFF_DST, j), element(ref, DNNL_ARG_SRC, j));
        add(&s, mul(ref, product, power));
    } while (ref_next(window, src->ndims, k));
    const double factor = 2 * (double)p->alpha * (double)p->beta / elements;
    const ref_value_t rounded = {factor, 3 * ref->epsilon * fabs(factor)};
    return ref_binary(ref->epsilon, dnnl_binary_sub,
            mul(ref, scale_at(ref, pos), element(ref, DNNL_ARG_DIFF_DST, pos)),
            mul(ref, mul(ref, rounded, element(ref, DNNL_ARG_SRC, pos)), total(ref, &s)));
}

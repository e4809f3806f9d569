/* SPDX-License-Identifier: Apache-2.0 */
/* References of the primitives that reduce. */
#include "ref_norm.h"

#include <float.h>
#include <math.h>
#include <string.h>

static ref_value_t exact(double v) {
    return (ref_value_t){v, 0};
}

static ref_value_t scaled(
        const ref_t *ref, dnnl_alg_kind_t alg, ref_value_t x, int arg, const dnnl_dim_t *pos) {
    if (!quant_find(&ref->pd->attr.scales, arg)) return x;
    return ref_binary(ref->epsilon, alg, x, ref_scale(ref, arg, pos));
}

/* Finishes the result of a primitive kind that has scales. */
static ref_value_t finish(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos) {
    x = scaled(ref, dnnl_binary_mul, x, DNNL_ARG_SRC, pos);
    x = ref_post_ops(ref, x, pos);
    return scaled(ref, dnnl_binary_div, x, DNNL_ARG_DST, pos);
}

/* A part of the source: positions from `first` on, `count` of them in each dimension. */
typedef struct {
    dnnl_dims_t first, count;
} part_t;

/* Calls f for each value of the part. */
static void each(const ref_t *ref, const part_t *part, void (*f)(double x, void *arg), void *arg) {
    const int ndims = pd_md(ref->pd, DNNL_ARG_SRC)->ndims;
    dnnl_dims_t at = {0}, pos;
    do {
        for (int d = 0; d < ndims; d++) pos[d] = part->first[d] + at[d];
        f(ref_at(ref, DNNL_ARG_SRC, pos).v, arg);
    } while (ref_next(part->count, ndims, at));
}

/* ---- softmax ---- */

typedef struct {
    double top, sum, n;
} softmax_t;

static void find_top(double x, void *arg) {
    softmax_t *s = arg;
    s->top = fmax(s->top, x);
    s->n++;
}
static void add_exp(double x, void *arg) {
    softmax_t *s = arg;
    s->sum += exp(x - s->top);
}

ref_value_t ref_softmax(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    const int axis = ref->pd->params.axis;
    part_t part;
    for (int d = 0; d < src->ndims; d++) {
        part.first[d] = d == axis ? 0 : pos[d];
        part.count[d] = d == axis ? src->dims[d] : 1;
    }
    softmax_t s = {-INFINITY, 0, 0};
    each(ref, &part, find_top, &s);
    each(ref, &part, add_exp, &s);
    const double x = ref_at(ref, DNNL_ARG_SRC, pos).v - s.top, eps = ref->epsilon;
    ref_value_t y;
    if (ref->pd->params.alg_kind == dnnl_softmax_log) {
        y.v = x - log(s.sum);
        y.error = eps * (fabs(x) + s.n + 8 + 4 * log(s.sum) + fabs(y.v));
    } else {
        y.v = exp(x) / s.sum;
        y.error = eps * y.v * (fabs(x) + s.n + 16) + (eps > 1e-10 ? 4 * (double)FLT_MIN : 0);
    }
    return finish(ref, y, pos);
}

/* ---- reduction ---- */

typedef struct {
    dnnl_alg_kind_t alg;
    double p, value, absolute, n;
} reduction_t;

static void reduce(double x, void *arg) {
    reduction_t *r = arg;
    r->n++;
    switch ((int)r->alg) {
    case dnnl_reduction_max: r->value = r->n == 1 ? x : ref_maximum(r->value, x); break;
    case dnnl_reduction_min: r->value = r->n == 1 ? x : ref_minimum(r->value, x); break;
    case dnnl_reduction_mul: r->value = r->n == 1 ? x : r->value * x; break;
    case dnnl_reduction_sum:
    case dnnl_reduction_mean: r->value += x; break;
    default: x = pow(fabs(x), r->p); r->value += x;
    }
    r->absolute += fabs(x);
}

ref_value_t ref_reduction(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC), *dst = pd_md(ref->pd, DNNL_ARG_DST);
    const op_params_t *params = &ref->pd->params;
    part_t part;
    for (int d = 0; d < src->ndims; d++) {
        const bool whole = dst->dims[d] == 1;
        part.first[d] = whole ? 0 : pos[d];
        part.count[d] = whole ? src->dims[d] : 1;
    }
    reduction_t r = {params->alg_kind, params->alpha, 0, 0, 0};
    each(ref, &part, reduce, &r);
    const double eps = ref->epsilon, limit = params->beta;
    ref_value_t y = {r.value, eps * r.n * r.absolute};
    switch ((int)r.alg) {
    case dnnl_reduction_max:
    case dnnl_reduction_min: y.error = 0; break;
    case dnnl_reduction_mul:
        y.error = eps * r.n * fabs(r.value) + (eps > 1e-10 ? 2 * (double)FLT_MIN : 0);
        break;
    case dnnl_reduction_sum: break;
    case dnnl_reduction_mean:
        y = (ref_value_t){y.v / r.n, (y.error + 2 * eps * fabs(y.v)) / r.n};
        break;
    default:
        y.error = eps * (r.n + 20) * r.absolute;
        if (r.alg == dnnl_reduction_norm_lp_max || r.alg == dnnl_reduction_norm_lp_power_p_max)
            y.v = ref_maximum(y.v, limit);
        else y = ref_binary(eps, dnnl_binary_add, y, exact(limit));
        if (r.alg == dnnl_reduction_norm_lp_max || r.alg == dnnl_reduction_norm_lp_sum)
            y = ref_eltwise(eps, dnnl_eltwise_pow, y, 1, (double)(1 / params->alpha));
    }
    return ref_post_ops(ref, y, pos);
}

/* ---- normalizations ---- */

typedef struct {
    double sum, absolute, n, mean, square, distance;
} moments_t;

static void first_moment(double x, void *arg) {
    moments_t *m = arg;
    m->sum += x;
    m->absolute += fabs(x);
    m->n++;
}
static void second_moment(double x, void *arg) {
    moments_t *m = arg;
    m->square += (x - m->mean) * (x - m->mean);
    m->distance += fabs(x - m->mean);
}

typedef struct {
    ref_value_t mean, variance;
} stats_t;

/* The part of the source that belongs to a position of the destination, and the position of its
 * statistics in their tensor. */
static part_t norm_part(const ref_t *ref, const dnnl_dim_t *pos, dnnl_dim_t *stat_pos) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    const op_params_t *p = &ref->pd->params;
    part_t part;
    for (int d = 0; d < src->ndims; d++) {
        bool whole = p->kind == dnnl_layer_normalization   ? d == src->ndims - 1
                     : p->kind == dnnl_batch_normalization ? d != 1
                                                           : d > 1;
        part.first[d] = whole ? 0 : pos[d];
        part.count[d] = whole ? src->dims[d] : 1;
        stat_pos[d] = pos[d];
    }
    if (p->kind == dnnl_batch_normalization) stat_pos[0] = pos[1];
    if (p->kind == dnnl_group_normalization) {
        const dnnl_dim_t size = src->dims[1] / p->group_size;
        stat_pos[1] = pos[1] / size;
        part.first[1] = stat_pos[1] * size;
        part.count[1] = size;
    }
    return part;
}

static stats_t compute_stats(const ref_t *ref, const part_t *part) {
    const bool rms = ref->pd->params.flags & dnnl_rms_norm;
    const double eps = ref->epsilon;
    moments_t m = {0, 0, 0, 0, 0, 0};
    each(ref, part, first_moment, &m);
    m.mean = rms ? 0 : m.sum / m.n;
    each(ref, part, second_moment, &m);
    stats_t s = {{m.mean, 0}, {m.square / m.n, 0}};
    if (!rms) s.mean.error = eps * (m.absolute + 2 * fabs(m.mean));
    const double off = s.mean.error;
    s.variance.error = eps * (m.n + 4) * s.variance.v + 2 * off * m.distance / m.n + off * off;
    return s;
}

/* Neighbouring elements share statistics, so the last ones are kept. */
static stats_t remembered_stats(const ref_t *ref, const part_t *part) {
    ref_stats_t *last = ref->stats;
    const size_t size = (size_t)pd_md(ref->pd, DNNL_ARG_SRC)->ndims * sizeof(dnnl_dim_t);
    if (!last) return compute_stats(ref, part);
    if (!last->known || memcmp(last->first, part->first, size)) {
        const stats_t s = compute_stats(ref, part);
        *last = (ref_stats_t){.known = true, .mean = s.mean, .variance = s.variance};
        memcpy(last->first, part->first, size);
    }
    return (stats_t){last->mean, last->variance};
}

static stats_t stats_at(const ref_t *ref, const dnnl_dim_t *pos) {
    dnnl_dims_t stat_pos;
    const part_t part = norm_part(ref, pos, stat_pos);
    if (!(ref->pd->params.flags & dnnl_use_global_stats)) return remembered_stats(ref, &part);
    stats_t s = {{0, 0}, ref_at(ref, DNNL_ARG_VARIANCE, stat_pos)};
    if (!(ref->pd->params.flags & dnnl_rms_norm)) s.mean = ref_at(ref, DNNL_ARG_MEAN, stat_pos);
    return s;
}

static ref_value_t normalized(const ref_t *ref, const dnnl_dim_t *pos, dnnl_dim_t channel) {
    const double eps = ref->epsilon;
    const stats_t s = stats_at(ref, pos);
    ref_value_t root =
            ref_binary(eps, dnnl_binary_add, s.variance, exact((double)ref->pd->params.epsilon));
    root = ref_eltwise(eps, dnnl_eltwise_pow, root, 1, -0.5);
    ref_value_t x = ref_binary(eps, dnnl_binary_sub, ref_at(ref, DNNL_ARG_SRC, pos), s.mean);
    x = ref_binary(eps, dnnl_binary_mul, x, root);
    if (pd_find_arg(ref->pd, DNNL_ARG_SCALE) >= 0)
        x = ref_binary(eps, dnnl_binary_mul, x, ref_at(ref, DNNL_ARG_SCALE, &channel));
    x.error += eps * fabs(x.v); /* the implementation may combine the factors first */
    if (pd_find_arg(ref->pd, DNNL_ARG_SHIFT) >= 0)
        x = ref_binary(eps, dnnl_binary_add, x, ref_at(ref, DNNL_ARG_SHIFT, &channel));
    return x;
}

ref_value_t ref_layer_norm(const ref_t *ref, const dnnl_dim_t *pos) {
    return finish(ref, normalized(ref, pos, pos[pd_md(ref->pd, DNNL_ARG_SRC)->ndims - 1]), pos);
}

ref_value_t ref_group_norm(const ref_t *ref, const dnnl_dim_t *pos) {
    return finish(ref, normalized(ref, pos, pos[1]), pos);
}

ref_value_t ref_batch_norm_relu(const ref_t *ref, const dnnl_dim_t *pos) {
    const double eps = ref->epsilon;
    const unsigned flags = ref->pd->params.flags;
    ref_value_t x = normalized(ref, pos, pos[1]);
    if (flags & dnnl_fuse_norm_add_relu)
        x = ref_binary(eps, dnnl_binary_add, x, ref_at(ref, DNNL_ARG_SRC_1, pos));
    if (flags & (dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu))
        x = ref_eltwise(eps, dnnl_eltwise_relu, x, 0, 0);
    return x;
}

ref_value_t ref_batch_norm(const ref_t *ref, const dnnl_dim_t *pos) {
    return ref_post_ops(ref, ref_batch_norm_relu(ref, pos), pos);
}

/* A position of the destination whose statistics are at `pos` of their tensor. */
static stats_t stats_out(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    const op_params_t *p = &ref->pd->params;
    dnnl_dims_t at = {0}, unused;
    if (p->kind == dnnl_batch_normalization) {
        at[1] = pos[0];
    } else if (p->kind == dnnl_group_normalization) {
        at[0] = pos[0];
        at[1] = pos[1] * (src->dims[1] / p->group_size);
    } else {
        for (int d = 0; d < src->ndims - 1; d++) at[d] = pos[d];
    }
    const part_t part = norm_part(ref, at, unused);
    return remembered_stats(ref, &part);
}

ref_value_t ref_mean_out(const ref_t *ref, const dnnl_dim_t *pos) {
    return stats_out(ref, pos).mean;
}

ref_value_t ref_variance_out(const ref_t *ref, const dnnl_dim_t *pos) {
    return stats_out(ref, pos).variance;
}

ref_value_t ref_prelu(const ref_t *ref, const dnnl_dim_t *pos) {
    const ref_value_t x = ref_at(ref, DNNL_ARG_SRC, pos);
    return x.v > 0 ? x
                   : ref_binary(
                             ref->epsilon, dnnl_binary_mul, x, ref_at(ref, DNNL_ARG_WEIGHTS, pos));
}

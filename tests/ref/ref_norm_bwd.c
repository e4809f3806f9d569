/* SPDX-License-Identifier: Apache-2.0 */
/* References of the backward propagation of primitives that reduce. */
#include "ref_norm.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ref_softmax's derivative is taken at the destination, whatever numbers it has. */
ref_value_t ref_softmax_bwd(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *dst = pd_md(ref->pd, DNNL_ARG_DST);
    const bool is_log = ref->pd->params.alg_kind == dnnl_softmax_log;
    const int axis = ref->pd->params.axis;
    const double eps = ref->epsilon, n = (double)dst->dims[axis];
    double sum = 0, size = 0;
    dnnl_dims_t at;
    memcpy(at, pos, sizeof(at[0]) * (size_t)dst->ndims);
    for (at[axis] = 0; at[axis] < dst->dims[axis]; at[axis]++) {
        const double d = is_log ? 1 : ref_at(ref, DNNL_ARG_DST, at).v;
        const double term = d * ref_at(ref, DNNL_ARG_DIFF_DST, at).v;
        sum += term;
        size += fabs(term);
    }
    const double d = ref_at(ref, DNNL_ARG_DST, pos).v, dd = ref_at(ref, DNNL_ARG_DIFF_DST, pos).v;
    const double sum_error = eps * (n + 2) * size;
    const double tiny = eps > 1e-10 ? 4 * (double)FLT_MIN : 0; /* subnormals may be lost */
    if (is_log) {
        const double e = exp(d), y = dd - e * sum;
        return (ref_value_t){
                y, e * (sum_error + eps * (fabs(d) + 8) * fabs(sum)) + eps * fabs(y) + tiny};
    }
    const double y = d * (dd - sum);
    return (ref_value_t){y, fabs(d) * (sum_error + eps * fabs(dd - sum)) + eps * fabs(y) + tiny};
}

/* ---- normalizations ---- */

static ref_value_t product(const ref_t *ref, ref_value_t x, ref_value_t y) {
    return ref_binary(ref->epsilon, dnnl_binary_mul, x, y);
}

static int channel_dim(const ref_t *ref) {
    const bool rows = ref->pd->params.kind == dnnl_layer_normalization;
    return rows ? pd_md(ref->pd, DNNL_ARG_SRC)->ndims - 1 : 1;
}

/* The position of a statistic for a position of the source. */
static void stat_pos(const ref_t *ref, const dnnl_dim_t *pos, dnnl_dim_t *at) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    const op_params_t *p = &ref->pd->params;
    memcpy(at, pos, sizeof(at[0]) * (size_t)src->ndims);
    if (p->kind == dnnl_batch_normalization) at[0] = pos[1];
    if (p->kind == dnnl_group_normalization) at[1] = pos[1] / (src->dims[1] / p->groups);
}

static ref_value_t root_at(const ref_t *ref, const dnnl_dim_t *pos) {
    const ref_value_t epsilon = {(double)ref->pd->params.epsilon, 0};
    dnnl_dims_t at;
    stat_pos(ref, pos, at);
    const ref_value_t x =
            ref_binary(ref->epsilon, dnnl_binary_add, ref_at(ref, DNNL_ARG_VARIANCE, at), epsilon);
    return ref_eltwise(ref->epsilon, dnnl_eltwise_sqrt, x, 0, 0);
}

static ref_value_t x_hat_at(const ref_t *ref, const dnnl_dim_t *pos) {
    dnnl_dims_t at;
    stat_pos(ref, pos, at);
    ref_value_t x = ref_at(ref, DNNL_ARG_SRC, pos);
    if (!(ref->pd->params.flags & dnnl_rms_norm))
        x = ref_binary(ref->epsilon, dnnl_binary_sub, x, ref_at(ref, DNNL_ARG_MEAN, at));
    return ref_binary(ref->epsilon, dnnl_binary_div, x, root_at(ref, pos));
}

/* Did relu let the element pass? The workspace has a byte for each element of the forward
 * destination, which is the hint's, in the order of its buffer; in row-major order if that has
 * holes. */
static bool relu_passed(const ref_t *ref, const dnnl_dim_t *pos) {
    const int slot = pd_find_arg(ref->pd, DNNL_ARG_WORKSPACE);
    if (slot < 0) return true;
    const md_t *dst = pd_md(ref->pd->request.hint_fwd, DNNL_ARG_DST);
    int64_t at = 0;
    for (int d = 0; d < dst->ndims; d++) at = at * dst->dims[d] + pos[d];
    if (md_is_dense(dst, true)) at = md_offset(dst, pos) - dst->offset0;
    return ((const uint8_t *)ref->data[slot])[at] != 0;
}

/* The gradient before scale and shift. */
static ref_value_t diff_at(const ref_t *ref, const dnnl_dim_t *pos) {
    return relu_passed(ref, pos) ? ref_at(ref, DNNL_ARG_DIFF_DST, pos) : (ref_value_t){0, 0};
}

ref_value_t ref_norm_diff_src_1(const ref_t *ref, const dnnl_dim_t *pos) {
    return diff_at(ref, pos);
}

static ref_value_t scaled_at(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos) {
    if (!(ref->pd->params.flags & dnnl_use_scale)) return x;
    return product(ref, x, ref_at(ref, DNNL_ARG_SCALE, &pos[channel_dim(ref)]));
}

/* A sum in any order. */
typedef struct {
    double n, sum, absolute, error;
} sum_t;

static void sum_add(sum_t *s, ref_value_t x) {
    s->n++;
    s->sum += x.v;
    s->absolute += fabs(x.v);
    s->error += x.error;
}

static ref_value_t sum_result(const ref_t *ref, const sum_t *s) {
    return (ref_value_t){s->sum, s->error + ref->epsilon * (s->n + 4) * s->absolute};
}

/* The sum's last step divides it by n. */
static ref_value_t mean_result(const ref_t *ref, const sum_t *s) {
    const ref_value_t x = sum_result(ref, s);
    return (ref_value_t){x.v / s->n, (x.error + 2 * ref->epsilon * fabs(x.v)) / s->n};
}

/* The elements that share the statistics of a position. */
static void shared_part(
        const ref_t *ref, const dnnl_dim_t *pos, dnnl_dim_t *first, dnnl_dim_t *count) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    const op_params_t *p = &ref->pd->params;
    for (int d = 0; d < src->ndims; d++) {
        const bool whole = p->kind == dnnl_layer_normalization   ? d == src->ndims - 1
                           : p->kind == dnnl_batch_normalization ? d != 1
                                                                 : d > 1;
        first[d] = whole ? 0 : pos[d];
        count[d] = whole ? src->dims[d] : 1;
    }
    if (p->kind != dnnl_group_normalization) return;
    count[1] = src->dims[1] / p->groups;
    first[1] = pos[1] / count[1] * count[1];
}

/* The means of g and of g * x_hat. */
typedef struct {
    ref_value_t g, slope;
} means_t;

static means_t compute_means(const ref_t *ref, const dnnl_dim_t *first, const dnnl_dim_t *count) {
    const int ndims = pd_md(ref->pd, DNNL_ARG_SRC)->ndims;
    dnnl_dims_t i = {0}, at;
    sum_t g = {0, 0, 0, 0}, slope = {0, 0, 0, 0};
    do {
        for (int d = 0; d < ndims; d++) at[d] = first[d] + i[d];
        const ref_value_t x = scaled_at(ref, diff_at(ref, at), at);
        sum_add(&g, x);
        sum_add(&slope, product(ref, x, x_hat_at(ref, at)));
    } while (ref_next(count, ndims, i));
    return (means_t){mean_result(ref, &g), mean_result(ref, &slope)};
}

/* Neighbouring elements share the means, so the last ones are kept. */
static means_t means_at(const ref_t *ref, const dnnl_dim_t *pos) {
    ref_stats_t *last = ref->stats;
    const size_t size = (size_t)pd_md(ref->pd, DNNL_ARG_SRC)->ndims * sizeof(dnnl_dim_t);
    dnnl_dims_t first, count;
    shared_part(ref, pos, first, count);
    if (!last) return compute_means(ref, first, count);
    if (!last->known || memcmp(last->first, first, size)) {
        const means_t m = compute_means(ref, first, count);
        *last = (ref_stats_t){.known = true, .mean = m.g, .variance = m.slope};
        memcpy(last->first, first, size);
    }
    return (means_t){last->mean, last->variance};
}

/* mean of g + x_hat * mean of g * x_hat: what the statistics' gradients take off g. */
static ref_value_t correction_at(const ref_t *ref, const dnnl_dim_t *pos) {
    const means_t means = means_at(ref, pos);
    const ref_value_t x = product(ref, x_hat_at(ref, pos), means.slope);
    if (ref->pd->params.flags & dnnl_rms_norm) return x;
    return ref_binary(ref->epsilon, dnnl_binary_add, x, means.g);
}

/* The gradient of the source, of src, MEAN and VARIANCE whatever numbers they are. */
ref_value_t ref_norm_diff_src(const ref_t *ref, const dnnl_dim_t *pos) {
    const double eps = ref->epsilon;
    const ref_value_t root = root_at(ref, pos);
    ref_value_t x = scaled_at(ref, diff_at(ref, pos), pos);
    if (!(ref->pd->params.flags & dnnl_use_global_stats)) {
        const ref_value_t y = correction_at(ref, pos);
        x.error += eps * fabs(y.v); /* the scale may come after the difference */
        x = ref_binary(eps, dnnl_binary_sub, x, y);
    }
    x = ref_binary(eps, dnnl_binary_div, x, root);
    x.error += 2 * eps * fabs(x.v);
    return x;
}

/* The sum over all elements of a channel, of diff_dst * x_hat or of diff_dst. */
static ref_value_t channel_sum(const ref_t *ref, dnnl_dim_t channel, bool with_x_hat) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    const int dim = channel_dim(ref);
    dnnl_dims_t count, i = {0}, at;
    sum_t sum = {0, 0, 0, 0};
    if (md_has_zero_dim(src)) return (ref_value_t){0, 0};
    memcpy(count, src->dims, sizeof(count));
    count[dim] = 1;
    do {
        memcpy(at, i, sizeof(at));
        at[dim] = channel;
        const ref_value_t x = diff_at(ref, at);
        sum_add(&sum, with_x_hat ? product(ref, x, x_hat_at(ref, at)) : x);
    } while (ref_next(count, src->ndims, i));
    return sum_result(ref, &sum);
}

ref_value_t ref_norm_diff_scale(const ref_t *ref, const dnnl_dim_t *pos) {
    return channel_sum(ref, pos[0], true);
}

ref_value_t ref_norm_diff_shift(const ref_t *ref, const dnnl_dim_t *pos) {
    return channel_sum(ref, pos[0], false);
}

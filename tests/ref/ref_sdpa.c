/* SPDX-License-Identifier: Apache-2.0 */
/* The reference of attention. It computes the scores, the weights and their errors for a row, and
 * then one element of the result. */
#include "ref_sdpa.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "plan/variant.h"

/* Values that all elements of a row of the result share. */
typedef struct {
    int64_t room, n;
    double *weight, *error; /* of each key; the errors are absolute */
    double top, sum, sum_error;
    dnnl_dims_t row;
    const void *queries;
} row_t;

/* The error of rounding to the type that the device multiplies: relative, and at least `least`.
 * The matrix units multiply numbers of the type of the queries. */
static void rounding(const pd_t *pd, double *relative, double *least) {
    const dnnl_data_type_t dt =
            pd_md(pd, DNNL_ARG_QUERIES)->data_type == dnnl_bf16 ? dnnl_bf16 : dnnl_f16;
    const bool rounds = pd->variant >= 0 && variants[pd->variant].target == TARGET_XMX16;
    *relative = !rounds ? 0 : dt == dnnl_f16 ? 0x1p-11 : 0x1p-8;
    *least = (rounds && dt == dnnl_f16 ? 0x1p-25 : 0) + 4 * (double)FLT_MIN;
}

/* Are keys or values stored as they are multiplied? */
static bool is_exact(const pd_t *pd, int arg) {
    const dnnl_data_type_t dt = pd_md(pd, arg)->data_type;
    return (dt == dnnl_f32 || dt == dnnl_f16 || dt == dnnl_bf16) &&
           !quant_find(&pd->attr.scales, arg) && !quant_find(&pd->attr.zero_points, arg);
}

/* An element of the keys or of the values. */
static ref_value_t element(const ref_t *ref, int arg, bool exact, const dnnl_dim_t *pos) {
    ref_value_t x = ref_at(ref, arg, pos);
    double relative, least;
    if (exact) return x;
    x.v = (x.v - ref_zero_point(ref, arg, pos).v) * ref_scale(ref, arg, pos).v;
    rounding(ref->pd, &relative, &least);
    x.error = fabs(x.v) * (2 * ref->epsilon + relative) + least;
    return x;
}

static int64_t visible(const pd_t *pd, int64_t query, int64_t queries, int64_t keys) {
    int64_t n = keys;
    if (pd->params.flags == dnnl_ze_attn_mask_top_left) n = query + 1;
    if (pd->params.flags == dnnl_ze_attn_mask_bottom_right) n = query + 1 + keys - queries;
    return n < 0 ? 0 : n > keys ? keys : n;
}

/* Finds the head of keys that belongs to a head of queries. */
static void share_heads(const pd_t *pd, dnnl_dim_t *pos) {
    const md_t *q = pd_md(pd, DNNL_ARG_QUERIES), *k = pd_md(pd, DNNL_ARG_KEYS);
    const int heads = q->ndims - 3;
    if (heads >= 0) pos[heads] /= q->dims[heads] / k->dims[heads];
}

/* The scale or the cap; 1 if there is none. */
static double factor_of(const ref_t *ref, int arg) {
    const int slot = pd_find_arg(ref->pd, arg);
    if (slot < 0) return 1;
    const md_t *md = &ref->pd->args[slot].md;
    return ref_load(md->data_type, ref->data[slot], md_is_host_scalar(md) ? 0 : md->offset0);
}

static double scale_of(const ref_t *ref) {
    const double scale = factor_of(ref, DNNL_ARG_SCALE);
    return ref->pd->params.direction ? 1 / scale : scale;
}

/* Drops weights by their number among those of all queries. The sums stay those of all. */
static void drop(const ref_t *ref, const dnnl_dim_t *pos, row_t *row, int64_t keys) {
    const md_t *q = pd_md(ref->pd, DNNL_ARG_QUERIES);
    const double p = factor_of(ref, DNNL_ARG_ATTR_DROPOUT_PROBABILITY);
    uint64_t number = 0;
    for (int d = 0; d < q->ndims - 1; d++)
        number = number * (uint64_t)q->dims[d] + (uint64_t)pos[d];
    number *= (uint64_t)keys;
    for (int64_t j = 0; j < row->n; j++) {
        const double factor = ref_keeps_number(ref, number + (uint64_t)j) ? 1 / (1 - p) : 0;
        row->error[j] = factor * (row->error[j] + 4 * ref->epsilon * row->weight[j]);
        row->weight[j] *= factor;
    }
}

static void make_row(const ref_t *ref, const dnnl_dim_t *pos, row_t *row) {
    const pd_t *pd = ref->pd;
    const md_t *k = pd_md(pd, DNNL_ARG_KEYS), *q = pd_md(pd, DNNL_ARG_QUERIES);
    const int nd = q->ndims;
    const int64_t keys = k->dims[nd - 1], size = k->dims[nd - 2];
    const double eps = ref->epsilon, scale = scale_of(ref);
    const bool masked = pd_find_arg(pd, DNNL_ARG_ATTN_MASK) >= 0,
               exact = is_exact(pd, DNNL_ARG_KEYS), caps = pd_find_arg(pd, DNNL_ARG_ATTN_CAP) >= 0;
    const double cap = factor_of(ref, DNNL_ARG_ATTN_CAP);
    const bool selects = pd->params.attn_mask >= dnnl_ze_attn_mask_select,
               fills = pd_find_arg(pd, DNNL_ARG_ATTN_FILL) >= 0;
    double top = -INFINITY, relative, least;
    row->n = visible(pd, pos[nd - 2], q->dims[nd - 2], keys);
    if (keys > row->room) {
        row->weight = realloc(row->weight, (size_t)keys * sizeof(double));
        row->error = realloc(row->error, (size_t)keys * sizeof(double));
        if (!row->weight || !row->error) abort();
        row->room = keys;
    }
    dnnl_dims_t at, key_at;
    memcpy(at, pos, sizeof(at));
    memcpy(key_at, pos, sizeof(key_at));
    share_heads(pd, key_at);
    for (int64_t j = 0; j < row->n; j++) {
        double dot = 0, most = 0, lost = 0;
        for (int64_t i = 0; i < size; i++) {
            at[nd - 1] = key_at[nd - 2] = i;
            key_at[nd - 1] = j;
            const double query = (ref_at(ref, DNNL_ARG_QUERIES, at).v -
                                         ref_zero_point(ref, DNNL_ARG_QUERIES, at).v) *
                                 ref_scale(ref, DNNL_ARG_QUERIES, at).v;
            const ref_value_t key = element(ref, DNNL_ARG_KEYS, exact, key_at);
            dot += query * key.v;
            most += fabs(query * key.v);
            lost += fabs(query) * key.error;
        }
        double score = dot * scale;
        row->error[j] = eps * ((double)(size + 5) * most * fabs(scale) + 3 * fabs(score)) +
                        fabs(scale) * lost * (1 + (double)(size + 5) * eps);
        if (caps) { /* tanh is at most as steep as its argument */
            score = cap * tanh(score);
            row->error[j] = fabs(cap) * (row->error[j] + 8 * eps);
        }
        at[nd - 1] = j;
        const double mask = masked ? ref_at(ref, DNNL_ARG_ATTN_MASK, at).v : 0;
        if (!selects) score += mask;
        const bool replaced = selects && (mask != 0) == (pd->params.attn_mask & 1);
        if (replaced) score = fills ? factor_of(ref, DNNL_ARG_ATTN_FILL) : -INFINITY;
        if (replaced) row->error[j] = 0;
        else row->error[j] += 3 * eps * fabs(score);
        row->weight[j] = score;
        top = fmax(top, score);
    }
    rounding(pd, &relative, &least);
    row->top = top;
    row->sum = row->sum_error = 0;
    for (int64_t j = 0; j < row->n; j++) {
        const double below = row->weight[j] - top,
                     weight = row->weight[j] == -INFINITY ? 0 : exp(below);
        /* The maximum grows at most once per key, and each time it adds a factor. */
        const double arithmetic = eps * (3 * fabs(below) + 6 * (double)row->n + 16);
        const double error = weight > 0 ? weight * (expm1(row->error[j]) + arithmetic) : 0;
        row->sum += weight;
        row->sum_error += error;
        row->weight[j] = weight;
        row->error[j] = error + weight * relative + (weight > 0 ? least : 0);
    }
    if (pd->attr.dropout.set) drop(ref, pos, row, keys);
}

/* Weights in steps of a type. One of which the exact value is so close to the middle between two
 * steps that its error passes it may become either. */
static void round_weights(const ref_t *ref, row_t *row) {
    const dnnl_data_type_t dt = ref->pd->params.weight_dt;
    const int zero_slot = pd_find_arg(ref->pd, DNNL_ARG_ATTN_WEIGHT_ZERO_POINT);
    const double step = factor_of(ref, DNNL_ARG_ATTN_WEIGHT_SCALE),
                 zero = zero_slot < 0 ? 0 : factor_of(ref, DNNL_ARG_ATTN_WEIGHT_ZERO_POINT),
                 lost = row->sum_error / row->sum;
    for (int64_t j = 0; j < row->n; j++) {
        const double x = row->weight[j] / row->sum / step,
                     error = (row->error[j] / row->sum / step + x * lost) / (1 - fmin(lost, 0.5)) +
                             ref->epsilon * (8 * fabs(x) + 2 * fabs(zero)),
                     is = ref_round(dt, x + zero), low = ref_round(dt, x + zero - error),
                     high = ref_round(dt, x + zero + error);
        row->weight[j] = (is - zero) * step;
        row->error[j] = fmax(is - low, high - is) * step + 2 * ref->epsilon * fabs(row->weight[j]);
    }
    row->sum = 1;
    row->sum_error = 0;
}

ref_value_t ref_sdpa_stats(const ref_t *ref, const dnnl_dim_t *pos) {
    static _Thread_local row_t row;
    const md_t *q = pd_md(ref->pd, DNNL_ARG_QUERIES);
    dnnl_dims_t at = {0};
    int64_t number = pos[0];
    for (int d = q->ndims - 2; d >= 0; d--) {
        at[d] = number % q->dims[d];
        number /= q->dims[d];
    }
    make_row(ref, at, &row);
    if (row.sum == 0) return (ref_value_t){0, 0};
    ref_value_t x = {row.top + log(row.sum), 0};
    const double lost = row.sum_error / row.sum;
    x.error =
            -log1p(-fmin(lost, 0.5)) + 8 * ref->epsilon * (fabs(row.top) + fabs(log(row.sum)) + 16);
    return x;
}

ref_value_t ref_sdpa(const ref_t *ref, const dnnl_dim_t *pos) {
    static _Thread_local row_t row;
    const int nd = pd_md(ref->pd, DNNL_ARG_QUERIES)->ndims,
              query_slot = pd_find_arg(ref->pd, DNNL_ARG_QUERIES);
    if (pos[nd - 1] == 0 || row.queries != ref->data[query_slot] ||
            memcmp(row.row, pos, sizeof(*pos) * (size_t)(nd - 1))) {
        make_row(ref, pos, &row);
        if (row.sum != 0 && ref->pd->params.weight_dt) round_weights(ref, &row);
        memcpy(row.row, pos, sizeof(*pos) * (size_t)(nd - 1));
        row.queries = ref->data[query_slot];
    }
    if (row.sum == 0) return ref_finish(ref, (ref_value_t){0, 0}, pos);
    dnnl_dims_t at;
    memcpy(at, pos, sizeof(at));
    share_heads(ref->pd, at);
    const bool exact = is_exact(ref->pd, DNNL_ARG_VALUES);
    double sum = 0, error = 0, most = 0;
    for (int64_t j = 0; j < row.n; j++) {
        at[nd - 2] = j;
        const ref_value_t value = element(ref, DNNL_ARG_VALUES, exact, at);
        sum += row.weight[j] * value.v;
        most += fabs(row.weight[j] * value.v);
        error += row.error[j] * (fabs(value.v) + value.error) + fabs(row.weight[j]) * value.error;
    }
    ref_value_t x = {sum / row.sum, 0};
    const double lost = row.sum_error / row.sum;
    x.error = (error / row.sum + fabs(x.v) * lost) / (1 - fmin(lost, 0.5)) +
              ref->epsilon * ((double)row.n + 8) * most / row.sum;
    return ref_finish(ref, x, pos);
}

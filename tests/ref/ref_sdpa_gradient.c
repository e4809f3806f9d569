/* SPDX-License-Identifier: Apache-2.0 */
/* The reference of attention's gradients. All scores of the queries that share a matrix of keys are
 * computed when the first element of them is wanted. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "ref_sdpa.h"

/* Of a query and a key: the weight of the value, and the gradients of the score behind the mask and
 * of the product. */
typedef struct {
    ref_value_t weight, score, dot;
} pair_t;

typedef struct {
    int nd;
    int64_t share, queries, keys, size, width;
    dnnl_dims_t outer; /* of the matrix of keys */
    pair_t *pairs;     /* [share][queries][keys] */
} matrix_t;

static double factor_of(const ref_t *ref, int arg) {
    const int slot = pd_find_arg(ref->pd, arg);
    if (slot < 0) return 1;
    const md_t *md = &ref->pd->args[slot].md;
    return ref_load(md->data_type, ref->data[slot], md_is_host_scalar(md) ? 0 : md->offset0);
}

static bool sees(const pd_t *pd, const matrix_t *m, int64_t query, int64_t key) {
    if (pd->params.attn_mask == dnnl_ze_attn_mask_top_left) return key <= query;
    if (pd->params.attn_mask == dnnl_ze_attn_mask_bottom_right)
        return key <= query + m->keys - m->queries;
    return true;
}

/* The sum of products of two rows, where the dims that step are *i and *j. */
static ref_value_t dot_of(const ref_t *ref, int x, dnnl_dim_t *x_at, dnnl_dim_t *i, int y,
        dnnl_dim_t *y_at, dnnl_dim_t *j, int64_t n) {
    ref_value_t sum = {0, 0};
    double most = 0;
    for (*i = *j = 0; *i < n; ++*i, ++*j) {
        const double product = ref_at(ref, x, x_at).v * ref_at(ref, y, y_at).v;
        sum.v += product;
        most += fabs(product);
    }
    sum.error = ref->epsilon * (double)(n + 2) * most;
    return sum;
}

static uint64_t number_of(const md_t *q, const dnnl_dim_t *query) {
    uint64_t number = 0;
    for (int d = 0; d < q->ndims - 1; d++)
        number = number * (uint64_t)q->dims[d] + (uint64_t)query[d];
    return number;
}

/* The score, what it multiplies the gradient of the product with, and their errors. */
static void score_of(const ref_t *ref, ref_value_t dot, const dnnl_dim_t *pos, ref_value_t *score,
        ref_value_t *slope) {
    const pd_t *pd = ref->pd;
    const double eps = ref->epsilon, given = factor_of(ref, DNNL_ARG_SCALE),
                 scale = pd->params.invert_scale ? 1 / given : given;
    const bool selects = pd->params.attn_mask >= dnnl_ze_attn_mask_select;
    *score = (ref_value_t){dot.v * scale, dot.error * fabs(scale) + 3 * eps * fabs(dot.v * scale)};
    *slope = (ref_value_t){scale, 2 * eps * fabs(scale)};
    if (pd_find_arg(pd, DNNL_ARG_ATTN_CAP) >= 0) {
        const double cap = factor_of(ref, DNNL_ARG_ATTN_CAP), t = tanh(score->v);
        const double lost = score->error + 8 * eps;
        *score = (ref_value_t){cap * t, fabs(cap) * lost};
        slope->v *= cap * (1 - t * t);
        slope->error = fabs(scale * cap) * (2 * lost * (fabs(t) + lost) + 8 * eps);
    }
    if (pd_find_arg(pd, DNNL_ARG_ATTN_MASK) < 0) return;
    const double mask = ref_at(ref, DNNL_ARG_ATTN_MASK, pos).v;
    if (!selects) score->v += mask;
    score->error += 2 * eps * fabs(score->v);
    if (!selects || (mask != 0) != (pd->params.attn_mask & 1)) return;
    const bool fills = pd_find_arg(pd, DNNL_ARG_ATTN_FILL) >= 0;
    *score = (ref_value_t){fills ? factor_of(ref, DNNL_ARG_ATTN_FILL) : -INFINITY, 0};
    *slope = (ref_value_t){0, 0};
}

/* query: position of the query; key: of the key's matrix. */
static pair_t pair_of(const ref_t *ref, const matrix_t *m, dnnl_dim_t *query, dnnl_dim_t *key,
        int64_t j, ref_value_t delta) {
    const int nd = m->nd;
    const double eps = ref->epsilon;
    pair_t pair = {0};
    if (!sees(ref->pd, m, query[nd - 2], j)) return pair;
    ref_value_t score, slope;
    key[nd - 1] = j;
    const ref_value_t dot = dot_of(ref, DNNL_ARG_QUERIES, query, &query[nd - 1], DNNL_ARG_KEYS, key,
            &key[nd - 2], m->size);
    key[nd - 2] = j;
    const ref_value_t diff = dot_of(ref, DNNL_ARG_DIFF_DST, query, &query[nd - 1], DNNL_ARG_VALUES,
            key, &key[nd - 1], m->width);
    query[nd - 1] = j;
    score_of(ref, dot, query, &score, &slope);
    const uint64_t number = number_of(pd_md(ref->pd, DNNL_ARG_QUERIES), query);
    const int stats = pd_find_arg(ref->pd, DNNL_ARG_WORKSPACE);
    const double stat = ref_load(dnnl_f32, ref->data[stats], (int64_t)number);
    if (score.v == -INFINITY) return pair;
    double share = 1;
    if (ref->pd->attr.dropout.set)
        share = ref_keeps_number(ref, number * (uint64_t)m->keys + (uint64_t)j)
                        ? 1 / (1 - factor_of(ref, DNNL_ARG_ATTR_DROPOUT_PROBABILITY))
                        : 0;
    const double p = exp(score.v - stat), least = 4 * (double)FLT_MIN,
                 lost = p * (expm1(score.error + 2 * eps * fabs(score.v - stat)) + 16 * eps) +
                        least;
    const double z = diff.v * share - delta.v,
                 z_lost = diff.error * share + delta.error +
                          4 * eps * (fabs(diff.v * share) + fabs(delta.v));
    pair.weight = (ref_value_t){p * share, share * (lost + 4 * eps * p)};
    pair.score = (ref_value_t){p * z, lost * (fabs(z) + z_lost) + p * z_lost + least};
    pair.score.error += 2 * eps * fabs(p * z);
    pair.dot = (ref_value_t){p * z * slope.v,
            pair.score.error * (fabs(slope.v) + slope.error) + fabs(p * z) * slope.error + least};
    pair.dot.error += 2 * eps * fabs(pair.dot.v);
    return pair;
}

static void fill(const ref_t *ref, matrix_t *m) {
    const int nd = m->nd;
    dnnl_dims_t query, dst, key;
    memcpy(query, m->outer, sizeof(query));
    memcpy(key, m->outer, sizeof(key));
    for (int64_t h = 0; h < m->share; h++)
        for (int64_t i = 0; i < m->queries; i++) {
            if (nd > 2) query[nd - 3] = m->outer[nd - 3] * m->share + h;
            query[nd - 2] = i;
            memcpy(dst, query, sizeof(dst));
            const ref_value_t delta = dot_of(ref, DNNL_ARG_DST, query, &query[nd - 1],
                    DNNL_ARG_DIFF_DST, dst, &dst[nd - 1], m->width);
            for (int64_t j = 0; j < m->keys; j++)
                m->pairs[(h * m->queries + i) * m->keys + j] =
                        pair_of(ref, m, query, key, j, delta);
        }
}

/* The matrix of a position, whose head is one of queries or one of keys. */
static const matrix_t *matrix_of(const ref_t *ref, const dnnl_dim_t *pos, bool of_keys) {
    static _Thread_local matrix_t m;
    const md_t *q = pd_md(ref->pd, DNNL_ARG_QUERIES), *k = pd_md(ref->pd, DNNL_ARG_KEYS);
    const int nd = q->ndims;
    dnnl_dims_t outer = {0};
    memcpy(outer, pos, sizeof(*pos) * (size_t)(nd - 2));
    const int64_t share = nd > 2 ? q->dims[nd - 3] / k->dims[nd - 3] : 1;
    if (nd > 2 && !of_keys) outer[nd - 3] /= share;
    bool first = true; /* of a tensor: it may be another problem */
    for (int d = 0; d < nd; d++) first = first && pos[d] == 0;
    if (!first && m.pairs && !memcmp(outer, m.outer, sizeof(outer))) return &m;
    memcpy(m.outer, outer, sizeof(outer));
    m.nd = nd;
    m.share = share;
    m.queries = q->dims[nd - 2];
    m.keys = k->dims[nd - 1];
    m.size = q->dims[nd - 1];
    m.width = pd_md(ref->pd, DNNL_ARG_VALUES)->dims[nd - 1];
    free(m.pairs);
    m.pairs = calloc((size_t)(share * m.queries * m.keys) + 1, sizeof(*m.pairs));
    if (!m.pairs) abort();
    fill(ref, &m);
    return &m;
}

typedef struct {
    ref_value_t x;
    double most, n;
} sum_t;

static void add(sum_t *sum, ref_value_t factor, double y) {
    sum->x.v += factor.v * y;
    sum->x.error += factor.error * fabs(y);
    sum->most += fabs(factor.v * y);
    sum->n++;
}

static ref_value_t total(const ref_t *ref, const sum_t *sum) {
    ref_value_t x = sum->x;
    x.error += ref->epsilon * (sum->n + 4) * sum->most;
    return x;
}

ref_value_t ref_sdpa_diff_queries(const ref_t *ref, const dnnl_dim_t *pos) {
    const matrix_t *m = matrix_of(ref, pos, false);
    const int nd = m->nd;
    const int64_t h = nd > 2 ? pos[nd - 3] % m->share : 0;
    dnnl_dims_t key;
    sum_t sum = {0};
    memcpy(key, m->outer, sizeof(key));
    key[nd - 2] = pos[nd - 1];
    for (int64_t j = 0; j < m->keys; j++) {
        key[nd - 1] = j;
        add(&sum, m->pairs[(h * m->queries + pos[nd - 2]) * m->keys + j].dot,
                ref_at(ref, DNNL_ARG_KEYS, key).v);
    }
    return total(ref, &sum);
}

/* Of a key or of a value: the sum over all queries that share it. */
static ref_value_t shared_sum(
        const ref_t *ref, const dnnl_dim_t *pos, int arg, int64_t j, int64_t col, bool weights) {
    const matrix_t *m = matrix_of(ref, pos, true);
    const int nd = m->nd;
    dnnl_dims_t query;
    sum_t sum = {0};
    memcpy(query, m->outer, sizeof(query));
    query[nd - 1] = col;
    for (int64_t h = 0; h < m->share; h++)
        for (int64_t i = 0; i < m->queries; i++) {
            if (nd > 2) query[nd - 3] = m->outer[nd - 3] * m->share + h;
            query[nd - 2] = i;
            const pair_t *pair = &m->pairs[(h * m->queries + i) * m->keys + j];
            add(&sum, weights ? pair->weight : pair->dot, ref_at(ref, arg, query).v);
        }
    return total(ref, &sum);
}

ref_value_t ref_sdpa_diff_keys(const ref_t *ref, const dnnl_dim_t *pos) {
    const int nd = pd_md(ref->pd, DNNL_ARG_QUERIES)->ndims;
    return shared_sum(ref, pos, DNNL_ARG_QUERIES, pos[nd - 1], pos[nd - 2], false);
}

ref_value_t ref_sdpa_diff_values(const ref_t *ref, const dnnl_dim_t *pos) {
    const int nd = pd_md(ref->pd, DNNL_ARG_QUERIES)->ndims;
    return shared_sum(ref, pos, DNNL_ARG_DIFF_DST, pos[nd - 2], pos[nd - 1], true);
}

ref_value_t ref_sdpa_diff_scores(const ref_t *ref, const dnnl_dim_t *pos) {
    const matrix_t *m = matrix_of(ref, pos, false);
    const int64_t h = m->nd > 2 ? pos[m->nd - 3] % m->share : 0;
    return m->pairs[(h * m->queries + pos[m->nd - 2]) * m->keys + pos[m->nd - 1]].score;
}

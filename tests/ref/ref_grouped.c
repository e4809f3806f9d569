/* SPDX-License-Identifier: Apache-2.0 */
/* Products of grouped matrices in double precision. */
#include "ref_grouped.h"

#include <math.h>

typedef struct {
    dnnl_dim_t group, row, col, first_k, end_k;
    bool along_k;
} place_t;

static place_t find(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    const int32_t *end = ref->index[pd_find_arg(ref->pd, DNNL_ARG_SRC)].part[0];
    if (md_is_grouped(pd_md(ref->pd, DNNL_ARG_WEIGHTS)))
        return (place_t){pos[0], pos[1], pos[2], pos[0] ? end[pos[0] - 1] : 0, end[pos[0]], true};
    dnnl_dim_t group = 0;
    while (end[group] <= pos[0]) group++;
    return (place_t){group, pos[0], pos[1], 0, src->dims[1], false};
}

/* An element of a factor less its zero point, scaled. */
static double factor(const ref_t *ref, int arg, const dnnl_dim_t *pos) {
    return (ref_at(ref, arg, pos).v - ref_zero_point(ref, arg, pos).v) * ref_scale(ref, arg, pos).v;
}

static ref_value_t sum(const ref_t *ref, const place_t *at) {
    double total = 0, magnitude = 0;
    for (dnnl_dim_t k = at->first_k; k < at->end_k; k++) {
        const dnnl_dims_t src = {at->row, k}, of_rows = {at->group, k, at->col},
                          of_k = {k, at->col};
        const double product = factor(ref, DNNL_ARG_SRC, src) *
                               factor(ref, DNNL_ARG_WEIGHTS, at->along_k ? of_k : of_rows);
        total += product;
        magnitude += fabs(product);
    }
    const double terms = (double)(at->end_k - at->first_k);
    return (ref_value_t){total, (terms + 4) * ref->epsilon / 2 * magnitude};
}

/* True if the tensor of a post-op has a value for each group. */
static bool is_by_group(const ref_t *ref, const post_op_t *op) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC), *md = &op->binary.src1;
    return op->kind == dnnl_binary && !md_is_sparse(md) && md->dims[1] == 1 &&
           md->dims[0] == src->format_desc.sparse.grouped.group_count;
}

ref_value_t ref_grouped(const ref_t *ref, const dnnl_dim_t *pos) {
    const place_t at = find(ref, pos);
    const dnnl_dims_t of_group = {at.group, at.col};
    ref_value_t x = sum(ref, &at);
    if (pd_find_arg(ref->pd, DNNL_ARG_BIAS) >= 0)
        x = ref_binary(ref->epsilon, dnnl_binary_add, x, ref_at(ref, DNNL_ARG_BIAS, of_group));
    for (int i = 0; i < ref->pd->attr.post_ops.len; i++) {
        const bool by_group = is_by_group(ref, &ref->pd->attr.post_ops.entry[i]);
        x = ref_post_ops_between(ref, x, by_group ? of_group : pos, i, i + 1);
    }
    return ref_finish(ref, x, pos);
}

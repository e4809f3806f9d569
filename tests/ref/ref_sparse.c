/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a sparse matrix in double precision. */
#include "ref_sparse.h"

#include <math.h>

typedef struct {
    const ref_t *ref;
    int slot, line_dim; /* of the sparse matrix; its dimension that is the destination's, too */
    const dnnl_dim_t *pos;
    double total, magnitude;
    int64_t terms;
} sum_t;

static void add_element(sum_t *s, int64_t i, const dnnl_dim_t *at) {
    const ref_t *ref = s->ref;
    const md_t *md = &ref->pd->args[s->slot].md;
    const int line = s->line_dim;
    if (at[line] != s->pos[line]) return;
    const dnnl_dim_t other[] = {line ? s->pos[0] : at[1], line ? at[0] : s->pos[1]};
    const double product = ref_load(md->data_type, ref->data[s->slot], i) *
                           ref_at(ref, line ? DNNL_ARG_SRC : DNNL_ARG_WEIGHTS, other).v;
    s->total += product;
    s->magnitude += fabs(product);
    s->terms++;
}

static void add_rows(sum_t *s, const ref_index_t *index, int64_t first, int64_t end) {
    for (int64_t row = first; row < end; row++)
        for (int64_t i = index->part[1][row]; i < index->part[1][row + 1]; i++)
            add_element(s, i, (dnnl_dim_t[]){row, index->part[0][i]});
}

static void add_coordinates(sum_t *s, const ref_index_t *index, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        add_element(s, i, (dnnl_dim_t[]){index->part[0][i], index->part[1][i]});
}

ref_value_t ref_sparse(const ref_t *ref, const dnnl_dim_t *pos) {
    const bool is_src = md_is_sparse(pd_md(ref->pd, DNNL_ARG_SRC));
    sum_t s = {.ref = ref,
            .slot = pd_find_arg(ref->pd, is_src ? DNNL_ARG_SRC : DNNL_ARG_WEIGHTS),
            .line_dim = is_src ? 0 : 1,
            .pos = pos};
    const md_t *md = &ref->pd->args[s.slot].md;
    const ref_index_t *index = &ref->index[s.slot];
    if (md_has_zero_dim(md)) return (ref_value_t){0, 0};
    if (md->format_desc.sparse.encoding != dnnl_csr)
        add_coordinates(&s, index, md->format_desc.sparse.nnz);
    else if (is_src) add_rows(&s, index, pos[0], pos[0] + 1);
    else add_rows(&s, index, 0, md->dims[0]);
    return (ref_value_t){s.total, (double)(s.terms + 4) * ref->epsilon / 2 * s.magnitude};
}

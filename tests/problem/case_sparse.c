/* SPDX-License-Identifier: Apache-2.0 */
/* Values and indices of sparse tensors. */
#include "case_sparse.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Numbers of positions in row-major order. */
static int64_t *draw_places(const md_t *md, int64_t n, bool sorted) {
    const int64_t positions = md_nelems(md, false);
    int64_t *place = calloc((size_t)n + 1, sizeof(*place));
    for (int64_t i = 0; i < n; i++) place[i] = (int64_t)(harness_random() % (uint64_t)positions);
    if (sorted) qsort(place, (size_t)n, sizeof(*place), by_place);
    return place;
}

/* A tensor with a dimension of 0 has no indices, not even of rows. */
static int32_t *new_part(const md_t *md, int handle) {
    return calloc(md_size(md, handle) / sizeof(int32_t) + 1, sizeof(int32_t));
}

static void fill_values(case_t *c, int slot, int64_t n) {
    const md_t *md = &c->md[slot];
    for (int64_t i = 0; i < n; i++)
        ref_store(md->data_type, c->data[slot], i, case_value(c, &c->pd->args[slot]));
}

void case_fill_sparse(case_t *c, int slot) {
    const md_t *md = &c->md[slot];
    const bool csr = md->format_desc.sparse.encoding == dnnl_csr;
    const int64_t n = md_has_zero_dim(md) ? 0 : md->format_desc.sparse.nnz, cols = md->dims[1];
    int64_t *place = draw_places(md, n, csr || !c->shuffled);
    int32_t *first = new_part(md, 1), *second = new_part(md, 2);
    for (int64_t i = 0; i < n; i++) {
        const int32_t row = (int32_t)(place[i] / cols), col = (int32_t)(place[i] % cols);
        first[i] = csr ? col : row;
        second[csr ? row + 1 : i] += csr ? 1 : col;
    }
    for (dnnl_dim_t row = 0; csr && n && row < md->dims[0]; row++) second[row + 1] += second[row];
    fill_values(c, slot, n);
    c->index[slot] = (ref_index_t){{first, second}};
    free(place);
}

/* ---- groups ---- */

static const ref_index_t *known_ends(const case_t *c) {
    for (int i = 0; i < c->pd->nargs; i++)
        if (c->index[i].part[0] && md_is_grouped(&c->md[i])) return &c->index[i];
    return NULL;
}

static void draw_ends(int64_t *end, int64_t n, dnnl_dim_t total) {
    for (int64_t i = 0; i < n; i++) end[i] = (int64_t)(harness_random() % ((uint64_t)total + 1));
    qsort(end, (size_t)n, sizeof(*end), by_place);
}

/* Groups that the list does not name are empty. No group ends behind the tensor. */
static void read_ends(int64_t *end, int64_t n, const char *sizes, dnnl_dim_t total) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t size = sizes ? strtoll(sizes, NULL, 10) : 0;
        sum = size < 0 || size > total - sum ? total : sum + size;
        end[i] = sum;
        sizes = sizes ? strchr(sizes, ':') : NULL;
        if (sizes) sizes++;
    }
}

void case_fill_ends(case_t *c, int slot) {
    const md_t *md = &c->md[slot];
    const md_grouped_t *g = &md->format_desc.sparse.grouped;
    const dnnl_dim_t total = md->dims[g->variable_dim_idx];
    const ref_index_t *known = known_ends(c);
    int64_t *end = calloc((size_t)g->group_count + 1, sizeof(*end));
    int32_t *part = new_part(md, 1);
    if (known)
        for (int64_t i = 0; i < g->group_count; i++) end[i] = known->part[0][i];
    else if (c->group_sizes) read_ends(end, g->group_count, c->group_sizes, total);
    else draw_ends(end, g->group_count, total);
    for (int64_t i = 0; i < g->group_count; i++) part[i] = (int32_t)end[i];
    c->index[slot].part[0] = part;
    free(end);
}

bool case_in_a_group(const case_t *c, int slot, const dnnl_dim_t *pos) {
    const md_t *md = &c->md[slot];
    if (!md_is_grouped(md)) return true;
    const md_grouped_t *g = &md->format_desc.sparse.grouped;
    return pos[g->variable_dim_idx] < c->index[slot].part[0][g->group_count - 1];
}

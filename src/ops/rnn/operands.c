/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a recurrent network as matrices. */
#include <string.h>

#include "core/util.h"
#include "ops/rnn/rnn.h"

static const int64_t *strides_of(const md_t *md) {
    return md->format_desc.blocking.strides;
}

static const md_t *md_of(const rnn_t *r, int arg) {
    return planner_md(&r->mm.planner, pd_find_arg(r->mm.planner.pd, arg));
}

/* A matrix of two of the argument's dimensions, whose first element is `first` elements behind that
 * of the tensor. */
static matrix_view_t in_argument(const rnn_t *r, int arg, int64_t first, int row_dim, int col_dim) {
    const md_t *md = md_of(r, arg);
    return (matrix_view_t){.slot = pd_find_arg(r->mm.planner.pd, arg),
            .offset = dt_offset(md->data_type, md->offset0 + first),
            .dt = md->data_type,
            .outer = 1,
            .rows = md->dims[row_dim],
            .columns = md->dims[col_dim],
            .row = strides_of(md)[row_dim],
            .column = strides_of(md)[col_dim]};
}

static int64_t part_of(const rnn_t *r, int arg, int64_t l, int64_t d) {
    const int64_t *s = strides_of(md_of(r, arg));
    return l * s[0] + d * s[1];
}

/* Weights in panels of columns: dimensions with strides that follow one another, and the blocked
 * one, which is dense. */
static bool in_panels(const rnn_t *r, int arg, int64_t l, int64_t d, int blocked, int row_dim,
        int64_t rows, matrix_view_t *v) {
    const md_t *md = md_of(r, arg);
    const md_blocking_t *b = &md->format_desc.blocking;
    if (md->ndims != 5 || b->inner_nblks != 1 || b->inner_idxs[0] != blocked) return false;
    const int64_t width = b->inner_blks[0];
    *v = in_argument(r, arg, part_of(r, arg, l, d), row_dim, blocked);
    v->rows = rows;
    v->row = width;
    v->column = 1;
    v->panel = b->strides[blocked];
    return md->dims[blocked] % width == 0 && b->strides[row_dim] == width &&
           v->panel == rows * width;
}

bool rnn_weights_transposed(const rnn_t *r, int arg, int64_t l, int64_t d, matrix_view_t *v) {
    const md_t *md = md_of(r, arg);
    return md->ndims == 5 && in_panels(r, arg, l, d, 2, 4, md->dims[3] * md->dims[4], v) &&
           strides_of(md)[3] == md->dims[4] * v->row;
}

static bool has_panels_of_gates(const rnn_t *r, int arg, int64_t l, int64_t d, matrix_view_t *v) {
    const md_t *md = md_of(r, arg);
    if (md->ndims != 5 || !in_panels(r, arg, l, d, 4, 2, md->dims[2], v)) return false;
    v->columns *= md->dims[3];
    return strides_of(md)[3] == md->dims[4] / v->row * v->panel;
}

bool rnn_weights(const rnn_t *r, int arg, int64_t l, int64_t d, matrix_view_t *v) {
    const md_t *md = md_of(r, arg);
    const int last = md->ndims - 1;
    if (has_panels_of_gates(r, arg, l, d, v)) return true;
    *v = in_argument(r, arg, part_of(r, arg, l, d), 2, last);
    if (last == 3) return md_is_plain(md);
    const bool follows = md->dims[3] == 1 || strides_of(md)[3] == md->dims[4] * v->column;
    if (md->dims[4] == 1) v->column = strides_of(md)[3];
    v->columns *= md->dims[3];
    return md_is_plain(md) && (follows || md->dims[4] == 1);
}

matrix_view_t rnn_vectors(const rnn_t *r, int arg, int64_t l, int64_t d) {
    return in_argument(r, arg, part_of(r, arg, l, d), 2, 3);
}

matrix_view_t rnn_iter(const rnn_t *r, int arg, int64_t l, int64_t d) {
    return in_argument(r, arg, part_of(r, arg, l, d), 2, 3);
}

matrix_view_t rnn_layer(const rnn_t *r, int arg, int64_t t, int64_t steps) {
    const int64_t step = strides_of(md_of(r, arg))[0];
    matrix_view_t v = in_argument(r, arg, t * step, 1, 2);
    v.outer = steps;
    v.matrix = step;
    return v;
}

/* ---- views ---- */

matrix_view_t view_transposed(const matrix_view_t *v) {
    matrix_view_t t = *v;
    t.rows = v->columns;
    t.columns = v->rows;
    t.row = v->column;
    t.column = v->row;
    return t;
}

matrix_view_t view_columns(const matrix_view_t *v, int64_t first, int64_t count) {
    matrix_view_t part = *v;
    part.columns = count;
    part.offset += dt_offset(v->dt, v->panel ? first / v->row * v->panel : first * v->column);
    return part;
}

bool view_flatten(matrix_view_t *v) {
    if (v->outer > 1 && v->rows > 1 && v->matrix != v->rows * v->row) return false;
    if (v->outer > 1 && v->rows == 1) v->row = v->matrix;
    v->rows *= v->outer;
    v->outer = 1;
    return true;
}

void bind_view(plan_t *plan, const matrix_view_t *v) {
    if (!v) plan_arg(plan, -1, 0);
    else if (v->slot < 0) plan_scratch(plan, v->offset);
    else plan_arg(plan, v->slot, v->offset);
}

operand_t operand_of_view(const matrix_view_t *v, md_t *md) {
    const int first = v->outer > 1 ? 0 : 1;
    const int64_t dims[] = {v->outer, v->rows, v->columns},
                  strides[] = {v->matrix, v->row, v->column};
    memset(md, 0, sizeof(*md));
    md->ndims = 3 - first;
    md->data_type = v->dt;
    md->format_kind = dnnl_blocked;
    for (int i = first; i < 3; i++) {
        md->dims[i - first] = md->padded_dims[i - first] = dims[i];
        md->format_desc.blocking.strides[i - first] = strides[i];
    }
    if (v->panel) {
        md_blocking_t *l = &md->format_desc.blocking;
        const int last = md->ndims - 1;
        l->inner_nblks = 1;
        l->inner_blks[0] = v->row;
        l->inner_idxs[0] = last;
        l->strides[last] = v->panel;
        md->padded_dims[last] = div_up(v->columns, v->row) * v->row;
    }
    if (v->slot < 0) return (operand_t){md, -1, v->offset};
    md->offset0 = (int64_t)(v->offset / dt_size(v->dt));
    return (operand_t){md, v->slot, 0};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling whose corners are aligned: a product with a matrix of weights along each dimension. */
#include "core/alloc.h"
#include "core/check.h"
#include "core/util.h"
#include "graph/lower_util.h"
#include "graph/lowerings.h"

/* Writes the weights of the `in` elements at position `o` of `out`. The first and the last
 * positions are those of the first and the last element. Integers find the place between, so that
 * positions of elements have no weight of another one. */
static void weigh(float *row, int64_t o, int64_t in, int64_t out, bool linear) {
    const int64_t steps = max_i64(out - 1, 1), at = o * (in - 1), i = at / steps;
    const float above = (float)(at % steps) / (float)steps;
    if (!linear) {
        row[(2 * at + steps) / (2 * steps)] = 1;
    } else {
        row[i] = 1 - above;
        if (above > 0) row[i + 1] = above;
    }
}

/* A matrix with a row for each position of the forward destination. */
static dnnl_status_t weights_of(lower_t *l, int64_t in, int64_t out, bool linear, view_t *weights) {
    const dnnl_dim_t dims[] = {out, in};
    int64_t count;
    if (!mul_ok(in, out, &count) || count > INT32_MAX)
        return verbose_check(dnnl_unimplemented, "graph",
                "%s: a matrix of %lld by %lld weights is too large", l->op->name, (long long)out,
                (long long)in);
    float *rows = dz_calloc((size_t)count + 1, sizeof *rows);
    if (!rows) return dnnl_out_of_memory;
    for (int64_t o = 0; o < out; o++) weigh(rows + o * in, o, in, out, linear);
    const dnnl_status_t status = program_constant(l->program, dnnl_f32, 2, dims, rows, weights);
    dz_free(rows);
    return status;
}

/* Dimension d becomes the last but one. */
static view_t facing(const view_t *view, int d) {
    int order[DNNL_MAX_NDIMS], n = 0;
    const int last = d == view->ndims - 1 ? d - 1 : view->ndims - 1;
    for (int i = 0; i < view->ndims; i++)
        if (i != d && i != last) order[n++] = i;
    order[n++] = d;
    order[n++] = last;
    return view_permuted(view, order);
}

/* Appends the product along dimension d. */
static dnnl_status_t resample(
        lower_t *l, int d, bool backward, bool linear, const view_t *from, const view_t *to) {
    static const int transposed[] = {1, 0};
    step_arg_t args[] = {{DNNL_ARG_SRC, {0}}, {DNNL_ARG_WEIGHTS, facing(from, d)},
            {DNNL_ARG_DST, facing(to, d)}};
    const int64_t in = backward ? to->dims[d] : from->dims[d],
                  out = backward ? from->dims[d] : to->dims[d];
    view_t weights;
    md_t mds[3];
    if (in < 1)
        return verbose_check(
                dnnl_invalid_shape, "graph", "%s: dimension %d is empty", l->op->name, d);
    TRY(weights_of(l, in, out, linear, &weights));
    if (backward) weights = view_permuted(&weights, transposed);
    args[0].view = view_expanded(&weights, from->ndims);
    for (int i = 0; i < 3; i++) TRY(view_md(&args[i].view, &mds[i]));
    TRY(lower_attr(l));
    TRY(dnnl_primitive_attr_set_fpmath_mode(l->attr, dnnl_fpmath_mode_strict));
    TRY(dnnl_matmul_primitive_desc_create(
            &l->desc, l->program->engine, &mds[0], &mds[1], NULL, &mds[2], l->attr));
    return lower_step(l, 3, args);
}

/* The number of the first dimension from d on in which two images differ. */
static int next_of(const view_t *from, const view_t *to, int d) {
    while (d < from->ndims && from->dims[d] == to->dims[d]) d++;
    return d;
}

dnnl_status_t lower_corners(lower_t *l, size_t input, bool linear) {
    const bool backward = input > 0;
    const view_t in = lower_in(l, input), out = lower_out(l, 0);
    const view_t to = lower_images(l->op, &out);
    view_t now = lower_images(l->op, &in);
    bool done = false;
    if (now.dt != dnnl_f32) {
        const view_t narrow = now;
        TRY(program_temporary(l->program, dnnl_f32, narrow.ndims, narrow.dims, &now));
        TRY(lower_copy(l, &narrow, &now));
    }
    for (int d = next_of(&now, &to, 2); d < now.ndims; d = next_of(&now, &to, d + 1)) {
        const view_t from = now;
        done = to.dt == dnnl_f32 && next_of(&now, &to, d + 1) == now.ndims;
        now.dims[d] = to.dims[d];
        const view_t dims = now;
        if (done) now = to;
        else TRY(program_temporary(l->program, dnnl_f32, dims.ndims, dims.dims, &now));
        TRY(resample(l, d, backward, linear, &from, &now));
    }
    return done ? dnnl_success : lower_copy(l, &now, &to);
}

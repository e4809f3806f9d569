/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax with statistics, and softmax in which a row of -inf alone becomes zeros. */
#include <float.h>

#include "graph/lower_util.h"
#include "graph/lowerings.h"

typedef struct {
    bool zeros; /* the mode inf_as_zero */
    int axis;
    view_t src;  /* without -inf, if zeros */
    view_t keep; /* if zeros: 1 for an element that is not -inf, otherwise 0 */
    view_t dst;  /* in f32 */
} softmax_t;

static dnnl_status_t temporary_like(lower_t *l, const view_t *view, int axis, view_t *made) {
    dnnl_dims_t dims;
    for (int d = 0; d < view->ndims; d++) dims[d] = d == axis ? 1 : view->dims[d];
    return program_temporary(l->program, dnnl_f32, view->ndims, dims, made);
}

static dnnl_status_t new_post_ops(lower_t *l) {
    dnnl_post_ops_destroy(l->post_ops);
    l->post_ops = NULL;
    return dnnl_post_ops_create(&l->post_ops);
}

/* dst = alg(a, b), and then the product with `factor` unless it is NULL. */
static dnnl_status_t combine(lower_t *l, dnnl_alg_kind_t alg, const view_t *a, const view_t *b,
        const view_t *factor, const view_t *dst) {
    const step_arg_t args[] = {{DNNL_ARG_SRC_0, *a}, {DNNL_ARG_SRC_1, *b}, {DNNL_ARG_DST, *dst},
            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, factor ? *factor : *b}};
    md_t mds[4];
    for (int i = 0; i < 4; i++) TRY(view_md(&args[i].view, &mds[i]));
    TRY(lower_attr(l));
    if (factor) {
        TRY(new_post_ops(l));
        TRY(dnnl_post_ops_append_binary(l->post_ops, dnnl_binary_mul, &mds[3]));
        TRY(dnnl_primitive_attr_set_post_ops(l->attr, l->post_ops));
    }
    TRY(dnnl_binary_primitive_desc_create(
            &l->desc, l->program->engine, alg, &mds[0], &mds[1], &mds[2], l->attr));
    return lower_step(l, 3 + (factor != NULL), args);
}

static bool same_dims(const view_t *a, const view_t *b) {
    for (int d = 0; d < a->ndims; d++)
        if (a->dims[d] != b->dims[d]) return false;
    return true;
}

/* The largest element of each row. `log`: its logarithm, where 0 counts as the smallest number. */
static dnnl_status_t largest(lower_t *l, const view_t *src, bool log, const view_t *dst) {
    const step_arg_t args[] = {
            {DNNL_ARG_SRC_0, *src}, {DNNL_ARG_DST, *dst}, {DNNL_ARG_SRC_1, *src}};
    const bool single = same_dims(src, dst); /* a reduction has to reduce something */
    md_t from, to;
    TRY(view_md(src, &from));
    TRY(view_md(dst, &to));
    TRY(lower_attr(l));
    if (log) {
        TRY(new_post_ops(l));
        TRY(dnnl_post_ops_append_eltwise(l->post_ops, dnnl_eltwise_clip_v2, FLT_MIN, FLT_MAX));
        TRY(dnnl_post_ops_append_eltwise(l->post_ops, dnnl_eltwise_log, 0, 0));
        TRY(dnnl_primitive_attr_set_post_ops(l->attr, l->post_ops));
    }
    if (single)
        TRY(dnnl_binary_primitive_desc_create(
                &l->desc, l->program->engine, dnnl_binary_max, &from, &from, &to, l->attr));
    else
        TRY(dnnl_reduction_primitive_desc_create(
                &l->desc, l->program->engine, dnnl_reduction_max, &from, &to, 0, 0, l->attr));
    return lower_step(l, single ? 3 : 2, args);
}

/* Replaces -inf by the lowest number, so that no row is without a maximum. */
static dnnl_status_t split(lower_t *l, softmax_t *s) {
    const float number = -FLT_MAX;
    const view_t src = s->src;
    const dnnl_dims_t ones = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    view_t lowest;
    TRY(program_constant(l->program, dnnl_f32, src.ndims, ones, &number, &lowest));
    TRY(temporary_like(l, &src, -1, &s->src));
    TRY(temporary_like(l, &src, -1, &s->keep));
    TRY(combine(l, dnnl_binary_max, &src, &lowest, NULL, &s->src));
    return combine(l, dnnl_binary_ge, &src, &lowest, NULL, &s->keep);
}

static dnnl_status_t normalize(lower_t *l, const softmax_t *s) {
    const step_arg_t args[] = {{DNNL_ARG_SRC, s->src}, {DNNL_ARG_DST, s->dst},
            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, s->keep}};
    md_t mds[3];
    for (int i = 0; i < 2 + s->zeros; i++) TRY(view_md(&args[i].view, &mds[i]));
    TRY(lower_attr(l));
    if (s->zeros) {
        TRY(new_post_ops(l));
        TRY(dnnl_post_ops_append_binary(l->post_ops, dnnl_binary_mul, &mds[2]));
        TRY(dnnl_primitive_attr_set_post_ops(l->attr, l->post_ops));
    }
    TRY(dnnl_softmax_forward_primitive_desc_create(&l->desc, l->program->engine,
            dnnl_forward_inference, dnnl_softmax_accurate, &mds[0], &mds[1], s->axis, l->attr));
    return lower_step(l, 2 + s->zeros, args);
}

/* The logarithm of the sum of exponentials: the maximum of the source, minus the logarithm of the
 * maximum of the destination. It is 0 for a row of -inf alone. */
static dnnl_status_t statistics(lower_t *l, const softmax_t *s) {
    const view_t stats = lower_out(l, 1);
    view_t top, log, any;
    TRY(temporary_like(l, &s->src, s->axis, &top));
    TRY(temporary_like(l, &s->src, s->axis, &log));
    TRY(largest(l, &s->src, false, &top));
    TRY(largest(l, &s->dst, true, &log));
    if (!s->zeros) return combine(l, dnnl_binary_sub, &top, &log, NULL, &stats);
    TRY(temporary_like(l, &s->src, s->axis, &any));
    TRY(largest(l, &s->keep, false, &any));
    return combine(l, dnnl_binary_sub, &top, &log, &any, &stats);
}

dnnl_status_t lower_softmax_in_parts(lower_t *l, int axis) {
    softmax_t s = {op_text_is(l->op, ATTR(mode), "inf_as_zero"), axis, lower_in(l, 0), {0}, {0}};
    if (s.zeros) TRY(split(l, &s));
    TRY(lower_dense_out(l, 0, dnnl_f32, &s.dst));
    TRY(normalize(l, &s));
    if (l->op->out.count > 1) TRY(statistics(l, &s));
    return lower_finish(l, 0, &s.dst);
}

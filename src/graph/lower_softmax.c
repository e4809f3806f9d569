/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax with statistics, and with rows of minus infinity that become zeros. */
#include <float.h>

#include "graph/lower_softmax.h"

/* The tensors between the steps, all f32. A row's maximum is -FLT_MAX if all of it is less. */
typedef struct {
    view_t src, maximum, exponentials, sum;
    view_t least; /* one value: -FLT_MAX */
} parts_t;

static dnnl_status_t new_post_ops(lower_t *l) {
    TRY(lower_attr(l));
    return dnnl_post_ops_create(&l->post_ops);
}

static dnnl_status_t append_binary(lower_t *l, dnnl_alg_kind_t alg, const view_t *operand) {
    const int at = DNNL_ARG_ATTR_MULTIPLE_POST_OP(dnnl_post_ops_len(l->post_ops));
    md_t md;
    TRY(view_md(operand, &md));
    l->extra[l->nextra++] = (step_arg_t){at | DNNL_ARG_SRC_1, *operand};
    return dnnl_post_ops_append_binary(l->post_ops, alg, &md);
}

static dnnl_status_t reduce(lower_t *l, dnnl_alg_kind_t alg, const view_t *src, const view_t *dst) {
    md_t from, to;
    TRY(view_md(src, &from));
    TRY(view_md(dst, &to));
    TRY(dnnl_primitive_attr_set_post_ops(l->attr, l->post_ops));
    TRY(dnnl_reduction_primitive_desc_create(
            &l->desc, l->program->engine, alg, &from, &to, 0, 0, l->attr));
    const step_arg_t args[] = {{DNNL_ARG_SRC, *src}, {DNNL_ARG_DST, *dst}};
    return lower_step(l, 2, args);
}

static dnnl_status_t combine(
        lower_t *l, dnnl_alg_kind_t alg, const view_t *a, const view_t *b, const view_t *dst) {
    md_t first, second, to;
    TRY(view_md(a, &first));
    TRY(view_md(b, &second));
    TRY(view_md(dst, &to));
    TRY(dnnl_primitive_attr_set_post_ops(l->attr, l->post_ops));
    TRY(dnnl_binary_primitive_desc_create(
            &l->desc, l->program->engine, alg, &first, &second, &to, l->attr));
    const step_arg_t args[] = {{DNNL_ARG_SRC_0, *a}, {DNNL_ARG_SRC_1, *b}, {DNNL_ARG_DST, *dst}};
    return lower_step(l, 3, args);
}

static dnnl_status_t make_parts(lower_t *l, int axis, parts_t *p) {
    const float least = -FLT_MAX;
    const dnnl_dims_t ones = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    dnnl_dims_t rows;
    p->src = lower_in(l, 0);
    for (int d = 0; d < p->src.ndims; d++) rows[d] = d == axis ? 1 : p->src.dims[d];
    TRY(program_constant(l->program, dnnl_f32, p->src.ndims, ones, &least, &p->least));
    TRY(program_temporary(l->program, dnnl_f32, p->src.ndims, rows, &p->maximum));
    TRY(program_temporary(l->program, dnnl_f32, p->src.ndims, rows, &p->sum));
    return program_temporary(l->program, dnnl_f32, p->src.ndims, p->src.dims, &p->exponentials);
}

/* The exponential of minus infinity less a finite maximum is 0. */
static dnnl_status_t add_exponentials(lower_t *l, const parts_t *p) {
    TRY(new_post_ops(l));
    TRY(append_binary(l, dnnl_binary_max, &p->least));
    TRY(reduce(l, dnnl_reduction_max, &p->src, &p->maximum));
    TRY(new_post_ops(l));
    TRY(dnnl_post_ops_append_eltwise(l->post_ops, dnnl_eltwise_exp, 0, 0));
    return combine(l, dnnl_binary_sub, &p->src, &p->maximum, &p->exponentials);
}

/* The logarithm of the sum of the exponentials; 0 for a row of minus infinity. */
static dnnl_status_t add_statistics(lower_t *l, const parts_t *p) {
    view_t real;
    const view_t stats = lower_out(l, 1);
    TRY(program_temporary(l->program, dnnl_f32, p->src.ndims, p->maximum.dims, &real));
    TRY(new_post_ops(l));
    TRY(combine(l, dnnl_binary_gt, &p->maximum, &p->least, &real));
    TRY(new_post_ops(l));
    TRY(dnnl_post_ops_append_eltwise(l->post_ops, dnnl_eltwise_clip_v2, FLT_MIN, FLT_MAX));
    TRY(dnnl_post_ops_append_eltwise(l->post_ops, dnnl_eltwise_log, 0, 0));
    TRY(append_binary(l, dnnl_binary_add, &p->maximum));
    TRY(append_binary(l, dnnl_binary_mul, &real));
    return reduce(l, dnnl_reduction_sum, &p->exponentials, &stats);
}

dnnl_status_t lower_softmax_parts(lower_t *l, int axis) {
    const bool zeros = op_text_is(l->op, ATTR(mode), "inf_as_zero");
    const view_t dst = lower_out(l, 0);
    parts_t p;
    TRY(make_parts(l, axis, &p));
    TRY(add_exponentials(l, &p));
    TRY(new_post_ops(l));
    /* Without the mode, 0 / 0 stays what it is. */
    if (zeros)
        TRY(dnnl_post_ops_append_eltwise(l->post_ops, dnnl_eltwise_clip_v2, FLT_MIN, FLT_MAX));
    TRY(reduce(l, dnnl_reduction_sum, &p.exponentials, &p.sum));
    TRY(new_post_ops(l));
    TRY(combine(l, dnnl_binary_div, &p.exponentials, &p.sum, &dst));
    return l->op->out.count > 1 ? add_statistics(l, &p) : dnnl_success;
}

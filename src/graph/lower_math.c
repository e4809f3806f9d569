/* SPDX-License-Identifier: Apache-2.0 */
/* Products, reductions and softmax. */
#include "graph/lower_util.h"
#include "graph/lowerings.h"

/* An operand of a product with `ndims` dimensions; a vector becomes a row or a column. */
static view_t as_matrix(const view_t *view, bool transpose, bool is_row, int ndims) {
    view_t matrix = *view;
    if (view->ndims == 1 && !is_row) {
        matrix.ndims = 2;
        matrix.dims[1] = 1;
        matrix.strides[1] = 1;
    } else if (view->ndims > 1 && transpose) {
        const int r = view->ndims - 2, c = view->ndims - 1;
        matrix.dims[r] = view->dims[c];
        matrix.dims[c] = view->dims[r];
        matrix.strides[r] = view->strides[c];
        matrix.strides[c] = view->strides[r];
    }
    return view_expanded(&matrix, ndims);
}

static int product_ndims(const lower_t *l) {
    const int a = l->op->in.list[0].ndims, b = l->op->in.list[1].ndims;
    const int ndims = a > b ? a : b;
    return ndims < 2 ? 2 : ndims;
}

/* Puts the dims back that products of vectors have lost. */
static view_t seen_as_product(const lower_t *l, const view_t *view) {
    const bool row = l->op->in.list[0].ndims == 1, column = l->op->in.list[1].ndims == 1;
    view_t dst = *view;
    if (column && !row) {
        dst.dims[dst.ndims] = 1;
        dst.strides[dst.ndims++] = 1;
    } else if (row && !column) {
        const int last = dst.ndims - 1;
        dst.dims[last + 1] = dst.dims[last];
        dst.strides[last + 1] = dst.strides[last];
        dst.dims[last] = 1;
        dst.ndims++;
    }
    return view_expanded(&dst, product_ndims(l));
}

static dnnl_status_t source_matrix(const lower_t *l, const view_t *view, view_t *seen) {
    *seen = as_matrix(view, op_flag(l->op, ATTR(transpose_a)), true, product_ndims(l));
    return dnnl_success;
}

static dnnl_status_t weights_matrix(const lower_t *l, const view_t *view, view_t *seen) {
    *seen = as_matrix(view, op_flag(l->op, ATTR(transpose_b)), false, product_ndims(l));
    return dnnl_success;
}

static dnnl_accumulation_mode_t accumulation(const op_t *op) {
    static const char *const names[] = {"strict", "relaxed", "any", "s32", "f32", "f16"};
    int mode = 0;
    while (mode < 5 && !op_text_is(op, ATTR(accumulation_mode), names[mode])) mode++;
    return (dnnl_accumulation_mode_t)mode;
}

dnnl_status_t lower_matmul(lower_t *l) {
    static const factor_rule_t rules[] = {
            {0, DNNL_ARG_SRC, source_matrix}, {1, DNNL_ARG_WEIGHTS, weights_matrix}};
    const view_t src = lower_in(l, 0), weights = lower_in(l, 1), dst = lower_out(l, 0);
    const int ndims = product_ndims(l);
    const bool with_bias = l->op->in.count > 2;
    step_arg_t args[4] = {
            {DNNL_ARG_SRC, {0}}, {DNNL_ARG_WEIGHTS, {0}}, {DNNL_ARG_DST, seen_as_product(l, &dst)}};
    md_t mds[4];
    TRY(source_matrix(l, &src, &args[0].view));
    TRY(weights_matrix(l, &weights, &args[1].view));
    if (with_bias) {
        const view_t bias = lower_in(l, 2);
        if (bias.ndims > ndims)
            return verbose_check(dnnl_invalid_shape, "graph",
                    "%s: the bias has more dimensions than the destination", l->op->name);
        args[3] = (step_arg_t){DNNL_ARG_BIAS, view_expanded(&bias, ndims)};
    }
    for (int i = 0; i < 3 + with_bias; i++) TRY(view_md(&args[i].view, &mds[i]));
    TRY(lower_epilogue(l, seen_as_product, 2, rules));
    TRY(dnnl_primitive_attr_set_accumulation_mode(l->attr, accumulation(l->op)));
    const md_t stored = mds[1];
    TRY(lower_let_choose(l, 1, &mds[1]));
    TRY(dnnl_matmul_primitive_desc_create(&l->desc, l->program->engine, &mds[0], &mds[1],
            with_bias ? &mds[3] : NULL, &mds[2], l->attr));
    TRY(lower_repack(l, 1, &stored, &args[1]));
    return lower_step(l, 3 + with_bias, args);
}

static dnnl_alg_kind_t reduction_algorithm(dnnl_graph_op_kind_t kind) {
    static const dnnl_alg_kind_t algs[] = {dnnl_reduction_norm_lp_power_p_sum,
            dnnl_reduction_norm_lp_sum, dnnl_reduction_max, dnnl_reduction_mean, dnnl_reduction_min,
            dnnl_reduction_mul, dnnl_reduction_sum};
    return algs[kind - dnnl_graph_op_reduce_l1];
}

/* The destination with a one in place of each dimension that was summed over. */
static view_t seen_as_reduced(const lower_t *l, const view_t *view) {
    const attribute_t *axes = op_attribute(l->op, ATTR(axes));
    const int ndims = l->op->in.list[0].ndims;
    view_t full = *view;
    if (op_flag(l->op, ATTR(keep_dims))) return full;
    bool reduced[DNNL_MAX_NDIMS] = {false};
    for (size_t i = 0; i < axes->count; i++) reduced[normal_axis(axes->value.s64[i], ndims)] = true;
    full.ndims = ndims;
    for (int d = ndims - 1, from = ndims - (int)axes->count - 1; d >= 0; d--) {
        full.dims[d] = reduced[d] ? 1 : view->dims[from];
        full.strides[d] = reduced[d] ? 1 : view->strides[from];
        if (reduced[d] && d + 1 < ndims) full.strides[d] = full.strides[d + 1] * full.dims[d + 1];
        from -= !reduced[d];
    }
    return full;
}

dnnl_status_t lower_reduce(lower_t *l) {
    const view_t src = lower_in(l, 0), out = lower_out(l, 0), dst = seen_as_reduced(l, &out);
    const float p = l->op->kind == dnnl_graph_op_reduce_l1 ? 1 : 2;
    const step_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    md_t from, to;
    TRY(view_md(&src, &from));
    TRY(view_md(&dst, &to));
    TRY(lower_epilogue(l, seen_as_reduced, 0, NULL));
    TRY(dnnl_reduction_primitive_desc_create(&l->desc, l->program->engine,
            reduction_algorithm(l->op->kind), &from, &to, p, 0, l->attr));
    return lower_step(l, 2, args);
}

static dnnl_status_t softmax_axis(const lower_t *l, int *axis) {
    *axis = normal_axis(op_s64(l->op, ATTR(axis), 1), l->op->in.list[0].ndims);
    CHECK_ARG(*axis >= 0, "graph", "%s: the axis is not one of the source", l->op->name);
    return dnnl_success;
}

static dnnl_alg_kind_t softmax_algorithm(const op_t *op) {
    if (op->kind == dnnl_graph_op_log_softmax || op->kind == dnnl_graph_op_log_softmax_backward)
        return dnnl_softmax_log;
    return dnnl_softmax_accurate;
}

dnnl_status_t lower_softmax(lower_t *l) {
    const step_arg_t args[] = {{DNNL_ARG_SRC, lower_in(l, 0)}, {DNNL_ARG_DST, lower_out(l, 0)}};
    md_t src, dst;
    int axis;
    TRY(softmax_axis(l, &axis));
    if (l->op->out.count > 1 || op_text_is(l->op, ATTR(mode), "inf_as_zero"))
        return lower_softmax_in_parts(l, axis);
    TRY(view_md(&args[0].view, &src));
    TRY(view_md(&args[1].view, &dst));
    TRY(lower_epilogue(l, seen_as_is, 0, NULL));
    TRY(dnnl_softmax_forward_primitive_desc_create(&l->desc, l->program->engine,
            dnnl_forward_inference, softmax_algorithm(l->op), &src, &dst, axis, l->attr));
    return lower_step(l, 2, args);
}

dnnl_status_t lower_softmax_backward(lower_t *l) {
    const dnnl_alg_kind_t alg = softmax_algorithm(l->op);
    const step_arg_t args[] = {{DNNL_ARG_DIFF_DST, lower_in(l, 0)}, {DNNL_ARG_DST, lower_in(l, 1)},
            {DNNL_ARG_DIFF_SRC, lower_out(l, 0)}};
    md_t mds[3];
    int axis;
    TRY(softmax_axis(l, &axis));
    for (int i = 0; i < 3; i++) TRY(view_md(&args[i].view, &mds[i]));
    TRY(lower_attr(l));
    TRY(dnnl_softmax_forward_primitive_desc_create(&l->hint, l->program->engine,
            dnnl_forward_training, alg, &mds[1], &mds[1], axis, l->attr));
    TRY(dnnl_softmax_backward_primitive_desc_create(
            &l->desc, l->program->engine, alg, &mds[2], &mds[0], &mds[1], axis, l->hint, l->attr));
    return lower_step(l, 3, args);
}

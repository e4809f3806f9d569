/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that become attributes of the primitive of another operation. */
#include "core/alloc.h"
#include "graph/device.h"
#include "graph/lower_quantize.h"
#include "graph/lower_util.h"

#define KIND(name) dnnl_graph_op_##name

view_t seen_as_is(const lower_t *l, const view_t *view) {
    (void)l;
    return *view;
}

view_t seen_as_images(const lower_t *l, const view_t *view) {
    return lower_images(l->op, view);
}

/* The axis of the channels of a bias or a batch norm. If its layout, which has a default, does not
 * fit the vector, the layout is that of the operation before, as in oneDNN. */
static int axis_of(const lower_t *l, const op_t *op, int ndims, dnnl_dim_t count) {
    const int own = channel_axis(op, ndims), before = channel_axis(l->op, ndims);
    const dnnl_dim_t *dims = op->out.list[0].dims;
    return dims[own] != count && dims[before] == count ? before : own;
}

/* What an operation adds to the primitive: an operand with the dims of its destination. */
static dnnl_status_t operand_of(
        const lower_t *l, const epilogue_op_t *e, size_t input, int ndims, view_t *view) {
    const op_t *op = e->node->op;
    *view = view_of(&op->in.list[input], e->node->in[input]);
    if (op->kind == KIND(bias_add))
        *view = view_on_axis(view, ndims, axis_of(l, op, ndims, view->dims[0]));
    if (view->ndims > ndims || view->host)
        return verbose_check(dnnl_unimplemented, "graph",
                "%s: an operand does not fit the operation before", op->name);
    *view = view_expanded(view, ndims);
    return dnnl_success;
}

/* Appends a post-op with one or two operands. */
static dnnl_status_t append_binary(
        lower_t *l, seen_t seen, dnnl_alg_kind_t alg, const view_t *operand, const view_t *third) {
    const int at = DNNL_ARG_ATTR_MULTIPLE_POST_OP(dnnl_post_ops_len(l->post_ops));
    md_t src1, src2;
    const view_t view = seen(l, operand);
    TRY(view_md(&view, &src1));
    l->extra[l->nextra++] = (step_arg_t){at | DNNL_ARG_SRC_1, view};
    if (!third) return dnnl_post_ops_append_binary(l->post_ops, alg, &src1);
    view_t cond = seen(l, third);
    cond.dt = dnnl_s8; /* a boolean is a byte of 0 or 1 */
    TRY(view_md(&cond, &src2));
    l->extra[l->nextra++] = (step_arg_t){at | DNNL_ARG_SRC_2, cond};
    return dnnl_post_ops_append_binary_v2(l->post_ops, alg, &src1, &src2);
}

/* Batch norm by fixed statistics is a factor and a sum for each channel: factor = gamma /
 * sqrt(variance + epsilon), sum = beta - mean * factor. With a bias before it, which is of f32, the
 * sum is beta - (mean - bias) * factor. */
static dnnl_status_t norm_vectors(
        lower_t *l, const epilogue_op_t *e, const view_t *bias, view_t *vectors) {
    const op_t *op = e->node->op;
    view_t v[5];
    md_t mds[5], md, bias_md;
    for (size_t i = 1; i < 5; i++) {
        v[i] = view_of(&op->in.list[i], e->node->in[i]);
        TRY(view_md(&v[i], &mds[i]));
    }
    for (int i = 0; i < 2; i++)
        TRY(program_temporary(l->program, dnnl_f32, 1, v[1].dims, &vectors[i]));
    TRY(view_md(&vectors[0], &md));
    TRY(lower_attr(l));
    TRY(dnnl_post_ops_create(&l->post_ops));
    TRY(dnnl_post_ops_append_eltwise(l->post_ops, dnnl_eltwise_pow, 1, -.5f));
    TRY(append_binary(l, seen_as_is, dnnl_binary_mul, &v[1], NULL));
    TRY(dnnl_primitive_attr_set_post_ops(l->attr, l->post_ops));
    TRY(dnnl_eltwise_forward_primitive_desc_create(&l->desc, l->program->engine,
            dnnl_forward_inference, dnnl_eltwise_linear, &mds[4], &md, 1,
            op_f32(op, ATTR(epsilon), 1e-5f), l->attr));
    const step_arg_t first[] = {{DNNL_ARG_SRC, v[4]}, {DNNL_ARG_DST, vectors[0]}};
    TRY(lower_step(l, 2, first));
    TRY(lower_attr(l));
    TRY(dnnl_post_ops_create(&l->post_ops));
    if (bias) {
        TRY(view_md(bias, &bias_md));
        TRY(append_binary(l, seen_as_is, dnnl_binary_mul, &vectors[0], NULL));
    }
    TRY(dnnl_post_ops_append_eltwise(l->post_ops, dnnl_eltwise_linear, -1, 0));
    TRY(append_binary(l, seen_as_is, dnnl_binary_add, &v[2], NULL));
    TRY(dnnl_primitive_attr_set_post_ops(l->attr, l->post_ops));
    TRY(dnnl_binary_primitive_desc_create(&l->desc, l->program->engine,
            bias ? dnnl_binary_sub : dnnl_binary_mul, &mds[3], bias ? &bias_md : &md, &md,
            l->attr));
    const step_arg_t second[] = {{DNNL_ARG_SRC_0, v[3]},
            {DNNL_ARG_SRC_1, bias ? *bias : vectors[0]}, {DNNL_ARG_DST, vectors[1]}};
    return lower_step(l, 3, second);
}

/* ---- batch norm in the weights ---- */

/* A factor and a sum for each element of the result against a multiplication for each weight, and
 * what a step costs. */
enum { RESULTS_PER_WEIGHT = 4 };

/* Are all tensors of f32? Weights of other types would be rounded once more. */
static bool folds_types(const op_t *conv, const op_t *norm) {
    const ports_t *both[] = {&conv->in, &norm->in};
    for (int b = 0; b < 2; b++)
        for (size_t i = 0; i < both[b]->count; i++)
            if (both[b]->list[i].data_type != dnnl_f32) return false;
    return true;
}

static bool folds_norm(const lower_t *l, const view_t *weights, dnnl_dim_t outputs) {
    const fused_t *f = l->fused;
    const node_t *norm = f->epilogue[0].node;
    if (!f->nepilogue || norm->op->kind != KIND(batch_norm_inference)) return false;
    const lt_t *dst = &norm->op->out.list[0];
    const dnnl_dim_t channels = norm->op->in.list[1].dims[0];
    if (f->from[0] || f->from[1] || !folds_types(l->op, norm->op)) return false;
    if (channels != outputs ||
            axis_of(l, norm->op, dst->ndims, channels) != channel_axis(l->op, dst->ndims))
        return false;
    if (l->op->in.count > 2 && lt_count(&l->op->in.list[2]) != channels) return false;
    bool kept = lower_is_kept(l, &l->op->in.list[1], l->in[1]);
    for (size_t i = 1; i < 5; i++)
        kept = kept && lower_is_kept(l, &norm->op->in.list[i], norm->in[i]);
    dnnl_dim_t count = 1;
    for (int d = 0; d < weights->ndims; d++) count *= weights->dims[d];
    /* What a GPU saves is less than a launch. */
    return kept ||
           (device_is_cpu(l->program->engine) && RESULTS_PER_WEIGHT * count <= lt_count(dst));
}

dnnl_status_t lower_fold_norm(lower_t *l, view_t *weights, view_t *bias, bool *folds) {
    const bool has_bias = l->op->in.count > 2;
    const int axis = weights_out_axis(l->op, weights->ndims);
    const dnnl_dim_t channels = weights->dims[axis];
    view_t vectors[2], own;
    md_t mds[3];
    *folds = folds_norm(l, weights, channels);
    if (!*folds) return dnnl_success;
    if (has_bias) TRY(lower_array(l, 2, channels, dnnl_f32, &own));
    TRY(norm_vectors(l, &l->fused->epilogue[0], has_bias ? &own : NULL, vectors));
    step_arg_t args[] = {{DNNL_ARG_SRC_0, *weights},
            {DNNL_ARG_SRC_1, view_on_axis(&vectors[0], weights->ndims, axis)}, {DNNL_ARG_DST, {0}}};
    TRY(program_temporary(l->program, dnnl_f32, weights->ndims, weights->dims, &args[2].view));
    for (int i = 0; i < 3; i++) TRY(view_md(&args[i].view, &mds[i]));
    TRY(lower_attr(l));
    TRY(dnnl_binary_primitive_desc_create(
            &l->desc, l->program->engine, dnnl_binary_mul, &mds[0], &mds[1], &mds[2], l->attr));
    TRY(lower_step(l, 3, args));
    *weights = args[2].view;
    *bias = vectors[1];
    l->nfolded = 1;
    return dnnl_success;
}

/* ---- the epilogue ---- */

/* What has to be computed before the primitive. */
static dnnl_status_t prepare(lower_t *l) {
    for (int i = l->nfolded; i < l->fused->nepilogue; i++) {
        const epilogue_op_t *e = &l->fused->epilogue[i];
        if (e->node->op->kind != KIND(batch_norm_inference)) continue;
        view_t *vectors = &l->vectors[2 * i];
        TRY(norm_vectors(l, e, NULL, vectors));
        const int ndims = e->node->op->out.list[0].ndims;
        const int axis = axis_of(l, e->node->op, ndims, vectors[0].dims[0]);
        for (int k = 0; k < 2; k++) vectors[k] = view_on_axis(&vectors[k], ndims, axis);
    }
    return dnnl_success;
}

static dnnl_status_t append_two(lower_t *l, seen_t seen, const epilogue_op_t *e, int ndims) {
    view_t operand, cond;
    const op_t *op = e->node->op;
    if (op->kind == KIND(select)) {
        TRY(operand_of(l, e, 0, ndims, &cond));
        TRY(operand_of(l, e, 2, ndims, &operand));
        return append_binary(l, seen, dnnl_binary_select, &operand, &cond);
    }
    TRY(operand_of(l, e, 1 - e->port, ndims, &operand));
    const bool bias = op->kind == KIND(bias_add);
    return append_binary(l, seen, bias ? dnnl_binary_add : binary_of(op), &operand, NULL);
}

static dnnl_status_t append(lower_t *l, seen_t seen, int i) {
    const epilogue_op_t *e = &l->fused->epilogue[i];
    const op_t *op = e->node->op;
    eltwise_t f;
    if (e->other) return dnnl_post_ops_append_eltwise(l->post_ops, dnnl_eltwise_swish, 1, 0);
    if (eltwise_of(op, &f))
        return dnnl_post_ops_append_eltwise(l->post_ops, f.alg, f.alpha, f.beta);
    switch (op->kind) {
    case KIND(type_cast): return dnnl_success;
    case KIND(quantize): return lower_quantized_dst(l, e->node, seen);
    case KIND(batch_norm_inference):
        TRY(append_binary(l, seen, dnnl_binary_mul, &l->vectors[2 * i], NULL));
        return append_binary(l, seen, dnnl_binary_add, &l->vectors[2 * i + 1], NULL);
    default: return append_two(l, seen, e, op->out.list[0].ndims ? op->out.list[0].ndims : 1);
    }
}

dnnl_status_t lower_epilogue(lower_t *l, seen_t seen, int nrules, const factor_rule_t *rules) {
    factors_t factors[2 * MOST_FACTORS];
    TRY(prepare(l));
    for (int i = 0; i < nrules; i++) TRY(lower_factors(l, &rules[i], &factors[2 * i]));
    TRY(lower_attr(l));
    for (int i = 0; i < nrules; i++) TRY(lower_set_factors(l, rules[i].arg, &factors[2 * i]));
    if (!l->fused->nepilogue) return dnnl_success;
    TRY(dnnl_post_ops_create(&l->post_ops));
    for (int i = l->nfolded; i < l->fused->nepilogue; i++) TRY(append(l, seen, i));
    return dnnl_primitive_attr_set_post_ops(l->attr, l->post_ops);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one tensor, and operations of the elements of two. */
#include "graph/lower_util.h"
#include "graph/lowerings.h"

#define KIND(name) dnnl_graph_op_##name

dnnl_status_t lower_eltwise(lower_t *l) {
    eltwise_t f;
    eltwise_of(l->op, &f);
    const step_arg_t args[] = {{DNNL_ARG_SRC, lower_in(l, 0)}, {DNNL_ARG_DST, lower_out(l, 0)}};
    md_t src, dst;
    TRY(view_md(&args[0].view, &src));
    TRY(view_md(&args[1].view, &dst));
    TRY(lower_epilogue(l, seen_as_is, 0, NULL));
    TRY(dnnl_eltwise_forward_primitive_desc_create(&l->desc, l->program->engine,
            dnnl_forward_inference, f.alg, &src, &dst, f.alpha, f.beta, l->attr));
    return lower_step(l, 2, args);
}

dnnl_status_t lower_eltwise_backward(lower_t *l) {
    eltwise_t f;
    const bool from_dst = eltwise_gradient_of(l->op, &f);
    const step_arg_t args[] = {{from_dst ? DNNL_ARG_DST : DNNL_ARG_SRC, lower_in(l, 0)},
            {DNNL_ARG_DIFF_DST, lower_in(l, 1)}, {DNNL_ARG_DIFF_SRC, lower_out(l, 0)}};
    md_t data, diff_dst, diff_src;
    TRY(view_md(&args[0].view, &data));
    TRY(view_md(&args[1].view, &diff_dst));
    TRY(view_md(&args[2].view, &diff_src));
    TRY(lower_attr(l));
    TRY(dnnl_eltwise_forward_primitive_desc_create(&l->hint, l->program->engine,
            dnnl_forward_training, f.alg, &data, &data, f.alpha, f.beta, l->attr));
    TRY(dnnl_eltwise_backward_primitive_desc_create(&l->desc, l->program->engine, f.alg, &diff_src,
            &diff_dst, &data, f.alpha, f.beta, l->hint, l->attr));
    return lower_step(l, 3, args);
}

/* dst = alg(a, b); the post-op, unless undef, is applied to the result. */
static dnnl_status_t binary(lower_t *l, dnnl_alg_kind_t alg, const view_t *a, const view_t *b,
        const view_t *dst, dnnl_alg_kind_t post_op) {
    const step_arg_t args[] = {{DNNL_ARG_SRC_0, view_expanded(a, dst->ndims)},
            {DNNL_ARG_SRC_1, view_expanded(b, dst->ndims)}, {DNNL_ARG_DST, *dst}};
    md_t src0, src1, result;
    TRY(view_md(&args[0].view, &src0));
    TRY(view_md(&args[1].view, &src1));
    TRY(view_md(dst, &result));
    TRY(lower_epilogue(l, seen_as_is, 0, NULL));
    if (post_op != dnnl_alg_kind_undef) {
        TRY(dnnl_post_ops_create(&l->post_ops));
        TRY(dnnl_post_ops_append_eltwise(l->post_ops, post_op, 0, 0));
        TRY(dnnl_primitive_attr_set_post_ops(l->attr, l->post_ops));
    }
    TRY(dnnl_binary_primitive_desc_create(
            &l->desc, l->program->engine, alg, &src0, &src1, &result, l->attr));
    return lower_step(l, 3, args);
}

dnnl_status_t lower_binary(lower_t *l) {
    const view_t a = lower_in(l, 0), b = lower_in(l, 1), dst = lower_out(l, 0);
    if (l->op->kind == KIND(squared_difference))
        return binary(l, dnnl_binary_sub, &a, &b, &dst, dnnl_eltwise_square);
    return binary(l, binary_of(l->op), &a, &b, &dst, dnnl_alg_kind_undef);
}

dnnl_status_t lower_bias_add(lower_t *l) {
    const view_t src = lower_in(l, 0), dst = lower_out(l, 0);
    view_t bias = lower_in(l, 1);
    const int axis = channel_axis(l->op, src.ndims);
    if (bias.ndims != 1 || src.ndims < 2 || bias.dims[0] != src.dims[axis])
        return verbose_check(dnnl_invalid_shape, "graph",
                "%s: the bias has not one value for each channel", l->op->name);
    bias = view_on_axis(&bias, src.ndims, axis);
    return binary(l, dnnl_binary_add, &src, &bias, &dst, dnnl_alg_kind_undef);
}

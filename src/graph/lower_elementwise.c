/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one tensor, and operations of the elements of two. */
#include "graph/lower_util.h"
#include "graph/lowerings.h"

#define KIND(name) dnnl_graph_op_##name

/* A parameter of an algorithm: an attribute, or a number. */
typedef struct {
    dnnl_graph_op_attr_t name; /* undef: the number */
    float number;
} parameter_t;

typedef struct {
    dnnl_graph_op_kind_t forward, backward;
    dnnl_alg_kind_t alg;
    dnnl_alg_kind_t alg_of_dst; /* of the gradient from the destination; undef: none */
    parameter_t alpha, beta;
} function_t;

static const function_t functions[] = {
        {KIND(abs), KIND(abs_backward), dnnl_eltwise_abs, 0, {0}, {0}},
        {KIND(clamp), KIND(clamp_backward), dnnl_eltwise_clip_v2,
                dnnl_eltwise_clip_v2_use_dst_for_bwd, {ATTR(min), 0}, {ATTR(max), 0}},
        {KIND(elu), KIND(elu_backward), dnnl_eltwise_elu, dnnl_eltwise_elu_use_dst_for_bwd,
                {ATTR(alpha), 0}, {0}},
        {KIND(exp), KIND(wildcard), dnnl_eltwise_exp, 0, {0}, {0}},
        {KIND(gelu), KIND(gelu_backward), dnnl_eltwise_gelu_erf, 0, {0}, {0}},
        {KIND(hard_swish), KIND(hard_swish_backward), dnnl_eltwise_hardswish, 0, {0, 1.f / 6},
                {0, .5f}},
        {KIND(leaky_relu), KIND(wildcard), dnnl_eltwise_relu, 0, {ATTR(alpha), 0}, {0}},
        {KIND(log), KIND(wildcard), dnnl_eltwise_log, 0, {0}, {0}},
        {KIND(mish), KIND(mish_backward), dnnl_eltwise_mish, 0, {0}, {0}},
        {KIND(relu), KIND(relu_backward), dnnl_eltwise_relu, dnnl_eltwise_relu_use_dst_for_bwd, {0},
                {0}},
        {KIND(round), KIND(wildcard), dnnl_eltwise_round, 0, {0}, {0}},
        {KIND(sigmoid), KIND(sigmoid_backward), dnnl_eltwise_logistic,
                dnnl_eltwise_logistic_use_dst_for_bwd, {0}, {0}},
        {KIND(softplus), KIND(softplus_backward), dnnl_eltwise_soft_relu, 0, {ATTR(beta), 1}, {0}},
        {KIND(sqrt), KIND(sqrt_backward), dnnl_eltwise_sqrt, dnnl_eltwise_sqrt_use_dst_for_bwd, {0},
                {0}},
        {KIND(square), KIND(wildcard), dnnl_eltwise_square, 0, {0}, {0}},
        {KIND(tanh), KIND(tanh_backward), dnnl_eltwise_tanh, dnnl_eltwise_tanh_use_dst_for_bwd, {0},
                {0}},
        {KIND(hard_sigmoid), KIND(hard_sigmoid_backward), dnnl_eltwise_hardsigmoid, 0,
                {ATTR(alpha), 0}, {ATTR(beta), 0}},
        {KIND(pow), KIND(wildcard), dnnl_eltwise_pow, 0, {0, 1}, {ATTR(beta), 0}},
        {KIND(reciprocal), KIND(wildcard), dnnl_eltwise_pow, 0, {0, 1}, {0, -1}},
};

static const function_t *find_function(dnnl_graph_op_kind_t kind) {
    const function_t *f = functions;
    while (f->forward != kind && f->backward != kind) f++;
    return f;
}

static float value_of(const op_t *op, const parameter_t *parameter) {
    return parameter->name ? op_f32(op, parameter->name, parameter->number) : parameter->number;
}

static dnnl_alg_kind_t algorithm(const op_t *op, const function_t *f, bool from_dst) {
    if (op_text_is(op, ATTR(mode), "gelu_tanh")) return dnnl_eltwise_gelu_tanh;
    return from_dst ? f->alg_of_dst : f->alg;
}

dnnl_status_t lower_eltwise(lower_t *l) {
    const function_t *f = find_function(l->op->kind);
    const step_arg_t args[] = {{DNNL_ARG_SRC, lower_in(l, 0)}, {DNNL_ARG_DST, lower_out(l, 0)}};
    md_t src, dst;
    TRY(view_md(&args[0].view, &src));
    TRY(view_md(&args[1].view, &dst));
    TRY(lower_attr(l));
    TRY(dnnl_eltwise_forward_primitive_desc_create(&l->desc, l->program->engine,
            dnnl_forward_inference, algorithm(l->op, f, false), &src, &dst,
            value_of(l->op, &f->alpha), value_of(l->op, &f->beta), l->attr));
    return lower_step(l, 2, args);
}

dnnl_status_t lower_eltwise_backward(lower_t *l) {
    const function_t *f = find_function(l->op->kind);
    const bool from_dst = f->alg_of_dst && op_flag(l->op, ATTR(use_dst));
    const dnnl_alg_kind_t alg = algorithm(l->op, f, from_dst);
    const float alpha = value_of(l->op, &f->alpha), beta = value_of(l->op, &f->beta);
    const step_arg_t args[] = {{from_dst ? DNNL_ARG_DST : DNNL_ARG_SRC, lower_in(l, 0)},
            {DNNL_ARG_DIFF_DST, lower_in(l, 1)}, {DNNL_ARG_DIFF_SRC, lower_out(l, 0)}};
    md_t data, diff_dst, diff_src;
    TRY(view_md(&args[0].view, &data));
    TRY(view_md(&args[1].view, &diff_dst));
    TRY(view_md(&args[2].view, &diff_src));
    TRY(lower_attr(l));
    TRY(dnnl_eltwise_forward_primitive_desc_create(&l->hint, l->program->engine,
            dnnl_forward_training, alg, &data, &data, alpha, beta, l->attr));
    TRY(dnnl_eltwise_backward_primitive_desc_create(&l->desc, l->program->engine, alg, &diff_src,
            &diff_dst, &data, alpha, beta, l->hint, l->attr));
    return lower_step(l, 3, args);
}

static dnnl_alg_kind_t binary_algorithm(dnnl_graph_op_kind_t kind) {
    static const struct {
        dnnl_graph_op_kind_t kind;
        dnnl_alg_kind_t alg;
    } table[] = {{KIND(add), dnnl_binary_add}, {KIND(subtract), dnnl_binary_sub},
            {KIND(squared_difference), dnnl_binary_sub}, {KIND(multiply), dnnl_binary_mul},
            {KIND(divide), dnnl_binary_div}, {KIND(maximum), dnnl_binary_max},
            {KIND(minimum), dnnl_binary_min}, {KIND(greater_equal), dnnl_binary_ge}};
    int i = 0;
    while (table[i].kind != kind) i++;
    return table[i].alg;
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
    TRY(lower_attr(l));
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
    const bool squared = l->op->kind == KIND(squared_difference);
    return binary(l, binary_algorithm(l->op->kind), &a, &b, &dst,
            squared ? dnnl_eltwise_square : dnnl_alg_kind_undef);
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

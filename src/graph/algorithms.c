/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms of primitives that operations have. */
#include "graph/lower_util.h"

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

static float value_of(const op_t *op, const parameter_t *parameter) {
    return parameter->name ? op_f32(op, parameter->name, parameter->number) : parameter->number;
}

static dnnl_alg_kind_t algorithm(const op_t *op, const function_t *f, bool from_dst) {
    if (op_text_is(op, ATTR(mode), "gelu_tanh")) return dnnl_eltwise_gelu_tanh;
    return from_dst ? f->alg_of_dst : f->alg;
}

bool eltwise_of(const op_t *op, eltwise_t *eltwise) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const function_t *f = &functions[i];
        if (f->forward != op->kind) continue;
        *eltwise = (eltwise_t){
                algorithm(op, f, false), value_of(op, &f->alpha), value_of(op, &f->beta)};
        return true;
    }
    return false;
}

bool eltwise_gradient_of(const op_t *op, eltwise_t *eltwise) {
    const function_t *f = functions;
    while (f->backward != op->kind) f++;
    const bool from_dst = f->alg_of_dst && op_flag(op, ATTR(use_dst));
    *eltwise = (eltwise_t){
            algorithm(op, f, from_dst), value_of(op, &f->alpha), value_of(op, &f->beta)};
    return from_dst;
}

dnnl_alg_kind_t binary_of(const op_t *op) {
    static const struct {
        dnnl_graph_op_kind_t kind;
        dnnl_alg_kind_t alg;
    } table[] = {{KIND(add), dnnl_binary_add}, {KIND(subtract), dnnl_binary_sub},
            {KIND(multiply), dnnl_binary_mul}, {KIND(divide), dnnl_binary_div},
            {KIND(maximum), dnnl_binary_max}, {KIND(minimum), dnnl_binary_min},
            {KIND(greater_equal), dnnl_binary_ge}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].kind == op->kind) return table[i].alg;
    return dnnl_alg_kind_undef;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Constructors of recurrent networks: five cells share one body. */
#include "api/rnn_check.h"

typedef struct {
    dnnl_alg_kind_t cell, activation;
    dnnl_rnn_direction_t direction;
    unsigned flags;
    float alpha, beta;
} rnn_params_t;

static void set_rnn(constructor_t *c, const rnn_params_t *p) {
    c->params.cell_kind = (int)p->cell;
    c->params.alg_kind = p->cell;
    c->params.activation_kind = (int)p->activation;
    c->params.direction = (int)p->direction;
    c->params.flags = p->flags;
    c->params.alpha = p->alpha;
    c->params.beta = p->beta;
    if ((int)p->direction < dnnl_unidirectional_left2right || p->direction > dnnl_bidirectional_sum)
        constructor_complain(c, "the direction is not one of dnnl_rnn_direction_t");
}

static void add_inputs(constructor_t *c, const rnn_tensors_t *t, bool has_attention) {
    constructor_tensor(c, DNNL_ARG_SRC_LAYER, PD_IN, t->src_layer, "src_layer_desc is NULL");
    constructor_optional(c, DNNL_ARG_SRC_ITER, PD_IN, t->src_iter);
    constructor_optional(c, DNNL_ARG_SRC_ITER_C, PD_IN, t->src_iter_c);
    if (has_attention)
        constructor_tensor(
                c, DNNL_ARG_AUGRU_ATTENTION, PD_IN, t->attention, "attention_desc is NULL");
    constructor_tensor(
            c, DNNL_ARG_WEIGHTS_LAYER, PD_IN, t->weights_layer, "weights_layer_desc is NULL");
    constructor_tensor(
            c, DNNL_ARG_WEIGHTS_ITER, PD_IN, t->weights_iter, "weights_iter_desc is NULL");
    constructor_optional(c, DNNL_ARG_WEIGHTS_PEEPHOLE, PD_IN, t->weights_peephole);
    constructor_optional(c, DNNL_ARG_WEIGHTS_PROJECTION, PD_IN, t->weights_projection);
    constructor_optional(c, DNNL_ARG_BIAS, PD_IN, t->bias);
}

/* Backward propagation reads what forward propagation writes. */
static void add_outputs(constructor_t *c, const rnn_tensors_t *t, unsigned flags) {
    constructor_tensor(c, DNNL_ARG_DST_LAYER, flags, t->dst_layer, "dst_layer_desc is NULL");
    constructor_optional(c, DNNL_ARG_DST_ITER, flags, t->dst_iter);
    constructor_optional(c, DNNL_ARG_DST_ITER_C, flags, t->dst_iter_c);
}

static void add_gradients(constructor_t *c, const rnn_tensors_t *t, bool has_attention) {
    constructor_tensor(
            c, DNNL_ARG_DIFF_DST_LAYER, PD_IN, t->dst_layer, "diff_dst_layer_desc is NULL");
    constructor_optional(c, DNNL_ARG_DIFF_DST_ITER, PD_IN, t->dst_iter);
    constructor_optional(c, DNNL_ARG_DIFF_DST_ITER_C, PD_IN, t->dst_iter_c);
    constructor_tensor(
            c, DNNL_ARG_DIFF_SRC_LAYER, PD_OUT, t->src_layer, "diff_src_layer_desc is NULL");
    constructor_optional(c, DNNL_ARG_DIFF_SRC_ITER, PD_OUT, t->src_iter);
    constructor_optional(c, DNNL_ARG_DIFF_SRC_ITER_C, PD_OUT, t->src_iter_c);
    if (has_attention)
        constructor_tensor(c, DNNL_ARG_DIFF_AUGRU_ATTENTION, PD_OUT, t->attention,
                "diff_attention_desc is NULL");
    constructor_tensor(c, DNNL_ARG_DIFF_WEIGHTS_LAYER, PD_OUT, t->weights_layer,
            "diff_weights_layer_desc is NULL");
    constructor_tensor(c, DNNL_ARG_DIFF_WEIGHTS_ITER, PD_OUT, t->weights_iter,
            "diff_weights_iter_desc is NULL");
    constructor_optional(c, DNNL_ARG_DIFF_WEIGHTS_PEEPHOLE, PD_OUT, t->weights_peephole);
    constructor_optional(c, DNNL_ARG_DIFF_WEIGHTS_PROJECTION, PD_OUT, t->weights_projection);
    constructor_optional(c, DNNL_ARG_DIFF_BIAS, PD_OUT, t->bias);
}

static bool has_attention(dnnl_alg_kind_t cell) {
    return cell == dnnl_vanilla_augru || cell == dnnl_lbr_augru;
}

static dnnl_status_t forward(dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const rnn_params_t *params, const rnn_tensors_t *t,
        const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_rnn);
    constructor_forward(&c, prop_kind);
    set_rnn(&c, params);
    add_inputs(&c, t, has_attention(params->cell));
    add_outputs(&c, t, PD_OUT);
    rnn_check(&c, t);
    return construct(&c);
}

static dnnl_status_t backward(dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const rnn_params_t *params, const rnn_tensors_t *t,
        const rnn_tensors_t *diff, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr) {
    CONSTRUCTOR(dnnl_rnn);
    constructor_backward(&c, prop_kind, hint_fwd_pd);
    if (prop_kind != dnnl_backward) constructor_complain(&c, "prop_kind must be dnnl_backward");
    set_rnn(&c, params);
    add_inputs(&c, t, has_attention(params->cell));
    add_outputs(&c, t, PD_IN);
    add_gradients(&c, diff, has_attention(params->cell));
    rnn_check(&c, t);
    rnn_check_gradients(&c, t, diff);
    return construct(&c);
}

/* The names of the parameters are those of the public header. */
#define COMMON_TENSORS(prefix)                                                                     \
    .src_layer = prefix##src_layer_desc, .src_iter = prefix##src_iter_desc,                        \
    .weights_layer = prefix##weights_layer_desc, .weights_iter = prefix##weights_iter_desc,        \
    .bias = prefix##bias_desc, .dst_layer = prefix##dst_layer_desc,                                \
    .dst_iter = prefix##dst_iter_desc
#define LSTM_TENSORS(prefix)                                                                       \
    COMMON_TENSORS(prefix), .src_iter_c = prefix##src_iter_c_desc,                                 \
            .weights_peephole = prefix##weights_peephole_desc,                                     \
            .weights_projection = prefix##weights_projection_desc,                                 \
            .dst_iter_c = prefix##dst_iter_c_desc
#define AUGRU_TENSORS(prefix) COMMON_TENSORS(prefix), .attention = prefix##attention_desc

dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const dnnl_alg_kind_t activation,
        const dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        unsigned flags, float alpha, float beta, const_dnnl_primitive_attr_t attr) {
    const rnn_params_t params = {dnnl_vanilla_rnn, activation, direction, flags, alpha, beta};
    const rnn_tensors_t t = {COMMON_TENSORS()};
    return forward(primitive_desc, engine, prop_kind, &params, &t, attr);
}

dnnl_status_t dnnl_vanilla_rnn_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const dnnl_alg_kind_t activation,
        const dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, float alpha, float beta, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr) {
    const rnn_params_t params = {dnnl_vanilla_rnn, activation, direction, flags, alpha, beta};
    const rnn_tensors_t t = {COMMON_TENSORS()}, diff = {COMMON_TENSORS(diff_)};
    return backward(primitive_desc, engine, prop_kind, &params, &t, &diff, hint_fwd_pd, attr);
}

dnnl_status_t dnnl_lstm_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t src_iter_c_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t weights_peephole_desc,
        const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t dst_iter_c_desc, unsigned flags,
        const_dnnl_primitive_attr_t attr) {
    const rnn_params_t params = {dnnl_vanilla_lstm, dnnl_alg_kind_undef, direction, flags, 0, 0};
    const rnn_tensors_t t = {LSTM_TENSORS()};
    return forward(primitive_desc, engine, prop_kind, &params, &t, attr);
}

dnnl_status_t dnnl_lstm_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t src_iter_c_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t weights_peephole_desc,
        const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t dst_iter_c_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_src_iter_c_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc,
        const_dnnl_memory_desc_t diff_weights_peephole_desc,
        const_dnnl_memory_desc_t diff_weights_projection_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
        const_dnnl_memory_desc_t diff_dst_iter_desc, const_dnnl_memory_desc_t diff_dst_iter_c_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {
    const rnn_params_t params = {dnnl_vanilla_lstm, dnnl_alg_kind_undef, direction, flags, 0, 0};
    const rnn_tensors_t t = {LSTM_TENSORS()}, diff = {LSTM_TENSORS(diff_)};
    return backward(primitive_desc, engine, prop_kind, &params, &t, &diff, hint_fwd_pd, attr);
}

#define GRU_CONSTRUCTORS(name, cell)                                                               \
    dnnl_status_t dnnl_##name##_forward_primitive_desc_create(                                     \
            dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,                           \
            dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,                            \
            const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,       \
            const_dnnl_memory_desc_t weights_layer_desc,                                           \
            const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,        \
            const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,       \
            unsigned flags, const_dnnl_primitive_attr_t attr) {                                    \
        const rnn_params_t params = {cell, dnnl_alg_kind_undef, direction, flags, 0, 0};           \
        const rnn_tensors_t t = {COMMON_TENSORS()};                                                \
        return forward(primitive_desc, engine, prop_kind, &params, &t, attr);                      \
    }                                                                                              \
    dnnl_status_t dnnl_##name##_backward_primitive_desc_create(                                    \
            dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,                           \
            dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,                            \
            const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,       \
            const_dnnl_memory_desc_t weights_layer_desc,                                           \
            const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,        \
            const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,       \
            const_dnnl_memory_desc_t diff_src_layer_desc,                                          \
            const_dnnl_memory_desc_t diff_src_iter_desc,                                           \
            const_dnnl_memory_desc_t diff_weights_layer_desc,                                      \
            const_dnnl_memory_desc_t diff_weights_iter_desc,                                       \
            const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc, \
            const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned flags,                           \
            const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {           \
        const rnn_params_t params = {cell, dnnl_alg_kind_undef, direction, flags, 0, 0};           \
        const rnn_tensors_t t = {COMMON_TENSORS()}, diff = {COMMON_TENSORS(diff_)};                \
        return backward(primitive_desc, engine, prop_kind, &params, &t, &diff, hint_fwd_pd, attr); \
    }
GRU_CONSTRUCTORS(gru, dnnl_vanilla_gru)
GRU_CONSTRUCTORS(lbr_gru, dnnl_lbr_gru)

#define AUGRU_CONSTRUCTORS(name, cell)                                                             \
    dnnl_status_t dnnl_##name##_forward_primitive_desc_create(                                     \
            dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,                           \
            dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,                            \
            const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,       \
            const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,  \
            const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,        \
            const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,       \
            unsigned flags, const_dnnl_primitive_attr_t attr) {                                    \
        const rnn_params_t params = {cell, dnnl_alg_kind_undef, direction, flags, 0, 0};           \
        const rnn_tensors_t t = {AUGRU_TENSORS()};                                                 \
        return forward(primitive_desc, engine, prop_kind, &params, &t, attr);                      \
    }                                                                                              \
    dnnl_status_t dnnl_##name##_backward_primitive_desc_create(                                    \
            dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,                           \
            dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,                            \
            const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,       \
            const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,  \
            const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,        \
            const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,       \
            const_dnnl_memory_desc_t diff_src_layer_desc,                                          \
            const_dnnl_memory_desc_t diff_src_iter_desc,                                           \
            const_dnnl_memory_desc_t diff_attention_desc,                                          \
            const_dnnl_memory_desc_t diff_weights_layer_desc,                                      \
            const_dnnl_memory_desc_t diff_weights_iter_desc,                                       \
            const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc, \
            const_dnnl_memory_desc_t diff_dst_iter_desc, unsigned flags,                           \
            const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr) {           \
        const rnn_params_t params = {cell, dnnl_alg_kind_undef, direction, flags, 0, 0};           \
        const rnn_tensors_t t = {AUGRU_TENSORS()}, diff = {AUGRU_TENSORS(diff_)};                  \
        return backward(primitive_desc, engine, prop_kind, &params, &t, &diff, hint_fwd_pd, attr); \
    }
AUGRU_CONSTRUCTORS(augru, dnnl_vanilla_augru)
AUGRU_CONSTRUCTORS(lbr_augru, dnnl_lbr_augru)

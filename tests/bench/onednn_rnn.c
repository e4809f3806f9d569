/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptors of recurrent networks in oneDNN's CPU library, through either version of the
 * interface: one direction of time, without states before and after. */
#include "onednn_parts.h"

#define WAY dnnl_unidirectional_left2right

#if V3
#define CELL m->src, NULL, m->weights, m->weights_iter, m->bias, m->dst, NULL
#define LSTM                                                                                       \
    m->src, NULL, NULL, m->weights, m->weights_iter, NULL, NULL, m->bias, m->dst, NULL, NULL

static dnnl_status_t forward(const parts_t *m, dnnl_engine_t engine, dnnl_primitive_desc_t *pd) {
    switch ((int)m->alg) {
    case dnnl_vanilla_rnn:
        return dnnl_vanilla_rnn_forward_primitive_desc_create(
                pd, engine, m->prop, m->activation, WAY, CELL, 0, 0, 0, m->attr);
    case dnnl_vanilla_lstm:
        return dnnl_lstm_forward_primitive_desc_create(pd, engine, m->prop, WAY, LSTM, 0, m->attr);
    case dnnl_vanilla_gru:
        return dnnl_gru_forward_primitive_desc_create(pd, engine, m->prop, WAY, CELL, 0, m->attr);
    default: return dnnl_unimplemented;
    }
}

static dnnl_status_t backward(const parts_t *m, dnnl_engine_t engine,
        const_dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *pd) {
    const dnnl_prop_kind_t prop = dnnl_backward;
    switch ((int)m->alg) {
    case dnnl_vanilla_rnn:
        return dnnl_vanilla_rnn_backward_primitive_desc_create(
                pd, engine, prop, m->activation, WAY, CELL, CELL, 0, 0, 0, hint, m->attr);
    case dnnl_vanilla_lstm:
        return dnnl_lstm_backward_primitive_desc_create(
                pd, engine, prop, WAY, LSTM, LSTM, 0, hint, m->attr);
    case dnnl_vanilla_gru:
        return dnnl_gru_backward_primitive_desc_create(
                pd, engine, prop, WAY, CELL, CELL, 0, hint, m->attr);
    default: return dnnl_unimplemented;
    }
}

dnnl_status_t onednn_rnn(const parts_t *m, dnnl_engine_t engine, const_dnnl_primitive_desc_t hint,
        dnnl_primitive_desc_t *pd) {
    return hint ? backward(m, engine, hint, pd) : forward(m, engine, pd);
}
#else
#define CELL &m->src, NULL, &m->weights, &m->weights_iter, &m->bias, &m->dst, NULL
#define LSTM &m->src, NULL, NULL, &m->weights, &m->weights_iter, &m->bias, &m->dst, NULL, NULL

static dnnl_status_t forward(dnnl_rnn_desc_t *desc, const parts_t *m) {
    switch ((int)m->alg) {
    case dnnl_vanilla_rnn:
        return dnnl_vanilla_rnn_forward_desc_init(desc, m->prop, m->activation, WAY, CELL, 0, 0, 0);
    case dnnl_vanilla_lstm: return dnnl_lstm_forward_desc_init(desc, m->prop, WAY, LSTM, 0);
    case dnnl_vanilla_gru: return dnnl_gru_forward_desc_init(desc, m->prop, WAY, CELL, 0);
    default: return dnnl_unimplemented;
    }
}

static dnnl_status_t backward(dnnl_rnn_desc_t *desc, const parts_t *m) {
    const dnnl_prop_kind_t prop = dnnl_backward;
    switch ((int)m->alg) {
    case dnnl_vanilla_rnn:
        return dnnl_vanilla_rnn_backward_desc_init(
                desc, prop, m->activation, WAY, CELL, CELL, 0, 0, 0);
    case dnnl_vanilla_lstm: return dnnl_lstm_backward_desc_init(desc, prop, WAY, LSTM, LSTM, 0);
    case dnnl_vanilla_gru: return dnnl_gru_backward_desc_init(desc, prop, WAY, CELL, CELL, 0);
    default: return dnnl_unimplemented;
    }
}

dnnl_status_t onednn_rnn(const parts_t *m, dnnl_engine_t engine, const_dnnl_primitive_desc_t hint,
        dnnl_primitive_desc_t *pd) {
    dnnl_rnn_desc_t desc;
    TRY(hint ? backward(&desc, m) : forward(&desc, m));
    return dnnl_primitive_desc_create(pd, &desc, m->attr, engine, hint);
}
#endif

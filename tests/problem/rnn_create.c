/* SPDX-License-Identifier: Apache-2.0 */
/* One constructor for all cells, in place of the six of the interface. */
#include "oneapi/dnnl/dnnl.h"
#include "problem_rnn.h"

const int rnn_args[RNN_TENSORS] = {[RNN_SRC_LAYER] = DNNL_ARG_SRC_LAYER,
        [RNN_SRC_ITER] = DNNL_ARG_SRC_ITER,
        [RNN_SRC_ITER_C] = DNNL_ARG_SRC_ITER_C,
        [RNN_ATTENTION] = DNNL_ARG_AUGRU_ATTENTION,
        [RNN_WEIGHTS_LAYER] = DNNL_ARG_WEIGHTS_LAYER,
        [RNN_WEIGHTS_ITER] = DNNL_ARG_WEIGHTS_ITER,
        [RNN_PEEPHOLE] = DNNL_ARG_WEIGHTS_PEEPHOLE,
        [RNN_PROJECTION] = DNNL_ARG_WEIGHTS_PROJECTION,
        [RNN_BIAS] = DNNL_ARG_BIAS,
        [RNN_DST_LAYER] = DNNL_ARG_DST_LAYER,
        [RNN_DST_ITER] = DNNL_ARG_DST_ITER,
        [RNN_DST_ITER_C] = DNNL_ARG_DST_ITER_C};

#define INPUTS(m) &m[RNN_SRC_LAYER], &m[RNN_SRC_ITER]
#define WEIGHTS(m) &m[RNN_WEIGHTS_LAYER], &m[RNN_WEIGHTS_ITER]
#define OUTPUTS(m) &m[RNN_BIAS], &m[RNN_DST_LAYER], &m[RNN_DST_ITER]
#define GRU(m) INPUTS(m), WEIGHTS(m), OUTPUTS(m)
#define AUGRU(m) INPUTS(m), &m[RNN_ATTENTION], WEIGHTS(m), OUTPUTS(m)
#define LSTM(m)                                                                                    \
    INPUTS(m), &m[RNN_SRC_ITER_C], WEIGHTS(m), &m[RNN_PEEPHOLE], &m[RNN_PROJECTION], OUTPUTS(m),   \
            &m[RNN_DST_ITER_C]

dnnl_status_t rnn_create_forward(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        dnnl_prop_kind_t prop, const rnn_net_t *net, const_dnnl_primitive_attr_t attr) {
    const dnnl_rnn_direction_t way = net->direction;
    const unsigned flags = net->flags;
    const md_t *m = net->md;
    switch ((int)net->cell) {
    case dnnl_vanilla_rnn:
        return dnnl_vanilla_rnn_forward_primitive_desc_create(
                pd, engine, prop, net->activation, way, GRU(m), flags, net->alpha, 0, attr);
    case dnnl_vanilla_lstm:
        return dnnl_lstm_forward_primitive_desc_create(pd, engine, prop, way, LSTM(m), flags, attr);
    case dnnl_vanilla_gru:
        return dnnl_gru_forward_primitive_desc_create(pd, engine, prop, way, GRU(m), flags, attr);
    case dnnl_lbr_gru:
        return dnnl_lbr_gru_forward_primitive_desc_create(
                pd, engine, prop, way, GRU(m), flags, attr);
    case dnnl_vanilla_augru:
        return dnnl_augru_forward_primitive_desc_create(
                pd, engine, prop, way, AUGRU(m), flags, attr);
    case dnnl_lbr_augru:
        return dnnl_lbr_augru_forward_primitive_desc_create(
                pd, engine, prop, way, AUGRU(m), flags, attr);
    default: return dnnl_invalid_arguments;
    }
}

dnnl_status_t rnn_create_backward(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const rnn_net_t *net, const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    const dnnl_prop_kind_t prop = dnnl_backward;
    const dnnl_rnn_direction_t way = net->direction;
    const unsigned flags = net->flags;
    const md_t *m = net->md, *g = net->diff;
    switch ((int)net->cell) {
    case dnnl_vanilla_rnn:
        return dnnl_vanilla_rnn_backward_primitive_desc_create(pd, engine, prop, net->activation,
                way, GRU(m), GRU(g), flags, net->alpha, 0, hint, attr);
    case dnnl_vanilla_lstm:
        return dnnl_lstm_backward_primitive_desc_create(
                pd, engine, prop, way, LSTM(m), LSTM(g), flags, hint, attr);
    case dnnl_vanilla_gru:
        return dnnl_gru_backward_primitive_desc_create(
                pd, engine, prop, way, GRU(m), GRU(g), flags, hint, attr);
    case dnnl_lbr_gru:
        return dnnl_lbr_gru_backward_primitive_desc_create(
                pd, engine, prop, way, GRU(m), GRU(g), flags, hint, attr);
    case dnnl_vanilla_augru:
        return dnnl_augru_backward_primitive_desc_create(
                pd, engine, prop, way, AUGRU(m), AUGRU(g), flags, hint, attr);
    case dnnl_lbr_augru:
        return dnnl_lbr_augru_backward_primitive_desc_create(
                pd, engine, prop, way, AUGRU(m), AUGRU(g), flags, hint, attr);
    default: return dnnl_invalid_arguments;
    }
}

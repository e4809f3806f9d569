/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent networks by their tensors, for the constructors of all cells. */
#ifndef TESTS_PROBLEM_PROBLEM_RNN_H
#define TESTS_PROBLEM_PROBLEM_RNN_H

#include "core/memory_desc.h"

enum {
    RNN_SRC_LAYER,
    RNN_SRC_ITER,
    RNN_SRC_ITER_C,
    RNN_ATTENTION,
    RNN_WEIGHTS_LAYER,
    RNN_WEIGHTS_ITER,
    RNN_PEEPHOLE,
    RNN_PROJECTION,
    RNN_BIAS,
    RNN_DST_LAYER,
    RNN_DST_ITER,
    RNN_DST_ITER_C,
    RNN_TENSORS
};

/* What a network does not have is the zero descriptor. */
typedef struct {
    dnnl_alg_kind_t cell, activation;
    dnnl_rnn_direction_t direction;
    unsigned flags;
    float alpha;
    md_t md[RNN_TENSORS], diff[RNN_TENSORS];
} rnn_net_t;

/* By number of the tensor. */
extern const int rnn_args[RNN_TENSORS];

dnnl_status_t rnn_create_forward(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        dnnl_prop_kind_t prop, const rnn_net_t *net, const_dnnl_primitive_attr_t attr);
dnnl_status_t rnn_create_backward(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
        const rnn_net_t *net, const_dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the constructors of recurrent networks ask of the dimensions of their tensors. */
#ifndef API_RNN_CHECK_H
#define API_RNN_CHECK_H

#include "api/constructors.h"

/* The tensors of a cell in one direction of propagation; NULL where the cell does not have one. */
typedef struct {
    const md_t *src_layer, *src_iter, *src_iter_c, *attention;
    const md_t *weights_layer, *weights_iter, *weights_peephole, *weights_projection, *bias;
    const md_t *dst_layer, *dst_iter, *dst_iter_c;
} rnn_tensors_t;

/* Complains if the parameters of *c and the tensors do not describe a network. Does nothing if
 * there is a complaint already. */
void rnn_check(constructor_t *c, const rnn_tensors_t *t);
/* Complains if the gradients do not have the dimensions of the tensors that they belong to, if one
 * is missing or has no tensor, or if the forward descriptor is of another network. */
void rnn_check_gradients(constructor_t *c, const rnn_tensors_t *t, const rnn_tensors_t *diff);

#endif

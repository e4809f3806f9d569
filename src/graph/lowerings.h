/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that lower operations, as the table of operations names them. */
#ifndef GRAPH_LOWERINGS_H
#define GRAPH_LOWERINGS_H

#include "graph/lower.h"

dnnl_status_t lower_eltwise(lower_t *l);
dnnl_status_t lower_eltwise_backward(lower_t *l);
dnnl_status_t lower_binary(lower_t *l);
dnnl_status_t lower_bias_add(lower_t *l);
dnnl_status_t lower_matmul(lower_t *l);
dnnl_status_t lower_reduce(lower_t *l);
dnnl_status_t lower_softmax(lower_t *l);
dnnl_status_t lower_softmax_backward(lower_t *l);
dnnl_status_t lower_reorder(lower_t *l);
dnnl_status_t lower_reshape(lower_t *l);
dnnl_status_t lower_transpose(lower_t *l);
dnnl_status_t lower_concat(lower_t *l);

#endif

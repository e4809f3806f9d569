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
/* With statistics or the mode inf_as_zero. */
dnnl_status_t lower_softmax_in_parts(lower_t *l, int axis);
dnnl_status_t lower_softmax_backward(lower_t *l);
dnnl_status_t lower_reorder(lower_t *l);
dnnl_status_t lower_reshape(lower_t *l);
dnnl_status_t lower_transpose(lower_t *l);
dnnl_status_t lower_concat(lower_t *l);
dnnl_status_t lower_batch_norm(lower_t *l);
dnnl_status_t lower_batch_norm_backward(lower_t *l);
dnnl_status_t lower_batch_norm_training(lower_t *l);
dnnl_status_t lower_bias_gradient(lower_t *l);
dnnl_status_t lower_conv(lower_t *l);
dnnl_status_t lower_conv_backward_data(lower_t *l);
dnnl_status_t lower_conv_backward_weights(lower_t *l);
dnnl_status_t lower_deconv(lower_t *l);
dnnl_status_t lower_dropout(lower_t *l);
dnnl_status_t lower_dynamic_quantize(lower_t *l);
dnnl_status_t lower_gen_index(lower_t *l);
dnnl_status_t lower_group_norm(lower_t *l);
dnnl_status_t lower_interpolate(lower_t *l);
dnnl_status_t lower_interpolate_backward(lower_t *l);
/* Either of them with aligned corners. input: 0, the source, or 1, the gradient. */
dnnl_status_t lower_corners(lower_t *l, size_t input, bool linear);
dnnl_status_t lower_layer_norm(lower_t *l);
dnnl_status_t lower_layer_norm_backward(lower_t *l);
dnnl_status_t lower_pool(lower_t *l);
dnnl_status_t lower_pool_backward(lower_t *l);
dnnl_status_t lower_prelu(lower_t *l);
dnnl_status_t lower_prelu_backward(lower_t *l);
dnnl_status_t lower_quantize(lower_t *l);
dnnl_status_t lower_select(lower_t *l);

#endif

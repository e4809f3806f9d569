/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions of outputs; see op_infer_t. */
#ifndef GRAPH_INFER_H
#define GRAPH_INFER_H

#include "graph/op.h"

/* infer.c */
dnnl_status_t infer_same(op_t *op);   /* all outputs have the dims of input 0 */
dnnl_status_t infer_inputs(op_t *op); /* output i has those of input i */
dnnl_status_t infer_broadcast(op_t *op);
dnnl_status_t infer_select(op_t *op);
dnnl_status_t infer_nothing(op_t *op);
dnnl_status_t infer_unknown(op_t *op);
dnnl_status_t infer_concat(op_t *op);
dnnl_status_t infer_matmul(op_t *op);
dnnl_status_t infer_reduce(op_t *op);
dnnl_status_t infer_reshape(op_t *op);
dnnl_status_t infer_transpose(op_t *op);
dnnl_status_t infer_softmax(op_t *op);
dnnl_status_t infer_bias_gradient(op_t *op);
/* infer_norm.c */
dnnl_status_t infer_batch_norm_training(op_t *op);
dnnl_status_t infer_batch_norm_backward(op_t *op);
dnnl_status_t infer_layer_norm(op_t *op);
dnnl_status_t infer_layer_norm_backward(op_t *op);
dnnl_status_t infer_group_norm(op_t *op);
/* infer_window.c */
dnnl_status_t infer_pool(op_t *op);
dnnl_status_t infer_conv(op_t *op);
dnnl_status_t infer_deconv(op_t *op);
dnnl_status_t infer_src_shape(op_t *op);
dnnl_status_t infer_dst_shape(op_t *op);
dnnl_status_t infer_weights_shape(op_t *op);
dnnl_status_t infer_interpolate(op_t *op);

#endif

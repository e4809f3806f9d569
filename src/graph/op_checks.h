/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of single kinds, which the table of schemas cannot say. Each answers NULL or a sentence. */
#ifndef GRAPH_OP_CHECKS_H
#define GRAPH_OP_CHECKS_H

#include "graph/op.h"

const char *check_pads(const op_t *op);
const char *check_max_pool(const op_t *op);
const char *check_norm_types(const op_t *op);
const char *check_norm_forward(const op_t *op);
const char *check_norm_backward(const op_t *op);
const char *check_interpolate(const op_t *op);
const char *check_reduce(const op_t *op);
const char *check_matmul(const op_t *op);
const char *check_softmax(const op_t *op);
const char *check_softmax_backward(const op_t *op);
const char *check_type_cast(const op_t *op);
const char *check_quantize(const op_t *op);
const char *check_dynamic(const op_t *op);

#endif

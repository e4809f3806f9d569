/* SPDX-License-Identifier: Apache-2.0 */
/* Logical tensors: plain structures of the program. */
#ifndef GRAPH_LOGICAL_TENSOR_H
#define GRAPH_LOGICAL_TENSOR_H

#include <stdbool.h>

#include "oneapi/dnnl/dnnl_graph.h"

typedef dnnl_graph_logical_tensor_t lt_t;

/* A logical tensor without any knowledge. */
lt_t lt_empty(size_t id);
/* Are the number of dimensions and all of them known? */
bool lt_has_dims(const lt_t *lt);
/* Gives it the strides of a dense row-major tensor; a dim of 0 counts as 1. The dims are known. */
void lt_set_dense(lt_t *lt);
bool lt_is_dense(const lt_t *lt);
/* Same content in every member that counts? */
bool lt_same(const lt_t *a, const lt_t *b);
/* The product of the dims; 1 for 0 dimensions. */
int64_t lt_count(const lt_t *lt);
size_t lt_bytes(const lt_t *lt); /* SIZE_MAX: unknown */

#endif

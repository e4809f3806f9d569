/* SPDX-License-Identifier: Apache-2.0 */
/* How inference gives an output its dims. */
#ifndef GRAPH_INFER_SET_H
#define GRAPH_INFER_SET_H

#include "core/check.h"
#include "graph/op.h"

#define REFUSE_SHAPE(...) return verbose_check(dnnl_invalid_shape, "graph", __VA_ARGS__)

/* Gives output i its dims. Dims that are known already have to be the same; otherwise it answers
 * invalid_shape. */
dnnl_status_t infer_set(op_t *op, size_t i, int ndims, const dnnl_dim_t *dims);

#endif

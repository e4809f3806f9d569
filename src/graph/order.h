/* SPDX-License-Identifier: Apache-2.0 */
/* Edges of a graph: an output and an input of the same number. */
#ifndef GRAPH_ORDER_H
#define GRAPH_ORDER_H

#include "graph/op.h"

/* Answers invalid_graph if two ports of the same number differ otherwise. */
dnnl_status_t order_check_ports(op_t *const *ops, size_t nops);
/* The numbers of the operations, producers before consumers; *order is the caller's. Answers
 * invalid_graph for a cycle. */
dnnl_status_t order_find(op_t *const *ops, size_t nops, size_t **order);

#endif

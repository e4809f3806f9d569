/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a list of operations: which operation produces each and which ones consume it. */
#ifndef GRAPH_EDGES_H
#define GRAPH_EDGES_H

#include "graph/op.h"

/* No operation, no value. */
#define NOTHING SIZE_MAX

typedef struct {
    size_t op, port;
} port_t;

typedef struct {
    size_t id;       /* of its logical tensors */
    port_t producer; /* op NOTHING: it comes from outside */
    size_t nuses;
    const port_t *uses; /* in the order of the operations */
} value_t;

/* Refers to the operations, which are the caller's. */
typedef struct edges {
    op_t *const *ops;
    size_t nops, nvalues;
    value_t *values; /* sorted by id */
    port_t *uses;
    size_t *first; /* of each operation: its first port in `ports` */
    size_t *ports; /* the values of all inputs, then outputs, of all operations */
} edges_t;

dnnl_status_t edges_make(edges_t *edges, op_t *const *ops, size_t nops);
void edges_end(edges_t *edges);
size_t edges_in(const edges_t *edges, size_t op, size_t port); /* a value */
size_t edges_out(const edges_t *edges, size_t op, size_t port);
size_t edges_find(const edges_t *edges, size_t id); /* NOTHING: no such value */

#endif

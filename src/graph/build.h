/* SPDX-License-Identifier: Apache-2.0 */
/* From the operations of a partition to a program. */
#ifndef GRAPH_BUILD_H
#define GRAPH_BUILD_H

#include "graph/edges.h"
#include "graph/lower.h"

/* The operations of a partition that is compiled: copies with dims and layouts. */
typedef struct {
    program_t *program;
    const graph_mode_t *mode;
    size_t nops;
    op_t **ops;
    edges_t edges;
    place_t *places; /* of the values */
    node_t *nodes;   /* of the operations */
    place_t *rooms;  /* of all ports; nodes refer to them */
    bool *inner;     /* of the values: only operations of the partition see it */
} build_t;

/* Writes the program of the compiled partition's operations. Its inputs and outputs get the dims
 * and strides that were inferred and chosen. */
dnnl_status_t build_program(program_t *program, dnnl_graph_compiled_partition_t cp);

/* views.c: gives the nodes the places of the values. */
void build_bind(build_t *b);
/* Makes inputs and outputs of reshapes, transpositions and reorders the same memory where
 * that is possible, and marks these operations as done. Binds the nodes. */
void build_views(build_t *b, bool *done);
/* scalars.c: gives the host scalars among an operation's inputs a place in memory, except those
 * that its primitive supports. */
dnnl_status_t build_scalars(build_t *b, size_t op);
/* fuse.c: appends the primitives of all operations. */
dnnl_status_t build_steps(build_t *b);

#endif

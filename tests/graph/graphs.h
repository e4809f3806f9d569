/* SPDX-License-Identifier: Apache-2.0 */
/* Small graphs, written as text:
 *
 *   2 1 | 0:4x8 1:8x6 5:u8:4x6 | 2=MatMul(0,1) 3=ReLU(2) 4:f16=TypeCast(3)
 *
 * The numbers of operations in each partition, the inputs (number, type unless f32, dims), and the
 * operations (numbers and types of one or two outputs, kind, in brackets the attributes that differ
 * from graph_default_attributes(), inputs). An input 7:host3 is a host scalar of value 3, and
 * 7:low is one value, minus infinity. A sign, as in 7:+8, makes all values positive. */
#ifndef TESTS_GRAPH_GRAPHS_H
#define TESTS_GRAPH_GRAPHS_H

#include <stdio.h>

#include "tests/graph/harness.h"

enum { MOST_TENSORS = 1280, MOST_NODES = 1024 };

typedef struct {
    bool used, input, positive;
    bool scalar, low; /* a host scalar; minus infinity */
    double value;     /* of a host scalar */
    dnnl_data_type_t dt;
    int ndims; /* -1: not known */
    dnnl_dims_t dims;
    double *values; /* of inputs, and of outputs once they are computed */
    int64_t count;
} node_tensor_t;

typedef struct {
    char kind[40], attributes[160];
    int nin, in[8], nout, out[2];
} graph_node_t;

typedef struct {
    node_tensor_t tensors[MOST_TENSORS];
    int nnodes;
    graph_node_t nodes[MOST_NODES];
} graph_text_t;

/* A line of partitions.txt. */
typedef struct {
    char text[1024];
    const char *counts, *inputs, *nodes;
} graph_line_t;
/* The next line of the file that is a graph; false: there is none. */
bool graph_next_line(FILE *file, graph_line_t *line);
/* Are the counts of graph_run() those of the line? Says if they are not. */
bool graph_has_counts(const graph_line_t *line, const char *counts);

void graph_read(graph_text_t *graph, const char *inputs, const char *nodes);
void graph_end(graph_text_t *graph);
/* Divides the graph and writes the numbers of operations of the partitions to `counts`, with
 * spaces. If `execute`, computes all outputs that nothing consumes, which are then in `values`. */
extern int graph_in_place; /* how many outputs were computed in the memory of an input, too */
extern bool graph_dry;     /* the driver executes nothing: values have no meaning */
void graph_run(
        graph_text_t *graph, dnnl_graph_partition_policy_t policy, bool execute, char *counts);

const char *graph_default_attributes(const char *kind);
/* reference.c: computes all values in double precision; false: it does not know an operation. */
bool graph_reference(graph_text_t *graph);

#endif

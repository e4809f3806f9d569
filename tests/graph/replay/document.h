/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs in JSON files, as dnnl_graph_set_dump_mode() writes them here and in oneDNN. */
#ifndef TESTS_GRAPH_REPLAY_DOCUMENT_H
#define TESTS_GRAPH_REPLAY_DOCUMENT_H

#include <stdbool.h>

#include "graph/logical_tensor.h"

typedef struct {
    dnnl_graph_op_t op;
    dnnl_graph_op_kind_t kind;
    char *name;
    int nin, nout;
    lt_t *in, *out;
} node_t;

typedef struct {
    dnnl_fpmath_mode_t fpmath;
    int fpmath_of_int;
    int nnodes;
    node_t *nodes;
} document_t;

/* False, with a sentence on stdout, if the file is no such graph. To be freed in any case. */
bool document_load(document_t *document, const char *file);
void document_free(document_t *document);

/* The node that has an output of this number; NULL: none. */
const node_t *document_producer(const document_t *document, size_t id);
/* Is the tensor port number `port` (any port: -1) of an operation of a kind? */
bool document_enters(const document_t *document, size_t id, dnnl_graph_op_kind_t kind, int port);

#endif

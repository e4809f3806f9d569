/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors of a graph by their numbers: memory, random data, comparison. */
#ifndef TESTS_GRAPH_REPLAY_VALUES_H
#define TESTS_GRAPH_REPLAY_VALUES_H

#include "oneapi/dnnl/dnnl.h"
#include "tests/graph/replay/document.h"

typedef struct {
    lt_t lt;              /* with dims and strides */
    dnnl_memory_t memory; /* NULL: a host scalar */
    dnnl_graph_tensor_t tensor;
} value_t;

typedef struct {
    value_t *list;
    int count;
} values_t;

const value_t *values_find(const values_t *values, size_t id); /* NULL: none */
/* Adds a tensor without data. */
dnnl_status_t values_add(values_t *values, const lt_t *lt, dnnl_engine_t engine);
/* Adds an input of the graph, with random data in a range that suits its users. */
dnnl_status_t values_add_random(
        values_t *values, const lt_t *lt, dnnl_engine_t engine, const document_t *document);
void values_free(values_t *values);

typedef struct {
    double error;   /* of the whole tensor: the norm of the difference by that of the second one */
    double strange; /* the share of elements that are infinite or NaN in both */
    bool equal_dims;
} comparison_t;
comparison_t values_compare(const value_t *is, const value_t *should);

#endif

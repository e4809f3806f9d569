/* SPDX-License-Identifier: Apache-2.0 */
/* The division of a graph into partitions. */
#ifndef GRAPH_PARTITIONER_H
#define GRAPH_PARTITIONER_H

#include "graph/objects.h"

/* Fills the graph's list of partitions, which is empty. order: its operations, producers first. */
dnnl_status_t partitioner_run(dnnl_graph_graph_t graph, const size_t *order, bool fuse);

#endif

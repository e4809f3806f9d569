/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs as JSON files in the working directory (ONEDNN_GRAPH_DUMP, dnnl_graph_set_dump_mode()). A
 * file that cannot be written is a warning in the log, and nothing else. */
#ifndef GRAPH_DUMP_H
#define GRAPH_DUMP_H

#include "graph/objects.h"

bool dump_wants(dnnl_graph_dump_mode_t mode);
void dump_set_modes(dnnl_graph_dump_mode_t modes);
void dump_forget(void); /* for tests: the environment is read again */

/* graph-<id>.json */
void dump_graph(const_dnnl_graph_graph_t graph);
/* graph-<id>-partitioning.json: each operation also tells its partition. */
void dump_partitions(const_dnnl_graph_graph_t graph);
/* graph-<id>-<number>.json, for a partition. `ops` have the logical tensors of one compilation,
 * which give the number. */
void dump_compilation(const_dnnl_graph_partition_t partition, const op_t *const *ops, size_t nops);

#endif

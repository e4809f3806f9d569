/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, partitions, compiled partitions and tensors. */
#ifndef GRAPH_OBJECTS_H
#define GRAPH_OBJECTS_H

#include <stdatomic.h>

#include "graph/op.h"

struct program;
struct frames;

/* What operations are computed with; a graph hands it down to its partitions. */
typedef struct {
    dnnl_engine_kind_t engine_kind;
    dnnl_fpmath_mode_t fpmath;
    int fpmath_of_int;
} graph_mode_t;

struct dnnl_graph_graph {
    size_t id;
    graph_mode_t mode;
    bool finalized;
    op_t **ops; /* in the order in which they were added */
    size_t nops;
    dnnl_graph_partition_t *partitions; /* one reference to each */
    size_t npartitions;
};

/* What the pattern of a partition is about. */
typedef enum {
#define KIND_OF_PARTITION(name) PARTITION_##name,
#include "graph/partition_kinds.def"
#undef KIND_OF_PARTITION
} partition_kind_t;

/* Nothing changes a partition once it is made. */
struct dnnl_graph_partition {
    atomic_int refs;
    size_t id;
    partition_kind_t kind;
    graph_mode_t mode;
    bool supported;
    size_t nops;
    op_t **ops;      /* owned copies, producers before consumers */
    ports_t in, out; /* values from and to other operations; a value may be in a list twice */
};

struct edges;
/* Makes a partition of copies of operations, which are some of those of `edges` and in the same
 * order. Answers *out with one reference. */
dnnl_status_t partition_make(dnnl_graph_partition_t *out, const graph_mode_t *mode,
        op_t *const *ops, size_t nops, const struct edges *edges);
const op_t *const *partition_ops(const_dnnl_graph_partition_t partition, size_t *nops);
void partition_unref(dnnl_graph_partition_t partition); /* may be NULL */

struct dnnl_graph_compiled_partition {
    dnnl_graph_partition_t partition; /* one reference */
    struct frames *frames;            /* NULL until it is compiled */
    ports_t in, out;                  /* in the order of the arguments of compilation */
};

struct dnnl_graph_tensor {
    lt_t lt;
    dnnl_engine_t engine; /* NULL: a host scalar */
    void *ptr;
    bool owned;
    union {
        float f32;
        int32_t s32;
        int64_t s64;
    } scalar;
};

size_t graph_next_id(void); /* of graphs, partitions and compiled partitions */

#endif

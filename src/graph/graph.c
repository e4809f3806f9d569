/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: their construction, and their division into partitions. */
#include "core/alloc.h"
#include "core/check.h"
#include "graph/dump.h"
#include "graph/objects.h"
#include "graph/order.h"
#include "graph/partitioner.h"
#include "graph/schema.h"

static void drop_partitions(dnnl_graph_graph_t graph) {
    for (size_t i = 0; i < graph->npartitions; i++) partition_unref(graph->partitions[i]);
    dz_free(graph->partitions);
    graph->partitions = NULL;
    graph->npartitions = 0;
}

dnnl_status_t dnnl_graph_graph_create(dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind) {
    dnnl_fpmath_mode_t mode;
    TRY(dnnl_get_default_fpmath_mode(&mode));
    return dnnl_graph_graph_create_with_fpmath_mode(graph, engine_kind, mode);
}

static bool is_fpmath_mode(dnnl_fpmath_mode_t mode) {
    return (unsigned)mode <= dnnl_fpmath_mode_tf32;
}

dnnl_status_t dnnl_graph_graph_create_with_fpmath_mode(
        dnnl_graph_graph_t *graph, dnnl_engine_kind_t engine_kind, dnnl_fpmath_mode_t mode) {
    CHECK_NOT_NULL(graph, "graph");
    CHECK_ARG(engine_kind == dnnl_cpu || engine_kind == dnnl_gpu, "graph",
            "a graph is for engines of kind gpu or cpu");
    CHECK_ARG(is_fpmath_mode(mode), "graph", "%d is no math mode", (int)mode);
    dnnl_graph_graph_t made = dz_calloc(1, sizeof *made);
    if (!made) return dnnl_out_of_memory;
    made->id = graph_next_id();
    made->mode = (graph_mode_t){.engine_kind = engine_kind, .fpmath = mode};
    *graph = made;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_graph_destroy(dnnl_graph_graph_t graph) {
    if (!graph) return dnnl_success;
    drop_partitions(graph);
    for (size_t i = 0; i < graph->nops; i++) op_free(graph->ops[i]);
    dz_free(graph->ops);
    dz_free(graph);
    return dnnl_success;
}

#define CHECK_OPEN(graph)                                                                          \
    do {                                                                                           \
        if ((graph)->finalized)                                                                    \
            return verbose_check(dnnl_invalid_graph, "graph", "the graph is finalized");           \
    } while (0)

dnnl_status_t dnnl_graph_graph_set_fpmath_mode(
        dnnl_graph_graph_t graph, dnnl_fpmath_mode_t mode, int apply_to_int) {
    CHECK_NOT_NULL(graph, "graph");
    CHECK_ARG(is_fpmath_mode(mode), "graph", "%d is no math mode", (int)mode);
    CHECK_OPEN(graph);
    graph->mode.fpmath = mode;
    graph->mode.fpmath_of_int = apply_to_int != 0;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_graph_get_fpmath_mode(
        dnnl_graph_graph_t graph, dnnl_fpmath_mode_t *mode, int *apply_to_int) {
    CHECK_NOT_NULL(graph, "graph");
    CHECK_NOT_NULL(mode, "graph");
    CHECK_NOT_NULL(apply_to_int, "graph");
    CHECK_OPEN(graph);
    *mode = graph->mode.fpmath;
    *apply_to_int = graph->mode.fpmath_of_int;
    return dnnl_success;
}

static dnnl_status_t append(dnnl_graph_graph_t graph, op_t *op) {
    op_t **ops = dz_realloc(graph->ops, (graph->nops + 1) * sizeof *ops);
    if (!ops) return dnnl_out_of_memory;
    graph->ops = ops;
    ops[graph->nops++] = op;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_add_op(dnnl_graph_graph_t graph, dnnl_graph_op_t op) {
    CHECK_NOT_NULL(graph, "graph");
    CHECK_NOT_NULL(op, "graph");
    CHECK_OPEN(graph);
    for (size_t i = 0; i < graph->nops; i++)
        if (graph->ops[i]->id == op->id) return dnnl_success;
    op_t *copy;
    TRY(op_clone(&copy, op));
    dnnl_status_t status = schema_apply(copy);
    if (status == dnnl_success) status = append(graph, copy);
    if (status != dnnl_success) op_free(copy);
    return status;
}

dnnl_status_t dnnl_graph_graph_finalize(dnnl_graph_graph_t graph) {
    CHECK_NOT_NULL(graph, "graph");
    if (graph->finalized) return dnnl_success;
    TRY(order_check_ports(graph->ops, graph->nops));
    size_t *order;
    TRY(order_find(graph->ops, graph->nops, &order));
    dz_free(order);
    graph->finalized = true;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_graph_is_finalized(dnnl_graph_graph_t graph, uint8_t *finalized) {
    CHECK_NOT_NULL(graph, "graph");
    CHECK_NOT_NULL(finalized, "graph");
    *finalized = graph->finalized;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_graph_filter(
        dnnl_graph_graph_t graph, dnnl_graph_partition_policy_t policy) {
    CHECK_NOT_NULL(graph, "graph");
    CHECK_ARG(policy == dnnl_graph_partition_policy_fusion ||
                      policy == dnnl_graph_partition_policy_debug,
            "graph", "%d is no policy", (int)policy);
    if (!graph->finalized)
        return verbose_check(dnnl_invalid_graph, "graph", "the graph is not finalized");
    if (dump_wants(dnnl_graph_dump_mode_graph)) dump_graph(graph);
    size_t *order;
    drop_partitions(graph);
    TRY(order_find(graph->ops, graph->nops, &order));
    const dnnl_status_t status =
            partitioner_run(graph, order, policy == dnnl_graph_partition_policy_fusion);
    dz_free(order);
    if (status != dnnl_success) drop_partitions(graph);
    return status;
}

dnnl_status_t dnnl_graph_graph_get_partition_num(const_dnnl_graph_graph_t graph, size_t *num) {
    CHECK_NOT_NULL(graph, "graph");
    CHECK_NOT_NULL(num, "graph");
    *num = graph->npartitions;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_graph_get_partitions(
        dnnl_graph_graph_t graph, size_t num, dnnl_graph_partition_t *partitions) {
    CHECK_NOT_NULL(graph, "graph");
    if (!num || !partitions)
        return verbose_check(dnnl_invalid_graph, "graph", "there is no room for partitions");
    CHECK_ARG(num <= graph->npartitions, "graph", "%zu partitions of a graph that has %zu", num,
            graph->npartitions);
    for (size_t i = 0; i < num; i++) {
        partitions[i] = graph->partitions[i];
        atomic_fetch_add(&partitions[i]->refs, 1);
    }
    if (dump_wants(dnnl_graph_dump_mode_graph)) dump_partitions(graph);
    return dnnl_success;
}

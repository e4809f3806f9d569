/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions: one operation each. */
#include "core/alloc.h"
#include "core/check.h"
#include "graph/lower.h"
#include "graph/objects.h"
#include "graph/schema.h"

size_t graph_next_id(void) {
    static atomic_size_t last = 100000;
    return atomic_fetch_add(&last, 1);
}

void partition_unref(dnnl_graph_partition_t partition) {
    if (!partition || atomic_fetch_sub(&partition->refs, 1) != 1) return;
    op_free(partition->op);
    dz_free(partition);
}

dnnl_status_t partition_make(
        dnnl_graph_partition_t *out, const graph_mode_t *mode, const op_t *op) {
    dnnl_graph_partition_t partition = dz_calloc(1, sizeof *partition);
    if (!partition) return dnnl_out_of_memory;
    atomic_init(&partition->refs, 1);
    partition->id = graph_next_id();
    partition->mode = *mode;
    partition->supported = lower_find(op) != NULL;
    const dnnl_status_t status = op_clone(&partition->op, op);
    if (status == dnnl_success) *out = partition;
    else partition_unref(partition);
    return status;
}

const op_t *const *partition_ops(const_dnnl_graph_partition_t partition, size_t *nops) {
    *nops = 1;
    return (const op_t *const *)&partition->op;
}

dnnl_status_t dnnl_graph_partition_create_with_op(
        dnnl_graph_partition_t *partition, const_dnnl_graph_op_t op, dnnl_engine_kind_t ekind) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(op, "graph");
    CHECK_ARG(ekind == dnnl_cpu || ekind == dnnl_gpu, "graph",
            "a partition is for engines of kind gpu or cpu");
    graph_mode_t mode = {.engine_kind = ekind};
    op_t *copy;
    TRY(dnnl_get_default_fpmath_mode(&mode.fpmath));
    TRY(op_clone(&copy, op));
    dnnl_status_t status = schema_apply(copy);
    if (status == dnnl_success) status = partition_make(partition, &mode, copy);
    op_free(copy);
    return status;
}

dnnl_status_t dnnl_graph_partition_destroy(dnnl_graph_partition_t partition) {
    partition_unref(partition);
    return dnnl_success;
}

dnnl_status_t dnnl_graph_partition_get_op_num(const_dnnl_graph_partition_t partition, size_t *num) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(num, "graph");
    *num = 1;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_partition_get_ops(
        dnnl_graph_partition_t partition, size_t num, size_t *ids) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(ids, "graph");
    CHECK_ARG(num == 1, "graph", "%zu operations of a partition that has 1", num);
    ids[0] = partition->op->id;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_partition_get_id(const_dnnl_graph_partition_t partition, size_t *id) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(id, "graph");
    *id = partition->id;
    return dnnl_success;
}

static dnnl_status_t get_ports(const ports_t *ports, size_t num, lt_t *list) {
    CHECK_ARG(num == ports->count, "graph", "%zu ports of a partition that has %zu", num,
            ports->count);
    for (size_t i = 0; i < num; i++) list[i] = ports->list[i];
    return dnnl_success;
}

dnnl_status_t dnnl_graph_partition_get_input_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(num, "graph");
    *num = partition->op->in.count;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_partition_get_input_ports(
        const_dnnl_graph_partition_t partition, size_t num, lt_t *inputs) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(inputs, "graph");
    return get_ports(&partition->op->in, num, inputs);
}

dnnl_status_t dnnl_graph_partition_get_output_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(num, "graph");
    *num = partition->op->out.count;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_partition_get_output_ports(
        const_dnnl_graph_partition_t partition, size_t num, lt_t *outputs) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(outputs, "graph");
    return get_ports(&partition->op->out, num, outputs);
}

dnnl_status_t dnnl_graph_partition_is_supported(
        const_dnnl_graph_partition_t partition, uint8_t *is_supported) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(is_supported, "graph");
    *is_supported = partition->supported;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_partition_get_engine_kind(
        const_dnnl_graph_partition_t partition, dnnl_engine_kind_t *kind) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(kind, "graph");
    *kind = partition->mode.engine_kind;
    return dnnl_success;
}

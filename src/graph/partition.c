/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions: operations that are compiled together. */
#include "core/alloc.h"
#include "core/check.h"
#include "graph/edges.h"
#include "graph/lower.h"
#include "graph/objects.h"
#include "graph/schema.h"

size_t graph_next_id(void) {
    static atomic_size_t last = 100000;
    return atomic_fetch_add(&last, 1);
}

void partition_unref(dnnl_graph_partition_t partition) {
    if (!partition || atomic_fetch_sub(&partition->refs, 1) != 1) return;
    for (size_t i = 0; i < partition->nops; i++) op_free(partition->ops[i]);
    dz_free(partition->ops);
    dz_free(partition->in.list);
    dz_free(partition->out.list);
    dz_free(partition);
}

static bool has_op(op_t *const *ops, size_t nops, const op_t *op) {
    for (size_t i = 0; i < nops; i++)
        if (ops[i] == op) return true;
    return false;
}

/* Is a value of use outside: has it no consumer inside, one outside, or an End? */
static bool goes_out(op_t *const *ops, size_t nops, const edges_t *edges, const value_t *value) {
    bool inside = false;
    for (size_t u = 0; u < value->nuses; u++) {
        const op_t *user = edges->ops[value->uses[u].op];
        if (!has_op(ops, nops, user) || user->kind == dnnl_graph_op_end) return true;
        inside = true;
    }
    return !inside;
}

static dnnl_status_t list_ports(
        dnnl_graph_partition_t partition, op_t *const *ops, size_t nops, const edges_t *edges) {
    for (size_t i = 0; i < nops; i++) {
        for (size_t p = 0; p < ops[i]->in.count; p++) {
            const lt_t *lt = &ops[i]->in.list[p];
            const port_t from = edges->values[edges_find(edges, lt->id)].producer;
            if (from.op == NOTHING || !has_op(ops, nops, edges->ops[from.op]))
                TRY(ports_add(&partition->in, lt));
        }
        for (size_t p = 0; p < ops[i]->out.count; p++) {
            const lt_t *lt = &ops[i]->out.list[p];
            if (goes_out(ops, nops, edges, &edges->values[edges_find(edges, lt->id)]))
                TRY(ports_add(&partition->out, lt));
        }
    }
    return dnnl_success;
}

static dnnl_status_t fill(
        dnnl_graph_partition_t partition, op_t *const *ops, size_t nops, const edges_t *edges) {
    partition->ops = dz_calloc(nops + 1, sizeof *partition->ops);
    if (!partition->ops) return dnnl_out_of_memory;
    partition->supported = true;
    partition->kind = PARTITION_misc_post_ops;
    for (size_t i = 0; i < nops; i++) {
        TRY(op_clone(&partition->ops[i], ops[i]));
        partition->nops++;
        partition->supported &=
                lower_find(ops[i]) || (nops > 1 && ops[i]->kind == dnnl_graph_op_end);
    }
    return list_ports(partition, ops, nops, edges);
}

dnnl_status_t partition_make(dnnl_graph_partition_t *out, const graph_mode_t *mode,
        op_t *const *ops, size_t nops, const edges_t *edges) {
    dnnl_graph_partition_t partition = dz_calloc(1, sizeof *partition);
    if (!partition) return dnnl_out_of_memory;
    atomic_init(&partition->refs, 1);
    partition->id = graph_next_id();
    partition->mode = *mode;
    const dnnl_status_t status = fill(partition, ops, nops, edges);
    if (status == dnnl_success) *out = partition;
    else partition_unref(partition);
    return status;
}

const op_t *const *partition_ops(const_dnnl_graph_partition_t partition, size_t *nops) {
    *nops = partition->nops;
    return (const op_t *const *)partition->ops;
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
    edges_t edges = {0};
    dnnl_status_t status = schema_apply(copy);
    if (status == dnnl_success) status = edges_make(&edges, &copy, 1);
    if (status == dnnl_success) status = partition_make(partition, &mode, &copy, 1, &edges);
    edges_end(&edges);
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
    *num = partition->nops;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_partition_get_ops(
        dnnl_graph_partition_t partition, size_t num, size_t *ids) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(ids, "graph");
    CHECK_ARG(num == partition->nops, "graph", "%zu operations of a partition that has %zu", num,
            partition->nops);
    for (size_t i = 0; i < num; i++) ids[i] = partition->ops[i]->id;
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
    *num = partition->in.count;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_partition_get_input_ports(
        const_dnnl_graph_partition_t partition, size_t num, lt_t *inputs) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(inputs, "graph");
    return get_ports(&partition->in, num, inputs);
}

dnnl_status_t dnnl_graph_partition_get_output_ports_num(
        const_dnnl_graph_partition_t partition, size_t *num) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(num, "graph");
    *num = partition->out.count;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_partition_get_output_ports(
        const_dnnl_graph_partition_t partition, size_t num, lt_t *outputs) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(outputs, "graph");
    return get_ports(&partition->out, num, outputs);
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

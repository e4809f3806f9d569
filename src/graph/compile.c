/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation of a partition for shapes, layouts and an engine. */
#include "core/alloc.h"
#include "core/check.h"
#include "graph/build.h"
#include "graph/compiled_cache.h"
#include "graph/constants.h"
#include "graph/dump.h"
#include "graph/frames.h"
#include "graph/objects.h"
#include "graph/report.h"

dnnl_status_t dnnl_graph_compiled_partition_create(
        dnnl_graph_compiled_partition_t *compiled_partition, dnnl_graph_partition_t partition) {
    CHECK_NOT_NULL(compiled_partition, "graph");
    CHECK_NOT_NULL(partition, "graph");
    dnnl_graph_compiled_partition_t cp = dz_calloc(1, sizeof *cp);
    if (!cp) return dnnl_out_of_memory;
    cp->partition = partition;
    atomic_fetch_add(&partition->refs, 1);
    *compiled_partition = cp;
    return dnnl_success;
}

static void forget(dnnl_graph_compiled_partition_t cp) {
    frames_unref(cp->frames);
    dz_free(cp->in.list);
    dz_free(cp->out.list);
    cp->frames = NULL;
    cp->in = cp->out = (ports_t){0};
}

dnnl_status_t dnnl_graph_compiled_partition_destroy(dnnl_graph_compiled_partition_t cp) {
    if (!cp) return dnnl_success;
    forget(cp);
    partition_unref(cp->partition);
    dz_free(cp);
    return dnnl_success;
}

static dnnl_status_t copy_ports(ports_t *ports, size_t num, const lt_t *const *list) {
    for (size_t i = 0; i < num; i++) {
        CHECK_ARG(list[i], "graph", "a logical tensor is NULL");
        TRY(ports_add(ports, list[i]));
    }
    return dnnl_success;
}

static dnnl_status_t check_compile(const_dnnl_graph_partition_t partition, dnnl_engine_t engine) {
    dnnl_engine_kind_t kind;
    TRY(dnnl_engine_get_kind(engine, &kind));
    /* All engines here are of kind gpu. A program that takes a CPU, as SYCL's examples do, says so
     * in its graph. */
    const bool is_cpu = partition->mode.engine_kind == dnnl_cpu && device_is_cpu(engine);
    CHECK_ARG(kind == partition->mode.engine_kind || is_cpu, "graph",
            "the engine is of another kind than the graph");
    CHECK_ARG(partition->supported, "graph", "the partition of %s is not supported",
            partition->ops[0]->name);
    return dnnl_success;
}

/* What is kept would keep the engine alive, or outlive it. */
static void forget_engine(dnnl_engine_t engine) {
    compiled_cache_forget(engine);
    constants_forget(engine);
}

/* Without the cache. */
static dnnl_status_t compile_now(dnnl_graph_compiled_partition_t cp, dnnl_engine_t engine) {
    program_t program = {.engine = engine};
    const dnnl_status_t status = build_program(&program, cp);
    if (status == dnnl_success) return frames_make(&cp->frames, &program);
    program_end(&program);
    return status;
}

/* Each compilation is dumped, and so none is taken from the cache then. */
static dnnl_status_t compile(dnnl_graph_compiled_partition_t cp, dnnl_engine_t engine, bool *hit) {
    *hit = false;
    return dump_wants(dnnl_graph_dump_mode_subgraph)
                   ? compile_now(cp, engine)
                   : compiled_cache_get(cp, engine, compile_now, hit);
}

dnnl_status_t dnnl_graph_partition_compile(dnnl_graph_partition_t partition,
        dnnl_graph_compiled_partition_t compiled_partition, size_t in_num, const lt_t **inputs,
        size_t out_num, const lt_t **outputs, dnnl_engine_t engine) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(compiled_partition, "graph");
    CHECK_NOT_NULL(engine, "graph");
    CHECK_ARG((inputs || !in_num) && (outputs || !out_num), "graph", "logical tensors are NULL");
    CHECK_ARG(compiled_partition->partition == partition, "graph",
            "the compiled partition was made of another partition");
    const bool logged = verbose_on(VERBOSE_CREATE);
    const double start = logged ? verbose_now_ms() : 0;
    TRY(check_compile(partition, engine));
    device_at_end(engine, forget_engine);
    forget(compiled_partition);
    bool hit = false;
    dnnl_status_t status = copy_ports(&compiled_partition->in, in_num, inputs);
    if (status == dnnl_success) status = copy_ports(&compiled_partition->out, out_num, outputs);
    if (status == dnnl_success) status = compile(compiled_partition, engine, &hit);
    if (status != dnnl_success) forget(compiled_partition);
    else if (logged) report_compile(compiled_partition, hit, start);
    return status;
}

dnnl_status_t dnnl_graph_compiled_partition_query_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t tid, lt_t *lt) {
    CHECK_NOT_NULL(compiled_partition, "graph");
    CHECK_NOT_NULL(lt, "graph");
    const ports_t *both[] = {&compiled_partition->in, &compiled_partition->out};
    *lt = lt_empty(SIZE_MAX);
    /* The first of several with this number is the one that compilation has completed. */
    for (int b = 0; b < 2 && lt->id == SIZE_MAX; b++)
        for (size_t i = 0; i < both[b]->count && lt->id == SIZE_MAX; i++)
            if (both[b]->list[i].id == tid) *lt = both[b]->list[i];
    return dnnl_success;
}

dnnl_status_t dnnl_graph_compiled_partition_get_inplace_ports(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t *num_inplace_pairs,
        const dnnl_graph_inplace_pair_t **inplace_pairs) {
    CHECK_NOT_NULL(compiled_partition, "graph");
    CHECK_NOT_NULL(num_inplace_pairs, "graph");
    CHECK_NOT_NULL(inplace_pairs, "graph");
    *num_inplace_pairs = 0;
    *inplace_pairs = NULL;
    if (!compiled_partition->frames) return dnnl_success;
    const program_t *program = frames_program(compiled_partition->frames);
    *num_inplace_pairs = program->npairs;
    if (program->npairs) *inplace_pairs = program->pairs;
    return dnnl_success;
}

static size_t scratch_size(const_dnnl_graph_compiled_partition_t cp) {
    return cp->frames ? frames_program(cp->frames)->scratch : 0;
}

dnnl_status_t dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, lt_t *lt) {
    CHECK_NOT_NULL(compiled_partition, "graph");
    CHECK_NOT_NULL(lt, "graph");
    const dnnl_dims_t dims = {(dnnl_dim_t)scratch_size(compiled_partition)};
    return dnnl_graph_logical_tensor_init_with_dims(lt, SIZE_MAX, dnnl_u8, 1, dims,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the Graph API costs beside primitives: the host's time for an execution of a compiled
 * partition of one kernel, and of the same primitive; times of compilation; what fusion saves.
 * bench_graph [executions] */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "graph_chains.h"
#include "oneapi/dnnl/dnnl_graph.h"

enum { BATCH = 64, ELEMENTS = 16, GOAL_NS = 100 };

static bench_t bench;
static dnnl_graph_logical_tensor_t src, dst;
static dnnl_graph_partition_t partition;
static dnnl_graph_compiled_partition_t compiled;
static const_dnnl_graph_tensor_t in[1], out[1];
static dnnl_primitive_t primitive;
static dnnl_exec_arg_t args[2];

static int execute_primitive(void) {
    return (int)dnnl_primitive_execute(primitive, bench.stream, 2, args);
}

static int execute_partition(void) {
    return (int)dnnl_graph_compiled_partition_execute(compiled, bench.stream, 1, in, 1, out);
}

static void make_primitive(void *from, void *to) {
    const dnnl_dims_t dims = {ELEMENTS};
    dnnl_memory_desc_t md;
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a));
    CHECK(dnnl_eltwise_forward_primitive_desc_create(
            &pd, bench.engine, dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0, 0, NULL));
    CHECK(dnnl_primitive_create(&primitive, pd));
    args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, bench_memory(&bench, md, from)};
    args[1] = (dnnl_exec_arg_t){DNNL_ARG_DST, bench_memory(&bench, md, to)};
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_desc_destroy(md));
}

static void compile(void) {
    const dnnl_graph_logical_tensor_t *inputs[] = {&src}, *outputs[] = {&dst};
    CHECK(dnnl_graph_compiled_partition_create(&compiled, partition));
    CHECK(dnnl_graph_partition_compile(partition, compiled, 1, inputs, 1, outputs, bench.engine));
}

static void make_partition(void *from, void *to) {
    const dnnl_dims_t dims = {ELEMENTS};
    dnnl_graph_op_t op;
    dnnl_graph_logical_tensor_t *lts[] = {&src, &dst};
    dnnl_graph_tensor_t tensors[2];
    for (size_t i = 0; i < 2; i++) {
        CHECK(dnnl_graph_logical_tensor_init_with_dims(lts[i], i, dnnl_f32, 1, dims,
                dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable));
        CHECK(dnnl_graph_tensor_create(&tensors[i], lts[i], bench.engine, i ? to : from));
    }
    in[0] = tensors[0];
    out[0] = tensors[1];
    CHECK(dnnl_graph_op_create(&op, 1, dnnl_graph_op_relu, "relu"));
    CHECK(dnnl_graph_op_add_input(op, &src));
    CHECK(dnnl_graph_op_add_output(op, &dst));
    CHECK(dnnl_graph_partition_create_with_op(&partition, op, dnnl_gpu));
    CHECK(dnnl_graph_op_destroy(op));
}

/* The seconds of the quickest of some compilations. */
static double best_compilation(int capacity) {
    double best = 1e30;
    CHECK(dnnl_graph_set_compiled_partition_cache_capacity(capacity));
    for (int i = 0; i < 1000; i++) {
        const double start = bench_now();
        compile();
        const double took = bench_now() - start;
        if (took < best) best = took;
        CHECK(dnnl_graph_compiled_partition_destroy(compiled));
    }
    return best;
}

static void batch(int (*execute)(void), double *best) {
    const double start = bench_now();
    int failed = 0;
    for (int i = 0; i < BATCH; i++) failed |= execute();
    const double took = (bench_now() - start) / BATCH;
    CHECK(failed);
    bench_wait(&bench);
    if (took < *best) *best = took;
}

int main(int argc, char **argv) {
    const int executions = argc > 1 ? atoi(argv[1]) : 20000;
    double by_primitive = 1e30, by_partition = 1e30;
    bench_open(&bench);
    printf("graph on %s\n", bench.name);
    void *from = bench_alloc(&bench, ELEMENTS * sizeof(float));
    void *to = bench_alloc(&bench, ELEMENTS * sizeof(float));
    make_primitive(from, to);
    make_partition(from, to);
    printf("  %-44s %6.2f us\n", "compilation, primitives cached", best_compilation(0) * 1e6);
    printf("  %-44s %6.2f us\n", "compilation, cached", best_compilation(1024) * 1e6);
    compile();
    for (int i = 0; i < executions; i += BATCH) {
        batch(execute_primitive, &by_primitive);
        batch(execute_partition, &by_partition);
    }
    const double more = (by_partition - by_primitive) * 1e9;
    printf("  %-44s %6.0f ns\n", "relu of 16 floats, primitive", by_primitive * 1e9);
    printf("  %-44s %6.0f ns\n", "the same, compiled partition", by_partition * 1e9);
    printf("  %-44s %6.0f ns   (goal %d: %s)\n", "more", more, GOAL_NS,
            more <= GOAL_NS ? "met" : "missed");
    chains_run(&bench, executions < 1000);
    CHECK(dnnl_graph_compiled_partition_destroy(compiled));
    CHECK(dnnl_graph_partition_destroy(partition));
    CHECK(dnnl_graph_tensor_destroy((dnnl_graph_tensor_t)in[0]));
    CHECK(dnnl_graph_tensor_destroy((dnnl_graph_tensor_t)out[0]));
    CHECK(dnnl_primitive_destroy(primitive));
    for (int i = 0; i < 2; i++) CHECK(dnnl_memory_destroy(args[i].memory));
    bench_free(&bench, from);
    bench_free(&bench, to);
    bench_close(&bench);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the Graph API costs beside primitives: the host's time for an execution of a compiled
 * partition of one kernel, and of the same primitive; times of compilation; what fusion saves, also
 * beside the graphs of oneDNN's CPU library.
 * bench_graph [executions [graph [seconds of a race]]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- graphs ---- */

enum { MOST_ROUNDS = 2000 };
/* How long graphs race, in turns. A machine that others disturb needs more than the default. */
static double seconds = 3;

static void copy(void *to, const void *from, size_t size) {
    CHECK(zeCommandListAppendMemoryCopy(bench.list, to, from, size, NULL, 0, NULL));
    bench_wait(&bench);
}

/* step: how far elements may be apart besides, for integers. */
static void compare(const char *whose, const chains_t *a, const void *chain, const chains_t *b,
        const void *other, double step) {
    size_t count, same;
    float *is = a->result(chain, &count), *should = b->result(other, &same);
    double worst = 0;
    CHECK(count != same);
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, (fabs(is[i] - should[i]) - step) / (1e-3 + fabs(should[i])));
    if (!(worst < 1e-3)) printf("  WRONG: the results differ from %s by %g\n", whose, worst);
    free(is);
    free(should);
}

/* The same with constants kept, which holds for what is compiled meanwhile. */
static void race_kept(const chains_device_t *device, const char *name, int64_t size, bool tiny,
        const void *fused, double step) {
    enum { MIB = 256 };
    const chains_t *here = chains_library();
    CHECK(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_gpu, MIB));
    void *kept = here->make(device, name, size, 1);
    candidate_t candidate = {"kept", here->run, kept, 0};
    here->prepare(kept);
    bench_race(&candidate, 1, tiny ? 1 : MOST_ROUNDS, tiny ? 0 : seconds);
    compare("those without kept constants", here, kept, here, fused, step);
    printf("  %-30s %9.1f us\n", "  constants kept", candidate.best * 1e6);
    here->destroy(kept);
    CHECK(dnnl_graph_set_constant_tensor_cache_capacity(dnnl_gpu, 0));
}

static void race(const chains_device_t *device, const chains_rival_t *rival, const char *title,
        const char *name, int64_t size, bool tiny) {
    const chains_t *here = chains_library();
    const double step = strcmp(name, "integers") == 0;
    void *fused = here->make(device, name, size, 1), *plain = here->make(device, name, size, 0),
         *there = rival ? rival->chains->make(&rival->device, name, size, 1) : NULL;
    candidate_t candidates[] = {{"fused", here->run, fused, 0}, {"plain", here->run, plain, 0},
            {"oneDNN", rival ? rival->chains->run : NULL, there, 0}};
    const candidate_t *c = candidates;
    here->prepare(fused);
    here->prepare(plain);
    if (rival) rival->chains->prepare(there);
    bench_race(candidates, rival ? 3 : 2, tiny ? 1 : MOST_ROUNDS, tiny ? 0 : seconds);
    compare("those one by one", here, fused, here, plain, step);
    if (rival) compare("oneDNN's", here, fused, rival->chains, there, step);
    printf("  %-30s %2zu and %2zu partitions, %9.1f and %9.1f us, %.2f times as fast%s\n", title,
            here->facts(fused).partitions, here->facts(plain).partitions, c[0].best * 1e6,
            c[1].best * 1e6, c[1].best / c[0].best,
            c[1].best > c[0].best ? "" : " (goal 1: missed)");
    race_kept(device, name, size, tiny, fused, step);
    here->destroy(fused);
    here->destroy(plain);
    if (!rival) return;
    printf("  %-30s %2zu partitions, %9.1f us, here %.2f times as fast\n", "  by oneDNN",
            rival->chains->facts(there).partitions, c[2].best * 1e6, c[2].best / c[0].best);
    rival->chains->destroy(there);
}

static void compile_resnet(const chains_device_t *device, bool tiny) {
    const chains_t *here = chains_library();
    void *first = here->make(device, "resnet", tiny ? 32 : 224, 1),
         *again = here->make(device, "resnet", tiny ? 32 : 224, 1);
    const chain_facts_t facts = here->facts(first);
    printf("  %-30s %zu operations in %zu partitions: %.1f ms first, %.2f ms again\n",
            "compilation of ResNet-50", facts.operations, facts.partitions, facts.compile * 1e3,
            here->facts(again).compile * 1e3);
    here->destroy(first);
    here->destroy(again);
}

enum { TINY = 8 };
static const struct {
    const char *title, *name;
    int64_t size;
} graphs[] = {
        {"attention, 256 tokens, mask", "attention", 256},
        {"attention, 256 tokens, soft cap", "capped", 256},
        {"attention, 256 tokens, integers", "integers", 256},
        {"attention, gradients", "gradients", 256},
        {"3 layers of 512, bias, GELU", "mlp", 512},
        {"gated product, 512 and 1536", "gated", 512},
        {"convolution, norm, Add, ReLU", "convolution", 56},
};

/* only: the name of one graph, or NULL for all. */
static void run_chains(bool tiny, const char *only) {
    const chains_device_t device = {0, bench.engine, bench.stream, copy};
    const chains_rival_t *rival = bench_rival();
    if (rival) printf("graphs beside oneDNN %s\n", rival->version);
    for (size_t i = 0; i < sizeof(graphs) / sizeof(*graphs); i++)
        if (!only || !strcmp(only, graphs[i].name))
            race(&device, rival, graphs[i].title, graphs[i].name, tiny ? TINY : graphs[i].size,
                    tiny);
    if (!only) compile_resnet(&device, tiny);
}

int main(int argc, char **argv) {
    const int executions = argc > 1 ? atoi(argv[1]) : 20000;
    double by_primitive = 1e30, by_partition = 1e30;
    if (argc > 3) seconds = atof(argv[3]);
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
    run_chains(executions < 1000, argc > 2 ? argv[2] : NULL);
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

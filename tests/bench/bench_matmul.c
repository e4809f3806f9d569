/* SPDX-License-Identifier: Apache-2.0 */
/* f32 matmul beside oneDNN's CPU library in one run, and what a fused bias and relu cost.
 *   bench_matmul [MxNxK...]      default: 512, 1024 and 2048 cubed */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "onednn_cpu.h"

static bench_t bench;
static const onednn_cpu_t *onednn;

typedef struct {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[4];
    int nargs;
} matmul_t;

typedef struct {
    int64_t m, n, k;
    float *src, *weights, *bias, *dst, *other_dst;
} problem_t;

static dnnl_memory_desc_t row_major(int64_t rows, int64_t cols, dnnl_format_tag_t tag) {
    const dnnl_dims_t dims = {rows, cols};
    dnnl_memory_desc_t md;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, tag));
    return md;
}

static dnnl_primitive_attr_t relu_attr(void) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_post_ops_create(&ops));
    CHECK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0));
    CHECK(dnnl_primitive_attr_set_post_ops(attr, ops));
    CHECK(dnnl_post_ops_destroy(ops));
    return attr;
}

/* Weights in the layout that `any` resolves to, made by a reorder. */
static dnnl_memory_t packed_weights(
        const_dnnl_primitive_desc_t pd, dnnl_memory_t plain, dnnl_memory_desc_t plain_md) {
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
    dnnl_memory_t packed;
    dnnl_primitive_desc_t reorder_pd;
    dnnl_primitive_t reorder;
    CHECK(dnnl_memory_create(&packed, md, bench.engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_reorder_primitive_desc_create(&reorder_pd, plain_md, bench.engine, md, bench.engine, NULL));
    CHECK(dnnl_primitive_create(&reorder, reorder_pd));
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, plain}, {DNNL_ARG_TO, packed}};
    bench_execute(&bench, reorder, 2, args);
    bench_wait(&bench);
    CHECK(dnnl_primitive_destroy(reorder));
    CHECK(dnnl_primitive_desc_destroy(reorder_pd));
    return packed;
}

static void make(matmul_t *mm, const problem_t *p, bool fused, bool pack) {
    dnnl_memory_desc_t src = row_major(p->m, p->k, dnnl_ab), wei = row_major(p->k, p->n, dnnl_ab);
    dnnl_memory_desc_t any = row_major(p->k, p->n, dnnl_format_tag_any);
    dnnl_memory_desc_t bias = row_major(1, p->n, dnnl_ab), dst = row_major(p->m, p->n, dnnl_ab);
    dnnl_primitive_attr_t attr = fused ? relu_attr() : NULL;
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_matmul_primitive_desc_create(
            &pd, bench.engine, src, pack ? any : wei, fused ? bias : NULL, dst, attr));
    CHECK(dnnl_primitive_create(&mm->primitive, pd));
    mm->nargs = fused ? 4 : 3;
    mm->args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, bench_memory(&bench, src, p->src)};
    mm->args[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, bench_memory(&bench, wei, p->weights)};
    mm->args[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, bench_memory(&bench, dst, p->dst)};
    mm->args[3] = (dnnl_exec_arg_t){DNNL_ARG_BIAS, bench_memory(&bench, bias, p->bias)};
    if (pack) {
        dnnl_memory_t packed = packed_weights(pd, mm->args[1].memory, wei);
        CHECK(dnnl_memory_destroy(mm->args[1].memory));
        mm->args[1].memory = packed;
    }
    CHECK(dnnl_primitive_desc_destroy(pd));
    if (attr) CHECK(dnnl_primitive_attr_destroy(attr));
    dnnl_memory_desc_t mds[] = {src, wei, any, bias, dst};
    for (int i = 0; i < 5; i++) CHECK(dnnl_memory_desc_destroy(mds[i]));
}

static void unmake(matmul_t *mm) {
    for (int i = 0; i < 4; i++) CHECK(dnnl_memory_destroy(mm->args[i].memory));
    CHECK(dnnl_primitive_destroy(mm->primitive));
}

static void run_matmul(void *arg) {
    matmul_t *mm = arg;
    bench_execute(&bench, mm->primitive, mm->nargs, mm->args);
    bench_wait(&bench);
}

static float *random_floats(int64_t count) {
    float *data = bench_alloc(&bench, (size_t)count * sizeof(float));
    for (int64_t i = 0; i < count; i++) data[i] = (float)(rand() % 17 - 8) / 8;
    return data;
}

/* Both results are of the same exact sums: eighths squared fit a float. */
static void compare(const problem_t *p) {
    for (int64_t i = 0; i < p->m * p->n; i++)
        if (fabsf(p->dst[i] - p->other_dst[i]) > 1e-3f) {
            fprintf(stderr, "element %lld: %g here, %g there\n", (long long)i, p->dst[i], p->other_dst[i]);
            exit(1);
        }
}

static void bench_problem(int64_t m, int64_t n, int64_t k) {
    problem_t p = {m, n, k, random_floats(m * k), random_floats(k * n), random_floats(n),
            random_floats(m * n), random_floats(m * n)};
    matmul_t plain, packed, fused;
    make(&plain, &p, false, false);
    make(&packed, &p, false, true);
    make(&fused, &p, true, false);
    candidate_t c[5] = {{"matmul", run_matmul, &plain, 0},
            {"matmul, weights packed before", run_matmul, &packed, 0},
            {"matmul + bias + relu", run_matmul, &fused, 0}};
    int count = 3;
    if (onednn) {
        c[3] = (candidate_t){"oneDNN", onednn->matmul_run,
                onednn->matmul_create(m, n, k, 0, p.src, p.weights, p.bias, p.other_dst), 0};
        c[4] = (candidate_t){"oneDNN + bias + relu", onednn->matmul_run,
                onednn->matmul_create(m, n, k, 1, p.src, p.weights, p.bias, p.other_dst), 0};
        if (!c[3].arg || !c[4].arg) CHECK(1);
        count = 5;
        c[3].run(c[3].arg);
        run_matmul(&plain);
        compare(&p);
        c[4].run(c[4].arg);
        run_matmul(&fused);
        compare(&p);
    }
    bench_race(c, count, 200, 8);
    printf("%lldx%lldx%lld:", (long long)m, (long long)n, (long long)k);
    for (int i = 0; i < count; i++)
        printf("%s %s %.1f", i ? "," : "", c[i].name, 2e-9 * (double)(m * n) * (double)k / c[i].best);
    printf(" GFLOP/s\n");
    if (onednn) {
        bench_ratio("of oneDNN's speed", c[3].best / c[0].best, 0.9);
        bench_ratio("of it with packed weights", c[3].best / c[1].best, 0);
        bench_ratio("of it, both with bias and relu", c[4].best / c[2].best, 0);
        onednn->matmul_destroy(c[3].arg);
        onednn->matmul_destroy(c[4].arg);
    }
    bench_ratio("plain time / time with bias and relu", c[0].best / c[2].best, 1 / 1.1);
    unmake(&plain);
    unmake(&packed);
    unmake(&fused);
    float *buffers[] = {p.src, p.weights, p.bias, p.dst, p.other_dst};
    for (int i = 0; i < 5; i++) bench_free(&bench, buffers[i]);
}

static void load_onednn(void) {
#ifdef ONEDNN_CPU_MODULE
    void *module = dlopen(ONEDNN_CPU_MODULE, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    const onednn_cpu_t *(*get)(void) = NULL;
    if (module) *(void **)&get = dlsym(module, "onednn_cpu");
    if (get) onednn = get();
    if (!onednn) printf("oneDNN's CPU library is not there: %s\n", dlerror());
#else
    printf("built without oneDNN's CPU library (Debian: libdnnl-dev): no comparison\n");
#endif
}

int main(int argc, char **argv) {
    bench_open(&bench);
    load_onednn();
    printf("f32 matmul on %s%s%s\n", bench.name, onednn ? ", beside oneDNN " : "",
            onednn ? onednn->version : "");
    for (int i = 1; i < argc; i++) {
        long long m, n, k;
        if (sscanf(argv[i], "%lldx%lldx%lld", &m, &n, &k) != 3 || m < 1 || n < 1 || k < 1) {
            fprintf(stderr, "usage: %s [MxNxK...]\n", argv[0]);
            return 2;
        }
        bench_problem(m, n, k);
    }
    for (int64_t size = 512; argc == 1 && size <= 2048; size *= 2) bench_problem(size, size, size);
    bench_close(&bench);
    return 0;
}

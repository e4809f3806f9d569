/* SPDX-License-Identifier: Apache-2.0 */
/* matmul beside oneDNN's CPU library in one run, and what a fused bias and relu cost.
 *   bench_matmul [[type:]MxNxK...]    types: f32, bf16, u8 (u8 x s8 -> s32); default: f32, 512, 1024 and 2048
 * cubed */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_matmul_onednn.h"

static bench_t bench;
static const onednn_matmul_t *onednn;

typedef struct {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[4];
    int nargs;
} matmul_t;

typedef struct {
    matmul_type_t type;
    int64_t m, n, k;
    void *src, *weights, *bias, *dst, *other_dst;
} problem_t;

static const struct {
    const char *name;
    dnnl_data_type_t src, wei, dst;
    double goal; /* of oneDNN's speed */
} types[MATMUL_TYPES] = {
        {"f32", dnnl_f32, dnnl_f32, dnnl_f32, 0.9},
        {"bf16", dnnl_bf16, dnnl_bf16, dnnl_bf16, 0},
        {"u8", dnnl_u8, dnnl_s8, dnnl_s32, 0},
};

static dnnl_memory_desc_t row_major(dnnl_data_type_t dt, int64_t rows, int64_t cols, dnnl_format_tag_t tag) {
    const dnnl_dims_t dims = {rows, cols};
    dnnl_memory_desc_t md;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 2, dims, dt, tag));
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
    dnnl_memory_desc_t src = row_major(types[p->type].src, p->m, p->k, dnnl_ab);
    dnnl_memory_desc_t wei = row_major(types[p->type].wei, p->k, p->n, dnnl_ab);
    dnnl_memory_desc_t any = row_major(types[p->type].wei, p->k, p->n, dnnl_format_tag_any);
    dnnl_memory_desc_t bias = row_major(dnnl_f32, 1, p->n, dnnl_ab);
    dnnl_memory_desc_t dst = row_major(types[p->type].dst, p->m, p->n, dnnl_ab);
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

/* Eighths for floats and small integers: sums are exact in either library (oneDNN's of bytes saturate where
 * the processor has no better instruction). */
static void *random_values(dnnl_data_type_t dt, int64_t count) {
    const size_t size = dnnl_data_type_size(dt);
    uint8_t *data = bench_alloc(&bench, (size_t)count * size);
    for (int64_t i = 0; i < count; i++) {
        const float value = (float)(rand() % 17 - 8) / 8;
        if (dt == dnnl_u8 || dt == dnnl_s8) data[i] = (uint8_t)(rand() % 17 - (dt == dnnl_s8 ? 8 : 0));
        else
            memcpy(data + (size_t)i * size, (const char *)&value + sizeof(value) - size,
                    size); /* bf16 is the upper half */
    }
    return data;
}

static double value_at(dnnl_data_type_t dt, const void *data, int64_t i) {
    float value = 0;
    if (dt == dnnl_s32) return ((const int32_t *)data)[i];
    const size_t size = dnnl_data_type_size(dt);
    memcpy((char *)&value + sizeof(value) - size, (const char *)data + (size_t)i * size, size);
    return value;
}

static void compare(const problem_t *p) {
    const dnnl_data_type_t dt = types[p->type].dst;
    for (int64_t i = 0; i < p->m * p->n; i++) {
        const double here = value_at(dt, p->dst, i), there = value_at(dt, p->other_dst, i);
        if (fabs(here - there) <= 1e-3 + (dt == dnnl_bf16 ? fabs(there) / 128 : 0)) continue;
        fprintf(stderr, "element %lld: %g here, %g there\n", (long long)i, here, there);
        exit(1);
    }
}

static void bench_problem(matmul_type_t type, int64_t m, int64_t n, int64_t k) {
    const dnnl_data_type_t dst_dt = types[type].dst;
    problem_t p = {type, m, n, k, random_values(types[type].src, m * k),
            random_values(types[type].wei, k * n), random_values(dnnl_f32, n), random_values(dst_dt, m * n),
            random_values(dst_dt, m * n)};
    matmul_t plain, packed, fused;
    make(&plain, &p, false, false);
    make(&packed, &p, false, true);
    make(&fused, &p, true, false);
    candidate_t c[5] = {{"matmul", run_matmul, &plain, 0},
            {"matmul, weights packed before", run_matmul, &packed, 0},
            {"matmul + bias + relu", run_matmul, &fused, 0}};
    const candidate_t theirs[2] = {{"oneDNN", NULL, NULL, 0}, {"oneDNN + bias + relu", NULL, NULL, 0}};
    int count = 3;
    for (int fuse = 0; fuse < 2 && onednn; fuse++) { /* not every processor has every type there */
        c[3 + fuse] = theirs[fuse];
        c[3 + fuse].run = onednn->matmul_run;
        c[3 + fuse].arg = onednn->matmul_create(type, m, n, k, fuse, p.src, p.weights, p.bias, p.other_dst);
        if (!c[3 + fuse].arg) break;
        count++;
        onednn->matmul_run(c[3 + fuse].arg);
        run_matmul(fuse ? &fused : &plain);
        compare(&p);
    }
    bench_race(c, count, 200, 8);
    printf("%s %lldx%lldx%lld:", types[type].name, (long long)m, (long long)n, (long long)k);
    for (int i = 0; i < count; i++)
        printf("%s %s %.1f", i ? "," : "", c[i].name, 2e-9 * (double)(m * n) * (double)k / c[i].best);
    printf(" GFLOP/s\n");
    if (count == 5) {
        bench_ratio("of oneDNN's speed", c[3].best / c[0].best, types[type].goal);
        bench_ratio("of it with packed weights", c[3].best / c[1].best, 0);
        bench_ratio("of it, both with bias and relu", c[4].best / c[2].best, 0);
    }
    for (int i = 3; i < count; i++) onednn->matmul_destroy(c[i].arg);
    bench_ratio("plain time / time with bias and relu", c[0].best / c[2].best, 1 / 1.1);
    unmake(&plain);
    unmake(&packed);
    unmake(&fused);
    void *buffers[] = {p.src, p.weights, p.bias, p.dst, p.other_dst};
    for (int i = 0; i < 5; i++) bench_free(&bench, buffers[i]);
}

int main(int argc, char **argv) {
    bench_open(&bench);
    onednn = bench_rival();
    printf("matmul on %s%s%s\n", bench.name, onednn ? ", beside oneDNN " : "", onednn ? onednn->version : "");
    for (int i = 1; i < argc; i++) {
        const char *colon = strchr(argv[i], ':');
        long long m, n, k;
        int type = 0;
        while (colon && type < MATMUL_TYPES &&
                strncmp(argv[i], types[type].name, (size_t)(colon - argv[i])) != 0)
            type++;
        if (type == MATMUL_TYPES || sscanf(colon ? colon + 1 : argv[i], "%lldx%lldx%lld", &m, &n, &k) != 3 ||
                m < 1 || n < 1 || k < 1) {
            fprintf(stderr, "usage: %s [[f32|bf16|u8:]MxNxK...]\n", argv[0]);
            return 2;
        }
        bench_problem(type, m, n, k);
    }
    for (int64_t size = 512; argc == 1 && size <= 2048; size *= 2)
        bench_problem(MATMUL_F32, size, size, size);
    bench_close(&bench);
    return 0;
}

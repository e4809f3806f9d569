/* SPDX-License-Identifier: Apache-2.0 */
/* f32 relu and add over a large tensor beside memcpy with as many threads as there are
 * processors: the better of one call for each thread, for which libraries have a way of their
 * own, and of calls for pieces.
 *   bench_eltwise [elements]     default: 64 M */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static bench_t bench;

/* ---- memcpy by threads that wait for the next round ---- */

enum { MAX_THREADS = 64 };
typedef struct {
    char *dst;
    const char *src;
    size_t size, piece;
    int threads;
    pthread_barrier_t start, end;
    bool stop;
} copy_t;
typedef struct {
    copy_t *copy;
    int index;
} copier_t;

static void copy_part(const copy_t *c, int index) {
    const size_t part = c->size / (size_t)c->threads, from = part * (size_t)index;
    const size_t end = index == c->threads - 1 ? c->size : from + part;
    for (size_t at = from; at < end; at += c->piece)
        memcpy(c->dst + at, c->src + at, end - at < c->piece ? end - at : c->piece);
}

static void *copier_main(void *arg) {
    const copier_t *me = arg;
    for (;;) {
        pthread_barrier_wait(&me->copy->start);
        if (me->copy->stop) return NULL;
        copy_part(me->copy, me->index);
        pthread_barrier_wait(&me->copy->end);
    }
}

static void copy(copy_t *c, size_t piece) {
    c->piece = piece;
    pthread_barrier_wait(&c->start);
    copy_part(c, 0);
    pthread_barrier_wait(&c->end);
}
static void run_copy(void *arg) {
    copy(arg, SIZE_MAX / 2);
}
static void run_copy_pieces(void *arg) {
    copy(arg, 256 << 10);
}

/* ---- primitives ---- */

typedef struct {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[3];
    int nargs;
} op_t;

static void run_op(void *arg) {
    op_t *op = arg;
    bench_execute(&bench, op->primitive, op->nargs, op->args);
    bench_wait(&bench);
}

static void make_relu(op_t *op, dnnl_memory_desc_t md, dnnl_memory_t src, dnnl_memory_t dst) {
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_eltwise_forward_primitive_desc_create(
            &pd, bench.engine, dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0, 0, NULL));
    CHECK(dnnl_primitive_create(&op->primitive, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
    op->nargs = 2;
    op->args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, src};
    op->args[1] = (dnnl_exec_arg_t){DNNL_ARG_DST, dst};
}

static void make_add(op_t *op, dnnl_memory_desc_t md, dnnl_memory_t src0, dnnl_memory_t src1,
        dnnl_memory_t dst) {
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_binary_primitive_desc_create(&pd, bench.engine, dnnl_binary_add, md, md, md, NULL));
    CHECK(dnnl_primitive_create(&op->primitive, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
    op->nargs = 3;
    op->args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC_0, src0};
    op->args[1] = (dnnl_exec_arg_t){DNNL_ARG_SRC_1, src1};
    op->args[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, dst};
}

static void verify(const float *a, const float *b, const float *c, int64_t n, bool add) {
    for (int64_t i = 0; i < n; i += n > 4096 ? n / 4096 : 1) {
        const float want = add ? a[i] + b[i] : a[i] > 0 ? a[i] : 0;
        if (c[i] == want) continue;
        fprintf(stderr, "element %lld: %g, not %g\n", (long long)i, c[i], want);
        exit(1);
    }
}

int main(int argc, char **argv) {
    const dnnl_dims_t dims = {argc > 1 ? atoll(argv[1]) : 64 << 20};
    const dnnl_dim_t n = dims[0];
    const size_t size = (size_t)n * sizeof(float);
    if (n < 1) {
        fprintf(stderr, "usage: %s [elements]\n", argv[0]);
        return 2;
    }
    bench_open(&bench);
    float *a = bench_alloc(&bench, size), *b = bench_alloc(&bench, size),
          *c = bench_alloc(&bench, size);
    for (int64_t i = 0; i < n; i++) a[i] = (float)(i % 31 - 15), b[i] = (float)(i % 7), c[i] = 0;

    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    copy_t copying = {.dst = (char *)c,
            .src = (const char *)a,
            .size = size,
            .threads = processors < 1 ? 1 : (int)processors};
    if (copying.threads > MAX_THREADS) copying.threads = MAX_THREADS;
    pthread_t threads[MAX_THREADS];
    copier_t copiers[MAX_THREADS];
    CHECK(pthread_barrier_init(&copying.start, NULL, (unsigned)copying.threads));
    CHECK(pthread_barrier_init(&copying.end, NULL, (unsigned)copying.threads));
    for (int i = 1; i < copying.threads; i++) {
        copiers[i] = (copier_t){&copying, i};
        CHECK(pthread_create(&threads[i], NULL, copier_main, &copiers[i]));
    }

    dnnl_memory_desc_t md;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a));
    dnnl_memory_t ma = bench_memory(&bench, md, a), mb = bench_memory(&bench, md, b),
                  mc = bench_memory(&bench, md, c);
    op_t relu, add;
    make_relu(&relu, md, ma, mc);
    make_add(&add, md, ma, mb, mc);
    candidate_t race[] = {{"memcpy", run_copy, &copying, 0},
            {"memcpy in pieces", run_copy_pieces, &copying, 0}, {"relu", run_op, &relu, 0},
            {"add", run_op, &add, 0}};
    bench_race(race, 4, 30, 15);
    run_op(&relu);
    verify(a, b, c, n, false);
    run_op(&add);
    verify(a, b, c, n, true);

    printf("f32, %lld elements, on %s; memcpy with %d threads\n", (long long)n, bench.name,
            copying.threads);
    const double streams[] = {2, 2, 2, 3}; /* tensors read and written */
    double speed[4];
    for (int i = 0; i < 4; i++) {
        speed[i] = streams[i] * (double)size / race[i].best;
        printf("  %-44s %6.2f GB/s\n", race[i].name, speed[i] * 1e-9);
    }
    const double best = speed[0] > speed[1] ? speed[0] : speed[1];
    bench_ratio("relu, of memcpy's bandwidth", speed[2] / best, 0.9);
    bench_ratio("add, of memcpy's bandwidth", speed[3] / best, 0.9);

    copying.stop = true;
    pthread_barrier_wait(&copying.start);
    for (int i = 1; i < copying.threads; i++) pthread_join(threads[i], NULL);
    CHECK(dnnl_primitive_destroy(relu.primitive));
    CHECK(dnnl_primitive_destroy(add.primitive));
    dnnl_memory_t memories[] = {ma, mb, mc};
    float *buffers[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        CHECK(dnnl_memory_destroy(memories[i]));
        bench_free(&bench, buffers[i]);
    }
    CHECK(dnnl_memory_desc_destroy(md));
    bench_close(&bench);
    return 0;
}

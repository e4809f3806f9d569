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

#include "bench_problem.h"

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

/* An operation on tensors of n elements, from a line with a place for n in each of its dims. */
static void *make_op(const library_t *here, const char *format, int64_t n, void *const *data) {
    static bench_problem_t p;
    char line[128];
    snprintf(line, sizeof(line), format, (long long)n, (long long)n);
    bench_problem_create_from(&p, &bench, line);
    void *op = here->create(&p.plain, p.problem.pd, NULL, data);
    CHECK(!op);
    bench_problem_destroy(&p);
    return op;
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
    const int64_t n = argc > 1 ? atoll(argv[1]) : 64 << 20;
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

    const library_t *here = library_open(bench.engine, bench.stream);
    void *relu = make_op(here, "eltwise alg=eltwise_relu %lld", n, (void *[]){a, c}),
         *add = make_op(here, "binary alg=binary_add %lld:%lld", n, (void *[]){a, b, c});
    candidate_t race[] = {{"memcpy", run_copy, &copying, 0},
            {"memcpy in pieces", run_copy_pieces, &copying, 0}, {"relu", here->run, relu, 0},
            {"add", here->run, add, 0}};
    bench_race(race, 4, 30, 15);
    here->run(relu);
    verify(a, b, c, n, false);
    here->run(add);
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
    here->destroy(relu);
    here->destroy(add);
    float *buffers[] = {a, b, c};
    for (int i = 0; i < 3; i++) bench_free(&bench, buffers[i]);
    bench_close(&bench);
    return 0;
}

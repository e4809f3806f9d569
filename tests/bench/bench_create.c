/* SPDX-License-Identifier: Apache-2.0 */
/* Times first creations, which compile: of each problem of a section of create_problems.txt, and of
 * all of them together on some threads.
 * Usage: bench_create [-t threads] section
 * Run a process for each line to be compared: modules that it compiled are used again. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "bench.h"
#include "problem.h"

enum { MOST_PROBLEMS = 256, MOST_THREADS = 64 };

typedef struct {
    line_t line;
    problem_t problem;
    dnnl_primitive_t primitive;
    double seconds;
} creation_t;

static creation_t *creations[MOST_PROBLEMS];
static int ncreations;
static atomic_int next;
/* The functions of tests/problem are for one thread; making a descriptor compiles nothing. */
static pthread_mutex_t describing = PTHREAD_MUTEX_INITIALIZER;
static dnnl_engine_t engine;

static void add(const batch_line_t *line, int64_t index) {
    static char text[LINE_LENGTH];
    creation_t *c = calloc(1, sizeof *c);
    if (ncreations == MOST_PROBLEMS || !c) exit(1);
    batch_problem(line, index, text, sizeof text);
    const char *wrong = line_parse(&c->line, text);
    if (wrong) {
        printf("%s: %s\n", text, wrong);
        exit(2);
    }
    creations[ncreations++] = c;
}

static void *create(void *unused) {
    (void)unused;
    for (int i; (i = atomic_fetch_add(&next, 1)) < ncreations;) {
        creation_t *c = creations[i];
        pthread_mutex_lock(&describing);
        double start = bench_now();
        const char *wrong = problem_create(&c->problem, &c->line, engine);
        c->seconds = bench_now() - start;
        pthread_mutex_unlock(&describing);
        if (wrong) {
            printf("%s: %s\n", c->line.kind, wrong);
            exit(2);
        }
        CHECK(c->problem.status);
        start = bench_now();
        CHECK(dnnl_primitive_create(&c->primitive, c->problem.pd));
        c->seconds += bench_now() - start;
    }
    return NULL;
}

static double create_all(int nthreads) {
    pthread_t threads[MOST_THREADS];
    const double start = bench_now();
    for (int i = 1; i < nthreads; i++) CHECK(pthread_create(&threads[i], NULL, create, NULL));
    create(NULL);
    for (int i = 1; i < nthreads; i++) pthread_join(threads[i], NULL);
    return bench_now() - start;
}

int main(int argc, char **argv) {
    const bool has_threads = argc > 2 && !strcmp(argv[1], "-t");
    const int nthreads = has_threads ? atoi(argv[2]) : 1;
    const char *section = argv[argc - 1];
    if (argc != (has_threads ? 4 : 2) || nthreads < 1 || nthreads > MOST_THREADS) {
        puts("usage: bench_create [-t threads] section");
        return 2;
    }
    bench_t b;
    int known;
    name_find(NAMES_ALG_KIND, "eltwise_relu", &known); /* the first search takes some 10 ms */
    bench_open(&b);
    engine = b.engine;
    FILE *file = fopen(CREATE_PROBLEMS, "r");
    if (!file || !batch_run_section(file, section, add)) return 2;
    const double all = create_all(nthreads);
    double sum = 0;
    for (int i = 0; i < ncreations; i++) {
        creation_t *c = creations[i];
        printf("%8.2f ms  %s %s\n", c->seconds * 1e3, c->line.kind, c->line.problem);
        sum += c->seconds;
        dnnl_primitive_destroy(c->primitive);
        dnnl_primitive_desc_destroy(c->problem.pd);
        free(c);
    }
    printf("%d primitives on %d threads: %.1f ms, %.1f ms one by one\n", ncreations, nthreads,
            all * 1e3, sum * 1e3);
    bench_close(&b);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Times first creations, which compile: of each problem of a section of create_problems.txt, and of
 * all of them together on some threads.
 * Usage: bench_create [-f | -t threads | -n number] section
 * -n creates one problem of the section, numbered from 1, in a process that has compiled nothing
 * before; 0: it compiles a kernel of one store.
 * -f compiles a kernel of one store before and after each creation, and prints the ratio of the
 * creation to the shorter of the two. The first modules of a process take longer, so three such
 * kernels are compiled before all.
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
    double floor; /* seconds for a kernel of one store; 0: not measured */
} creation_t;

static creation_t *creations[MOST_PROBLEMS];
static int ncreations;
static int only, nproblems; /* the number of the one that is wanted; -1: all of them */
static atomic_int next;
/* The functions of tests/problem are for one thread; making a descriptor compiles nothing. */
static pthread_mutex_t describing = PTHREAD_MUTEX_INITIALIZER;
static bench_t b;
static struct {
    uint8_t spirv[4096];
    size_t size; /* 0: nobody asked for it */
    double latest;
} one_store;

static void read_one_store(void) {
    FILE *file = fopen(ONE_STORE, "rb");
    if (file) one_store.size = fread(one_store.spirv, 1, sizeof one_store.spirv, file);
    if (file) fclose(file);
    if (!one_store.size || one_store.size == sizeof one_store.spirv) {
        puts("cannot read " ONE_STORE);
        exit(2);
    }
}

/* Compiles the kernel of one store, and keeps the time. */
static void compile_one_store(void) {
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .format = ZE_MODULE_FORMAT_IL_SPIRV,
            .inputSize = one_store.size,
            .pInputModule = one_store.spirv};
    ze_module_handle_t module;
    const double start = bench_now();
    CHECK(zeModuleCreate(b.context, b.device, &desc, &module, NULL));
    one_store.latest = bench_now() - start;
    CHECK(zeModuleDestroy(module));
}

static void add(const batch_line_t *line, int64_t index) {
    static char text[LINE_LENGTH];
    if (only >= 0 && ++nproblems != only) return;
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
        const char *wrong = problem_create(&c->problem, &c->line, b.engine);
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
        if (!one_store.size) continue;
        c->floor = one_store.latest;
        compile_one_store();
        if (one_store.latest < c->floor) c->floor = one_store.latest;
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
    const bool has_floor = argc > 2 && !strcmp(argv[1], "-f");
    const bool has_number = argc > 3 && !strcmp(argv[1], "-n");
    const int nthreads = has_threads ? atoi(argv[2]) : 1;
    const char *section = argv[argc - 1];
    only = has_number ? atoi(argv[2]) : -1;
    const int options = 2 * (has_threads || has_number) + has_floor;
    if (argc != 2 + options || nthreads < 1 || nthreads > MOST_THREADS) {
        puts("usage: bench_create [-f | -t threads | -n number] section");
        return 2;
    }
    int known;
    name_find(NAMES_ALG_KIND, "eltwise_relu", &known); /* the first search takes some 10 ms */
    bench_open(&b);
    if (has_floor || only == 0) read_one_store();
    if (only == 0) {
        compile_one_store();
        printf("%8.2f ms  a kernel of one store\n", one_store.latest * 1e3);
    }
    for (int i = 0; has_floor && i < 3; i++) compile_one_store();
    FILE *file = fopen(CREATE_PROBLEMS, "r");
    if (!file || !batch_run_section(file, section, add)) return 2;
    const double all = create_all(nthreads);
    double sum = 0;
    for (int i = 0; i < ncreations; i++) {
        creation_t *c = creations[i];
        printf("%8.2f ms  ", c->seconds * 1e3);
        if (has_floor) printf("%5.2f of %.2f ms  ", c->seconds / c->floor, c->floor * 1e3);
        printf("%s %s\n", c->line.kind, c->line.problem);
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

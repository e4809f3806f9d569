/* SPDX-License-Identifier: Apache-2.0 */
/* What the library costs around the kernels: time and allocations of an execution beside the Level Zero calls
 * it makes, times of creation, size. bench_overhead [executions] */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/primitive.h"
#include "bench.h"
#include "ze/executable.h"

/* ---- allocations of this thread: the program's malloc comes before libc's ---- */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define COUNTS_ALLOCATIONS 1
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *ptr, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
#else
#define COUNTS_ALLOCATIONS 0
#endif

static __thread long allocations;

#if COUNTS_ALLOCATIONS
void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}
void *realloc(void *ptr, size_t size) {
    allocations++;
    return __libc_realloc(ptr, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}
int posix_memalign(void **ptr, size_t alignment, size_t size) {
    allocations++;
    *ptr = __libc_memalign(alignment, size);
    return *ptr ? 0 : ENOMEM;
}
#endif

/* ---- one primitive, executed by the library and by hand ---- */

static bench_t bench;
enum { MAX_LIVE = 64, BATCH = 64 };

typedef struct {
    dnnl_primitive_t primitive;
    int nargs;
    dnnl_exec_arg_t args[4];
    const executable_t *x;
    void *value[MAX_LIVE]; /* of the pointer arguments, in the order they are set */
} subject_t;

static void by_library(subject_t *s) {
    dnnl_ze_interop_primitive_execute(s->primitive, bench.stream, s->nargs, s->args, 0, NULL, NULL);
}

/* The same kernels; their constants are set already. */
static void by_hand(subject_t *s) {
    const executable_t *x = s->x;
    const plan_t *plan = &x->pd->plan;
    int n = 0;
    for (int i = 0; i < x->nsteps; i++) {
        const exec_step_t *step = &x->steps[i];
        for (int j = 0; j < step->nlive; j++, n++)
            if (s->value[n])
                zeKernelSetArgumentValue(step->kernel, x->live[n].argument, sizeof(void *), &s->value[n]);
        const uint32_t *groups = plan->steps[i].group_count;
        const ze_group_count_t count = {groups[0], groups[1], groups[2]};
        zeCommandListAppendLaunchKernel(bench.list, step->kernel, &count, NULL, 0, NULL);
    }
}

typedef struct {
    double seconds;   /* the best batch's mean */
    long allocations; /* the fewest of a batch */
} cost_t;

static void batch(cost_t *cost, void (*execute)(subject_t *), subject_t *s) {
    const long before = allocations;
    const double start = bench_now();
    for (int i = 0; i < BATCH; i++) execute(s);
    const double took = (bench_now() - start) / BATCH;
    const long made = allocations - before;
    bench_wait(&bench);
    if (took < cost->seconds) cost->seconds = took;
    if (made < cost->allocations) cost->allocations = made;
}

/* Values of the pointers that the plan asks for; without a scratchpad. */
static void find_values(subject_t *s) {
    s->x = s->primitive->exec;
    const plan_t *plan = &s->x->pd->plan;
    int n = 0;
    for (int i = 0; i < s->x->nsteps; i++)
        for (int j = 0; j < s->x->steps[i].nlive; j++, n++) {
            const binding_t *binding = &plan->bindings[s->x->live[n].binding];
            if (n == MAX_LIVE) CHECK(1);
            s->value[n] = NULL;
            if (binding->kind != BIND_ARG || binding->slot < 0) continue;
            for (int a = 0; a < s->nargs; a++)
                if (s->args[a].arg == s->x->pd->args[binding->slot].arg) {
                    void *ptr;
                    CHECK(dnnl_memory_get_data_handle(s->args[a].memory, &ptr));
                    s->value[n] = (char *)ptr + binding->offset;
                }
        }
}

static int bench_execution(const char *what, subject_t *s, int executions) {
    cost_t library = {1e30, 1L << 40}, hand = library;
    find_values(s);
    by_library(s);
    bench_wait(&bench);
    for (int i = 0; i < executions; i += BATCH) {
        batch(&hand, by_hand, s);
        batch(&library, by_library, s);
    }
    const double added = (library.seconds - hand.seconds) * 1e9;
    printf("  %s: execute %.0f ns, the same Level Zero calls by hand %.0f ns\n", what, library.seconds * 1e9,
            hand.seconds * 1e9);
    printf("  %-44s %6.0f ns   (goal 150: %s)\n", "added by the library", added,
            added <= 150 ? "met" : "missed");
    if (!COUNTS_ALLOCATIONS) return 0;
    const long extra = library.allocations - hand.allocations;
    printf("  %-44s %6.2f   (goal 0: %s; driver: %.2f)\n", "allocations added, each execution",
            (double)extra / BATCH, extra <= 0 ? "met" : "missed", (double)hand.allocations / BATCH);
    return extra > 0;
}

/* ---- creation ---- */

static dnnl_memory_desc_t vector_md(dnnl_dim_t n) {
    const dnnl_dims_t dims = {n};
    dnnl_memory_desc_t md;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a));
    return md;
}

static dnnl_primitive_desc_t relu_pd(dnnl_memory_desc_t md) {
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_eltwise_forward_primitive_desc_create(
            &pd, bench.engine, dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0, 0, NULL));
    return pd;
}

static void bench_creation(dnnl_memory_desc_t md, dnnl_primitive_t *first) {
    enum { TIMES = 1000 };
    double start = bench_now();
    dnnl_primitive_desc_t pd = relu_pd(md);
    CHECK(dnnl_primitive_create(first, pd));
    const double cold = bench_now() - start;
    double best_pd = 1e30, best_primitive = 1e30;
    for (int round = 0; round < 10; round++) {
        static dnnl_primitive_desc_t pds[TIMES];
        static dnnl_primitive_t primitives[TIMES];
        start = bench_now();
        for (int i = 0; i < TIMES; i++) pds[i] = relu_pd(md);
        double took = (bench_now() - start) / TIMES;
        if (took < best_pd) best_pd = took;
        start = bench_now();
        for (int i = 0; i < TIMES; i++) CHECK(dnnl_primitive_create(&primitives[i], pd));
        took = (bench_now() - start) / TIMES;
        if (took < best_primitive) best_primitive = took;
        for (int i = 0; i < TIMES; i++) {
            CHECK(dnnl_primitive_destroy(primitives[i]));
            CHECK(dnnl_primitive_desc_destroy(pds[i]));
        }
    }
    CHECK(dnnl_primitive_desc_destroy(pd));
    printf("  %-44s %6.1f ms\n", "creation, the first of its kind", cold * 1e3);
    printf("  %-44s %6.2f us   (goal 1: %s)\n", "creation of the primitive, cached", best_primitive * 1e6,
            best_primitive < 1e-6 ? "met" : "missed");
    printf("  %-44s %6.2f us\n", "creation of its descriptor, cached", best_pd * 1e6);
}

/* ---- size ---- */

/* Bytes of the library less what strip removes: symbols and debugging information. */
static void print_size(const char *path) {
    FILE *f = fopen(path, "rb");
    Elf64_Ehdr header;
    long size = 0;
    if (!f || fread(&header, sizeof(header), 1, f) != 1 || fseek(f, 0, SEEK_END) != 0 ||
            (size = ftell(f)) < 0)
        CHECK(1);
    for (int i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        if (fseek(f, (long)header.e_shoff + i * (long)sizeof(section), SEEK_SET) != 0 ||
                fread(&section, sizeof(section), 1, f) != 1)
            CHECK(1);
        const bool kept =
                (section.sh_flags & SHF_ALLOC) || i == header.e_shstrndx || section.sh_type == SHT_NOBITS;
        if (!kept) size -= (long)section.sh_size;
    }
    fclose(f);
    printf("  %-44s %6.2f MB   (goal 4: %s)\n", "the library, stripped", (double)size / 1e6,
            size < 4000000 ? "met" : "missed");
}

int main(int argc, char **argv) {
    const int executions = argc > 1 ? atoi(argv[1]) : 20000;
    if (executions < 1) {
        fprintf(stderr, "usage: %s [executions]\n", argv[0]);
        return 2;
    }
    bench_open(&bench);
    printf("overhead on %s\n", bench.name);
    dnnl_memory_desc_t md = vector_md(16);
    float *a = bench_alloc(&bench, 64), *c = bench_alloc(&bench, 64);
    dnnl_memory_t ma = bench_memory(&bench, md, a), mc = bench_memory(&bench, md, c);
    subject_t relu = {.nargs = 2, .args = {{DNNL_ARG_SRC, ma}, {DNNL_ARG_DST, mc}}};
    bench_creation(md, &relu.primitive);
    const int failed = bench_execution("relu of 16 floats", &relu, executions);
    print_size(DNNL_ZE_LIBRARY);

    CHECK(dnnl_primitive_destroy(relu.primitive));
    CHECK(dnnl_memory_destroy(ma));
    CHECK(dnnl_memory_destroy(mc));
    CHECK(dnnl_memory_desc_destroy(md));
    bench_free(&bench, a);
    bench_free(&bench, c);
    bench_close(&bench);
    return failed;
}

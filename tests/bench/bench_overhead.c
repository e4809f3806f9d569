/* SPDX-License-Identifier: Apache-2.0 */
/* What the library costs around the kernels: time and allocations of an execution beside the
 * Level Zero calls it makes, times of creation, size. bench_overhead [executions] */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "primitive/primitive.h"
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

/* ---- one primitive of one kernel, executed by the library and by hand ---- */

static bench_t bench;
enum { MAX_ARGUMENTS = 32, BATCH = 64 };

/* What an application keeps that launches the kernel by itself: its constants are set, and its
 * pointers may be others each time. It checks every answer. */
typedef struct {
    ze_kernel_handle_t kernel;
    ze_group_count_t count;
    ze_group_dims_t size;
    int npointers;
    uint32_t pointer_index[MAX_ARGUMENTS];
    void *pointer[MAX_ARGUMENTS];
    void *argument[MAX_ARGUMENTS]; /* all of them: where their values are */
    void *absent;                  /* no buffer, and a scalar of 0 */
    float one;
    __typeof__(((device_core_t *)0)->launch_with_arguments) launch_with_arguments;
} by_hand_t;

typedef struct {
    dnnl_primitive_t primitive;
    int nargs;
    dnnl_exec_arg_t args[4];
    bool stay; /* the buffers are the library's, which knows that they are the same each time */
    by_hand_t hand;
} subject_t;

static int by_library(subject_t *s) {
    return (int)dnnl_primitive_execute(s->primitive, bench.stream, s->nargs, s->args);
}

static int by_separate_calls(subject_t *s) {
    by_hand_t *h = &s->hand;
    for (int i = 0; i < h->npointers && !s->stay; i++) {
        const ze_result_t result = zeKernelSetArgumentValue(
                h->kernel, h->pointer_index[i], sizeof(void *), &h->pointer[i]);
        if (result != ZE_RESULT_SUCCESS) return (int)result;
    }
    return (int)zeCommandListAppendLaunchKernel(bench.list, h->kernel, &h->count, NULL, 0, NULL);
}

static int by_one_call(subject_t *s) {
    by_hand_t *h = &s->hand;
    return (int)h->launch_with_arguments(
            bench.list, h->kernel, h->count, h->size, h->argument, NULL, NULL, 0, NULL);
}

typedef struct {
    const char *what;
    int (*execute)(subject_t *);
    double seconds;   /* the best batch's mean */
    long allocations; /* the fewest of a batch */
} way_t;

static void batch(way_t *way, subject_t *s) {
    const long before = allocations;
    const double start = bench_now();
    int failed = 0;
    for (int i = 0; i < BATCH; i++) failed |= way->execute(s);
    const double took = (bench_now() - start) / BATCH;
    const long made = allocations - before;
    CHECK(failed);
    bench_wait(&bench);
    if (took < way->seconds) way->seconds = took;
    if (made < way->allocations) way->allocations = made;
}

/* The kernel and its arguments as the primitive has them; without a scratchpad. */
static void find_kernel(subject_t *s) {
    const executable_t *x = s->primitive->exec;
    const plan_t *plan = &x->pd->plan;
    const plan_step_t *step = &plan->steps[0];
    const uint32_t *count = step->group_count, *size = step->group_size;
    by_hand_t *h = &s->hand;
    *h = (by_hand_t){.kernel = x->steps[0].kernel,
            .count = {count[0], count[1], count[2]},
            .size = {size[0], size[1], size[2]},
            .one = 1,
            .launch_with_arguments = x->core->launch_with_arguments};
    CHECK(x->nsteps != 1 || step->nbindings > MAX_ARGUMENTS);
    for (uint32_t i = 0; i < step->nbindings; i++) {
        const binding_t *binding = &plan->bindings[step->first_binding + i];
        h->argument[i] = &h->absent;
        if (binding->kind == BIND_CONST)
            h->argument[i] = (void *)(uintptr_t)(plan->consts + binding->offset);
        if (binding->kind == BIND_SCALAR_F32) h->argument[i] = &h->one;
        if (binding->slot < 0) continue;
        CHECK(binding->kind != BIND_ARG);
        for (int a = 0; a < s->nargs; a++)
            if (s->args[a].arg == x->pd->args[binding->slot].arg) {
                void **pointer = &h->pointer[h->npointers];
                CHECK(dnnl_memory_get_data_handle(s->args[a].memory, pointer));
                *pointer = (char *)*pointer + binding->offset;
                h->argument[i] = pointer;
                h->pointer_index[h->npointers++] = i;
            }
    }
}

static int bench_execution(const char *what, subject_t *s, int executions) {
    way_t ways[] = {{"dnnl_primitive_execute", by_library, 1e30, 1L << 40},
            {s->stay ? "zeCommandListAppendLaunchKernel"
                     : "zeKernelSetArgumentValue for each pointer, zeCommandListAppendLaunchKernel",
                    by_separate_calls, 1e30, 1L << 40},
            {"zeCommandListAppendLaunchKernelWithArguments", by_one_call, 1e30, 1L << 40}};
    find_kernel(s);
    const int nways = s->hand.launch_with_arguments ? 3 : 2;
    CHECK(by_library(s));
    bench_wait(&bench);
    for (int i = 0; i < executions; i += BATCH)
        for (int w = 0; w < nways; w++) batch(&ways[w], s);
    const bool one_call = s->primitive->exec->steps[0].in_one_call;
    printf("  %s, %d pointers; the library launches %s\n", what, s->hand.npointers,
            one_call ? "in one call" : "with separate calls");
    for (int w = 0; w < nways; w++)
        printf("    %-76s %5.0f ns\n", ways[w].what, ways[w].seconds * 1e9);
    const way_t *hand = &ways[1];
    if (nways == 3 && ways[2].seconds < hand->seconds) hand = &ways[2];
    const double ratio = ways[0].seconds / hand->seconds;
    printf("  %-44s %6.3f   (goal 1.15: %s)\n", "execute, of the quicker way by hand", ratio,
            ratio <= 1.15 ? "met" : "missed");
    if (!COUNTS_ALLOCATIONS) return 0;
    const long extra = ways[0].allocations - hand->allocations;
    printf("  %-44s %6.2f   (goal 0: %s; driver: %.2f)\n", "allocations added, each execution",
            (double)extra / BATCH, extra <= 0 ? "met" : "missed",
            (double)hand->allocations / BATCH);
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
    printf("  %-44s %6.2f us   (goal 1: %s)\n", "creation of the primitive, cached",
            best_primitive * 1e6, best_primitive < 1e-6 ? "met" : "missed");
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
        const bool kept = (section.sh_flags & SHF_ALLOC) || i == header.e_shstrndx ||
                          section.sh_type == SHT_NOBITS;
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
    int failed =
            bench_execution("relu of 16 floats, buffers of the application", &relu, executions);
    subject_t own = relu;
    own.stay = true;
    for (int i = 0; i < relu.nargs; i++)
        CHECK(dnnl_memory_create(&own.args[i].memory, md, bench.engine, DNNL_MEMORY_ALLOCATE));
    failed |= bench_execution("the same, buffers of the library", &own, executions);
    for (int i = 0; i < relu.nargs; i++) CHECK(dnnl_memory_destroy(own.args[i].memory));
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

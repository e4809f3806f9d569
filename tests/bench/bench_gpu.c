/* SPDX-License-Identifier: Apache-2.0 */
/* Speeds of primitives on a GPU, beside the bandwidth of a copy: the problems of gpu_problems.txt.
 *   bench_gpu [--ref FILE] [-s SECONDS] [SECTION ...]
 * FILE: what another library reached on the same machine, in lines of a name (that of the problem,
 * with blanks for underscores), two blanks or more, "0.123 ms", and GB/s or TFLOP/s. -s: of a
 * line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "bench.h"
#include "core/primitive_desc.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "problem.h"

enum { NAME = 128, MAX_REFERENCES = 64, MAX_ARGS = 16, WARM_UPS = 3, RUNS = 10 };

typedef struct {
    char name[NAME];
    double speed;
} reference_t;

static bench_t bench;
static reference_t references[MAX_REFERENCES];
static int nreferences;
static double seconds_per_line = 0.2, copy_speed;

/* ---- the other library ---- */

static void read_references(const char *path) {
    char line[512];
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof(line), f) && nreferences < MAX_REFERENCES) {
        reference_t *r = &references[nreferences];
        const char *end = strstr(line, "  ");
        double ms;
        if (line[0] == '#' || !end || end - line >= NAME) continue;
        if (sscanf(end, "%lf ms %lf", &ms, &r->speed) != 2) continue;
        snprintf(r->name, NAME, "%.*s", (int)(end - line), line);
        nreferences++;
    }
    fclose(f);
}

static double reference(const char *name) {
    for (int i = 0; i < nreferences; i++)
        if (!strcmp(references[i].name, name)) return references[i].speed;
    return 0;
}

/* ---- times ---- */

/* Seconds of one run. Some are submitted at once, as an application does. */
static double seconds_of(void (*run)(void *arg), void *arg) {
    for (int i = 0; i < WARM_UPS; i++) run(arg);
    bench_wait(&bench);
    const double start = bench_now();
    double took;
    int n = 0;
    do {
        for (int i = 0; i < RUNS; i++) run(arg);
        bench_wait(&bench);
        n += RUNS;
        took = bench_now() - start;
    } while (took < seconds_per_line);
    return took / n;
}

typedef struct {
    void *to, *from;
    size_t size;
} copy_t;

static void run_copy(void *arg) {
    const copy_t *c = arg;
    CHECK(zeCommandListAppendMemoryCopy(bench.list, c->to, c->from, c->size, NULL, 0, NULL));
}

static void *device_memory(size_t size) {
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *p = NULL;
    CHECK(zeMemAllocDevice(bench.context, &desc, size, 4096, bench.device, &p));
    return p;
}

/* GB/s that a copy of so many bytes reads and writes. */
static double measure_copy(size_t size) {
    copy_t c = {device_memory(size), device_memory(size), size};
    const double speed = 2 * (double)size / seconds_of(run_copy, &c) * 1e-9;
    CHECK(zeMemFree(bench.context, c.to));
    CHECK(zeMemFree(bench.context, c.from));
    return speed;
}

/* ---- a problem ---- */

typedef struct {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[MAX_ARGS];
    int nargs;
    double bytes; /* of all tensors */
} subject_t;

/* From -1 to 1 in steps of 1/128, which f16 and bf16 hold too; integers from -4 to 4. */
static void fill(dnnl_memory_t memory, const md_t *md) {
    void *p;
    CHECK(dnnl_memory_map_data(memory, &p));
    const size_t n = dnnl_memory_desc_get_size(md) / dt_size(md->data_type);
    for (size_t i = 0; i < n; i++) {
        const int v = (int)((i * 2654435761u >> 7) % 257) - 128;
        const float x = (float)v / 128;
        switch (md->data_type) {
        case dnnl_f32: ((float *)p)[i] = x; break;
        case dnnl_bf16: memcpy((uint16_t *)p + i, (const char *)&x + 2, 2); break;
        case dnnl_f16: ((_Float16 *)p)[i] = (_Float16)x; break;
        case dnnl_s8: ((int8_t *)p)[i] = (int8_t)(v / 32); break;
        default: memset((char *)p + i * dt_size(md->data_type), 0, dt_size(md->data_type));
        }
    }
    CHECK(dnnl_memory_unmap_data(memory, p));
}

static subject_t subject_new(const_dnnl_primitive_desc_t handle) {
    const pd_t *pd = handle->pd;
    subject_t s = {.nargs = 0};
    CHECK(dnnl_primitive_create(&s.primitive, handle));
    for (int i = 0; i < pd->nargs; i++) {
        const md_t *md = &pd->args[i].md;
        if (md_is_zero(md)) continue;
        CHECK(s.nargs == MAX_ARGS);
        dnnl_exec_arg_t *arg = &s.args[s.nargs++];
        arg->arg = pd->args[i].arg;
        CHECK(dnnl_memory_create(&arg->memory, md, bench.engine, DNNL_MEMORY_ALLOCATE));
        fill(arg->memory, md);
        s.bytes += (double)dnnl_memory_desc_get_size(md);
    }
    return s;
}

static void subject_free(subject_t *s) {
    for (int i = 0; i < s->nargs; i++) CHECK(dnnl_memory_destroy(s->args[i].memory));
    CHECK(dnnl_primitive_destroy(s->primitive));
}

static void run_subject(void *arg) {
    subject_t *s = arg;
    CHECK(dnnl_primitive_execute(s->primitive, bench.stream, s->nargs, s->args));
}

static double elements(const md_t *md) {
    double n = 1;
    for (int d = 0; d < md->ndims; d++) n *= (double)md->dims[d];
    return n;
}

/* Twice the multiplications of a product; 0 for what memory limits. */
static double operations(const pd_t *pd) {
    const int src = pd_find_arg(pd, DNNL_ARG_SRC), wei = pd_find_arg(pd, DNNL_ARG_WEIGHTS);
    const md_t *d = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    switch ((int)pd->params.kind) {
    case dnnl_matmul:
        return 2 * elements(d) * (double)pd->args[src].md.dims[pd->args[src].md.ndims - 1];
    case dnnl_convolution:
        return 2 * elements(d) * elements(&pd->args[wei].md) / (double)d->dims[1];
    case DNNL_ZE_PRIMITIVE_KIND_SDPA: /* with the keys, and with as many values */
        return 4 * elements(&pd->args[src].md) *
               (double)pd->args[pd_find_arg(pd, DNNL_ARG_KEYS)].md.dims[d->ndims - 1];
    default: return 0;
    }
}

static void measure(const char *name, const_dnnl_primitive_desc_t handle) {
    const char *impl = "?";
    CHECK(dnnl_primitive_desc_query(handle, dnnl_query_impl_info_str, 0, &impl));
    const pd_t *pd = handle->pd;
    const double flops = operations(pd);
    subject_t s = subject_new(handle);
    const double seconds = seconds_of(run_subject, &s);
    const double speed = flops ? flops / seconds * 1e-12 : s.bytes / seconds * 1e-9;
    printf("%-40s %9.3f ms %8.*f %s", name, seconds * 1e3, flops ? 2 : 0, speed,
            flops ? "TFLOP/s" : "GB/s");
    if (!flops) printf("  %.2f of the copy", speed / copy_speed);
    if (reference(name) > 0) printf("  %.2f of the reference", speed / reference(name));
    printf("  %s\n", impl);
    fflush(stdout);
    subject_free(&s);
}

static void run_problem(const batch_line_t *batch, int64_t index) {
    static char text[LINE_LENGTH];
    line_t line;
    problem_t problem;
    char name[NAME];
    batch_problem(batch, index, text, sizeof(text));
    const char *wrong = line_parse(&line, text);
    if (!wrong) wrong = problem_create(&problem, &line, bench.engine);
    if (!wrong && problem.status != dnnl_success) wrong = "not supported";
    snprintf(name, sizeof(name), "%s", batch_value(batch, index, "name", ""));
    for (char *c = name; *c; c++)
        if (*c == '_') *c = ' ';
    if (!name[0]) batch_text(batch, index, text, sizeof(text));
    if (!name[0]) snprintf(name, sizeof(name), "%.127s", text);
    if (wrong) {
        printf("%-40s %s\n", name, wrong);
        return;
    }
    measure(name, problem.pd);
    CHECK(dnnl_primitive_desc_destroy(problem.pd));
}

/* NULL: all sections that are not optional. */
static bool run_section(const char *section) {
    return batch_run_section(fopen(GPU_PROBLEMS, "r"), section, run_problem);
}

int main(int argc, char **argv) {
    enum { COPIED = 256 << 20 };
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (!strcmp(argv[i], "-s")) seconds_per_line = atof(argv[i + 1]);
        else if (!strcmp(argv[i], "--ref")) read_references(argv[i + 1]);
        else break;
    }
    const bool tiny = seconds_per_line < 0.1;
    bench_open(&bench);
    copy_speed = measure_copy(tiny ? COPIED / 256 : COPIED);
    printf("on %s; a copy: %.0f GB/s\n", bench.name, copy_speed);
    bool known = i < argc || run_section(NULL);
    for (; i < argc; i++) known = run_section(argv[i]) || known;
    bench_close(&bench);
    if (known) return 0;
    fprintf(stderr, "usage: %s [--ref FILE] [-s SECONDS] [SECTION ...]\nsections: %s\n", argv[0],
            GPU_PROBLEMS);
    return 2;
}

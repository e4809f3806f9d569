/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of problems on all devices. */
#define _GNU_SOURCE
#include "plans.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"
#include "core/lru.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "plan_text.h"
#include "primitive/descriptor.h"
#include "problem.h"
#include "products.h"
#include "ze/engine.h"
#include "ze/module.h"

static FILE *plans, *texts, *dispatch;

/* ---- devices ---- */

enum { OWN, NARROW, PORTABLE, FIRST_PRODUCT, NDEVICES = FIRST_PRODUCT + NPRODUCTS };

static const char *device_name(int device) {
    static const char *const names[] = {"own", "simd8", "portable"};
    return device < FIRST_PRODUCT ? names[device] : products[device - FIRST_PRODUCT].name;
}

/* A GPU that has nothing but what every GPU has. */
static void portable_caps(caps_t *caps) {
    product_caps(&products[0], caps);
    caps->has_fp64 = caps->has_fp16 = caps->has_int64_atomics = caps->has_dp4a = false;
    caps->subgroup_sizes = 0;
    caps->max_registers = caps->ip_version = 0;
    caps->max_group_size = 256;
    caps->local_mem_size = 32 * 1024;
}

static void set_caps(int device, const caps_t *own, caps_t *caps) {
    *caps = *own;
    if (device == NARROW) caps->simd_width = 8;
    if (device == PORTABLE) portable_caps(caps);
    if (device >= FIRST_PRODUCT) product_caps(&products[device - FIRST_PRODUCT], caps);
}

/* ---- the log ---- */

/* While --dispatch is given, the standard output is a file in memory, which is emptied for each
 * device. */
static int terminal = -1, heard = -1;

static bool begin_to_listen(void) {
    fflush(stdout);
    terminal = dup(STDOUT_FILENO);
    heard = memfd_create("plans", 0);
    setenv("ONEDNN_VERBOSE", "check,dispatch", 1);
    return terminal >= 0 && heard >= 0 && dup2(heard, STDOUT_FILENO) >= 0;
}

static char *take_heard(void) {
    fflush(stdout);
    const off_t size = lseek(heard, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);
    if (!text || pread(heard, text, (size_t)size, 0) != size || ftruncate(heard, 0)) abort();
    lseek(heard, 0, SEEK_SET);
    return text;
}

/* "create:dispatch,matmul,<sentence>" of a line, without the place in the source; NULL: another
 * line. */
static char *sentence(char *line) {
    char *from = strstr(line, ",primitive,"), *place = strrchr(line, ',');
    if (!from || !strncmp(from, ",primitive,info,", 16)) return NULL;
    from += strlen(",primitive,");
    if (place > from) *place = 0;
    return from;
}

/* Each sentence once: all implementations of a problem refuse the same ones. */
static void write_dispatch(const char *line, int device) {
    if (!dispatch) return;
    char *text = take_heard(), *save = NULL, **seen = NULL;
    size_t n = 0;
    fprintf(dispatch, "%s\t%s\n", line, device_name(device));
    for (char *at = strtok_r(text, "\n", &save); at; at = strtok_r(NULL, "\n", &save)) {
        const char *said = sentence(at);
        size_t i = 0;
        while (said && i < n && strcmp(seen[i], said)) i++;
        if (!said || i < n) continue;
        if (!(seen = realloc(seen, (n + 1) * sizeof *seen))) abort();
        seen[n++] = (char *)said;
        fprintf(dispatch, "  %s\n", said);
    }
    free(seen);
    free(text);
}

/* ---- one implementation ---- */

typedef struct {
    char *data;
    size_t size;
} text_t;

static FILE *text_open(text_t *text) {
    FILE *to = open_memstream(&text->data, &text->size);
    if (!to) abort();
    return to;
}

static const md_t *actual_md(const problem_t *p, const pd_arg_t *arg) {
    for (int k = 0; k < p->nactual; k++)
        if (p->actual[k].arg == arg->arg) return &p->actual[k].md;
    return &arg->md;
}

/* With the dims that are given at run time. */
static void write_replanned(FILE *to, const problem_t *p, const pd_t *pd) {
    const md_t **mds = calloc((size_t)pd->nargs, sizeof *mds);
    if (!mds) abort();
    for (int i = 0; i < pd->nargs; i++) mds[i] = actual_md(p, &pd->args[i]);
    plan_text_write_replanned(to, pd, harness_caps(), mds);
    free(mds);
}

/* The primitive that is made for the dims that are given at run time. */
static void write_of_shape(FILE *to, const problem_t *p, const pd_t *pd) {
    pd_request_t request = pd->request;
    pd_tensor_t tensors[PROBLEM_TENSORS];
    pd_t *made = NULL;
    if (request.ntensors > PROBLEM_TENSORS) return;
    for (int i = 0; i < request.ntensors; i++) {
        const pd_arg_t arg = {.arg = request.tensor[i].arg, .md = *request.tensor[i].md};
        const md_t *md = actual_md(p, &arg);
        tensors[i] = request.tensor[i];
        if (md != &arg.md) tensors[i].md = md;
    }
    request.tensor = tensors;
    const dnnl_status_t status = descriptor_find(&made, pd->op, harness_engine, &request);
    fprintf(to, "for the dims given: %s\n", dnnl_status2str(status));
    if (status != dnnl_success) return;
    fprintf(to, "%s, scratchpad of %zu: ", made->impl_name, made->scratchpad_size);
    plan_text_write(to, made);
    pd_unref(made);
}

static text_t canonical_text(const problem_t *p, const pd_t *pd) {
    text_t text;
    FILE *to = text_open(&text);
    plan_text_write(to, pd);
    if (p->nactual && pd->by_shape) write_of_shape(to, p, pd);
    else if (p->nactual) write_replanned(to, p, pd);
    fclose(to);
    return text;
}

static void write_impl(const problem_t *p, const char *line, int device, int impl) {
    const pd_t *pd = p->pd->pd;
    const text_t text = canonical_text(p, pd);
    const char *name = NULL;
    dnnl_primitive_desc_query(p->pd, dnnl_query_impl_info_str, 0, &name);
    if (plans) {
        fprintf(plans, "%s\t%s\t%d\t%s\t%zu\t", line, device_name(device), impl, name,
                pd->scratchpad_size);
        const int steps = plan_text_write_kernels(plans, pd);
        fprintf(plans, "\t%d\t%016llx\n", steps,
                (unsigned long long)checksum(text.data, text.size, CHECKSUM_SEED));
    }
    if (texts)
        fprintf(texts, "%s\t%s\t%d\t%s\t%zu\n%s", line, device_name(device), impl, name,
                pd->scratchpad_size, text.data);
    free(text.data);
}

static void write_status(const char *line, int device, int impl, const char *status) {
    FILE *const files[] = {plans, texts};
    for (int i = 0; i < 2; i++)
        if (files[i])
            fprintf(files[i], "%s\t%s\t%d\t%s\t\t\t\t\n", line, device_name(device), impl, status);
}

/* ---- all of them ---- */

/* More than any kind has: a walk that goes on is cut off. */
enum { MOST_IMPLS = 24 };

static void write_impls(problem_t *p, const char *line, int device) {
    dnnl_status_t status = p->status;
    int impl = 0;
    for (; status == dnnl_success && impl < MOST_IMPLS;
            status = dnnl_primitive_desc_next_impl(p->pd))
        write_impl(p, line, device, impl++);
    if (status == dnnl_success) write_status(line, device, impl, "and so on");
    else if (status != dnnl_last_impl_reached)
        write_status(line, device, impl, dnnl_status2str(status));
}

static const char *add_device(
        plans_create_fn create, const void *what, const char *line, int device) {
    problem_t p = {0};
    caches_evict(harness_engine->core); /* what was made with other capabilities */
    const char *wrong = create(&p, what);
    if (!wrong) write_impls(&p, line, device);
    if (p.pd) dnnl_primitive_desc_destroy(p.pd);
    return wrong;
}

bool plans_add_created(const char *line, plans_create_fn create, const void *what) {
    caps_t *caps = &harness_engine->core->caps;
    const caps_t own = *caps;
    const char *wrong = NULL;
    for (int device = 0; device < NDEVICES && !wrong; device++) {
        set_caps(device, &own, caps);
        wrong = add_device(create, what, line, device);
        write_dispatch(line, device);
    }
    *caps = own;
    caches_evict(harness_engine->core);
    if (wrong) fprintf(stderr, "%s\n  %s\n", line, wrong);
    return !wrong;
}

static const char *create_line(problem_t *p, const void *line) {
    return problem_create(p, line, harness_engine);
}

bool plans_add(const char *line) {
    line_t *parsed = malloc(sizeof *parsed);
    if (!parsed) abort();
    const char *wrong = line_parse(parsed, line);
    if (wrong) fprintf(stderr, "%s\n  %s\n", line, wrong);
    const bool ok = !wrong && plans_add_created(line, create_line, parsed);
    free(parsed);
    return ok;
}

static FILE *open_to_write(const char *name) {
    if (!name) return NULL;
    FILE *file = strcmp(name, "-") ? fopen(name, "w") : fdopen(dup(STDOUT_FILENO), "w");
    if (!file) perror(name);
    return file;
}

bool plans_open(const plans_files_t *files) {
    plans = open_to_write(files->plans);
    texts = open_to_write(files->text);
    dispatch = open_to_write(files->dispatch);
    if (!plans != !files->plans || !texts != !files->text || !dispatch != !files->dispatch)
        return false;
    return !dispatch || begin_to_listen();
}

bool plans_close(void) {
    FILE *const files[] = {plans, texts, dispatch};
    bool ok = true;
    for (int i = 0; i < 3; i++) ok = (!files[i] || fclose(files[i]) == 0) && ok;
    plans = texts = dispatch = NULL;
    fflush(stdout);
    if (terminal >= 0) dup2(terminal, STDOUT_FILENO);
    return ok;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One problem of the problem language: read, created, executed. */
#define _GNU_SOURCE
#include "problem_line.h"

#include <stdio.h>
#include <stdlib.h>

#include "batch.h"
#include "core/util.h"
#include "primitive/primitive.h"
#include "problem.h"

/* Writes the first problem as a line of the verbose log. */
static bool read_line(const void *text, size_t size, char *line, size_t line_size) {
    FILE *file = size ? fmemopen((void *)text, size, "r") : NULL;
    batch_t batch = {.file = file};
    batch_line_t problems;
    if (!file) return false;
    const bool is_read = batch_read(&batch, &problems) > 0;
    if (is_read) {
        batch_problem(&problems, 0, line, line_size);
        batch_free(&problems);
    }
    fclose(file);
    return is_read;
}

/* What the constructors' documentation names, for arguments that are well-formed. */
static bool is_documented(dnnl_status_t status) {
    return status == dnnl_success || status == dnnl_unimplemented ||
           status == dnnl_invalid_arguments || status == dnnl_out_of_memory;
}

static void check_status(const problem_t *p, const char *line) {
    if (is_documented(p->status) && (p->status == dnnl_success) == (p->pd != NULL)) return;
    fprintf(stderr, "\n%s\nFAILED: the constructor answers %d and %s descriptor\n", line,
            (int)p->status, p->pd ? "a" : "no");
    abort();
}

/* Tensors with run-time dims are executed with those that the problem names. */
static void run(executor_t *x, const problem_t *p) {
    md_t given[ARRAY_LEN(p->actual)], real[ARRAY_LEN(p->actual)];
    int n = 0;
    for (int i = 0; i < p->nactual; i++) {
        const int slot = pd_find_arg(p->pd->pd, p->actual[i].arg);
        if (slot < 0) continue;
        given[n] = p->pd->pd->args[slot].md;
        real[n++] = p->actual[i].md;
    }
    execute(x, p->pd, given, real, n);
}

bool problem_line_run(executor_t *x, const void *text, size_t size) {
    static char written[LINE_LENGTH];
    static line_t line;
    static problem_t p;
    if (!read_line(text, size, written, sizeof(written)) || line_parse(&line, written))
        return false;
    const bool is_problem = problem_create(&p, &line, x->engine) == NULL;
    if (is_problem) check_status(&p, written);
    if (is_problem && p.status == dnnl_success) {
        skip_implementations(p.pd);
        x->line = written;
        if (executor_is_wanted()) run(x, &p);
    }
    if (p.pd) dnnl_primitive_desc_destroy(p.pd);
    return is_problem;
}

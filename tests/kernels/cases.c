/* SPDX-License-Identifier: Apache-2.0 */
/* Cases from text. */
#include "cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "case_run.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "ops/verbose_columns.h"
#include "ref_table.h"

/* ---- one case ---- */

bool case_is_wanted(const test_case_t *c) {
    const char *wanted = getenv("TEST_CASE");
    return !wanted || strstr(c->text, wanted);
}

bool case_names(const test_case_t *c, int variant) {
    const char *names = batch_value(c->line, c->index, "variants", "");
    const char *name = strrchr(variants[variant].id, '_') + 1;
    const size_t size = strlen(name);
    while (*names) {
        const size_t len = strcspn(names, ":");
        if (len == size && !strncmp(names, name, size)) return true;
        names += len + (names[len] == ':');
    }
    return false;
}

void case_create(problem_t *p, const test_case_t *c) {
    static char text[LINE_LENGTH];
    static line_t line;
    batch_problem(c->line, c->index, text, sizeof(text));
    const char *wrong = line_parse(&line, text);
    if (!wrong) wrong = problem_create_hinted(p, &line, harness_engine, &harness_hints);
    if (wrong) fail_msg("%s: %s", c->text, wrong);
}

bool case_open_problem(case_t *run, problem_t *p) {
    if (!case_open(run, p->pd, p->status)) return false;
    run->low = p->low;
    run->high = p->high;
    run->in_place = p->in_place;
    run->shuffled = p->shuffled;
    run->group_sizes = p->group_sizes[0] ? p->group_sizes : NULL;
    return true;
}

void case_run_problem(case_t *run, const problem_t *p) {
    const md_t **mds = calloc((size_t)run->pd->nargs, sizeof(*mds));
    assert_non_null(mds);
    for (int i = 0; i < p->nactual; i++) {
        const int slot = pd_find_arg(run->pd, p->actual[i].arg);
        if (slot >= 0) mds[slot] = &p->actual[i].md;
    }
    case_shift = p->shift;
    case_shifted = p->shifted;
    case_fill(run, mds);
    case_run(run);
    case_shift = 0;
    case_shifted = -1;
    case_check(run, ref_find(run->pd)->outputs->reference);
    free(mds);
}

bool cases_run_one(const test_case_t *c) {
    problem_t p;
    case_t run;
    case_create(&p, c);
    if (p.status != dnnl_success && p.status != dnnl_unimplemented) print_error("%s\n", c->text);
    const int left_out = harness_count.left_out;
    if (!case_open_problem(&run, &p)) return harness_count.left_out > left_out;
    case_run_problem(&run, &p);
    case_close(&run);
    return true;
}

/* ---- run-time dims ---- */

/* The problem with known sizes and layouts, "3x5/ab+:ab". Its tensors are those that the open one
 * runs with. */
static void create_closed(problem_t *closed, const test_case_t *c, const char *set) {
    batch_line_t line;
    char sizes[256];
    snprintf(sizes, sizeof(sizes), "%s", set);
    char *tags = strchr(sizes, '/');
    if (tags) *tags++ = 0;
    assert_true(batch_copy(&line, c->line, c->index));
    batch_set(&line, NULL, sizes);
    batch_set(&line, "tag", tags ? tags : "");
    case_create(closed, &(test_case_t){&line, 0, c->number, c->text});
    batch_free(&line);
    if (closed->status != dnnl_success) fail_msg("%s: %s is refused", c->text, set);
}

static void run_closed(const problem_t *open, const problem_t *closed) {
    case_t run;
    dnnl_primitive_desc_t copy;
    const pd_t *known = case_pd(closed->pd);
    assert_int_equal(dnnl_primitive_desc_clone(&copy, open->pd), dnnl_success);
    if (!case_open(&run, copy, dnnl_success)) return;
    const md_t **mds = calloc((size_t)run.pd->nargs, sizeof(*mds));
    assert_non_null(mds);
    for (int i = 0; i < run.pd->nargs; i++) {
        const int slot = pd_find_arg(known, run.pd->args[i].arg);
        if (slot >= 0) mds[i] = &known->args[slot].md;
    }
    run.low = open->low;
    run.high = open->high;
    case_fill(&run, mds);
    case_run(&run);
    case_check(&run, ref_find(run.pd)->outputs->reference);
    case_close(&run);
    free(mds);
}

void cases_run_actual(const test_case_t *c) {
    problem_t open, closed;
    case_create(&open, c);
    if (open.status != dnnl_success) fail_msg("%s: refused", c->text);
    /* The log prints what is open as the line does. */
    assert_string_equal(
            strrchr(pd_info(case_pd(open.pd)), ',') + 1, batch_value(c->line, c->index, NULL, ""));
    char *sets = strdup(batch_value(c->line, c->index, "actual", "")), *save;
    for (char *set = strtok_r(sets, ";", &save); set; set = strtok_r(NULL, ";", &save)) {
        create_closed(&closed, c, set);
        run_closed(&open, &closed);
        assert_int_equal(dnnl_primitive_desc_destroy(closed.pd), dnnl_success);
    }
    free(sets);
    assert_int_equal(dnnl_primitive_desc_destroy(open.pd), dnnl_success);
}

/* ---- lists ---- */

static FILE *open_list(const char *list) {
    const char *folder = getenv("DNNL_ZE_TEST_CASES");
    char name[4096];
    snprintf(name, sizeof(name), "%s/%s.txt", folder ? folder : TEST_CASES, list);
    FILE *file = fopen(name, "r");
    if (!file) fail_msg("%s cannot be read", name);
    return file;
}

/* "dt=f16 tag=any" */
static void apply(batch_line_t *line, const char *settings) {
    char *copy = strdup(settings), *save;
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        if (value) *value++ = 0;
        batch_set(line, value ? word : NULL, value ? value : word);
    }
    free(copy);
}

static void each_of_line(
        const batch_line_t *line, int number, void (*function)(const test_case_t *)) {
    static char text[BATCH_LINE];
    for (int64_t i = 0; i < line->count; i++) {
        const test_case_t c = {line, i, number, text};
        batch_text(line, i, text, sizeof(text));
        if (case_is_wanted(&c)) function(&c);
    }
}

void cases_each(const char *list, const char *section, const char *settings,
        void (*function)(const test_case_t *)) {
    batch_t batch = {.file = open_list(list)};
    batch_line_t line;
    int n = 0, got;
    while ((got = batch_read(&batch, &line)) > 0) {
        if (!strcmp(batch.section, section)) {
            apply(&line, settings);
            each_of_line(&line, n++, function);
        }
        batch_free(&line);
    }
    fclose(batch.file);
    if (got < 0 || !n) fail_msg("%s.txt has no section %s", list, section);
}

static bool is_shared(const test_case_t *c) {
    const char *among = batch_value(c->line, c->index, "sampled", "0");
    const int variant = harness_hints.forced_variant;
    const bool units = variant >= 0 && (variants[variant].target == TARGET_XMX8 ||
                                               variants[variant].target == TARGET_XMX16);
    return !strcmp(among, "1") || !strcmp(among, units ? "units" : "others");
}

void cases_run_share(const test_case_t *c) {
    if (harness_leaves_choice(c->number + (int)c->index)) return;
    if (!is_shared(c) || sampled(c->number)) cases_run_one(c);
}

void cases_run(const char *list, const char *section) {
    cases_run_with(list, section, "");
}

void cases_run_with(const char *list, const char *section, const char *settings) {
    cases_each(list, section, settings, cases_run_share);
}

static void check_refusal(const test_case_t *c) {
    static const dnnl_status_t wanted[] = {[EXPECT_SUCCESS] = dnnl_success,
            [EXPECT_REFUSED] = dnnl_unimplemented,
            [EXPECT_INVALID] = dnnl_invalid_arguments};
    problem_t p;
    case_create(&p, c);
    if (p.status != wanted[c->line->expected])
        fail_msg("%s: answers %d, not %d", c->text, p.status, wanted[c->line->expected]);
    if (p.pd) dnnl_primitive_desc_destroy(p.pd);
}

void cases_check_refusals(const char *list, const char *section) {
    cases_each(list, section, "", check_refusal);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Replays one problem: creates it, prints it, runs it, compares. */
#define _GNU_SOURCE
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "ops/verbose_columns.h"
#include "problem.h"
#include "skips.h"
#include "ze/engine.h"

/* ---- what the library says meanwhile ---- */

static bool log_was_asked_for;

void run_prepare(void) {
    const char *old = getenv("ONEDNN_VERBOSE");
    char now[512];
    if (!old) old = getenv("DNNL_VERBOSE");
    log_was_asked_for = old != NULL;
    snprintf(now, sizeof(now), "%s%scheck,dispatch", old ? old : "", old ? "," : "");
    setenv("ONEDNN_VERBOSE", now, 1);
}

typedef struct {
    int saved, file;
} listener_t;

/* From here on, what is printed goes into a file. */
static void listen_begin(listener_t *l) {
    fflush(stdout);
    l->saved = dup(STDOUT_FILENO);
    l->file = memfd_create("replay", 0);
    if (l->file >= 0) dup2(l->file, STDOUT_FILENO);
}

/* The sentences of the last two refusals in the log (the choice of a kernel ends with one that
 * says that there is none); a log that the user asked for is printed. */
static void listen_end(listener_t *l, char *reason, size_t size) {
    static char text[1 << 16], last[512];
    last[0] = 0;
    fflush(stdout);
    dup2(l->saved, STDOUT_FILENO);
    close(l->saved);
    reason[0] = 0;
    if (l->file < 0) return;
    const ssize_t got = pread(l->file, text, sizeof(text) - 1, 0);
    close(l->file);
    text[got > 0 ? got : 0] = 0;
    if (log_was_asked_for) fputs(text, stdout);
    for (char *line = text; *line;) {
        char *end = line + strcspn(line, "\n"), *more = *end ? end + 1 : end;
        *end = 0;
        char *s = strstr(line, ",create:");
        if (s && (!strncmp(s, ",create:check,", 14) || !strncmp(s, ",create:dispatch,", 17))) {
            s = strchr(s + 1, ',') + 1;
            char *where = strrchr(s, ',');
            const size_t used = strlen(last);
            snprintf(reason, size, "%.*s%s%s", where ? (int)(where - s) : (int)strlen(s), s,
                    used ? "; " : "", last);
            snprintf(last, sizeof(last), "%.*s", where ? (int)(where - s) : (int)strlen(s), s);
        }
        line = more;
    }
}

/* ---- the problem as the log prints it ---- */

static void print_problem(const pd_t *pd, const md_t *const *mds, char *text, size_t size) {
    const int index = core_log_index(harness_engine->core);
    int n = snprintf(text, size, "onednn_verbose,v1,primitive,exec,gpu");
    if (index >= 0) n += snprintf(text + n, size - (size_t)n, ":%d", index);
    n += snprintf(text + n, size - (size_t)n, ",");
    if (mds) pd_format(pd, mds, text + n, size - (size_t)n);
    else snprintf(text + n, size - (size_t)n, "%s", pd_info(pd));
}

/* Whether two lines print the same problem; who implements it, and the time, do not count. */
static bool same_problem(const char *a, const char *b) {
    static line_t x, y;
    static char mds[2][LINE_LENGTH];
    const char *texts[] = {a, b};
    if (line_parse(&x, a) || line_parse(&y, b)) return false;
    for (int i = 0; i < 2; i++) { /* the tensors were cut apart: from the text itself */
        const char *s = strstr(texts[i], i ? y.prop : x.prop);
        snprintf(mds[i], sizeof(mds[i]), "%.*s", s ? (int)strcspn(s + strcspn(s, ",") + 1, ",") : 0,
                s ? s + strcspn(s, ",") + 1 : "");
    }
    return !strcmp(x.kind, y.kind) && !strcmp(x.prop, y.prop) && !strcmp(mds[0], mds[1]) &&
           !strcmp(x.attr, y.attr) && !strcmp(x.aux, y.aux) && !strcmp(x.problem, y.problem);
}

/* ---- running ---- */

/* The same problem has the same data, whether it comes from a batch or from a log. */
static uint64_t data_seed(const char *problem, uint64_t seed) {
    uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (const char *s = strstr(problem, "gpu"); s && *s; s++)
        h = (h ^ (uint8_t)*s) * 0x100000001b3u;
    return h >> 1;
}

typedef struct {
    line_t line;
    problem_t problem;
    char printed[LINE_LENGTH], created[LINE_LENGTH], reason[1024];
    const md_t **mds; /* by slot; NULL: as in the descriptor */
} replay_t;

/* Descriptors to execute with, in the order of the arguments. */
static const md_t **actual_mds(const problem_t *p, const pd_t *pd) {
    if (!p->nactual) return NULL;
    const md_t **mds = calloc((size_t)pd->nargs, sizeof(*mds));
    for (int i = 0; i < pd->nargs; i++) {
        mds[i] = &pd->args[i].md;
        for (int k = 0; k < p->nactual; k++)
            if (p->actual[k].arg == pd->args[i].arg) mds[i] = &p->actual[k].md;
    }
    return mds;
}

/* Parses, creates and prints. Answers NULL, or why the line cannot be replayed. */
static const char *create(replay_t *r, const char *text) {
    listener_t l;
    TRY_TEXT(line_parse(&r->line, text));
    listen_begin(&l);
    const char *wrong = problem_create(&r->problem, &r->line, harness_engine);
    listen_end(&l, r->reason, sizeof(r->reason));
    if (wrong || r->problem.status != dnnl_success) return wrong;
    r->mds = actual_mds(&r->problem, r->problem.pd->pd);
    print_problem(r->problem.pd->pd, r->mds, r->printed, sizeof(r->printed));
    print_problem(r->problem.pd->pd, NULL, r->created, sizeof(r->created));
    return NULL;
}

static void discard(replay_t *r) {
    if (r->problem.pd) dnnl_primitive_desc_destroy(r->problem.pd);
    free(r->mds);
    free(r);
}

/* The log cuts longer lines, as those of a sum of 200 tensors. */
enum { LOG_LINE = 4095 };

static bool returns(const char *printed, char *why, size_t size) {
    if (strlen(printed) >= LOG_LINE) return true;
    replay_t *again = calloc(1, sizeof(*again));
    const char *wrong = create(again, printed);
    const bool same = !wrong && again->problem.status == dnnl_success &&
                      same_problem(printed, again->printed);
    if (!same)
        snprintf(why, size, "its line, replayed, %s %s",
                wrong ? "is not understood:" : "gives another:",
                wrong                                   ? wrong
                : again->problem.status == dnnl_success ? again->printed
                                                        : again->reason);
    discard(again);
    return same;
}

static int64_t bytes_of(const replay_t *r) {
    const pd_t *pd = r->problem.pd->pd;
    int64_t sum = 0;
    for (int i = 0; i < pd->nargs; i++) {
        const md_t *md = r->mds ? r->mds[i] : &pd->args[i].md;
        for (int h = 0; !md_is_zero(md) && h < md_num_handles(md); h++)
            sum += (int64_t)md_size(md, h);
    }
    return sum;
}

static bool knows_dims(const replay_t *r) {
    const pd_t *pd = r->problem.pd->pd;
    for (int i = 0; i < pd->nargs; i++)
        if (md_has_runtime_dims_or_strides(r->mds ? r->mds[i] : &pd->args[i].md)) return false;
    return true;
}

static bool fits_memory(const replay_t *r) {
    const int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    return bytes_of(r) < memory / 6; /* here, on the device, and what was there before */
}

static dnnl_status_t execute(replay_t *r, const run_options_t *o, verdict_t *v) {
    case_t c;
    case_init(&c, r->problem.pd);
    r->problem.pd = NULL; /* the case's */
    c.low = r->problem.low;
    c.high = r->problem.high;
    c.shuffled = r->problem.shuffled;
    c.group_sizes = r->problem.group_sizes[0] ? r->problem.group_sizes : NULL;
    c.budget = o->budget;
    harness_seed(data_seed(r->printed, o->seed));
    case_fill(&c, r->mds);
    const dnnl_status_t status = case_execute(&c);
    if (status == dnnl_success) case_compare(&c, v);
    case_fini(&c);
    return status;
}

static void report(const char *line, const char *word, const char *fmt, const char *detail) {
    printf("%s\n  %s", line, word);
    printf(fmt, detail);
    printf("\n");
    fflush(stdout);
}

static outcome_t skip(const char *text, skip_reason_t reason, const run_options_t *o) {
    skip_count(reason, 1);
    if (o->verbose)
        report(text, "skipped: ", "%s",
                reason == SKIP_NO_DOUBLES ? "the device has no double precision"
                                          : "the device has too little memory");
    return REPLAY_SKIPPED;
}

static outcome_t run(replay_t *r, const char *text, const run_options_t *o, bool may_refuse) {
    const char *wrong = create(r, text);
    verdict_t v = {0};
    char why[LINE_LENGTH + 64];
    if (wrong) {
        report(text, "not understood: ", "%s", wrong);
        return REPLAY_NOT_UNDERSTOOD;
    }
    const dnnl_status_t status = r->problem.status;
    if (status == dnnl_unimplemented && !harness_caps()->has_fp64 && strstr(text, "f64"))
        return skip(text, SKIP_NO_DOUBLES, o);
    if (status == dnnl_unimplemented && r->reason[0]) {
        if (!may_refuse || o->verbose) report(text, "refused: ", "%s", r->reason);
        return REPLAY_REFUSED;
    }
    if (status != dnnl_success) {
        snprintf(why, sizeof(why), "%s: %s", dnnl_status2str(status),
                r->reason[0] ? r->reason : "no reason is given");
        report(text, "failed: ", "%s", why);
        return REPLAY_FAILED;
    }
    /* A creation leaves run-time dims open. */
    const bool ours = !strncmp(r->line.impl, "ze:", 3);
    if (ours && !same_problem(text, r->printed) && !same_problem(text, r->created)) {
        report(text, "failed: ", "it is printed as %s", r->printed);
        return REPLAY_FAILED;
    }
    if (o->round_trip && !returns(r->printed, why, sizeof(why))) {
        report(r->printed, "failed: ", "%s", why);
        return REPLAY_FAILED;
    }
    if (!knows_dims(r)) {
        report(r->printed, "not understood: ", "%s", "it has other tensors with run-time dims");
        return REPLAY_NOT_UNDERSTOOD;
    }
    if (!fits_memory(r)) {
        report(r->printed, "not understood: ", "%s",
                "its tensors do not fit into a sixth of the memory");
        return REPLAY_NOT_UNDERSTOOD;
    }
    const int64_t bytes = bytes_of(r);
    const dnnl_status_t executed = execute(r, o, &v);
    if (executed == dnnl_out_of_memory && needs_too_much_memory(bytes))
        return skip(r->printed, SKIP_LITTLE_MEMORY, o);
    if (executed != dnnl_success) {
        report(r->printed, "failed: ", "its execution answers %s", dnnl_status2str(executed));
        return REPLAY_FAILED;
    }
    snprintf(why, sizeof(why),
            "%lld of %lld elements compared, %lld wrong, largest error %.3g where %.3g is allowed",
            (long long)v.compared, (long long)v.elements, (long long)v.wrong, v.error, v.bound);
    if (v.wrong || o->verbose) report(r->printed, v.wrong ? "failed: " : "passed: ", "%s", why);
    if (v.wrong) printf("  %s\n", v.first);
    return v.wrong ? REPLAY_FAILED : REPLAY_PASSED;
}

outcome_t run_line(const char *text, const run_options_t *options) {
    replay_t *r = calloc(1, sizeof(*r));
    const outcome_t outcome = run(r, text, options, false);
    discard(r);
    return outcome;
}

outcome_t run_expecting_refusal(const char *text, const run_options_t *options) {
    replay_t *r = calloc(1, sizeof(*r));
    const outcome_t outcome = run(r, text, options, true);
    discard(r);
    return outcome;
}

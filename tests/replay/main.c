/* SPDX-License-Identifier: Apache-2.0 */
/* replay: runs problems as the verbose log prints them, from the command line, from logs and
 * from batches, and compares the results with references in double precision. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "case.h"
#include "line.h"
#include "modules.h"
#include "plans.h"
#include "run.h"
#include "skips.h"

static const char help[] =
        "usage: replay [options] [line...]\n"
        "Runs primitives as lines of the verbose log (ONEDNN_VERBOSE=1) describe them and compares "
        "the "
        "results with\n"
        "references in double precision. Lines of oneDNN itself work too; layouts that it chose by "
        "itself "
        "are chosen anew.\n"
        "  --file <log>     every line of a log that describes a primitive; \"-\" is the standard "
        "input\n"
        "  --batch <file>   problems from a batch (tests/replay/README.md): a sample\n"
        "  --sample <n>     so many problems of a batch, but at least one of each of its lines "
        "(32)\n"
        "  --all            all problems of a batch\n"
        "  --seed <n>       of the sample and of the data (1; or the environment's REPLAY_SEED)\n"
        "  --budget <n>     terms of sums that a reference may take for one problem; beyond, "
        "elements are "
        "sampled (2e7; 0:\n"
        "                   no limit)\n"
        "  --list           print the problems of batches, run nothing\n"
        "  --modules <list> compare the modules that the problems of batches need on Intel's GPUs "
        "with a "
        "list "
        "(kernels/\n"
        "                   aot_modules.txt); \"-\" prints such a list; nothing is run\n"
        "  --plans <file>   write what each implementation of a problem plans on devices of many "
        "kinds; "
        "nothing is run\n"
        "  --plans-text <file>  the same in full\n"
        "  --dispatch <file>    what the log says meanwhile about the choice of kernels\n"
        "  --others             with those: attention, sparse and grouped matrices too\n"
        "  --verbose        print what passes too; always so for lines on the command line\n"
        "Exit codes: 0 all passed; 1 something failed, or a line of a batch was refused that is "
        "not marked "
        "so; 2 wrong usage\n"
        "or a line that was not understood; 3 a line was refused as unimplemented, nothing failed; "
        "77 there "
        "is no device, or it can run none of the problems.\n";

typedef struct {
    run_options_t run;
    int64_t sample; /* 0: all */
    bool list;
    const char *modules;
    plans_files_t plans;
    bool others; /* with plans: problems that no line describes, too */
    int count[REPLAY_OUTCOMES];
    int unexpected, taken; /* refusals that are not marked; marked ones that run */
    int skipped;           /* lines of a log that describe no primitive */
} session_t;

static void count(session_t *s, outcome_t outcome) {
    s->count[outcome]++;
}

static bool writes_plans(const session_t *s) {
    return s->plans.plans || s->plans.text || s->plans.dispatch;
}

/* A line that is not marked as refused. */
static outcome_t take_line(const session_t *s, const char *text) {
    if (writes_plans(s)) return plans_add(text) ? REPLAY_PASSED : REPLAY_NOT_UNDERSTOOD;
    return run_line(text, &s->run);
}

/* ---- logs ---- */

static bool run_log(session_t *s, const char *name) {
    static char text[LINE_LENGTH];
    FILE *file = strcmp(name, "-") ? fopen(name, "r") : stdin;
    if (!file) return perror(name), false;
    while (fgets(text, sizeof(text), file)) {
        if (!text[strspn(text, " \t\r\n")]) continue;
        text[strcspn(text, "\r\n")] = 0;
        if (line_is_problem(text)) count(s, take_line(s, text));
        else s->skipped++;
    }
    if (file != stdin) fclose(file);
    return true;
}

/* ---- batches ---- */

static void run_problem(session_t *s, const batch_line_t *line, int64_t index) {
    static char text[LINE_LENGTH];
    batch_problem(line, index, text, sizeof(text));
    if (s->list) {
        printf("%s\n", text);
        return;
    }
    if (s->modules) {
        count(s, modules_add(text) ? REPLAY_PASSED : REPLAY_FAILED);
        return;
    }
    if (writes_plans(s)) {
        count(s, take_line(s, text));
        return;
    }
    if (line->expected == EXPECT_INVALID) return; /* of the kernel tests' lists, which run it */
    const bool may_refuse = line->expected == EXPECT_REFUSED;
    const outcome_t outcome =
            may_refuse ? run_expecting_refusal(text, &s->run) : run_line(text, &s->run);
    if (outcome == REPLAY_REFUSED && !may_refuse) s->unexpected++;
    if (outcome == REPLAY_PASSED && may_refuse) s->taken++;
    count(s, outcome);
}

/* n different indices below the count, in order. */
static int64_t *draw(int64_t count, int64_t n) {
    int64_t *chosen = malloc((size_t)n * sizeof(*chosen));
    /* Robert Floyd's way: every set is as likely as any other. */
    for (int64_t k = 0; k < n; k++) {
        int64_t candidate = (int64_t)(harness_random() % (uint64_t)(count - n + k + 1));
        for (int64_t i = 0; i < k; i++)
            if (chosen[i] == candidate) {
                candidate = count - n + k;
                break;
            }
        chosen[k] = candidate;
    }
    return chosen;
}

static void run_batch_line(session_t *s, const batch_line_t *line, int64_t n) {
    if (n >= line->count) {
        for (int64_t i = 0; i < line->count; i++) run_problem(s, line, i);
        return;
    }
    int64_t *chosen = draw(line->count, n);
    for (int64_t i = 0; i < n; i++) run_problem(s, line, chosen[i]);
    free(chosen);
}

/* Reads the batch twice: for the number of its problems, and to run them. */
static bool run_batch(session_t *s, const char *name) {
    batch_t batch = {.file = fopen(name, "r")};
    batch_line_t line;
    int64_t total = 0;
    int got;
    if (!batch.file) return perror(name), false;
    while ((got = batch_read(&batch, &line)) > 0) {
        total += line.count;
        batch_free(&line);
    }
    rewind(batch.file);
    batch = (batch_t){.file = batch.file};
    while (got == 0 && batch_read(&batch, &line) > 0) {
        int64_t n = s->sample ? s->sample * line.count / (total > 0 ? total : 1) : line.count;
        harness_seed(s->run.seed * 1000003u +
                     (uint64_t)batch.number); /* what runs before has drawn numbers too */
        run_batch_line(s, &line, n > 0 ? n : 1);
        batch_free(&line);
    }
    fclose(batch.file);
    if (got == 0 && !s->modules && !writes_plans(s))
        printf("%s: %lld problems, %s, seed %llu\n", name, (long long)total,
                s->sample ? "a sample" : "all of them", (unsigned long long)s->run.seed);
    return got == 0;
}

/* ---- the program ---- */

static int summary(const session_t *s) {
    const int failed = s->count[REPLAY_FAILED] + s->unexpected;
    const int refused = s->count[REPLAY_REFUSED] - s->unexpected;
    printf("%d passed, %d failed, %d refused", s->count[REPLAY_PASSED], failed, refused);
    if (s->unexpected)
        printf("; of the failed %d were refused without being marked so", s->unexpected);
    if (s->taken) printf("; %d were marked as refused and run", s->taken);
    if (s->count[REPLAY_NOT_UNDERSTOOD])
        printf("; %d not understood", s->count[REPLAY_NOT_UNDERSTOOD]);
    if (s->skipped) printf("; %d lines describe no primitive", s->skipped);
    printf("\n");
    skips_print();
    if (s->count[REPLAY_SKIPPED] && !s->count[REPLAY_PASSED] && !failed) return 77;
    return failed ? 1 : s->count[REPLAY_NOT_UNDERSTOOD] ? 2 : 0;
}

static int finish_modules(const session_t *s, bool ok) {
    ok = ok && !s->count[REPLAY_FAILED];
    if (ok && strcmp(s->modules, "-") == 0) modules_print();
    else ok = ok && modules_check(s->modules);
    modules_free();
    case_close_device();
    return ok ? 0 : 1;
}

static int finish_plans(const session_t *s, bool ok) {
    case_close_device();
    ok = plans_close() && ok;
    return ok && !s->count[REPLAY_NOT_UNDERSTOOD] ? 0 : 2;
}

enum { FILE_OPTION = 256, BATCH, SAMPLE, ALL, SEED, BUDGET, LIST, MODULES, VERBOSE, HELP };
enum { PLANS = HELP + 1, PLANS_TEXT, DISPATCH, OTHERS };
static const struct option options[] = {{"file", required_argument, NULL, FILE_OPTION},
        {"batch", required_argument, NULL, BATCH}, {"sample", required_argument, NULL, SAMPLE},
        {"all", no_argument, NULL, ALL}, {"seed", required_argument, NULL, SEED},
        {"budget", required_argument, NULL, BUDGET}, {"list", no_argument, NULL, LIST},
        {"modules", required_argument, NULL, MODULES}, {"plans", required_argument, NULL, PLANS},
        {"plans-text", required_argument, NULL, PLANS_TEXT},
        {"dispatch", required_argument, NULL, DISPATCH}, {"others", no_argument, NULL, OTHERS},
        {"verbose", no_argument, NULL, VERBOSE}, {"help", no_argument, NULL, HELP},
        {NULL, 0, NULL, 0}};

enum { MOST_FILES = 64 };

int main(int argc, char **argv) {
    session_t s = {.run = {.seed = 1, .budget = 20000000, .round_trip = true}, .sample = 32};
    const char *logs[MOST_FILES], *batches[MOST_FILES], *seed = getenv("REPLAY_SEED");
    int nlogs = 0, nbatches = 0;
    bool ok = true;
    if (seed) s.run.seed = strtoull(seed, NULL, 0);
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) switch (c) {
        case FILE_OPTION:
            if (nlogs < MOST_FILES) logs[nlogs++] = optarg;
            break;
        case BATCH:
            if (nbatches < MOST_FILES) batches[nbatches++] = optarg;
            break;
        case SAMPLE: s.sample = strtoll(optarg, NULL, 0); break;
        case ALL: s.sample = 0; break;
        case SEED: s.run.seed = strtoull(optarg, NULL, 0); break;
        case BUDGET: s.run.budget = (int64_t)strtod(optarg, NULL); break;
        case LIST: s.list = true; break;
        case MODULES:
            s.modules = optarg;
            s.sample = 0;
            break;
        case PLANS: s.plans.plans = optarg; break;
        case PLANS_TEXT: s.plans.text = optarg; break;
        case DISPATCH: s.plans.dispatch = optarg; break;
        case OTHERS: s.others = true; break;
        case VERBOSE: s.run.verbose = true; break;
        case HELP: fputs(help, stdout); return 0;
        default: fputs(help, stderr); return 2;
        }
    if (!nlogs && !nbatches && optind == argc && !(s.others && writes_plans(&s))) {
        fputs(help, stderr);
        return 2;
    }
    if (writes_plans(&s) && !plans_open(&s.plans)) return 2;
    if (!s.modules && !writes_plans(&s)) run_prepare();
    if (!s.list && !case_open_device()) {
        fprintf(stderr, "There is no Level Zero device.\n");
        return 77;
    }
    for (int i = 0; i < nbatches; i++) ok = run_batch(&s, batches[i]) && ok;
    if (s.modules) return finish_modules(&s, ok);
    for (int i = 0; i < nlogs; i++) ok = run_log(&s, logs[i]) && ok;
    s.run.verbose = true;
    for (int i = optind; i < argc; i++) count(&s, take_line(&s, argv[i]));
    if (s.list) return ok ? 0 : 2;
    if (writes_plans(&s)) return finish_plans(&s, ok && (!s.others || plans_add_others()));
    case_close_device();
    const int code = summary(&s);
    if (!ok) return 2;
    return code || nbatches ? code : s.count[REPLAY_REFUSED] ? 3 : 0;
}

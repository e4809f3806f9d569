/* SPDX-License-Identifier: Apache-2.0 */
/* Cases from text: cases/<list>.txt, in the language of tests/replay/README.md. A test reads them
 * when it runs. DNNL_ZE_TEST_CASES names another folder. TEST_CASE=<text> in the environment keeps
 * only cases that contain the text, and TEST_VARIANT=<text> only variants that do. */
#ifndef TESTS_KERNELS_CASES_H
#define TESTS_KERNELS_CASES_H

#include "batch.h"
#include "harness.h"
#include "problem.h"

typedef struct {
    const batch_line_t *line;
    int64_t index; /* number of the case among the line's problems */
    int number;    /* number of the line in its section */
    const char *text;
} test_case_t;

/* Calls the function for each case of a section. `settings` replaces the values of some keys, or
 * the problem: "dt=f16 tag=any 5x7". */
void cases_each(const char *list, const char *section, const char *settings,
        void (*function)(const test_case_t *));
/* Runs all cases of a section, each by cases_run_share(). */
void cases_run(const char *list, const char *section);
void cases_run_with(const char *list, const char *section, const char *settings);
/* Cases that must be refused as unimplemented ("refused") or as invalid arguments ("invalid");
 * others must be accepted. */
void cases_check_refusals(const char *list, const char *section);

/* One case. */
bool case_is_wanted(const test_case_t *c);
/* True if the case names the variant in variants=. */
bool case_names(const test_case_t *c, int variant);
/* Creates the descriptor; fails the test if the text is wrong. */
void case_create(problem_t *p, const test_case_t *c);
/* Opens the primitive of case_create() if case_open() accepts it; then it can be filled, run
 * and checked. */
bool case_open_problem(case_t *run, problem_t *p);
void case_run_problem(case_t *run, const problem_t *p);
/* Creates, opens, runs and checks a case. Returns false if the forced variant does not
 * support it. */
bool cases_run_one(const test_case_t *c);
/* Creates a case with run-time dims once, and runs it with each of the sizes and layouts of its key
 * actual=. */
void cases_run_actual(const test_case_t *c);
/* Does so unless the key sampled= leaves the case to another variant (sampled()). */
void cases_run_share(const test_case_t *c);

#endif

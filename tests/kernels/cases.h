/* SPDX-License-Identifier: Apache-2.0 */
/* Cases from text: cases/<list>.txt, in the language of tests/replay/README.md, read when a test
 * runs. DNNL_ZE_TEST_CASES names another folder. TEST_CASE=<text> in the environment leaves only
 * cases with the text, TEST_VARIANT=<text> only variants with it. */
#ifndef TESTS_KERNELS_CASES_H
#define TESTS_KERNELS_CASES_H

#include "batch.h"
#include "harness.h"
#include "problem.h"

typedef struct {
    const batch_line_t *line;
    int64_t index; /* of the line's problems */
    int number;    /* of the line in its section */
    const char *text;
} test_case_t;

/* Calls the function for each case of a section, with other values of some keys, or with another
 * problem: "dt=f16 tag=any 5x7". */
void cases_each(const char *list, const char *section, const char *settings,
        void (*function)(const test_case_t *));
/* Runs all cases of a section; of those with the key sampled=1, the share of the variant
 * (sampled()). */
void cases_run(const char *list, const char *section);
void cases_run_with(const char *list, const char *section, const char *settings);
/* Cases that must be refused as unimplemented ("refused") or as invalid arguments ("invalid");
 * others must be accepted. */
void cases_check_refusals(const char *list, const char *section);

/* One case. */
bool case_is_wanted(const test_case_t *c);
/* Whether the case names the variant in variants=. */
bool case_names(const test_case_t *c, int variant);
/* Creates the descriptor; fails the test if the text is wrong. */
void case_create(problem_t *p, const test_case_t *c);
/* Opens what was created, if case_open() does; then filled, run and checked. */
bool case_open_problem(case_t *run, problem_t *p);
void case_run_problem(case_t *run, const problem_t *p);
/* All of these; false if the variant that is forced does not support the case. */
bool cases_run_one(const test_case_t *c);

#endif

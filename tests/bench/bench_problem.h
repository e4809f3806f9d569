/* SPDX-License-Identifier: Apache-2.0 */
/* A problem run by this library beside oneDNN's CPU library, on the same data, with the same
 * results. */
#ifndef TESTS_BENCH_PROBLEM_RACE_H
#define TESTS_BENCH_PROBLEM_RACE_H

#include "bench.h"
#include "problem.h"

tensor_t tensor(role_t role, type_t type, order_t order, int ndims, const int64_t *dims);
int64_t tensor_elements(const tensor_t *t);

typedef struct {
    double here, there; /* seconds; there: 0 without the other library */
} race_t;

/* Fills the tensors, compares the results (and ends the program where they differ by more than
 * `tolerance`), races. there: NULL for none. */
race_t race_problem(bench_t *b, const library_t *here, const library_t *there, const char *name,
        const problem_t *p, double tolerance, int rounds, double seconds);

#endif

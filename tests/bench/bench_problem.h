/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of tests/problem's language in the benchmarks, and their races beside oneDNN's CPU
 * library on the same data, with the same results. */
#ifndef TESTS_BENCH_PROBLEM_H
#define TESTS_BENCH_PROBLEM_H

#include "batch.h"
#include "bench.h"
#include "library.h"
#include "problem.h"

enum { PROBLEM_NAME = 64 };
typedef struct {
    char name[PROBLEM_NAME]; /* as the table prints it */
    line_t line;
    problem_t problem; /* with this library's descriptor */
    plain_problem_t plain;
} bench_problem_t;

/* Ends the program with a message if this library or plain_problem_t does not support the
 * problem. */
void bench_problem_create(
        bench_problem_t *p, const bench_t *b, const batch_line_t *line, int64_t index);
/* The first problem of a line of a batch. */
void bench_problem_create_from(bench_problem_t *p, const bench_t *b, const char *text);
void bench_problem_destroy(bench_problem_t *p);

/* Writes the name of a problem for people; false: its kind or shape has no short one. */
bool problem_name(char *name, const plain_problem_t *p);

typedef struct {
    double here, there; /* seconds; there: 0 without the other library */
} race_t;

/* Fills the tensors, compares the results (and ends the program where they differ by more than
 * `tolerance`), races. there: NULL for none. */
race_t race_problem(bench_t *b, const library_t *here, const library_t *there,
        const bench_problem_t *p, double tolerance, int rounds, double seconds);

#endif

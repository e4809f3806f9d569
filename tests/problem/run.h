/* SPDX-License-Identifier: Apache-2.0 */
/* Replays one problem: creates it, prints it, runs it, compares. */
#ifndef TESTS_PROBLEM_RUN_H
#define TESTS_PROBLEM_RUN_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    REPLAY_PASSED,
    REPLAY_FAILED,
    REPLAY_REFUSED,        /* the library answers unimplemented, and says why */
    REPLAY_NOT_UNDERSTOOD, /* the line is no problem that can be replayed */
    REPLAY_SKIPPED,        /* the device cannot run it: skips.h */
    REPLAY_OUTCOMES
} outcome_t;

typedef struct {
    uint64_t seed;
    int64_t budget;  /* of the reference for a problem, in terms of its sums; 0: no limit */
    bool verbose;    /* problems that pass are printed too */
    bool round_trip; /* what is printed has to give the same problem again */
} run_options_t;

/* Prints the outcome. */
outcome_t run_line(const char *text, const run_options_t *options);
/* The same for a problem that the library may refuse without further notice. */
outcome_t run_expecting_refusal(const char *text, const run_options_t *options);

/* Before the first call of the library: the log says why something is refused. */
void run_prepare(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Writes down what problems plan on devices of many kinds, to be compared with what another
 * version of the library plans. Nothing is run. */
#ifndef TESTS_REPLAY_PLANS_H
#define TESTS_REPLAY_PLANS_H

#include "problem.h"

/* Names of files, "-" for the standard output; NULL: not wanted. */
typedef struct {
    const char *plans;    /* a line for each implementation, with a hash of its plan */
    const char *text;     /* what the hashes are of */
    const char *dispatch; /* the log's sentences about what is chosen and refused */
} plans_files_t;

/* Before the first call of the library. */
bool plans_open(const plans_files_t *files);
/* All implementations of a problem on all devices; false if the line is not understood. */
bool plans_add(const char *line);
/* The same for another problem: create() sets p->pd and p->status, and answers NULL. */
typedef const char *(*plans_create_fn)(problem_t *p, const void *what);
bool plans_add_created(const char *line, plans_create_fn create, const void *what);
/* Problems that no line describes: attention, products of sparse and of grouped matrices, and
 * destinations whose scales are computed. */
bool plans_add_others(void);
bool plans_close(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The processes (ranks) that work on one problem. mpirun or another launcher of MPI starts them. A
 * program that no launcher started, or that was built without MPI, is the only one, and calls
 * nothing of MPI. */
#ifndef EXAMPLES_RANKS_H
#define EXAMPLES_RANKS_H

#include <stddef.h>

typedef struct {
    int rank, count;   /* among all */
    int local, locals; /* among those on this machine */
} ranks_t;

void ranks_open(ranks_t *ranks);
void ranks_close(const ranks_t *ranks);

/* The first of this rank's share of `count` things; the share of the last rank ends at `count`. */
size_t ranks_first(const ranks_t *ranks, size_t count);
size_t ranks_share(const ranks_t *ranks, size_t count);

/* Adds up the values of all ranks, in place. All ranks begin the same sums in the same order. A sum
 * goes on while the program is in MPI: in ranks_progress(), if it has other things to wait for. */
enum { MAX_SUMS = 16 }; /* between two calls of ranks_end_sums() */
void ranks_begin_sum(const ranks_t *ranks, float *values, size_t count);
void ranks_progress(void);
void ranks_end_sums(void);

/* Whether all ranks have the same values. */
int ranks_agree(const ranks_t *ranks, const float *values, size_t count);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks by MPI, where the build found it. */
#include "ranks.h"

size_t ranks_first(const ranks_t *ranks, size_t count) {
    return count * (size_t)ranks->rank / (size_t)ranks->count;
}

size_t ranks_share(const ranks_t *ranks, size_t count) {
    const ranks_t next = {.rank = ranks->rank + 1, .count = ranks->count};
    return ranks_first(&next, count) - ranks_first(ranks, count);
}

#if WITH_MPI
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static MPI_Request sums[MAX_SUMS];
static int nsums;

/* MPI ends the program, with a message, when a call of it fails. */
void ranks_open(ranks_t *ranks) {
    int level;
    *ranks = (ranks_t){.count = 1, .locals = 1};
    /* The two interfaces that a launcher has to its processes, PMIx and PMI, name them so. */
    if (!getenv("PMIX_RANK") && !getenv("PMI_RANK")) return;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm machine;
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->count);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, ranks->rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &ranks->local);
    MPI_Comm_size(machine, &ranks->locals);
    MPI_Comm_free(&machine);
}

void ranks_close(const ranks_t *ranks) {
    (void)ranks;
    int open;
    MPI_Initialized(&open);
    if (open) MPI_Finalize();
}

void ranks_begin_sum(const ranks_t *ranks, float *values, size_t count) {
    if (ranks->count == 1) return;
    MPI_Iallreduce(
            MPI_IN_PLACE, values, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &sums[nsums++]);
}

void ranks_progress(void) {
    int done;
    if (nsums) MPI_Testall(nsums, sums, &done, MPI_STATUSES_IGNORE);
}

void ranks_end_sums(void) {
    if (nsums) MPI_Waitall(nsums, sums, MPI_STATUSES_IGNORE);
    nsums = 0;
}

int ranks_agree(const ranks_t *ranks, const float *values, size_t count) {
    int differ = 0, any = 0;
    if (ranks->count == 1) return 1;
    float *first = malloc(count * sizeof *first);
    if (!first) MPI_Abort(MPI_COMM_WORLD, 1);
    memcpy(first, values, count * sizeof *first);
    MPI_Bcast(first, (int)count, MPI_FLOAT, 0, MPI_COMM_WORLD);
    differ = memcmp(first, values, count * sizeof *first) != 0;
    free(first);
    MPI_Allreduce(&differ, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    return !any;
}

#else
void ranks_open(ranks_t *ranks) {
    *ranks = (ranks_t){.count = 1, .locals = 1};
}

void ranks_close(const ranks_t *ranks) {
    (void)ranks;
}

void ranks_begin_sum(const ranks_t *ranks, float *values, size_t count) {
    (void)ranks, (void)values, (void)count;
}

void ranks_progress(void) {}
void ranks_end_sums(void) {}

int ranks_agree(const ranks_t *ranks, const float *values, size_t count) {
    (void)ranks, (void)values, (void)count;
    return 1;
}
#endif

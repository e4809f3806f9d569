/* SPDX-License-Identifier: Apache-2.0 */
/* How the products of a matmul are divided among the work-groups that a device has room for. */
#ifndef OPS_MATMUL_SHARES_H
#define OPS_MATMUL_SHARES_H

#include "ops/matmul/plan.h"

/* What a row for sub-groups makes of a problem: work-groups of tiles, each of which walks along the same k.
 */
typedef struct {
    int rows, columns;     /* of a tile of a sub-group */
    int group_m, group_n;  /* tiles of a work-group below and beside one another */
    int64_t across, below; /* work-groups of a matrix */
    int64_t batch;         /* matrices */
    int64_t units;         /* of k that are not divided */
    int64_t unit_steps;    /* steps of the loop in one */
    int64_t threads;       /* of the hardware that the row can have at once */
    int64_t local_steps; /* that a sub-group does if others of its work-group share k with it; 0: none do */
    int64_t fixup_steps; /* in the time of which sums are added up: a launch, and memory; half: a launch */
    bool pairs;          /* mm_fixup_t */
} matmul_work_t;

/* The decision: shares.whole + count work-groups in the first dimension, or count 0: whole tiles (or what
 * local_steps stands for). */
typedef struct {
    mm_stream_k_t shares;
    int64_t count;
    uint64_t slots; /* their offset in the scratchpad */
} stream_k_t;

/* Decides, reserves the scratchpad and writes the reason to mm->reason. The result of the kernel is planned.
 */
void stream_k_decide(
        matmul_t *mm, const matmul_work_t *work, const matmul_result_t *r, stream_k_t *out);
/* A launch of the row's kernel: of whole tiles, or of shares, which do nothing to their sums. Begins as
 * zeros. */
typedef struct {
    int n;
    uint32_t count[3], flags; /* work-groups; bits of SPEC_FLAGS */
    matmul_result_t result;
} matmul_launch_t;
/* false: there are no more. */
bool matmul_next_launch(const stream_k_t *s, const matmul_work_t *work, const matmul_result_t *r,
        matmul_launch_t *launch);
/* The kernel's argument. */
void matmul_bind_slots(matmul_t *mm, const stream_k_t *s);
/* The step after the launches, if there are shares. NULL, or why there cannot be. */
const char *matmul_plan_fixup(
        matmul_t *mm, const matmul_work_t *work, const stream_k_t *s, const matmul_result_t *r);

/* For tests: so many shares of all tiles, or as many as there are units; 0: what the rules say. */
extern int64_t matmul_forced_splits;

#endif

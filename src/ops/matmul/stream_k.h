/* SPDX-License-Identifier: Apache-2.0 */
/* Stream-K: how the products of a matmul are divided among the work-groups that a device has
 * room for. */
#ifndef OPS_MATMUL_STREAM_K_H
#define OPS_MATMUL_STREAM_K_H

#include "ops/matmul/problem.h"
#include "steps/result.h"

/* What a variant for sub-groups makes of a problem: work-groups of tiles, each of which walks
 * along the same k. A unit of k is never divided; a step is a turn of the kernel's loop. */
typedef struct {
    int rows, columns;     /* of a tile of a sub-group */
    int group_m, group_n;  /* tiles of a work-group below and beside one another */
    int64_t across, below; /* work-groups of a matrix beside and below one another */
    int64_t batch;         /* matrices */
    int64_t units;         /* of k */
    int64_t unit_steps;    /* steps of a unit */
    int64_t threads;       /* sub-groups that the device runs at once */
    int64_t local_steps;   /* of a sub-group with split-K in the work-group; 0: there is none */
    int64_t fixup_steps;   /* that take as long as the fixup; half of the time is the launch */
    bool pairs;            /* as in mm_fixup_t */
} matmul_work_t;

/* The decision. Without stream-K (count 0), every work-group computes whole tiles. */
typedef struct {
    mm_stream_k_t split;
    int64_t count;              /* work-groups that compute equal shares of the products */
    uint64_t sums;              /* their sums: offset in the scratchpad */
    epilogue_segment_t nothing; /* what the kernel applies to them */
} stream_k_t;

/* Decides, reserves the scratchpad and sets the planner's reason. The result is planned. */
void stream_k_decide(matmul_t *mm, const matmul_work_t *work, const result_t *r, stream_k_t *out);

/* A launch of the variant's kernel: of whole tiles, or of shares, whose sums the fixup
 * completes. */
typedef struct {
    int n;                         /* launches so far: begin with 0 */
    uint32_t count[3], flags;      /* work-groups; bits of SPEC_FLAGS */
    dnnl_data_type_t dt;           /* that it writes */
    const epilogue_segment_t *seg; /* that it applies */
} stream_k_launch_t;
/* The next launch; false: there are no more. */
bool stream_k_next(const stream_k_t *s, const matmul_work_t *work, const result_t *r,
        stream_k_launch_t *launch);
/* The kernel's next argument is where sums go. */
void stream_k_bind(plan_t *plan, const stream_k_t *s);
/* The step after the launches, which adds up the sums; none without stream-K. */
void stream_k_fixup(
        matmul_t *mm, const matmul_work_t *work, const stream_k_t *s, const result_t *r);

#endif

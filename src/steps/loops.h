/* SPDX-License-Identifier: Apache-2.0 */
/* The loops over which all tensors of an elementwise step are strided. */
#ifndef STEPS_LOOPS_H
#define STEPS_LOOPS_H

#include "plan/attributes.h"

enum {
    EW_SRC,
    EW_DST,
    EW_EPILOGUE, /* the epilogue's sources follow */
    EW_MAX_TENSORS = EW_EPILOGUE + PO_MAX_SRCS,
    EW_MAX_AXES = 32,
};

typedef struct {
    int naxes; /* outermost first; at least 1 */
    axis_t axis[EW_MAX_AXES + 1];
    int limit_of[EW_MAX_AXES + 1]; /* -1: none */
    int64_t stride[EW_MAX_TENSORS][EW_MAX_AXES + 1];
    int ntensors;
    int nlimits; /* nd_params_t */
    int64_t limit[ND_MAX_LIMITS], skip[ND_MAX_LIMITS];
} ew_loops_t;

/* md[t]: the descriptors of the tensors; others than the destination broadcast where their
 * dimension is 1. seg (or NULL): those from EW_EPILOGUE on are its sources. flat_padding: padding
 * may be computed like the rest, as all tensors have zeros there and the epilogue keeps them. NULL,
 * or why there are no such loops. */
const char *ew_loops(ew_loops_t *loops, const pd_t *pd, const epilogue_segment_t *seg,
        const md_t *const *md, int ntensors, bool flat_padding);

/* The same where dimension `dim` is cut into pieces, each of which has one element in the last
 * of the tensors. */
typedef struct {
    int dim;
    int64_t size; /* of a piece */
} ew_cut_t;
const char *ew_loops_cut(
        ew_loops_t *loops, const md_t *const *md, int ntensors, const ew_cut_t *cut);

/* Splits loops that positions of 32 bits cannot count with room to spare in two. The inner loop
 * then may reach beyond the end: a limit, as padding has, keeps it from writing there. NULL, or
 * why it cannot be done. */
const char *ew_loops_split(ew_loops_t *loops, const plan_hints_t *hints);

/* Moves an axis to another place. */
void ew_loops_move(ew_loops_t *loops, int from, int to);

#endif

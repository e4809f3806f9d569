/* SPDX-License-Identifier: Apache-2.0 */
/* A matmul as its planners see it: sizes, operands, and what is done inside of the sum and after
 * it. */
#ifndef OPS_MATMUL_PROBLEM_H
#define OPS_MATMUL_PROBLEM_H

#include "kernels/matmul/matmul_params.h"
#include "plan/attributes.h"
#include "plan/operand.h"

/* Everything is known: run-time dims that no memory has set yet count as 1. It points into
 * itself. */
typedef struct {
    planner_t planner; /* first: plan_best() passes a pointer to it */
    int ndims;
    int64_t m, n, k;
    operand_t src, wei, dst;
    md_t known[3];             /* of the operands, where pd's own descriptors will not do */
    bool exact;                /* 8-bit integers, summed up as 32-bit ones */
    bool scale_src, scale_wei; /* scales that change along k: applied before the sum */
    bool by_shape; /* set by a plan that holds for one shape only: the scratchpad follows dst */
    epilogue_t epilogue; /* what follows the sum */
} matmul_t;

/* Fills in what a matmul primitive says. mds: the descriptors of the memories by slot, or NULL. */
void matmul_set(
        matmul_t *mm, const pd_t *pd, const caps_t *caps, const md_t *const *mds, plan_t *plan);

/* Is the operand an argument with run-time dims? */
bool matmul_is_unknown(const matmul_t *mm, const operand_t *operand);
/* Is one of the three? */
bool matmul_has_unknown(const matmul_t *mm);
/* How many matrices a tensor holds. */
int64_t matmul_batch(const md_t *md);
/* Is the sum over k of integers, exactly? Else scales and zero points that change along k are
 * applied to the inputs, which become floats. */
bool matmul_sums_integers(const matmul_t *mm);

/* The scales and zero points of an argument; NULL: there are none. */
const quant_t *matmul_scale(const matmul_t *mm, int arg);
const quant_t *matmul_zero_point(const matmul_t *mm, int arg);
/* Has one of the inputs zero points? */
bool matmul_has_zero_points(const matmul_t *mm);
/* Where a kernel finds the scale or zero point of an element of `like`, whose dimension 0 is the
 * kernel's dimension `first`. Values lie row-major over the dimensions of the mask, one for each
 * group. NULL: there are none. */
void matmul_set_quant(mm_quant_t *out, const quant_t *q, const md_t *like, int first);

#endif

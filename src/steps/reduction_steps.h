/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that reduce a tensor with the variants of family "reduction": the reduction primitive,
 * and the statistics of the normalizations and of softmax. */
#ifndef STEPS_REDUCTION_STEPS_H
#define STEPS_REDUCTION_STEPS_H

#include "kernels/reduce/reduce_params.h"
#include "steps/elementwise.h"

#define REDUCTION_FAMILY "reduction"

typedef struct {
    operand_t src;
    operand_t dst;           /* src's dimensions, 1 where it is reduced; without padding */
    const operand_t *center; /* RED_SUM_SQUARE, RED_SUM_EXP: dst's dimensions; NULL: zero */
    int op, finish;          /* RED_* */
    float a, b, c;           /* of op and finish */
    int64_t count;           /* RED_MEAN: what a sum is divided by; 0: the number of its terms */
    bool f64;                /* in doubles, whatever the types of the tensors */
} reduce_job_t;

/* Can the variant compute in doubles, if it has to? NULL, or why not. */
const char *reduce_variant_can(int variant, bool f64);

/* Adds the steps. They use the variant if it can run them, else the best variant that can. NULL,
 * or why the reduction cannot be done. */
const char *reduce_steps(planner_t *p, int variant, const reduce_job_t *job);

#endif

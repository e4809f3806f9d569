/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that reduce a tensor with the rows of family "reduction": the reduction primitive, and the statistics
 * of the normalizations and of softmax. */
#ifndef OPS_REDUCTION_STEPS_H
#define OPS_REDUCTION_STEPS_H

#include "steps/elementwise.h"
#include "kernels/reduce/reduce_params.h"

#define REDUCTION_FAMILY "reduction"

typedef struct {
    operand_t src;
    operand_t dst;           /* src's dimensions, 1 where it is reduced; without padding */
    const operand_t *center; /* RED_SUM_SQUARE, RED_SUM_EXP: dst's dimensions; NULL: zero */
    int op, finish;          /* RED_* */
    float a, b, c;           /* of op and finish */
    bool wide;               /* in doubles, whatever the types of the tensors */
} reduce_job_t;

/* Can the row compute with the doubles of the job, if it has any? NULL, or why not. */
const char *reduce_row_can(int row, bool wide);

/* Adds the steps. They take `row` if it can, else the best row that can. *scratch: the bytes of the
 * scratchpad that are in use; grows by what the steps need. NULL, or why it cannot be done. */
const char *reduce_steps(plan_t *plan, const pd_t *pd, const caps_t *caps, int row,
        const reduce_job_t *job, uint64_t *scratch);

/* A place for `size` bytes. */
uint64_t scratch_take(uint64_t *scratch, size_t size);
/* A dense tensor of like's dimensions where the mask has a bit, 1 elsewhere; *md keeps its descriptor. */
dnnl_status_t scratch_tensor(operand_t *t, md_t *md, const md_t *like, unsigned mask,
        dnnl_data_type_t dt, uint64_t *scratch);
/* As the source of a chain, over the dimensions in the mask of argument like_slot. */
epilogue_source_t scratch_source(const operand_t *t, unsigned mask, int like_slot);

/* select_variant() in two families: `first`, then that of the reductions. */
dnnl_status_t select_row_or_reduction(pd_t *pd, const caps_t *caps, const char *first,
        const char *(*fits)(const pd_t *, const caps_t *, int));
/* Does any tensor of the primitive have doubles? */
bool has_doubles(const pd_t *pd);

#endif

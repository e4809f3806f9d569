/* SPDX-License-Identifier: Apache-2.0 */
/* An operand: a tensor that a step reads or writes, an argument of the primitive or one in the scratchpad. */
#ifndef PLAN_OPERAND_H
#define PLAN_OPERAND_H

#include "plan/planner.h"

typedef struct {
    const md_t *md; /* must live as long as the operand */
    int slot;       /* in pd->args; -1: in the scratchpad */
    uint64_t
            offset; /* bytes. In the scratchpad: of the tensor's first element. Of an argument: from the
                        element at which md says that the tensor begins */
} operand_t;

/* An argument of the primitive by slot or by id, with the descriptor of the memory where there is one. */
operand_t operand_at(const planner_t *p, int slot);
operand_t operand_of(const planner_t *p, int arg);
/* Takes room for a tensor in the scratchpad. */
operand_t operand_in_scratch(planner_t *p, const md_t *md);
/* The kernel's next argument is a pointer to the first element. NULL operand: a NULL pointer. */
void bind_operand(plan_t *plan, const operand_t *operand);

/* The kernel's next two arguments: a pointer to an argument's zero points and, where that is NULL, a value. */
void bind_zero_point(planner_t *p, int arg);
/* A pointer to an argument's scales, or NULL. */
void bind_scale(planner_t *p, int arg);

#endif

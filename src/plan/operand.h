/* SPDX-License-Identifier: Apache-2.0 */
/* An operand: a tensor that a step reads or writes, an argument of the primitive or one in the
 * scratchpad. */
#ifndef PLAN_OPERAND_H
#define PLAN_OPERAND_H

#include "plan/attributes.h"
#include "plan/planner.h"

typedef struct {
    const md_t *md; /* must live as long as the operand */
    int slot;       /* in pd->args; -1: in the scratchpad */
    /* Bytes. In the scratchpad: of the tensor's first element. Of an argument: from the element
     * at which md says that the tensor begins. */
    uint64_t offset;
} operand_t;

/* An argument of the primitive by slot or by id, with the descriptor of the memory where there
 * is one. */
operand_t operand_at(const planner_t *p, int slot);
operand_t operand_of(const planner_t *p, int arg);
/* Reserves memory for a tensor in the scratchpad. */
operand_t operand_in_scratch(planner_t *p, const md_t *md);
/* Reserves memory for a dense tensor of a type that has like's dimensions where the mask has a bit,
 * and 1 elsewhere. *md becomes its descriptor. NULL, or why it cannot be done. */
const char *operand_like(planner_t *p, operand_t *operand, md_t *md, const md_t *like,
        unsigned mask, dnnl_data_type_t dt);
/* The same for an array of `size` elements. */
const char *operand_array(
        planner_t *p, operand_t *operand, md_t *md, int64_t size, dnnl_data_type_t dt);
/* As the source of an epilogue, along the dimensions in the mask of argument like_slot. */
epilogue_source_t operand_source(const operand_t *operand, unsigned mask, int like_slot);
/* As the source of an epilogue, which lies as its descriptor says. That must live as long as the
 * epilogue. */
epilogue_source_t operand_tensor(const operand_t *operand);
/* The kernel's next argument is a pointer to the first element. NULL operand: a NULL pointer. */
void bind_operand(plan_t *plan, const operand_t *operand);
/* May a kernel expect that the first element is at a multiple of so many bytes, because an
 * execution makes sure of it? */
bool operand_may_be_aligned(const planner_t *p, const operand_t *operand, uint32_t bytes);
/* The same as bind_operand() for a kernel that expects it; bytes 0: one that does not. */
void bind_aligned_operand(plan_t *plan, const operand_t *operand, uint32_t bytes);

/* The kernel's next two arguments: a pointer to an argument's zero points and, where that is
 * NULL, a value. */
void bind_zero_point(planner_t *p, int arg);
/* A pointer to an argument's scales, or NULL. */
void bind_scale(planner_t *p, int arg);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that compute dst = epilogue(src) with the variants of family "elementwise": all of
 * eltwise, binary and reorder, and what remains of an epilogue that did not fit into another
 * primitive's kernel. */
#ifndef STEPS_ELEMENTWISE_H
#define STEPS_ELEMENTWISE_H

#include "plan/attributes.h"
#include "plan/operand.h"

#define ELEMENTWISE_FAMILY "elementwise"

/* Steps that an epilogue needs from op `first` on. */
int ew_steps(const epilogue_t *epilogue, int first);
/* The type of values on their way to dst: f32, or f64 where the epilogue or dst has doubles. */
dnnl_data_type_t epilogue_scratch_type(const epilogue_t *epilogue, const md_t *dst);
/* A dense tensor of that type with dst's dimensions. */
dnnl_status_t ew_scratch_md(md_t *md, const epilogue_t *epilogue, const md_t *dst);

/* Is the result of 32-bit integers one of 32-bit integers, and can the device have it without
 * rounding? Kinds whose users count on that compute in doubles then. */
bool ew_exact_integers(const pd_t *pd, const caps_t *caps);

/* Does the variant need a layout that is known before execution? */
bool ew_needs_layout(int variant);

/* One step that applies as many ops from *first on as a kernel can, and moves *first behind
 * them. variant -1: the best one that can run it. NULL, or why it cannot be done; then nothing
 * has been written. */
const char *ew_step(planner_t *p, int variant, const epilogue_t *epilogue, int *first,
        const operand_t *src, const operand_t *dst);
/* The steps that apply the ops from `first` on to src. A step uses the variant if it can (-1: no
 * preference), else the best one that can. Where more than one step is needed, values between
 * them go to the tensor `between` (which may be src). NULL, or why it cannot be done. */
const char *ew_plan(planner_t *p, int variant, const epilogue_t *epilogue, int first,
        const operand_t *src, const operand_t *dst, const operand_t *between);
/* What is left of init() of a primitive that reads a tensor without elements, once descriptors and
 * attributes are checked: its outputs that have elements become zero. */
dnnl_status_t ew_zero_outputs(pd_t *pd, const caps_t *caps);
/* A copy of src in dst, which may have another type and layout. */
const char *ew_copy(planner_t *p, int variant, const operand_t *src, const operand_t *dst);

#endif

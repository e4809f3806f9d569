/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that compute dst = chain(src) with the rows of family "elementwise": all of eltwise, binary and
 * reorder, and what remains of a chain that did not fit into another primitive's kernel. */
#ifndef OPS_ELEMENTWISE_H
#define OPS_ELEMENTWISE_H

#include "plan/attributes.h"

/* A tensor of a step: an argument, or (slot -1) one in the scratchpad. */
typedef struct {
    const md_t *md;
    int slot;
    uint64_t scratch_offset;
} ew_tensor_t;

/* Binds it as a kernel's argument. */
void ew_bind(plan_t *plan, const ew_tensor_t *t);

/* Steps that one chain takes from link `first` on. */
int ew_steps(const epilogue_t *chain, int first);
/* A dense tensor for values on their way to dst: f32, or f64 where the chain or dst has doubles. */
dnnl_status_t ew_scratch_md(md_t *md, const epilogue_t *chain, const md_t *dst);

/* Is the result of 32-bit integers one of 32-bit integers, and can the device have it without rounding? Kinds
 * whose users count on that compute in doubles then. */
bool ew_exact_integers(const pd_t *pd, const caps_t *caps);

/* Adds the steps that apply the links from `first` on to src. A step takes `row` if it can (-1: no
 * preference), else the best row that can. Where more than one step is needed, values between them go to the
 * tensor `between` (which may be src). mds: the descriptors that memories have, or NULL: pd's. Answers NULL,
 * or why it cannot be done. */
const char *ew_plan(plan_t *plan, const pd_t *pd, const caps_t *caps, int row,
        const epilogue_t *chain, int first, const ew_tensor_t *src, const ew_tensor_t *dst,
        const ew_tensor_t *between, const md_t *const *mds);

/* What is left of init() for a primitive whose result is chain(DNNL_ARG_SRC), once its descriptors and
 * attributes are checked and its arguments complete: row, name, scratchpad, plan. And its replan(). */
dnnl_status_t ew_init(pd_t *pd, const caps_t *caps);
dnnl_status_t ew_replan(const pd_t *pd, const caps_t *caps, const md_t *const *mds, plan_t *plan);

/* The chains of the family's primitives, defined in their files. */
void eltwise_chain(const pd_t *pd, epilogue_t *chain);
void binary_chain(const pd_t *pd, epilogue_t *chain);
void prelu_chain(const pd_t *pd, epilogue_t *chain);
void reorder_chain(const pd_t *pd, epilogue_t *chain);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives that are made of elementwise steps: concat, sum, shuffle. */
#ifndef STEPS_COPIES_H
#define STEPS_COPIES_H

#include "steps/elementwise.h"

/* A row-major tensor in the scratchpad that has the dimensions and the type of *of; where that
 * is a 4-bit type, whose bytes may have two owners, a wider one that holds values of type `from`
 * as well. */
const char *copies_between(
        planner_t *p, operand_t *t, md_t *md, const md_t *of, dnnl_data_type_t from);

/* What is left of init() once descriptors and attributes are checked and the arguments complete:
 * variant, name, scratchpad, and the plan that `write` writes. A step uses the variant if it
 * can; a variant that no step uses is refused. */
dnnl_status_t copies_init(pd_t *pd, const caps_t *caps, plan_fn write);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives that are made of elementwise steps: concat, sum, shuffle. */
#ifndef OPS_COPIES_H
#define OPS_COPIES_H

#include "ops/elementwise.h"

/* Writes all steps to the plan. A step takes `row` if it can. scratch: bytes used. NULL, or why it cannot be
 * done. */
typedef const char *(*copies_plan_fn)(
        const pd_t *pd, const caps_t *caps, int row, plan_t *plan, size_t *scratch);

const char *concat_plan(const pd_t *pd, const caps_t *caps, int row, plan_t *plan, size_t *scratch);
const char *sum_plan(const pd_t *pd, const caps_t *caps, int row, plan_t *plan, size_t *scratch);
const char *shuffle_plan(const pd_t *pd, const caps_t *caps, int row, plan_t *plan, size_t *scratch);

/* What is left of init() once descriptors and attributes are checked and the arguments complete: row, name,
 * scratchpad, plan. */
dnnl_status_t copies_init(pd_t *pd, const caps_t *caps);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The planners that kernels/variants.def names. Each is defined by the family of primitives that
 * it plans. */
#ifndef PLAN_VARIANT_PLANNERS_H
#define PLAN_VARIANT_PLANNERS_H

#include "plan/planner.h"

#define VARIANT(id, family, source, entry, target, planner, geometry)                              \
    const char *planner(planner_t *, int);
#include "kernels/variants.def"
#undef VARIANT

#endif

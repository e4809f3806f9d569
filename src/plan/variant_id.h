/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the variants of kernels/variants.def: indices in `variants`. */
#ifndef PLAN_VARIANT_ID_H
#define PLAN_VARIANT_ID_H

enum kernel_id {
#define VARIANT(id, family, source, entry, target, planner, geometry) KERNEL_##id,
#include "kernels/variants.def"
#undef VARIANT
    KERNEL_COUNT
};

#endif

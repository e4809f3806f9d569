/* SPDX-License-Identifier: Apache-2.0 */
/* The variants of kernels/variants.def as a table. */
#include "plan/variant_id.h"

#include "kernel_info.h" /* made by the build */
#include "plan/variant.h"
#include "plan/variant_planners.h"

#define IN_PARENTHESES(...) __VA_ARGS__
const variant_t variants[] = {
#define VARIANT(id, family, source, entry, target, planner, geometry)                              \
    {#id, #entry, #family, TARGET_##target, planner, {IN_PARENTHESES geometry}, KERNEL_SPECS_##id, \
            KERNEL_HASH_##id, KERNEL_FP64_##id, KERNEL_FP16_##id},
#include "kernels/variants.def"
#undef VARIANT
};
const int variant_count = KERNEL_COUNT;

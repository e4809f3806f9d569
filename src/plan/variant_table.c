/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of kernels/variants.def with their embedded SPIR-V. */
#include "plan/variant_id.h"

#include "kernel_info.h" /* made by the build */
#include "plan/variant.h"

#define KERNEL(id, family, source, entry, class, flags)                                            \
    extern const uint8_t kernel_start_##id[], kernel_end_##id[];
#include "kernels/variants.def"
#undef KERNEL

const variant_t variants[] = {
#define KERNEL(id, family, source, entry, class, flags)                                            \
    {#id, #entry, #family, TARGET_##class, kernel_start_##id, kernel_end_##id, KERNEL_SIZE_##id,   \
            KERNEL_SPECS_##id, KERNEL_HASH_##id, KERNEL_FP64_##id, KERNEL_FP16_##id},
#include "kernels/variants.def"
#undef KERNEL
};
const int variant_count = KERNEL_COUNT;

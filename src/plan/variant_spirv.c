/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks the embedded modules. */
#include "core/alloc.h"
#include "plan/packed.h"
#include "plan/variant.h"

extern const uint8_t kernel_pack[]; /* made by the build: a member for each variant */

uint32_t *variant_spirv_new(int variant, size_t *size) {
    uint32_t *packed = (uint32_t *)(void *)packed_new(kernel_pack, variant);
    *size = packed_size(kernel_pack, variant);
    uint32_t *words = packed ? dz_malloc(*size) : NULL;
    if (words) packed_spirv(words, packed, *size / sizeof *words, false);
    dz_free(packed);
    return words;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the rows of kernels/variants.def. */
#ifndef OPS_KERNEL_TABLE_H
#define OPS_KERNEL_TABLE_H

enum kernel_id {
#define KERNEL(id, family, source, entry, class, flags) KERNEL_##id,
#include "kernels/variants.def"
#undef KERNEL
    KERNEL_COUNT
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_BYTES_H
#define KERNELS_BYTES_H

#include "types.h"

/* Bytes of an element of a type that is no double and has a whole number of them. */
static inline uint element_bytes(int dt) {
    return dt == DT_F32 || dt == DT_S32 ? 4 : dt == DT_F16 || dt == DT_BF16 ? 2 : 1;
}

#endif

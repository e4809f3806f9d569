/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of kernels with a source, a destination and flags. A getter that is not called
 * leaves nothing in the module. */
#ifndef KERNELS_IO_H
#define KERNELS_IO_H

#include "types.h"

SPEC_GETTER(src_dt, SPEC_SRC_DT, DT_F32)
SPEC_GETTER(dst_dt, SPEC_DST_DT, DT_F32)
SPEC_GETTER(flags, SPEC_FLAGS, 0)

static inline bool flag(int f) {
    return (flags() & f) != 0;
}

#endif

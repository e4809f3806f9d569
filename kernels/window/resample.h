/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the resampling kernels share: the source positions that a position of the
 * destination reads. It computes in integers, so that a position half way between two elements
 * rounds correctly. */
#ifndef KERNELS_RESAMPLE_H
#define KERNELS_RESAMPLE_H

#include "io.h"
#include "postops.h"
#include "resample_params.h"

static inline bool is_linear(void) {
    return (flags() & RSF_LINEAR) != 0;
}

/* Elements lo and hi; hi has weight w, and lo has weight 1 - w. */
typedef struct {
    int lo, hi;
    float w;
} between_t;

static inline between_t between_of(int o, int in, int out) {
    between_t b;
    const long num = (2 * (long)o + 1) * in - (is_linear() ? out : 0), den = 2 * (long)out;
    const int i = num < 0                            ? -1
                  : num <= INT_MAX && den <= INT_MAX ? (int)num / (int)den
                                                     : num / den; /* a 32-bit division is faster */
    b.lo = max(i, 0);
    b.hi = is_linear() ? min(i + 1, in - 1) : b.lo;
    b.w = is_linear() && b.hi > b.lo ? (float)(num - i * den) / (float)den : 0;
    return b;
}

#endif

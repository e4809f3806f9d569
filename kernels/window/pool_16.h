/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the pooling kernels for CPUs share. They compute 16 results at once. */
#ifndef KERNELS_POOL_16_H
#define KERNELS_POOL_16_H

#define VW 16
#include "pool.h"

/* Small windows are constants of the module: all loops over them are unrolled. */
SPEC_GETTER(window, SPEC_POOL_WINDOW, 0)
static inline int known_across(void) {
    return window() & 255;
}
static inline int known_below(void) {
    return window() >> 8 & 255;
}

/* Joins a vector to maxima that no NaN belongs to, in one instruction: MAXIMUM needs three more.
 * `seen` is a NaN in some lane if one was among the elements after all, or infinities of both
 * signs; then the maxima are to be computed again. */
static inline void pool_ordered(float16 *x, float16 *seen, float16 v) {
    *x = flag(PLF_MAX) ? v > *x ? v : *x : *x + v;
    if (flag(PLF_MAX)) *seen += v;
}
static inline bool is_ordered(float16 seen) {
    return !flag(PLF_MAX) || !any(seen != seen);
}

static inline void store_indices(int16 index, gptr_t ws, long at, long stride, int n) {
    union {
        int16 v;
        int s[16];
    } t;
    if (flag(PLF_WS_U8)) {
        if (n == 16 && stride == 1) {
            vstore16(convert_uchar16(index), 0, ws + at);
            return;
        }
        t.v = index;
        NO_UNROLL_FOR (int k = 0; k < n; k++) ws[at + k * stride] = t.s[k];
    }
    if (flag(PLF_WS_S32)) {
        if (n == 16 && stride == 1) {
            vstore16(index, 0, (__global int *)ws + at);
            return;
        }
        t.v = index;
        NO_UNROLL_FOR (int k = 0; k < n; k++) ((__global int *)ws)[at + k * stride] = t.s[k];
    }
}

#endif

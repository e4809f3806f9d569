/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the pooling kernels for CPUs share. They compute 16 results at once. */
#ifndef KERNELS_POOL_16_H
#define KERNELS_POOL_16_H

#define VW 16
#include "pool.h"

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

/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of contiguous elements, each of which one work-item processes as a whole. */
#ifndef KERNELS_ROWS_H
#define KERNELS_ROWS_H

#include "strided.h"
#include "postops.h"

/* Loads n <= 16 contiguous elements; the lanes after them are 0. */
#define row_load(p, i, n, dt) load_v(p, i, 1, n, dt)

static inline float16 row_merge(float16 x, float16 other, int n) {
    const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return n < 16 ? (lane < n ? x : other) : x;
}

static inline float row_sum(float16 x) {
    float8 a = x.lo + x.hi;
    float4 b = a.lo + a.hi;
    return b.x + b.y + (b.z + b.w);
}

static inline float row_max(float16 x) {
    float8 a = x.lo > x.hi ? x.lo : x.hi;
    float4 b = a.lo > a.hi ? a.lo : a.hi;
    return fmax(fmax(b.x, b.y), fmax(b.z, b.w));
}

/* Uses a non-temporal store if `stream` is set and the row has 16 elements left. The caller has
 * checked the address with row_aligned(). */
static inline void row_store(float16 x, gptr_t p, long i, int n, int dt, bool stream) {
    if (stream && n == 16) stream_16(x, p, i, dt);
    else store_v(x, p, i, 1, n, dt);
}

static inline bool row_aligned(gptr_t p, long at, int dt) {
    const long size = dt == DT_F32 || dt == DT_S32 ? 4 : dt == DT_F16 || dt == DT_BF16 ? 2 : 1;
    return (((ulong)p + at * size) & 63) == 0;
}

#endif

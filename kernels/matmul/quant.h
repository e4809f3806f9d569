/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the matmul kernels share: specialisation constants, loads of integers, and the scales
 * and zero points of elements. */
#ifndef KERNELS_MATMUL_QUANT_H
#define KERNELS_MATMUL_QUANT_H

#include "io.h"
#include "matmul_params.h"
#include "types.h"

SPEC_GETTER(mm_flags, SPEC_FLAGS, 0)

static inline bool mm_flag(int flag) {
    return (mm_flags() & flag) != 0;
}

static inline int load_int(gcptr_t p, long i, int dt) {
    switch (dt) {
    case DT_S8: return ((__global const char *)p)[i];
    case DT_U8: return p[i];
    case DT_S4: return (int)(load_nibble(p, i) ^ 8) - 8;
    case DT_U4: return load_nibble(p, i);
    case DT_F32: return (int)((__global const float *)p)[i];
    default: return ((__global const int *)p)[i];
    }
}

/* The number of the scale or zero point for a position, which consists of the batch and the last
 * two dimensions. */
static inline long quant_at(const mm_quant_t *q, int ndims, const int *pos) {
    long sum = 0;
    EACH (d, ndims - 2, MM_DIMS) sum += (long)pos[d] * q->stride[d];
    sum += (long)(pos[ndims - 2] / q->group[0]) * AT(q->stride, MM_DIMS, ndims - 2, );
    return sum + (long)(pos[ndims - 1] / q->group[1]) * AT(q->stride, MM_DIMS, ndims - 1, );
}

/* Sets the position of matrix number z in the batch, which is all dimensions but the last two. */
static inline void batch_position(int *pos, uint z, const par_i32_t *dims, int ndims) {
    NO_UNROLL_FOR (int d = ndims - 3; d >= 0; d--) {
        const uint size = AT(dims, MM_DIMS, d, );
        SET(pos, MM_DIMS - 2, d, z % size);
        z /= size;
    }
}

#if VW == 16
/* Loads n <= 16 integers that are 0 or 1 elements apart. Without a pointer all of them
 * are `value`. */
static inline int16 load_ints(gcptr_t p, int value, long i, int stride, int n, int dt) {
    union {
        int16 v;
        int s[16];
    } t;
    if (!p) return value;
    if (stride == 0) return load_int(p, i, dt);
    t.v = 0;
    for (int k = 0; k < n; k++) t.s[k] = load_int(p, i + k, dt);
    return t.v;
}

static inline void store_ints(int16 x, gptr_t p, long i, long stride, int n) {
    union {
        int16 v;
        int s[16];
    } t;
    if (stride == 1 && n == 16) {
        vstore16(x, 0, (__global int *)p + i);
        return;
    }
    t.v = x;
    for (int k = 0; k < n; k++) ((__global int *)p)[i + k * stride] = t.s[k];
}
#endif

#endif

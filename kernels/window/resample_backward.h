/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the kernels of backward resampling share: which positions read an element. */
#ifndef KERNELS_RESAMPLE_BACKWARD_H
#define KERNELS_RESAMPLE_BACKWARD_H

#include "resample.h"

/* Positions first <= o < end of the forward destination read an element. */
typedef struct {
    int first, end;
} readers_t;

/* From above, at least 0. */
static inline int ratio(long num, long den) {
    return num > 0 ? (int)((num + den - 1) / den) : 0;
}

/* The inverse of between_of(): nearest, i <= ((2 o + 1) in) / (2 out) < i + 1; linear, one element
 * more on each side of i, less half an element. */
static inline readers_t readers_of(int i, int in, int out) {
    const int below = is_linear() ? 1 : 0, above = is_linear() ? 3 : 2;
    readers_t r;
    r.first = ratio((2 * (long)i - below) * out - in, 2 * (long)in);
    r.end = min(ratio((2 * (long)i + above) * out - in, 2 * (long)in), out);
    return r;
}

/* The weight that element i has at position o. */
static inline float weight_of(int i, int o, int in, int out) {
    const between_t b = between_of(o, in, out);
    return (b.lo == i ? 1 - b.w : 0) + (b.hi == i ? b.w : 0);
}

#endif

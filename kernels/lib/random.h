/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers for dropout and stochastic rounding. The generator is Philox4x32-10, a function of
 * a counter and a key. Each lane of a value gets its own number. */
#ifndef KERNELS_RANDOM_H
#define KERNELS_RANDOM_H

#include "types.h"

#if VW == 16
typedef uint16 randv_t;
#define AS_RANDV(x) as_uint16(x)
#else
typedef uint randv_t;
#define AS_RANDV(x) as_uint(x)
#endif

/* Returns word number `word` after the ten rounds for counter (c0, c1, c2, c3) and the key. */
static inline randv_t philox(
        randv_t c0, randv_t c1, randv_t c2, randv_t c3, uint key0, uint key1, randv_t word) {
    NO_UNROLL_FOR (int round = 0; round < 10; round++) {
        const randv_t high0 = mul_hi(c0, (randv_t)0xD2511F53u),
                      high2 = mul_hi(c2, (randv_t)0xCD9E8D57u);
        const randv_t low0 = c0 * 0xD2511F53u, low2 = c2 * 0xCD9E8D57u;
        c0 = high2 ^ c1 ^ key0;
        c1 = low2;
        c2 = high0 ^ c3 ^ key1;
        c3 = low0;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    const randv_t odd = -(word & 1), high = -(word >> 1 & 1);
    return (((c0 & ~odd) | (c1 & odd)) & ~high) | (((c2 & ~odd) | (c3 & odd)) & high);
}

/* Random numbers for n elements that are `stride` elements apart. */
static inline randv_t random_at(long first, long stride, int n, ulong seed, ulong offset) {
#if VW == 16
    union {
        uint16 v;
        uint s[16];
    } low, high;
    low.v = high.v = 0;
    NO_UNROLL_FOR (int i = 0; i < n; i++) {
        low.s[i] = (uint)(first + i * stride);
        high.s[i] = (uint)((ulong)(first + i * stride) >> 32);
    }
    const uint16 at = low.v, above = high.v;
#else
    const uint at = (uint)first, above = (uint)((ulong)first >> 32);
    (void)stride, (void)n;
#endif
    return philox((randv_t)(uint)offset, (randv_t)(uint)(offset >> 32), at & ~3u, above, (uint)seed,
            (uint)(seed >> 32), at & 3);
}

/* The variant without an offset: the seed and the positions have 32 bits, and four consecutive
 * elements share a number. */
static inline randv_t random_short(long first, long stride, int n, uint seed) {
#if VW == 16
    union {
        uint16 v;
        uint s[16];
    } low;
    low.v = 0;
    NO_UNROLL_FOR (int i = 0; i < n; i++) low.s[i] = (uint)(first + i * stride);
    const uint16 at = low.v & ~3u;
#else
    const uint at = (uint)first & ~3u;
    (void)stride, (void)n;
#endif
    return philox(at, at + 1, at, at + 3, seed, seed, (randv_t)2);
}

/* An element is kept if its number is above this threshold, the largest integer up to p * (2^32 -
 * 1). */
static inline uint drop_threshold(float p) {
    const uint bits = as_uint(p), exponent = bits >> 23 & 255, shift = 150 - exponent;
    if (!(p > 0) || shift > 63) return p >= 1 ? 0xffffffffu : 0;
    return p >= 1 ? 0xffffffffu
                  : (uint)((ulong)((bits & 0x7fffff) | 0x800000) * 0xffffffffUL >> shift);
}

/* Rounds a float to a format that drops the lowest `dropped` bits of the mantissa. The probability
 * of rounding up is the value of the dropped bits. If `normal` is not 0, numbers below it become
 * multiples of one quantum. Numbers beyond `most` become `most`. */
static inline accv_t round_randomly(
        accv_t value, randv_t random, uint dropped, float most, float normal) {
#ifdef USE_F64
    const float x = narrow(value);
#else
    const accv_t x = value;
#endif
    const uint rest = (1u << dropped) - 1;
    const randv_t bits = AS_RANDV(x);
#if VW == 16
    float16 r = as_float16((bits + (random & rest)) & ~rest);
    const float quantum = normal * as_float((127 + dropped - 23) << 23);
    const float16 whole =
            floor(fabs(x) / (float16)quantum + convert_float16(random >> 8) * 0x1p-24f) * quantum;
    r = normal > 0 ? (fabs(x) < (float16)normal ? copysign(whole, x) : r) : r;
    r = fmin(fmax(r, (float16)-most), (float16)most);
    return isfinite(x) ? r : x;
#else
    float r = as_float((bits + (random & rest)) & ~rest);
    const float quantum = normal * as_float((127 + dropped - 23) << 23);
    const float whole = floor(fabs(x) / quantum + convert_float(random >> 8) * 0x1p-24f) * quantum;
    if (normal > 0 && fabs(x) < normal) r = copysign(whole, x);
    r = fmin(fmax(r, -most), most);
    return isfinite(x) ? r : x;
#endif
}

#endif

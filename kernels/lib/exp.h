/* SPDX-License-Identifier: Apache-2.0 */
/* The exponential function of vectors, for softmax on CPUs. */
#ifndef KERNELS_EXP_H
#define KERNELS_EXP_H

#define SHIFT                                                                                      \
    12582912.0f /* 1.5 * 2^23: adding it rounds to an integer, which the low bits then hold */

/* Computes exp(x) for x <= 0; results below the normal range are 0. log(2) is split in two
 * constants to keep the reduced argument exact. The polynomial is the Taylor series, whose next
 * term is below half a unit in the last place for |r| <= log(2) / 2. */
static inline float16 exp_nonpositive(float16 x) {
    const float16 y = x < -88.0f ? (float16)-88.0f : x;
    const float16 shifted = fma(y, (float16)1.44269504f, (float16)SHIFT);
    const float16 n = shifted - SHIFT;
    const float16 r = fma(n, (float16)1.42860677e-6f, fma(n, (float16)-0.693148613f, y));
    float16 e = fma(r, (float16)(1 / 5040.0f), (float16)(1 / 720.0f));
    e = fma(e, r, (float16)(1 / 120.0f));
    e = fma(e, r, (float16)(1 / 24.0f));
    e = fma(e, r, (float16)(1 / 6.0f));
    e = fma(e, r, (float16)0.5f);
    e = fma(e, r, (float16)1.0f);
    e = fma(e, r, (float16)1.0f);
    const float16 power = as_float16((as_int16(shifted) + 127) << 23);
    return x < -87.3f ? (float16)0.0f : e * power;
}

#undef SHIFT

#endif

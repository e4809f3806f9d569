/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in functions on vectors of every length: 16, 8, 4, 2 and 1 results in a row. */

#define EACH_LENGTH(call1, to)                                                                     \
    {                                                                                              \
        float16 x16 = vload16(0, x), y16 = vload16(1, x), z16 = vload16(2, x);                     \
        (void)y16, (void)z16;                                                                      \
        vstore16(call1(x16, y16, z16), 0, to);                                                     \
        vstore8(call1(x16.lo, y16.lo, z16.lo), 0, to + 16);                                        \
        vstore4(call1(x16.hi.lo, y16.hi.lo, z16.hi.lo), 0, to + 24);                               \
        vstore2(call1(x16.sef, y16.sef, z16.sef), 0, to + 28);                                     \
        to[30] = call1(x16.s7, y16.s7, z16.s7);                                                    \
    }

#define KERNEL(name, call)                                                                         \
    kernel void name(global const float *x, global float *out) EACH_LENGTH(call, out)

#define CALL_EXP(x, y, z) exp(x)
#define CALL_EXP2(x, y, z) exp2(x)
#define CALL_LOG(x, y, z) log(fabs(x))
#define CALL_TANH(x, y, z) tanh(x)
#define CALL_SQRT(x, y, z) sqrt(fabs(x))
#define CALL_SIN(x, y, z) sin(x)
#define CALL_ERF(x, y, z) erf(x)
#define CALL_POW(x, y, z) pow(fabs(x), y)
#define CALL_FMA(x, y, z) fma(x, y, z)
#define CALL_FMAX(x, y, z) fmax(x, y)
#define CALL_CLAMP(x, y, z) clamp(x, -1.0f, 1.5f)
#define CALL_FLOOR(x, y, z) floor(x)
#define CALL_RINT(x, y, z) rint(x)
#define CALL_HYPOT(x, y, z) hypot(x, y)
KERNEL(k_exp, CALL_EXP)
KERNEL(k_exp2, CALL_EXP2)
KERNEL(k_log, CALL_LOG)
KERNEL(k_tanh, CALL_TANH)
KERNEL(k_sqrt, CALL_SQRT)
KERNEL(k_sin, CALL_SIN)
KERNEL(k_erf, CALL_ERF)
KERNEL(k_pow, CALL_POW)
KERNEL(k_fma, CALL_FMA)
KERNEL(k_fmax, CALL_FMAX)
KERNEL(k_clamp, CALL_CLAMP)
KERNEL(k_floor, CALL_FLOOR)
KERNEL(k_rint, CALL_RINT)
KERNEL(k_hypot, CALL_HYPOT)

/* Results through pointers, into private and global memory. */
kernel void two_results(global const float *x, global float *out) {
    float16 v = vload16(0, x), c16;
    vstore16(sincos(v, &c16), 0, out);
    vstore16(c16, 1, out);
    float8 c8, s8 = sincos(v.hi, &c8);
    vstore8(s8, 4, out);
    vstore8(c8, 5, out);
    global float16 *whole = (global float16 *)(out + 64);
    vstore16(fract(v, whole), 3, out);
}

/* Conversions that saturate or round, to types of every width. */
kernel void conversions(global const float *x, global uchar *u8, global char *s8, global short *s16,
        global int *s32) {
    float16 v = vload16(0, x);
    vstore16(convert_uchar16_sat_rte(v), 0, u8);
    vstore16(convert_char16_sat_rte(v), 0, s8);
    vstore16(convert_short16_sat_rte(v), 0, s16);
    vstore16(convert_int16_sat_rte(v), 0, s32);
    vstore16(convert_int16(v), 1, s32);
    vstore8(convert_uchar8_sat_rte(v.hi), 2, u8);
    int16 w = convert_int16_sat_rte(v * 1000.0f);
    vstore16(convert_char16_sat(w), 1, s8);
}

kernel void halves(global const float *x, global half *h, global float *out) {
    vstore_half16_rte(vload16(0, x), 0, h);
    vstore16(vload_half16(0, h), 0, out);
}

kernel void integers(global const int *x, global int *out) {
    int16 a = vload16(0, x), b = vload16(1, x);
    vstore16(add_sat(a, b), 0, out);
    vstore16(mul_hi(a, b), 1, out);
    vstore16(popcount(a), 2, out);
    vstore16(max(a, b), 3, out);
    vstore16(sub_sat(a, b), 4, out);
    vstore16(clz(a), 5, out);
    vstore16(rotate(a, (int16)5), 6, out);
    vstore16(hadd(a, b), 7, out);
    vstore16(convert_int16(abs_diff(a, b)), 8, out);
    vstore16(mad24(a & 0xfff, b & 0xfff, a), 9, out);
}

kernel void relations(global const float *x, global int *out) {
    float16 a = vload16(0, x), b = vload16(1, x);
    vstore16(isnan(a), 0, out);
    vstore16(isfinite(a), 1, out);
    vstore16(isinf(a), 2, out);
    vstore16(isgreater(a, b), 3, out);
    vstore16(a <= b, 4, out);
    vstore16(signbit(a), 5, out);
    vstore16(isunordered(a, b), 6, out);
    vstore16(as_int16(select(a, b, isless(a, b))), 7, out);
    vstore16(as_int16(bitselect(a, b, as_float16((int16)0x7fffffff))), 8, out);
    vstore16(as_int16(copysign(a, b)), 9, out);
    out[160] = any(isnan(a)) + 2 * all(isnan(a)) + 4 * all(a == a || isnan(a));
    vstore8(isnan(a.lo), 21, out);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Data types: loads and stores that convert between any storage type and the type of arithmetic. VW
 * is the number of elements that a work-item has of a value: 1, a vector of 16, or 8 of the 128
 * that a sub-group of 16 lanes has. USE_F64 selects double arithmetic, with VW = 1. */
#ifndef KERNELS_TYPES_H
#define KERNELS_TYPES_H

#include "spec.h"

#ifndef VW
#define VW 1
#endif
#define SUB_GROUP_VALUES (VW == 8) /* a value is a tile of a sub-group: sg_tile.h */

/* The values of dnnl_data_type_t. */
enum { DT_F16 = 1, DT_BF16 = 2, DT_F32 = 3, DT_S32 = 4, DT_S8 = 5, DT_U8 = 6, DT_F64 = 7 };

typedef __global uchar *gptr_t;
typedef __global const uchar *gcptr_t;

#include "small_types.h"

#ifdef USE_F64
#if VW != 1
#error "double arithmetic is scalar"
#endif
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double acc_t;
#else
typedef float acc_t;
#endif

static inline int to_int(acc_t x, acc_t low, acc_t high);
SMALL_TYPES(small_decode, small_encode, small_value, small_code, float, uint, int, convert_float,
        as_float, as_uint, as_int, to_int)

/* Loads one element. */
static inline acc_t load_1(gcptr_t p, long i, int dt) {
    switch (dt) {
    case DT_F32: return ((__global const float *)p)[i];
    case DT_F16: return vload_half(i, (__global const half *)p);
    case DT_BF16: return as_float((uint)((__global const ushort *)p)[i] << 16);
    case DT_S32: return ((__global const int *)p)[i];
    case DT_S8: return ((__global const char *)p)[i];
    case DT_U8: return p[i];
#ifdef USE_F64
    case DT_F64: return ((__global const double *)p)[i];
#else
    case DT_F64: return 0;
#endif
    }
    return small_value(load_code(p, i, dt), dt);
}

static inline ushort bf16_bits(float x) {
    uint u = as_uint(x);
    uint rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
    return (u & 0x7fffffff) > 0x7f800000 ? u >> 16 | 0x40 : rounded;
}

/* The maximum and the minimum of IEEE 754-2019: a NaN if either is a NaN, unlike fmax() and fmin().
 * For scalars and vectors. */
#define MAXIMUM(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))
#define MINIMUM(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))

/* Rounds to an integer and saturates; NaN gives 0. */
static inline int to_int(acc_t x, acc_t low, acc_t high) {
    acc_t r = x == x ? rint(x) : 0;
#ifndef USE_F64
    if (r >= 2147483648.0f && high > 255.0f) return 0x7fffffff; /* no float equals this limit */
#endif
    return (int)fmin(fmax(r, low), high);
}

#ifdef USE_F64
#define INT_HIGH 2147483647.0
/* Rounds to odd, so that a second rounding to a narrower type gives the same result as a single
 * rounding. */
static inline float narrow(double x) {
    float f = convert_float_rtz(x);
    return f != x && x == x && !isinf(f) ? as_float(as_uint(f) | 1) : f;
}
#else
#define INT_HIGH 2147483520.0f
static inline float narrow(float x) {
    return x;
}
#endif

static inline void store_1(acc_t x, gptr_t p, long i, int dt) {
    switch (dt) {
    case DT_F32: ((__global float *)p)[i] = (float)x; break;
    case DT_F16: vstore_half_rte(narrow(x), i, (__global half *)p); break;
    case DT_BF16: ((__global ushort *)p)[i] = bf16_bits(narrow(x)); break;
    case DT_S32: ((__global int *)p)[i] = to_int(x, -2147483648.0f, INT_HIGH); break;
    case DT_S8: ((__global char *)p)[i] = to_int(x, -128, 127); break;
    case DT_U8: p[i] = to_int(x, 0, 255); break;
#ifdef USE_F64
    case DT_F64: ((__global double *)p)[i] = x; break;
#else
    case DT_F64: break;
#endif
    default: {
        const uint code = small_code(narrow(x), dt);
        if (is_nibble(dt)) store_nibble(code, p, i);
        else p[i] = code;
    }
    }
}

#if VW == 16
typedef float16 accv_t;

/* Some device compilers assume that the address of a vector of halves is a multiple of its size. So
 * the vectors pass through private memory, which is aligned and which the compiler keeps in
 * registers. */
static inline float16 load_half_16(__global const ushort *p) {
    const ushort16 bits = vload16(0, p);
    return vload_half16(0, (const half *)&bits);
}
static inline void store_half_16(float16 x, __global ushort *p) {
    ushort16 bits;
    vstore_half16_rte(x, 0, (half *)&bits);
    vstore16(bits, 0, p);
}

static inline int16 to_int_16(float16 x, float low, float high);
SMALL_TYPES(small_decode_16, small_encode_16, small_value_16, small_code_16, float16, uint16, int16,
        convert_float16, as_float16, as_uint16, as_int16, to_int_16)

static inline accv_t load_16(gcptr_t p, long i, int dt) {
    switch (dt) {
    case DT_F32: return vload16(0, (__global const float *)p + i);
    case DT_F16: return load_half_16((__global const ushort *)p + i);
    case DT_BF16:
        return as_float16(convert_uint16(vload16(0, (__global const ushort *)p + i)) << 16);
    case DT_S32: return convert_float16(vload16(0, (__global const int *)p + i));
    case DT_S8: return convert_float16(vload16(0, (__global const char *)p + i));
    case DT_U8: return convert_float16(vload16(0, p + i));
    }
    return small_value_16(load_codes(p, i, dt), dt);
}

static inline ushort16 bf16_bits_16(float16 x) {
    uint16 u = as_uint16(x);
    uint16 rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
    return convert_ushort16((u & 0x7fffffff) > 0x7f800000 ? u >> 16 | 0x40 : rounded);
}

static inline int16 to_int_16(float16 x, float low, float high) {
    float16 r = x == x ? rint(x) : (float16)0.0f;
    int16 i = convert_int16(fmin(fmax(r, (float16)low), (float16)high));
    return high > 255.0f ? (r >= 2147483648.0f ? (int16)0x7fffffff : i) : i;
}

/* The same for limits of 8 bits. Above 2^23 floats are integers: the addition rounds to the
 * nearest, ties to even, and leaves the integer in the low bits. */
static inline int16 to_byte_16(float16 x, float low, float high) {
    const float magic = 12582912.0f; /* 1.5 * 2^23 */
    const float16 number = x == x ? x : (float16)0.0f;
    return as_int16(fmin(fmax(number, (float16)low), (float16)high) + magic) - as_int(magic);
}

static inline void store_16(float16 x, gptr_t p, long i, int dt) {
    switch (dt) {
    case DT_F32: vstore16(x, 0, (__global float *)p + i); break;
    case DT_F16: store_half_16(x, (__global ushort *)p + i); break;
    case DT_BF16: vstore16(bf16_bits_16(x), 0, (__global ushort *)p + i); break;
    case DT_S32: vstore16(to_int_16(x, -2147483648.0f, INT_HIGH), 0, (__global int *)p + i); break;
    case DT_S8:
        vstore16(convert_char16(to_byte_16(x, -128, 127)), 0, (__global char *)p + i);
        break;
    case DT_U8: vstore16(convert_uchar16(to_byte_16(x, 0, 255)), 0, p + i); break;
    default: store_codes(small_code_16(x, dt), p, i, dt);
    }
}

/* Asks for the cache line of an element that is loaded soon. A device may ignore it. */
static inline void prefetch_16(gcptr_t p, long i, int dt) {
    const int size = dt == DT_F32 || dt == DT_S32 ? 4 : dt == DT_F16 || dt == DT_BF16 ? 2 : 1;
    prefetch((__global const char *)p + i * size, 1);
}

/* Non-temporal stores. The address must be a multiple of the size of 16 elements. f16 and the small
 * types use the plain store. */
static inline void stream_16(float16 x, gptr_t p, long i, int dt) {
    switch (dt) {
    case DT_F32:
        __builtin_nontemporal_store(x, (__global float16 *)((__global float *)p + i));
        break;
    case DT_BF16:
        __builtin_nontemporal_store(
                bf16_bits_16(x), (__global ushort16 *)((__global ushort *)p + i));
        break;
    case DT_S32:
        __builtin_nontemporal_store(
                to_int_16(x, -2147483648.0f, INT_HIGH), (__global int16 *)((__global int *)p + i));
        break;
    case DT_S8:
        __builtin_nontemporal_store(
                convert_char16(to_byte_16(x, -128, 127)), (__global char16 *)(p + i));
        break;
    case DT_U8:
        __builtin_nontemporal_store(
                convert_uchar16(to_byte_16(x, 0, 255)), (__global uchar16 *)(p + i));
        break;
    default: store_16(x, p, i, dt);
    }
}

#ifdef LINES_OF_12 /* a kernel that accesses 12 contiguous floats often defines it */
static inline bool is_line_of_12(long stride, int n, int dt) {
    return stride == 1 && n == 12 && dt == DT_F32;
}
#endif

/* Loads n <= 16 elements that are `stride` elements apart; the lanes after them are 0. */
static inline accv_t load_v(gcptr_t p, long i, long stride, int n, int dt) {
    if (stride == 1 && n == 16) return load_16(p, i, dt);
#ifdef LINES_OF_12
    if (is_line_of_12(stride, n, dt)) {
        __global const float *x = (__global const float *)p + i;
        return (float16)(vload8(0, x), vload4(0, x + 8), (float4)0.0f);
    }
#endif
    union {
        float16 v;
        float s[16];
    } t;
    if (stride == 0) return load_1(p, i, dt);
    t.v = 0;
    NO_UNROLL_FOR (int k = 0; k < n; k++) t.s[k] = load_1(p, i + k * stride, dt);
    return t.v;
}

static inline void store_v(accv_t x, gptr_t p, long i, long stride, int n, int dt) {
    if (stride == 1 && n == 16) {
        store_16(x, p, i, dt);
        return;
    }
#ifdef LINES_OF_12
    if (is_line_of_12(stride, n, dt)) {
        vstore8(x.lo, 0, (__global float *)p + i);
        vstore4(x.hi.lo, 0, (__global float *)p + i + 8);
        return;
    }
#endif
    union {
        float16 v;
        float s[16];
    } t;
    t.v = x;
    NO_UNROLL_FOR (int k = 0; k < n; k++) store_1(t.s[k], p, i + k * stride, dt);
}

/* Keeps the first nv of n lanes and sets the others to 0. */
static inline accv_t first_lanes(accv_t x, int nv, int n) {
    const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return nv < n ? (lane < nv ? x : (accv_t)0.0f) : x;
}
#elif SUB_GROUP_VALUES
#include "sg_tile.h"
#else
typedef acc_t accv_t;

static inline accv_t load_v(gcptr_t p, long i, long stride, int n, int dt) {
    (void)stride, (void)n;
    return load_1(p, i, dt);
}
static inline void store_v(accv_t x, gptr_t p, long i, long stride, int n, int dt) {
    (void)stride, (void)n;
    store_1(x, p, i, dt);
}
static inline accv_t first_lanes(accv_t x, int nv, int n) {
    return nv < n ? 0 : x;
}
#endif

#endif

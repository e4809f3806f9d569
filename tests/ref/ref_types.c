/* SPDX-License-Identifier: Apache-2.0 */
/* Data types: loads, stores, rounding. */
#include <math.h>
#include <string.h>

#include "ref.h"

/* Rounds to a binary floating-point type with `digits` digits after the leading one, exponents from
 * emin on, and a largest value. */
static double round_to(double v, int digits, int emin, double largest) {
    if (v == 0 || !isfinite(v)) return v;
    int e = ilogb(v);
    if (e < emin) e = emin;
    double ulp = ldexp(1, e - digits), r = rint(v / ulp) * ulp;
    return fabs(r) > largest ? copysign(INFINITY, v) : r;
}

static double saturate(double v, double low, double high) {
    if (isnan(v)) return 0;
    return fmin(fmax(rint(v), low), high);
}

double ref_round(dnnl_data_type_t dt, double v) {
    switch (dt) {
    case dnnl_f32: return (float)v;
    case dnnl_f16: return round_to(v, 10, -14, 65504);
    case dnnl_bf16: return round_to(v, 7, -126, 0x1.fep127);
    case dnnl_s32: return saturate(v, -2147483648.0, 2147483647.0);
    case dnnl_s8: return saturate(v, -128, 127);
    case dnnl_u8: return saturate(v, 0, 255);
    case dnnl_s4: return saturate(v, -8, 7);
    case dnnl_u4: return saturate(v, 0, 15);
    case dnnl_f8_e5m2: return round_to(v, 2, -14, 57344);
    case dnnl_f8_e4m3:
        return round_to(v, 3, -6, 448); /* infinity represents the NaNs of the type */
    case dnnl_f4_e2m1: return isnan(v) ? copysign(6, v) : fmin(fmax(round_to(v, 1, 0, 6), -6), 6);
    case dnnl_e8m0: return v == 0 || !isfinite(v) ? v : ldexp(1, ilogb(v));
    default: return v;
    }
}

static uint16_t f16_bits(double v) {
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    double a = fabs(ref_round(dnnl_f16, v));
    if (isnan(v)) return 0x7e00;
    if (isinf(a)) return sign | 0x7c00;
    if (a < 0x1p-14) return sign | (uint16_t)(a * 0x1p24);
    int e;
    double m = frexp(a, &e); /* 0.5 <= m < 1 */
    return sign | (uint16_t)((e + 14) << 10 | ((int)(m * 2048) & 1023));
}

static double f16_value(uint16_t bits) {
    int e = bits >> 10 & 31, m = bits & 1023;
    double a = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return bits & 0x8000 ? -a : a;
}

/* The value of every code of a small float by definition. exponent, fraction: numbers of bits. */
static double code_value(unsigned code, int exponent, int fraction) {
    const int bias = (1 << (exponent - 1)) - 1, e = (int)(code >> fraction) & ((1 << exponent) - 1);
    const int m = (int)code & ((1 << fraction) - 1);
    const double a =
            e ? ldexp(m + (1 << fraction), e - bias - fraction) : ldexp(m, 1 - bias - fraction);
    return code >> (exponent + fraction) & 1 ? -a : a;
}

static unsigned nibble(const void *data, int64_t i) {
    return ((const uint8_t *)data)[i / 2] >> (i % 2 ? 4 : 0) & 15;
}

static void set_nibble(void *data, int64_t i, unsigned code) {
    uint8_t *byte = (uint8_t *)data + i / 2;
    *byte = (uint8_t)(i % 2 ? (*byte & 15) | code << 4 : (*byte & 0xf0) | code);
}

static double small_value(dnnl_data_type_t dt, unsigned code) {
    switch (dt) {
    case dnnl_f8_e5m2:
        if ((code & 0x7c) == 0x7c) return code & 3 ? NAN : code & 0x80 ? -INFINITY : INFINITY;
        return code_value(code, 5, 2);
    case dnnl_f8_e4m3: return (code & 0x7f) == 0x7f ? NAN : code_value(code, 4, 3);
    case dnnl_f4_e2m1: return code_value(code, 2, 1);
    case dnnl_e8m0: return code == 255 ? NAN : ldexp(1, (int)code - 127);
    case dnnl_s4: return (int)code - (code < 8 ? 0 : 16);
    default: return (double)code;
    }
}

/* Finds the code of a value by trying all codes. */
static unsigned small_code(dnnl_data_type_t dt, double v) {
    static double values[dnnl_f4_e2m1 + 1][256];
    const unsigned count = dt_is_nibble(dt) ? 16 : 256;
    double *value = values[dt];
    if (value[1] == 0) /* no type has a zero at code 1 */
        for (unsigned code = 0; code < count; code++) value[code] = small_value(dt, code);
    for (unsigned code = 0; code < count; code++)
        if (value[code] == v && !signbit(value[code]) == !signbit(v)) return code;
    return dt == dnnl_f8_e4m3 ? (signbit(v) ? 0xff : 0x7f) : dt == dnnl_e8m0 ? 255 : 0x7e;
}

double ref_load(dnnl_data_type_t dt, const void *data, int64_t i) {
    switch (dt) {
    case dnnl_f64: return ((const double *)data)[i];
    case dnnl_f32: return ((const float *)data)[i];
    case dnnl_s32: return ((const int32_t *)data)[i];
    case dnnl_s64: return (double)((const int64_t *)data)[i];
    case dnnl_s8: return ((const int8_t *)data)[i];
    case dnnl_u8: return ((const uint8_t *)data)[i];
    case dnnl_f16: return f16_value(((const uint16_t *)data)[i]);
    case dnnl_bf16: {
        uint32_t bits = (uint32_t)((const uint16_t *)data)[i] << 16;
        float f;
        memcpy(&f, &bits, sizeof(f));
        return f;
    }
    case dnnl_s4:
    case dnnl_u4:
    case dnnl_f4_e2m1: return small_value(dt, nibble(data, i));
    case dnnl_f8_e5m2:
    case dnnl_f8_e4m3:
    case dnnl_e8m0: return small_value(dt, ((const uint8_t *)data)[i]);
    default: return NAN;
    }
}

void ref_store(dnnl_data_type_t dt, void *data, int64_t i, double v) {
    double r = ref_round(dt, v);
    switch (dt) {
    case dnnl_f64: ((double *)data)[i] = r; break;
    case dnnl_f32: ((float *)data)[i] = (float)r; break;
    case dnnl_s32: ((int32_t *)data)[i] = (int32_t)r; break;
    case dnnl_s64: ((int64_t *)data)[i] = (int64_t)r; break;
    case dnnl_s8: ((int8_t *)data)[i] = (int8_t)r; break;
    case dnnl_u8: ((uint8_t *)data)[i] = (uint8_t)r; break;
    case dnnl_f16: ((uint16_t *)data)[i] = f16_bits(v); break;
    case dnnl_bf16: {
        float f = (float)r;
        uint32_t bits;
        memcpy(&bits, &f, sizeof(bits));
        ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
        break;
    }
    case dnnl_s4:
    case dnnl_u4: set_nibble(data, i, small_code(dt, r + 0.0)); break;
    case dnnl_f4_e2m1: set_nibble(data, i, small_code(dt, r)); break;
    case dnnl_f8_e5m2:
    case dnnl_f8_e4m3:
    case dnnl_e8m0: ((uint8_t *)data)[i] = (uint8_t)small_code(dt, r); break;
    default: break;
    }
}

bool ref_ok(dnnl_data_type_t dt, double got, ref_value_t e) {
    if (isnan(e.v))
        return isnan(got) || (dt_is_int(dt) && got == 0) || (dt == dnnl_f4_e2m1 && fabs(got) == 6);
    if (dt == dnnl_f8_e4m3 && isnan(got)) got = copysign(INFINITY, e.v); /* values out of range */
    return ref_round(dt, e.v - e.error) <= got && got <= ref_round(dt, e.v + e.error);
}

bool ref_next(const dnnl_dim_t *dims, int ndims, dnnl_dim_t *pos) {
    for (int d = ndims - 1; d >= 0; d--) {
        if (++pos[d] < dims[d]) return true;
        pos[d] = 0;
    }
    return false;
}

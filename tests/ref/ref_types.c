/* SPDX-License-Identifier: Apache-2.0 */
/* Data types: loads, stores, rounding. */
#include <math.h>
#include <string.h>

#include "ref.h"

/* A binary floating-point type with `digits` digits after the leading one, exponents from emin on, and a
 * largest value. */
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
    default: break;
    }
}

bool ref_ok(dnnl_data_type_t dt, double got, ref_value_t e) {
    if (isnan(e.v)) return isnan(got) || (dt_is_int(dt) && got == 0);
    return ref_round(dt, e.v - e.error) <= got && got <= ref_round(dt, e.v + e.error);
}

bool ref_next(const dnnl_dim_t *dims, int ndims, dnnl_dim_t *pos) {
    for (int d = ndims - 1; d >= 0; d--) {
        if (++pos[d] < dims[d]) return true;
        pos[d] = 0;
    }
    return false;
}

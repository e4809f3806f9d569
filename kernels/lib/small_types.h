/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions between floats and the small types: 8-bit and 4-bit floats, 4-bit integers, and
 * powers of two. They round to nearest even. Two elements of a 4-bit type share a byte, the first
 * one in the lower half, so one work-item must store both. */
#ifndef KERNELS_SMALL_TYPES_H
#define KERNELS_SMALL_TYPES_H

/* The values of dnnl_data_type_t. */
enum { DT_F8_E5M2 = 9, DT_F8_E4M3 = 10, DT_S4 = 11, DT_U4 = 12, DT_E8M0 = 13, DT_F4_E2M1 = 14 };

static inline bool is_nibble(int dt) {
    return dt == DT_S4 || dt == DT_U4 || dt == DT_F4_E2M1;
}

/* Decodes a float of `bits` bits with `mant` bits of mantissa. Magnitudes from `special` on are
 * infinity and NaNs. */
#define SMALL_DECODE(name, floatn, uintn, convert_floatn, as_floatn, as_uintn)                     \
    static inline floatn name(uintn code, int bits, int mant, int bias, uint special) {            \
        const uintn mag = code & ((1u << (bits - 1)) - 1), shifted = mag << (23 - mant);           \
        const floatn below = convert_floatn(mag) * as_float((uint)(128 - bias - mant) << 23);      \
        const uintn normal = shifted + ((uint)(127 - bias) << 23);                                 \
        uintn u = mag < (1u << mant) ? as_uintn(below) : normal;                                   \
        u = mag >= special ? shifted | 0x7f800000u : u;                                            \
        return as_floatn(u | code >> (bits - 1) << 31);                                            \
    }

/* Encodes a float; codes above `top` become `top`. An addition rounds the subnormal numbers: the
 * last bit of the sum has the value of the last bit of the code. */
#define SMALL_ENCODE(name, floatn, uintn, as_floatn, as_uintn)                                     \
    static inline uintn name(floatn x, int bits, int mant, int bias, uint top, uint nan) {         \
        const uintn u = as_uintn(x) & 0x7fffffffu;                                                 \
        const uintn rounded = u + ((1u << (22 - mant)) - 1) + (u >> (23 - mant) & 1u);             \
        const uintn normal = (rounded >> (23 - mant)) - ((uint)(127 - bias) << mant);              \
        const uint magic = (uint)(151 - bias - mant) << 23;                                        \
        const uintn below = as_uintn(as_floatn(u) + as_float(magic)) - magic;                      \
        uintn code = u < ((uint)(128 - bias) << 23) ? below : normal;                              \
        code = u > 0x7f800000u ? nan : code > top ? top : code;                                    \
        return code | as_uintn(x) >> 31 << (bits - 1);                                             \
    }

/* Conversions for any of the small types. The arguments carry the vector width as a suffix. */
#define SMALL_TYPES(decode, encode, value, code_of, floatn, uintn, intn, convert_floatn,           \
        as_floatn, as_uintn, as_intn, to_intn)                                                     \
    SMALL_DECODE(decode, floatn, uintn, convert_floatn, as_floatn, as_uintn)                       \
    SMALL_ENCODE(encode, floatn, uintn, as_floatn, as_uintn)                                       \
    static inline floatn value(uintn code, int dt) {                                               \
        switch (dt) {                                                                              \
        case DT_F8_E5M2: return decode(code, 8, 2, 15, 0x7c);                                      \
        case DT_F8_E4M3: return decode(code, 8, 3, 7, 0x7f);                                       \
        case DT_F4_E2M1: return decode(code, 4, 1, 1, 8);                                          \
        case DT_S4: return convert_floatn(as_intn(code ^ 8u) - 8);                                 \
        case DT_U4: return convert_floatn(as_intn(code));                                          \
        }                                                                                          \
        const uintn u = code == 0 ? (uintn)0x400000u : code << 23; /* DT_E8M0 */                   \
        return as_floatn(code == 255 ? (uintn)0x7fc00000u : u);                                    \
    }                                                                                              \
    static inline uintn code_of(floatn x, int dt) {                                                \
        switch (dt) {                                                                              \
        case DT_F8_E5M2: return encode(x, 8, 2, 15, 0x7c, 0x7e);                                   \
        case DT_F8_E4M3: return encode(x, 8, 3, 7, 0x7f, 0x7f);                                    \
        case DT_F4_E2M1: return encode(x, 4, 1, 1, 7, 7);                                          \
        case DT_S4: return as_uintn(to_intn(x, -8, 7)) & 15u;                                      \
        case DT_U4: return as_uintn(to_intn(x, 0, 15));                                            \
        }                                                                                          \
        return as_uintn(x) >> 23 & 255u; /* DT_E8M0: towards zero, without the sign */             \
    }

static inline uint load_nibble(gcptr_t p, long i) {
    return p[i >> 1] >> ((i & 1) << 2) & 15;
}

static inline void store_nibble(uint code, gptr_t p, long i) {
    const uint old = p[i >> 1];
    p[i >> 1] = i & 1 ? (old & 15) | code << 4 : (old & 0xf0) | code;
}

static inline uint load_code(gcptr_t p, long i, int dt) {
    return is_nibble(dt) ? load_nibble(p, i) : p[i];
}

#if VW == 16
static inline uint16 load_codes(gcptr_t p, long i, int dt) {
    if (!is_nibble(dt)) return convert_uint16(vload16(0, p + i));
    uint16 codes;
    if (i & 1) {
        union {
            uint16 v;
            uint s[16];
        } t;
        NO_UNROLL_FOR (int k = 0; k < 16; k++) t.s[k] = load_nibble(p, i + k);
        return t.v;
    }
    const uchar8 both = vload8(0, p + (i >> 1));
    codes.even = convert_uint8(both & (uchar)15);
    codes.odd = convert_uint8(both >> (uchar)4);
    return codes;
}

static inline void store_codes(uint16 codes, gptr_t p, long i, int dt) {
    if (!is_nibble(dt)) {
        vstore16(convert_uchar16(codes), 0, p + i);
        return;
    }
    if (i & 1) {
        union {
            uint16 v;
            uint s[16];
        } t;
        t.v = codes;
        NO_UNROLL_FOR (int k = 0; k < 16; k++) store_nibble(t.s[k], p, i + k);
        return;
    }
    vstore8(convert_uchar8(codes.even | codes.odd << 4), 0, p + (i >> 1));
}
#endif

#endif

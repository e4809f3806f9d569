/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of 8 or 4 bits as factors of f16 or bf16 for matrix units. The kernel reads the weights
 * as they are stored. In registers it inserts their bits into the mantissa of a power of two, which
 * makes floats of them but adds the power to each weight. So a product is too large by the power
 * times the sum of a row of the other matrix; zero points have the same form. Bytes that are
 * decoded to bf16 are converted instead. STEP is 32 elements here. In a tile of weights that are
 * stored row by row, the even columns of 32 come first and then the odd ones. */
#ifndef KERNELS_MATMUL_XMX_DECODE_H
#define KERNELS_MATMUL_XMX_DECODE_H

#include "xmx_tile.h"

static inline bool is_decoded(void) {
    return wei_dt() != src_dt();
}
static inline bool has_nibbles(void) {
    return wei_dt() == DT_S4 || wei_dt() == DT_U4;
}
static inline int weight_bits(void) {
    return !is_decoded() ? 8 * ELEMENT : has_nibbles() ? 4 : 8;
}

/* The mantissa of bf16 is too short for bytes. */
static inline bool is_in_mantissa(void) {
    return src_dt() == DT_F16 || has_nibbles();
}
/* The lowest bit of a weight in the mantissa. This bit has the value 1. In f16 the nibbles of odd
 * columns are 4 bits further up. */
static inline int low_bit(void) {
    return src_dt() == DT_F16 ? 2 : 3;
}
/* The sign bit of a weight. Flipping it makes weights count from their lowest value. */
static inline uint sign_bit(void) {
    return wei_dt() == DT_S8 ? 128 : wei_dt() == DT_S4 ? 8 : 0;
}
/* The excess of a decoded weight of block j over its value. */
static inline float decoded_excess(int j) {
    const bool is_high = has_nibbles() && !mm_flag(MMX_COLUMNS) && j % 2;
    return is_in_mantissa() ? sign_bit() + (src_dt() == DT_BF16 || is_high ? 16 : 256) : 0;
}
/* The value that 1 has as a decoded weight. */
static inline float decoded_unit(void) {
    return is_in_mantissa() ? 1 : 256;
}
static inline uint decoded_one(void) {
    return src_dt() == DT_BF16 ? 0x3f803f80 : 0x3c003c00;
}

static inline uint moved(uint v, int from, int to) {
    return from < to ? v << (to - from) : v >> (from - to);
}

/* Decodes the weights at bit `bit` of both halves of v; `bit` is also their lowest bit in
 * the mantissa. */
static inline uint decode_at(uint v, int bit) {
    const uint mask = has_nibbles() ? 0x000f000fu : 0x00ff00ffu;
    const uint power = src_dt() == DT_BF16 ? 0x4180
                       : bit == 2          ? 0x5c00
                                           : 0x4c00,
               others = power ^ sign_bit() << bit;
    return (v & mask << bit) ^ (others | others << 16);
}

/* Returns 256 times the upper bytes of both halves. bf16_pair() packs two such floats as bf16. */
static inline float2 decode_bytes(uint v) {
    v &= 0xff00ff00u;
    return sign_bit() ? convert_float2(as_short2(v)) : convert_float2(as_ushort2(v));
}
static inline uint bf16_pair(float x, float y) {
    return as_uint(x) >> 16 | (as_uint(y) & 0xffff0000u);
}

/* Moves two bytes of v, the lower ones or the upper ones, to the two halves of the result, at the
 * lowest bit of the mantissa. */
static inline uint spread_bytes(uint v, int upper) {
    return bitselect(
            moved(v, upper ? 24 : 8, 16 + low_bit()), moved(v, upper ? 16 : 0, low_bit()), 0xffffu);
}

/* Decodes STEP rows of weights. */
static inline void decode_rows(const surface_t *s, int col, int k, uint (*out)[16]) {
    uint t[NT * 8];
    if (has_nibbles()) {
        /* A byte holds an even column and an odd one. */
        intel_sub_group_2d_block_read_transform_8b_32r16x1c(PLACE(s, 1, col / 2, k), t);
        UNROLL_FOR (int i = 0; i < 8; i++)
            UNROLL_FOR (int pair = 0; pair < 2; pair++) {
                const uint bytes = spread_bytes(t[i], pair);
                out[0][2 * i + pair] = decode_at(bytes, low_bit());
                out[1][2 * i + pair] = src_dt() == DT_F16 ? decode_at(bytes, low_bit() + 4)
                                                          : decode_at(bytes >> 4, low_bit());
            }
        return;
    }
    /* 16 bits of a row hold an even column and an odd one. */
    intel_sub_group_2d_block_read_transform_16b_32r16x1c(PLACE(s, 2, col / 2, k), t);
    UNROLL_FOR (int i = 0; i < 16; i++)
        UNROLL_FOR (int j = 0; j < NT; j++) {
            const float2 pair = decode_bytes(j ? t[i] : t[i] << 8);
            out[j][i] = is_in_mantissa() ? decode_at(moved(t[i], 8 * j, low_bit()), low_bit())
                                         : bf16_pair(pair.x, pair.y);
        }
}

/* Copies half of v to both halves of the result: the first weight of v is at the lowest bit of the
 * mantissa in the first half, and the second weight in the second half. With four weights, the
 * other two are 8 bits further up. */
static inline uint spread_along(uint v, int upper) {
    const ushort2 halves = as_ushort2(v);
    const ushort bits = upper ? halves.y : halves.x;
    return as_uint((ushort2)((ushort)(bits << low_bit()),
            (ushort)(bits >> ((has_nibbles() ? 4 : 8) - low_bit()))));
}

/* Decodes STEP values of k of weights that are stored column by column. */
static inline void decode_columns(const surface_t *s, int col, int k, uint (*out)[16]) {
    uint t[NT][8];
    if (has_nibbles()) {
        UNROLL_FOR (int j = 0; j < NT; j++)
            intel_sub_group_2d_block_read_transpose_32b_16r4x1c(
                    PLACE(s, 4, k >> 3, col + 16 * j), t[j]);
        UNROLL_FOR (int j = 0; j < NT; j++)
            UNROLL_FOR (int i = 0; i < 8; i++) {
                const uint four = spread_along(t[j][i / 2], i % 2);
                out[j][2 * i] = decode_at(four, low_bit());
                out[j][2 * i + 1] = decode_at(four >> 8, low_bit());
            }
        return;
    }
    UNROLL_FOR (int j = 0; j < NT; j++)
        intel_sub_group_2d_block_read_transpose_32b_16r8x1c(
                PLACE(s, 4, k >> 2, col + 16 * j), t[j]);
    UNROLL_FOR (int j = 0; j < NT; j++)
        UNROLL_FOR (int i = 0; i < 8; i++) {
            const float2 even = decode_bytes(t[j][i] << 8), odd = decode_bytes(t[j][i]);
            out[j][2 * i] = is_in_mantissa() ? decode_at(spread_along(t[j][i], 0), low_bit())
                                             : bf16_pair(even.x, odd.x);
            out[j][2 * i + 1] = is_in_mantissa() ? decode_at(spread_along(t[j][i], 1), low_bit())
                                                 : bf16_pair(even.y, odd.y);
        }
}

#endif

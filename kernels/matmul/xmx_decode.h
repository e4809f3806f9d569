/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of 8 or 4 bits as factors of f16 or bf16 for matrix units: read as they lie, and made floats in registers by putting their bits into
 * the mantissa of a power of two. That adds the power to each; what it adds to a product is the power times the sum of a row of the other
 * matrix, and so are zero points. STEP is 32 elements here, and the columns of a tile of nibbles that lie in rows are the even ones of 32,
 * then the odd ones. */
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

/* The lowest bit of a weight in the mantissa, such that the power of two is the one next to its range; bf16 has no room for bytes. */
static inline bool is_in_mantissa(void) {
    return src_dt() == DT_F16 || has_nibbles();
}
static inline int lowest_bit(void) {
    return src_dt() == DT_BF16 ? 3 : has_nibbles() ? 6 : 2;
}
static inline uint power_bits(void) {
    return src_dt() == DT_BF16 ? 0x4180 : has_nibbles() ? 0x4c00 : 0x5c00;
}
/* Weights count from their lowest value on. */
static inline uint sign_bit(void) {
    return wei_dt() == DT_S8 ? 128 : wei_dt() == DT_S4 ? 8 : 0;
}
/* How much more than it means a decoded weight is. */
static inline float decoded_excess(void) {
    return is_in_mantissa() ? sign_bit() + (has_nibbles() ? 16 : 256) : 0;
}
static inline uint decoded_one(void) {
    return src_dt() == DT_BF16 ? 0x3f803f80 : 0x3c003c00;
}

static inline uint moved(uint v, int from, int to) {
    return from < to ? v << (to - from) : v >> (from - to);
}

/* The weights from these bits of v on as two factors. */
static inline uint decode_pair(uint v, int from_0, int from_1) {
    const uint mask = has_nibbles() ? 15 : 255;
    if (is_in_mantissa()) {
        const int bit = lowest_bit();
        const uint bits = (moved(v, from_0, bit) & mask << bit) | (moved(v, from_1, 16 + bit) & mask << (16 + bit));
        const uint others = power_bits() ^ sign_bit() << bit;
        return bits ^ (others | others << 16);
    }
    /* Sums with 2^23 have the integer as their lowest bits. */
    const uint others = 0x4b000000u ^ sign_bit();
    const float power = 8388608.0f + sign_bit();
    const uint x = as_uint(as_float((v >> from_0 & mask) ^ others) - power), y = as_uint(as_float((v >> from_1 & mask) ^ others) - power);
    return x >> 16 | (y & 0xffff0000u);
}

/* Two pairs from the bytes of v, or from one nibble of each. */
static inline void decode_4(uint v, int first_bit, uint *out) {
    out[0] = decode_pair(v, first_bit, first_bit + 8);
    out[1] = decode_pair(v, first_bit + 16, first_bit + 24);
}

/* Four pairs of nibbles one after the other. */
static inline void decode_8(uint v, uint *out) {
    out[0] = decode_pair(v, 0, 4);
    out[1] = decode_pair(v, 8, 12);
    out[2] = decode_pair(v, 16, 20);
    out[3] = decode_pair(v, 24, 28);
}

/* STEP rows of weights. */
static inline void decode_rows(const surface_t *s, int col, int k, uint (*out)[16]) {
    uint t[NT * 8];
    if (has_nibbles()) {
        /* A byte has an even column and an odd one. */
        UNROLL for (int j = 0; j < NT; j += 2)
            intel_sub_group_2d_block_read_transform_8b_32r16x1c(PLACE(s, 1, col / 2 + 8 * j, k), t + 4 * j);
        UNROLL for (int j = 0; j < NT; j++) UNROLL for (int i = 0; i < 8; i++) decode_4(t[j / 2 * 8 + i], j % 2 * 4, out[j] + 2 * i);
        return;
    }
#if NT == 2
    intel_sub_group_2d_block_read_transform_8b_32r16x2c(PLACE(s, 1, col, k), t);
#else
    intel_sub_group_2d_block_read_transform_8b_32r16x4c(PLACE(s, 1, col, k), t);
#endif
    UNROLL for (int j = 0; j < NT; j++) UNROLL for (int i = 0; i < 8; i++) decode_4(t[8 * j + i], 0, out[j] + 2 * i);
}

/* STEP of k of weights that lie in columns. */
static inline void decode_columns(const surface_t *s, int col, int k, uint (*out)[16]) {
    uint t[NT][8];
    if (has_nibbles()) {
        UNROLL for (int j = 0; j < NT; j++) intel_sub_group_2d_block_read_transpose_32b_16r4x1c(PLACE(s, 4, k >> 3, col + 16 * j), t[j]);
        UNROLL for (int j = 0; j < NT; j++) UNROLL for (int i = 0; i < 4; i++) decode_8(t[j][i], out[j] + 4 * i);
    } else {
        UNROLL for (int j = 0; j < NT; j++) intel_sub_group_2d_block_read_transpose_32b_16r8x1c(PLACE(s, 4, k >> 2, col + 16 * j), t[j]);
        UNROLL for (int j = 0; j < NT; j++) UNROLL for (int i = 0; i < 8; i++) decode_4(t[j][i], 0, out[j] + 2 * i);
    }
}

#endif

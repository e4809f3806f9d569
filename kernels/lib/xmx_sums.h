/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products on matrix units, which a sub-group keeps in registers: (MT / 8) x NT blocks of 8
 * rows by LANES columns. Each lane holds one column of a block.
 *
 * The including file defines MT, NT, LANES (8 or 16), INTS for 8-bit integers or TF32 for f32 that
 * is multiplied as tf32 (16 lanes), the function src_dt() and, for integers, wei_dt(). These
 * functions return the types of the factors. */
#ifndef KERNELS_XMX_SUMS_H
#define KERNELS_XMX_SUMS_H

#include "sub_group.h"
#include "types.h"
#include "xmx.h"

#ifdef INTS
#define ELEMENT 1
typedef int8 sum8_t;
typedef int sum_t;
#else
#ifdef TF32
#define ELEMENT 4
#else
#define ELEMENT 2
#endif
typedef float8 sum8_t;
typedef float sum_t;
#endif
/* 8 rows of 32 bytes each; the lanes together hold a row. */
#if LANES == 8
typedef int8 rows8_t;
#define as_rows8 as_int8
#define as_unsigned_rows8 as_uint8
#elif defined(TF32)
typedef float4 rows8_t;
#else
typedef short8 rows8_t;
#define as_rows8 as_short8
#define as_unsigned_rows8 as_ushort8
#endif
/* A block of sums as a vector and as 8 rows. */
typedef union {
    sum8_t v;
    sum_t s[8];
} lines_t;
#define STEP (64 / ELEMENT) /* elements of k in a step of 64 bytes */
#define TILE_N (LANES * NT)
#define BLOCKS (MT / 8 * NT)

static inline sum8_t multiply(rows8_t a, int8 b, sum8_t sum) {
#ifdef INTS
    if (src_dt() == DT_S8 && wei_dt() == DT_S8)
        return intel_sub_group_i8_i8_matrix_mad_k32(a, b, sum);
    if (src_dt() == DT_S8) return intel_sub_group_i8_u8_matrix_mad_k32(a, as_uint8(b), sum);
    if (wei_dt() == DT_S8)
        return intel_sub_group_u8_i8_matrix_mad_k32(as_unsigned_rows8(a), b, sum);
    return intel_sub_group_u8_u8_matrix_mad_k32(as_unsigned_rows8(a), as_uint8(b), sum);
#elif defined(TF32)
    return intel_sub_group_tf32_tf32_matrix_mad_k8(a, as_float8(b), sum);
#else
    if (src_dt() == DT_F16) return intel_sub_group_f16_f16_matrix_mad_k16(a, b, sum);
    return intel_sub_group_bf16_bf16_matrix_mad_k16(a, b, sum);
#endif
}

static inline void clear_sums(sum8_t (*sum)[NT]) {
    UNROLL_FOR (int i = 0; i < MT / 8; i++)
        UNROLL_FOR (int j = 0; j < NT; j++) sum[i][j] = 0;
}

/* The loops only select a block. When they are unrolled, every index is constant and the sums stay
 * in registers. */
static inline sum8_t block_of_sums(sum8_t (*sum)[NT], int block) {
    sum8_t x = 0;
    UNROLL_FOR (int i = 0; i < MT / 8; i++)
        UNROLL_FOR (int j = 0; j < NT; j++)
            if (block == i * NT + j) x = sum[i][j];
    return x;
}

#endif

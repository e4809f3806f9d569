/* SPDX-License-Identifier: Apache-2.0 */
/* Stores blocks of 8 rows by 16 columns, one column per lane, to a surface of plain rows. What lies
 * outside of the surface is dropped. The including file defines dst_dt(), which returns f32, f16 or
 * bf16, or s32 for words that need no conversion. */
#ifndef KERNELS_XMX_WRITE_H
#define KERNELS_XMX_WRITE_H

#include "block_ops.h"
#include "xmx_tile.h"

/* Bytes of an element of the destination. */
static inline int dst_size(void) {
    return dst_dt() == DT_F16 || dst_dt() == DT_BF16 ? 2 : 4;
}

/* The message of the stores to blocks that begin at a corner. */
static inline message_t write_message(const surface_t *s, int col, int row) {
    return __builtin_IB_subgroup_createBlock2DAddressPayload((long)s->base, s->width - 1,
            s->height - 1, s->pitch - 1, col + s->x / dst_size(), row, 16, 8, 1);
}

/* Stores a block that is so many columns and rows, which are constants, behind the corner. */
static inline void write_words(message_t m, int cols, int rows, int8 x) {
    __builtin_IB_subgroup_block_write_ap_u32_m8k16v1(m, cols, rows, x, 0);
}
static inline void write_block(message_t m, int cols, int rows, float8 x) {
    if (dst_dt() == DT_F32) {
        write_words(m, cols, rows, as_int8(x));
    } else if (dst_dt() == DT_F16) {
        short8 halves;
        vstore_half8_rte(x, 0, (half *)&halves);
        __builtin_IB_subgroup_block_write_ap_u16_m8k16v1(m, cols, rows, halves, 0);
    } else {
        __builtin_IB_subgroup_block_write_ap_u16_m8k16v1(m, cols, rows, __builtin_IB_ftobf_8(x), 0);
    }
}

/* ---- short epilogues ---- */

static inline float8 apply_block_op(int op, float8 x, float y) {
    return BLOCK_OP(op, x, y);
}

static inline float8 apply_block_ops(float8 x, const column_t *column) {
    EACH_BLOCK_OP(e) x = apply_block_op(block_op(e), x, column->y[e]);
    return x;
}

/* Applies the epilogue to one sum, for addresses that block stores do not support. */
static inline void write_one(sum_t sum, gptr_t p, long at, const column_t *column) {
    if (dst_dt() == DT_S32) ((__global int *)p)[at] = (int)sum;
    else store_1(apply_block_ops((float8)(float)sum, column).s0, p, at, dst_dt());
}

/* Applies the epilogue to a block of sums and writes it. */
static inline void write_sums(
        sum8_t sums, message_t message, int cols, int rows, const column_t *column) {
#ifdef INTS
    if (dst_dt() == DT_S32) {
        write_words(message, cols, rows, sums);
        return;
    }
    const float8 x = convert_float8(sums);
#else
    const float8 x = sums;
#endif
    write_block(message, cols, rows, apply_block_ops(x, column));
}

#endif

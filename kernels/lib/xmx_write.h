/* SPDX-License-Identifier: Apache-2.0 */
/* Stores blocks of 8 rows by 16 columns, one column per lane, to a surface of plain rows. What lies
 * outside of the surface is dropped. The including file defines dst_dt(), which returns f32, f16 or
 * bf16, or s32 for words that need no conversion. */
#ifndef KERNELS_XMX_WRITE_H
#define KERNELS_XMX_WRITE_H

#include "postops.h"
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

/* ---- short epilogues ----
 *
 * SPEC_BLOCK_OPS has the operations, 8 bits each from the lowest on: OP_ADD, OP_MUL and OP_SUB with
 * sources that are the same for all rows, and OP_RELU without slope and factor. */

SPEC_GETTER(block_ops, SPEC_BLOCK_OPS, 0)
static inline int block_op(int e) {
    return block_ops() >> 8 * e & (PO_BLOCK_HOST - 1);
}
static inline bool is_block_source(int e, uint kind) {
    return block_ops() >> 8 * e & kind;
}

/* The values of the operations' sources in a column. */
typedef struct {
    float y[PO_MAX_BLOCK_OPS];
} column_t;

/* col: of the row of po_seek() */
static inline column_t column_values(int col, const po_ctx_t *ctx, const po_params_t *po) {
    column_t column;
    column.y[0] = 0;
    EACH (e, po_count(), PO_MAX_BLOCK_OPS) {
        const uint src = po->entry[e].code >> 8 & 255;
        if (block_op(e) < OP_BINARY_FIRST) column.y[e] = 0;
        else if (is_block_source(e, PO_BLOCK_HOST)) column.y[e] = po_host(ctx, src);
        else if (is_block_source(e, PO_BLOCK_DENSE))
            column.y[e] = po_dense_value(ctx, po, src & ~PO_HOST_SRC, col, 1);
        else column.y[e] = po_value(ctx, po, src & ~PO_HOST_SRC, col, 1);
    }
    return column;
}

static inline float8 apply_block_op(int op, float8 x, float y) {
    return op == OP_ADD ? x + y : op == OP_MUL ? x * y : op == OP_SUB ? x - y : x < 0 ? 0 : x;
}

static inline float8 apply_block_ops(float8 x, const column_t *column) {
    EACH (e, po_count(), PO_MAX_BLOCK_OPS) x = apply_block_op(block_op(e), x, column->y[e]);
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

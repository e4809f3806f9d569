/* SPDX-License-Identifier: Apache-2.0 */
/* Short epilogues, which a kernel applies to sums while they are in registers: operands are loaded
 * once for all rows of a tile.
 *
 * SPEC_BLOCK_OPS has the operations, 8 bits each from the lowest on: OP_ADD, OP_MUL and OP_SUB with
 * sources that are the same for all rows, and OP_RELU without slope and factor. The plan says
 * whether there is such a list: that of a relu is 0. */
#ifndef KERNELS_BLOCK_OPS_H
#define KERNELS_BLOCK_OPS_H

#include "postops.h"

SPEC_GETTER(block_ops, SPEC_BLOCK_OPS, 0)
static inline int block_op(int e) {
    return block_ops() >> 8 * e & (PO_BLOCK_HOST - 1);
}
static inline bool is_block_source(int e, uint kind) {
    return block_ops() >> 8 * e & kind;
}

#define EACH_BLOCK_OP(e)                                                                           \
    if (po_count() > 0)                                                                            \
        UNROLL_FOR (int e = 0; e < PO_MAX_BLOCK_OPS; e++)                                          \
            if (e < po_count())

/* x and y are values or vectors. */
#define BLOCK_OP(op, x, y)                                                                         \
    ((op) == OP_ADD          ? (x) + (y)                                                           \
            : (op) == OP_MUL ? (x) * (y)                                                           \
            : (op) == OP_SUB ? (x) - (y)                                                           \
            : (x) < 0        ? 0                                                                   \
                             : (x))

#if VW == 16
enum { VALUE_COLUMNS = 16 };
#else
enum { VALUE_COLUMNS = 1 };
#endif

/* The values of the operations' sources in the columns of a value. */
typedef struct {
    accv_t y[PO_MAX_BLOCK_OPS];
} column_t;

/* col: the first column in the row of po_seek() */
static inline column_t column_values(int col, const po_ctx_t *ctx, const po_params_t *po) {
    column_t column;
    column.y[0] = 0;
    EACH_BLOCK_OP(e) {
        const uint src = po->entry[e].code >> 8 & 255;
        if (block_op(e) < OP_BINARY_FIRST) column.y[e] = 0;
        else if (is_block_source(e, PO_BLOCK_HOST)) column.y[e] = po_host(ctx, src);
        else if (is_block_source(e, PO_BLOCK_DENSE))
            column.y[e] = po_dense_value(ctx, po, src & ~PO_HOST_SRC, col, VALUE_COLUMNS);
        else column.y[e] = po_value(ctx, po, src & ~PO_HOST_SRC, col, VALUE_COLUMNS);
    }
    return column;
}

#endif

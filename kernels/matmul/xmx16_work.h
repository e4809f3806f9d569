/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a sub-group in matmul/xmx16.cl. */
#ifndef KERNELS_MATMUL_XMX16_WORK_H
#define KERNELS_MATMUL_XMX16_WORK_H

#include "matmul_params.h"
#include "xmx_tile.h"

/* A sub-group in a work-group of `count` sub-groups: its tile, and with split-K its part of k. */
typedef struct {
    int sg, count, lane, tile, part;
} member_t;

/* The matrices, the first row and column in c, and the positions along k from `first` to `last`. */
typedef struct {
    surface_t a, b, c;        /* c: with MMX_BLOCKS */
    gcptr_t a_first, b_first; /* pointers to their first elements */
    long c_at;                /* offset of the batch's matrix in c */
    int row, col;             /* first row and column of the tile */
    int group_row, group_col; /* first row and column of the work-group */
    int a_part;               /* with MMX_PAIRS: the first row of the tile that it prefetches */
    int first, last;
    bool unaligned; /* block accesses do not support the addresses */
} work_t;

/* Zero points of a and b, and scales of b. Without a pointer the value is the zero point. */
typedef struct {
    gcptr_t za_ptr, zb_ptr, scale;
    int za, zb;
} quant_t;

/* Converts a position along k to an element of a row of a. */
static inline int k_of(int at) {
    return ELEMENT == 1 ? at << 1 : ELEMENT == 4 ? at >> 1 : at;
}

/* Reads weights of the type that the units multiply. */
static inline void read_same_weights(
        const surface_t *b, const mm_xmx_t *t, int col, int at, uint (*out)[16]) {
    if (mm_flag(MMX_PACKED))
        read_packed(b, panel_row(col / 16, 0, t->panel_steps) + at, t->panel_steps * 32, out);
    else if (mm_flag(MMX_COLUMNS)) read_columns(b, col, at, out);
    else read_plain(b, col, k_of(at), out);
}

/* ---- scales and zero points of weights ---- */

SPEC_GETTER(zero_dt, SPEC_MMX_ZERO_DT, DT_S32)

static inline long quant_number(const mm_xmx_quant_t *q, int k, int col) {
    return k / q->group_k * q->k + col / q->group_n * q->n;
}

static inline int weight_zero(const quant_t *q, const mm_xmx_t *t, int k, int col) {
    if (!q->zb_ptr) return q->zb;
    return load_int(q->zb_ptr, quant_number(&t->zero, k, min(col, t->n - 1)), zero_dt());
}

#endif

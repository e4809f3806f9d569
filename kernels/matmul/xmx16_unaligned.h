/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of matmul/xmx16.cl without block loads, for addresses that block loads do not support. */
#ifndef KERNELS_MATMUL_XMX16_UNALIGNED_H
#define KERNELS_MATMUL_XMX16_UNALIGNED_H

#include "xmx16_work.h"

/* The offset of an element of b from the first one. */
static inline long place_in_b(const mm_xmx_t *t, int k, int col) {
    const int per_word = 4 / ELEMENT; /* elements of k in 32 bits of a panel */
    if (!mm_flag(MMX_PACKED)) return k * t->b_row + col * t->b_col;
    return (long)panel_row(col / 16, k & -STEP, t->panel_steps) * (64 / ELEMENT) +
           k / per_word % 16 * (64 / ELEMENT) + col % 16 * per_word + k % per_word;
}

/* Computes one block of 8 x 16 sums; each lane has a column. */
static sum8_t unaligned_block(const work_t *w, const mm_xmx_t *t, const quant_t *q, int block) {
    const int row = w->row + block / NT * 8,
              col = w->col + column_of(block % NT, get_sub_group_local_id());
    const int end = min(k_of(w->last), t->k);
    lines_t sum;
    sum.v = 0;
    for (int k = k_of(w->first); k < end && col < t->n; k++) {
        const sum_t y = element_of_b(w->b_first, place_in_b(t, k, col), q, t, k, col);
        NO_UNROLL_FOR (int r = 0; r < 8; r++) {
            if (row + r >= t->rows) break;
            sum.s[r] += element_of_a(w->a_first, (row + r) * t->a_row + k, q) * y;
        }
    }
    return sum.v;
}

#endif

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

/* The sum of one element of c, over k from `first` to `last`. */
static inline sum_t unaligned_sum(const work_t *w, const mm_xmx_t *t, const quant_t *q, int row,
        int col, int first, int last) {
    const int end = row < t->rows && col < t->n ? min(last, t->k) : first;
    sum_t sum = 0;
    for (int k = first; k < end; k++)
        sum += element_of_a(w->a_first, row * t->a_row + k, q) *
               element_of_b(w->b_first, place_in_b(t, k, col), q, t, k, col);
    return sum;
}

#endif

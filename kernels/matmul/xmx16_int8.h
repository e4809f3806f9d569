/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of matmul/xmx16.cl: 8-bit integers with zero points za and zb. The units multiply the
 * integers as they are, and the sums are corrected at the end:
 *
 *     sum((a - za) * (b - zb)) = sum(a * b) - zb * sum(a) - za * sum(b) + k * za * zb
 *
 * xmx16_direct.h describes each function. */
#ifndef KERNELS_MATMUL_XMX16_INT8_H
#define KERNELS_MATMUL_XMX16_INT8_H

#include "xmx16_work.h"

typedef struct {
    sum8_t row_sum[MT / 8]; /* row sums of a; all lanes hold the same */
    sum8_t col_sum[NT];     /* column sums of b; all rows hold the same */
    uint zero;              /* an opaque 0, see add_extra() */
} extra_t;

static inline int weight_bits(void) {
    return 8;
}

static inline bool needs_row_sums(void) {
    return mm_flag(MMX_ZB);
}
static inline bool needs_col_sums(void) {
    return mm_flag(MMX_ZA);
}

/* With row or column sums, the compiler would move the operands of two steps between registers. */
static inline bool is_double_buffered(void) {
    return !needs_row_sums() && !needs_col_sums();
}

static inline int column_of(int j, int lane) {
    return 16 * j + lane;
}

static inline void read_weights(
        const surface_t *b, const mm_xmx_t *t, int col, int at, uint (*out)[16]) {
    read_same_weights(b, t, col, at, out);
}

static inline sum_t element_of_a(gcptr_t a, long at, const quant_t *q) {
    return load_int(a, at, src_dt()) - (mm_flag(MMX_ZA) ? q->za : 0);
}
static inline sum_t element_of_b(
        gcptr_t b, long at, const quant_t *q, const mm_xmx_t *t, int k, int col) {
    int y = load_int(b, at, wei_dt());
    if (mm_flag(MMX_ZB)) y -= weight_zero(q, t, k, col);
    return y;
}

static inline void clear_extra(extra_t *x, const mm_xmx_t *t, int lane) {
    UNROLL_FOR (int i = 0; i < MT / 8; i++) x->row_sum[i] = 0;
    UNROLL_FOR (int j = 0; j < NT; j++) x->col_sum[j] = 0;
    x->zero = (uint)(t->k + lane) >> 31;
}

/* Row and column sums are products with a matrix of ones. `zero` is a 0 that the compiler cannot
 * see. Without it the compiler would create the ones anew in each step. */
static inline void add_extra(extra_t *x, a_word_t (*a)[A_WORDS], uint (*b)[16]) {
    a_word_t ones_a[A_PIECES][A_WORDS];
    uint ones_b[8];
    UNROLL_FOR (int i = 0; i < A_WORDS; i++) ones_a[0][i] = 0x0101 | x->zero;
    UNROLL_FOR (int i = 0; i < 8; i++) ones_b[i] = 0x01010101 | x->zero;
    UNROLL_FOR (int s = 0; s < 2; s++) {
        UNROLL_FOR (int i = 0; i < MT / 8; i++)
            if (needs_row_sums()) x->row_sum[i] = multiply_rows(a, s, i, ones_b, x->row_sum[i]);
        UNROLL_FOR (int j = 0; j < NT; j++)
            if (needs_col_sums())
                x->col_sum[j] = multiply_rows(ones_a, s, 0, b[j] + 8 * s, x->col_sum[j]);
    }
}

static inline bool has_groups(void) {
    return false;
}
static inline void finish_group(sum8_t (*sum)[NT], extra_t *x, const work_t *w, const mm_xmx_t *t,
        const quant_t *q, int lane, int at) {
    (void)sum, (void)x, (void)w, (void)t, (void)q, (void)lane, (void)at;
}

static inline void finish_sums(
        sum8_t (*sum)[NT], extra_t *x, const work_t *w, const mm_xmx_t *t, quant_t *q, int lane) {
    if (mm_flag(MMX_ZA) && q->za_ptr) q->za = load_int(q->za_ptr, 0, t->za_dt);
    UNROLL_FOR (int i = 0; i < MT / 8; i++)
        UNROLL_FOR (int j = 0; j < NT; j++) {
            const int zb = mm_flag(MMX_ZB) ? weight_zero(q, t, 0, w->col + 16 * j + lane) : 0;
            if (mm_flag(MMX_ZB)) sum[i][j] -= x->row_sum[i] * zb;
            if (mm_flag(MMX_ZA)) sum[i][j] -= x->col_sum[j] * q->za;
            /* this term is added once, not for each part of k */
            if (mm_flag(MMX_ZA) && mm_flag(MMX_ZB) && w->first == 0) sum[i][j] += t->k * q->za * zb;
        }
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of matmul/xmx16.cl: f16 or bf16, and weights of the same type or integers of 8 or 4
 * bits, which xmx_decode.h converts to floats. Groups of k have their own scales and zero points.
 * A decoded weight is too large by an excess, and the zero point adds to it. The kernel subtracts
 * the excess times the sum of the row of a from the sums of a group. xmx16_direct.h describes
 * each function. */
#ifndef KERNELS_MATMUL_XMX16_DECODED_H
#define KERNELS_MATMUL_XMX16_DECODED_H

#include "xmx16_work.h"
#include "xmx_decode.h"

SPEC_GETTER(scale_dt, SPEC_MMX_SCALE_DT, DT_F32)

typedef struct {
    sum8_t row_sum[MT / 8];     /* row sums of a in this group of k; all lanes hold the same */
    sum8_t all_sum[MT / 8][NT]; /* sums of the groups before, with their scales */
    uint zero;                  /* an opaque 0, see add_extra() */
} extra_t;

static inline bool needs_row_sums(void) {
    return is_decoded() && (is_in_mantissa() || mm_flag(MMX_ZB));
}

/* With decoding, the compiler would move the operands of two steps between registers. */
static inline bool is_double_buffered(void) {
    return !is_decoded();
}

static inline float weight_scale(const quant_t *q, const mm_xmx_t *t, int k, int col) {
    return load_1(q->scale, quant_number(&t->scale, k, min(col, t->n - 1)), scale_dt());
}

/* Decoded weights that are stored row by row have the even columns of 32 in one block and the odd
 * columns in the next. */
static inline int column_of(int j, int lane) {
    if (is_decoded() && !mm_flag(MMX_COLUMNS)) return j / 2 * 32 + 2 * lane + j % 2;
    return 16 * j + lane;
}

static inline void read_weights(
        const surface_t *b, const mm_xmx_t *t, int col, int at, uint (*out)[16]) {
    if (!is_decoded()) read_same_weights(b, t, col, at, out);
    else if (mm_flag(MMX_COLUMNS)) decode_columns(b, col, k_of(at), out);
    else decode_rows(b, col, k_of(at), out);
}

static inline sum_t element_of_a(gcptr_t a, long at, const quant_t *q) {
    (void)q;
    return load_1(a, at, src_dt());
}
static inline sum_t element_of_b(
        gcptr_t b, long at, const quant_t *q, const mm_xmx_t *t, int k, int col) {
    float y = load_1(b, at, wei_dt());
    if (mm_flag(MMX_ZB)) y -= weight_zero(q, t, k, col);
    if (mm_flag(MMX_SCALES)) y *= weight_scale(q, t, k, col);
    return y;
}

static inline void clear_extra(extra_t *x, const mm_xmx_t *t, int lane) {
    UNROLL_FOR (int i = 0; i < MT / 8; i++) x->row_sum[i] = 0;
    clear_sums(x->all_sum);
    x->zero = (uint)(t->k + lane) >> 31;
}

/* Row sums are products with a matrix of ones. `zero` is a 0 that the compiler cannot see. Without
 * it the compiler would create the ones anew in each step. */
static inline void add_extra(extra_t *x, a_word_t (*a)[A_WORDS], uint (*b)[16]) {
    uint ones[8];
    (void)b;
    UNROLL_FOR (int i = 0; i < 8; i++) ones[i] = decoded_one() | x->zero;
    UNROLL_FOR (int s = 0; s < 2; s++)
        UNROLL_FOR (int i = 0; i < MT / 8; i++)
            if (needs_row_sums()) x->row_sum[i] = multiply_rows(a, s, i, ones, x->row_sum[i]);
}

static inline bool has_groups(void) {
    return is_decoded();
}

/* Finishes the group that begins at `at`: subtracts the excess and applies the scale. */
static inline void finish_group(sum8_t (*sum)[NT], extra_t *x, const work_t *w, const mm_xmx_t *t,
        const quant_t *q, int lane, int at) {
    UNROLL_FOR (int j = 0; j < NT; j++) {
        const int col = w->col + column_of(j, lane), k = k_of(at);
        const float scale = (mm_flag(MMX_SCALES) ? weight_scale(q, t, k, col) : 1) / decoded_unit();
        const int zero = mm_flag(MMX_ZB) ? weight_zero(q, t, k, col) : 0;
        const float excess = decoded_unit() * (decoded_excess(j) + zero);
        UNROLL_FOR (int i = 0; i < MT / 8; i++) {
            if (needs_row_sums()) sum[i][j] -= x->row_sum[i] * excess;
            x->all_sum[i][j] = mad(sum[i][j], (float8)scale, x->all_sum[i][j]);
            sum[i][j] = 0;
        }
    }
    UNROLL_FOR (int i = 0; i < MT / 8; i++) x->row_sum[i] = 0;
}

static inline void finish_sums(
        sum8_t (*sum)[NT], extra_t *x, const work_t *w, const mm_xmx_t *t, quant_t *q, int lane) {
    (void)w, (void)t, (void)q, (void)lane;
    UNROLL_FOR (int i = 0; i < MT / 8; i++)
        UNROLL_FOR (int j = 0; j < NT; j++)
            if (is_decoded()) sum[i][j] = x->all_sum[i][j];
}

#endif

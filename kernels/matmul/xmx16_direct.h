/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of matmul/xmx16.cl that the matrix units multiply as they are; their sums are the result.
 *
 * This file, xmx16_int8.h and xmx16_decoded.h define the same functions and the type extra_t.
 * extra_t holds the sums that a sub-group computes besides the products. */
#ifndef KERNELS_MATMUL_XMX16_DIRECT_H
#define KERNELS_MATMUL_XMX16_DIRECT_H

#include "xmx16_work.h"

typedef struct {
    char nothing;
} extra_t;

static inline int weight_bits(void) {
    return 8 * ELEMENT;
}

/* True if the operands of a step are loaded before the products of the previous step. Tiles of many
 * rows have no registers for two steps. */
static inline bool is_double_buffered(void) {
    return MT < 32;
}

/* The column of the tile that a lane computes in block j of a row of blocks. */
static inline int column_of(int j, int lane) {
    return 16 * j + lane;
}

static inline void read_weights(
        const surface_t *b, const mm_xmx_t *t, int col, int at, uint (*out)[16]) {
    read_same_weights(b, t, col, at, out);
}

/* Loads one element of a, or of b, from addresses that block loads do not support. */
static inline sum_t element_of_a(gcptr_t a, long at, const quant_t *q) {
    (void)q;
#ifdef INTS
    return load_int(a, at, src_dt());
#else
    return load_1(a, at, src_dt());
#endif
}
static inline sum_t element_of_b(
        gcptr_t b, long at, const quant_t *q, const mm_xmx_t *t, int k, int col) {
    (void)q, (void)t, (void)k, (void)col;
#ifdef INTS
    return load_int(b, at, wei_dt());
#else
    return load_1(b, at, wei_dt());
#endif
}

static inline void clear_extra(extra_t *x, const mm_xmx_t *t, int lane) {
    (void)x, (void)t, (void)lane;
}
static inline void add_extra(extra_t *x, a_word_t (*a)[A_WORDS], uint (*b)[16]) {
    (void)x, (void)a, (void)b;
}

/* True if groups of k have their own factors. */
static inline bool has_groups(void) {
    return false;
}
static inline void finish_group(sum8_t (*sum)[NT], extra_t *x, const work_t *w, const mm_xmx_t *t,
        const quant_t *q, int lane, int at) {
    (void)sum, (void)x, (void)w, (void)t, (void)q, (void)lane, (void)at;
}
static inline void finish_sums(
        sum8_t (*sum)[NT], extra_t *x, const work_t *w, const mm_xmx_t *t, quant_t *q, int lane) {
    (void)sum, (void)x, (void)w, (void)t, (void)q, (void)lane;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The loop along k of matmul/xmx16.cl: it loads a step, prefetches later steps, and multiplies. */
#ifndef KERNELS_MATMUL_XMX16_LOOP_H
#define KERNELS_MATMUL_XMX16_LOOP_H

#include "xmx16_work.h"

/* ---- prefetch by each sub-group ---- */

static inline void prefetch_rows_of_b(const surface_t *b, int col, int k) {
    const int bits = weight_bits(), x = col * bits / 16;
    /* Two blocks of 16 rows and 16 columns: of two steps, one block at each step. */
    if (ELEMENT == 4) prefetch_32_rows(b, x + 2 * (k & 16), k & ~31);
    else if (bits == 16) prefetch_32_rows(b, x, k);
    else if (ELEMENT == 2) prefetch_32_half_rows(b, x, k);
    else
        UNROLL_FOR (int i = 0; i < 2; i++) prefetch_32_half_rows(b, x, k + 32 * i);
}

/* Prefetches the data that the tile itself reads at position `at`, a few steps later. */
static inline void prefetch_tile(const work_t *w, const mm_xmx_t *t, int at) {
    const surface_t *b = &w->b;
    const int bits = weight_bits(), k = k_of(at);
    if (mm_flag(MMX_PAIRS)) prefetch_32_rows(&w->a, at, w->row + w->a_part);
    else if (MT >= 32)
        UNROLL_FOR (int i = 0; i < MT; i += 32) prefetch_32_rows(&w->a, at, w->row + i);
    UNROLL_FOR (int j = 0; j < NT; j += 2) {
        const int col = w->col + 16 * j;
        if (mm_flag(MMX_PACKED))
            prefetch_32_rows(b, 0, panel_row(w->col / 16 + j, 0, t->panel_steps) + at);
        else if (mm_flag(MMX_COLUMNS) && bits == 8 * ELEMENT) prefetch_32_rows(b, at, col);
        else if (mm_flag(MMX_COLUMNS)) prefetch_32_half_rows(b, bits == 8 ? k >> 1 : k >> 2, col);
        else prefetch_rows_of_b(b, col, k);
    }
}

/* The messages of these prefetches, where the loop keeps them. It changes a coordinate in each
 * step, where Intel's compiler would build a message in 8 issue slots. */
#if !defined(INTS) && MT == 64 && NT == 2
typedef struct {
    message_t a, a_next, b; /* a_next: the other 32 rows; with MMX_PAIRS a pair has them */
} messages_t;

static inline messages_t tile_messages(const work_t *w, const mm_xmx_t *t) {
    messages_t m;
    (void)t;
    m.a = m.a_next = m.b = 0;
    if (mm_flag(MMX_PREFETCH)) return m; /* the work-group prefetches */
    m.a = prefetch_message(&w->a, 0, w->row + (mm_flag(MMX_PAIRS) ? w->a_part : 0));
    if (!mm_flag(MMX_PAIRS)) m.a_next = prefetch_message(&w->a, 0, w->row + 32);
    if (mm_flag(MMX_COLUMNS)) m.b = prefetch_message(&w->b, 0, w->col);
    else m.b = prefetch_message(&w->b, mm_flag(MMX_PACKED) ? 0 : w->col * ELEMENT / 2, 0);
    return m;
}

static inline void prefetch_messages(
        const messages_t *m, const work_t *w, const mm_xmx_t *t, int at) {
    const int k = k_of(at);
    prefetch_at_x(m->a, &w->a, at);
    if (!mm_flag(MMX_PAIRS)) prefetch_at_x(m->a_next, &w->a, at);
    if (mm_flag(MMX_COLUMNS)) prefetch_at_x(m->b, &w->b, at);
    else if (mm_flag(MMX_PACKED))
        prefetch_at_row(m->b, panel_row(w->col / 16, 0, t->panel_steps) + at);
    else if (ELEMENT == 2) prefetch_at_row(m->b, k);
    else prefetch_at(m->b, &w->b, 2 * w->col + 2 * (k & 16), k & ~31); /* half of two steps */
}
#else
typedef struct {
    char nothing;
} messages_t;

static inline messages_t tile_messages(const work_t *w, const mm_xmx_t *t) {
    const messages_t m = {0};
    (void)w, (void)t;
    return m;
}

static inline void prefetch_messages(
        const messages_t *m, const work_t *w, const mm_xmx_t *t, int at) {
    (void)m;
    prefetch_tile(w, t, at);
}
#endif

/* ---- prefetch by a work-group ----
 * The tiles of a work-group share 256 rows of a and 256 columns of b. Each sub-group prefetches 16
 * lines of 64 bytes. The first half of the sub-groups prefetches a, the other half prefetches b. */

typedef struct {
    surface_t s;
    int x, row;           /* corner at the first step; x is in units of 16 bits */
    int along_x, along_y; /* all bits set if steps advance in this direction, else 0 */
} group_prefetch_t;

/* Rows of b from the first one to position `at`. */
static inline int rows_to(int at) {
    return mm_flag(MMX_PACKED) ? at : k_of(at);
}

/* Finds the corner for sub-group number `sg` of its half, in b if `of_b` is set and otherwise
 * in a. */
static inline void place_prefetch(
        group_prefetch_t *p, const work_t *w, const mm_xmx_t *t, bool of_b, int sg) {
    const bool by_rows = of_b && !mm_flag(MMX_PACKED) && !mm_flag(MMX_COLUMNS);
    const int row = w->group_row, col = w->group_col;
    if (by_rows && ELEMENT == 4) p->x = 2 * col + sg * 32;
    else if (by_rows && ELEMENT == 2) p->x = col + sg % 8 * 32, p->row = sg / 8 * 16;
    else if (by_rows) p->x = col / 2 + sg % 4 * 32, p->row = sg / 4 * 16;
    else if (of_b && mm_flag(MMX_PACKED))
        p->row = panel_row(col / 16 + sg / 2 * 2, 0, t->panel_steps) + sg % 2 * 16;
    else p->row = (of_b ? col : row) + sg * 16;
}

static inline group_prefetch_t group_prefetch(const work_t *w, const mm_xmx_t *t, int sg) {
    const bool of_b = sg >= MMX_GROUP / 2;
    group_prefetch_t p = {of_b ? w->b : w->a, 0, 0, 0, 0};
    /* A product instead of a conditional. For a conditional, Intel's compiler keeps the lower and
     * the upper half of the address apart and joins them in each step. */
    p.s.base = (gptr_t)((ulong)w->a.base +
                        ((ulong)w->b.base - (ulong)w->a.base) * (ulong)(sg / (MMX_GROUP / 2)));
    place_prefetch(&p, w, t, of_b, sg % (MMX_GROUP / 2));
    p.along_y = of_b && !mm_flag(MMX_COLUMNS) ? -1 : 0;
    p.along_x = ~p.along_y;
    p.x += p.s.x / 2 + (AHEAD * 32 & p.along_x);
    p.row += rows_to(AHEAD * 32) & p.along_y;
    p.s.x = 0;
    return p;
}

static inline void prefetch_group(const group_prefetch_t *p, int at) {
    if (mm_flag(MMX_COLUMNS)) prefetch_16_rows(&p->s, p->x + at, p->row);
    else prefetch_16_rows(&p->s, p->x + (at & p->along_x), p->row + (rows_to(at) & p->along_y));
}

/* ---- double-buffered steps ----
 * The operands of a step are loaded before the products of the previous step. The last loads of the
 * loop are not used. */

typedef struct {
    rows8_t a[2][MT / 8];
    int8 b[2][NT];
} operands_t;

static inline int8 read_b_operand(const work_t *w, const mm_xmx_t *t, int j, int at, int h) {
    const int col = w->col + 16 * j;
    if (mm_flag(MMX_PACKED))
        return read_packed_operand(&w->b, panel_row(col / 16, 0, t->panel_steps) + at + 8 * h);
    if (mm_flag(MMX_COLUMNS)) return read_columns_operand(&w->b, col, at + 16 * h);
    return read_plain_operand(&w->b, col, k_of(at + 16 * h));
}

static inline void read_operands(operands_t *x, const work_t *w, const mm_xmx_t *t, int at) {
    UNROLL_FOR (int h = 0; h < 2; h++) {
        UNROLL_FOR (int i = 0; i < MT / 8; i++)
            x->a[h][i] = read_a_operand(&w->a, at + 16 * h, w->row + 8 * i);
        UNROLL_FOR (int j = 0; j < NT; j++) x->b[h][j] = read_b_operand(w, t, j, at, h);
    }
}

static inline void multiply_operands(sum8_t (*sum)[NT], const operands_t *x) {
    UNROLL_FOR (int h = 0; h < 2; h++)
        UNROLL_FOR (int j = 0; j < NT; j++)
            UNROLL_FOR (int i = 0; i < MT / 8; i++)
                sum[i][j] = multiply(x->a[h][i], x->b[h][j], sum[i][j]);
}

static inline void add_double_buffered(
        sum8_t (*sum)[NT], const work_t *w, const mm_xmx_t *t, int at, int end) {
    /* The loop ends at the last pair of steps. For TF32 Intel's compiler makes a shorter loop if it
     * compares `at` itself, for the other types if it compares the next step. */
    const int lead = ELEMENT == 4 ? 0 : 32, stop = end - 32 + lead;
    const int steps = (end - at + 31) / 32;
    operands_t even, odd;
    read_operands(&even, w, t, at);
    for (; at + lead < stop; at += 64) {
        read_operands(&odd, w, t, at + 32);
        prefetch_tile(w, t, at + AHEAD * 32);
        multiply_operands(sum, &even);
        read_operands(&even, w, t, at + 64);
        prefetch_tile(w, t, at + (AHEAD + 1) * 32);
        multiply_operands(sum, &odd);
    }
    if (steps > 0 && steps % 2 != 0) multiply_operands(sum, &even);
}

/* ---- the loop ---- */

/* Adds the products from position `at` to `end`. With MMX_BLOCKS there is at least a step: if the
 * loop might not run, Intel's compiler would clear the sums a second time for that case. */
static inline void add_products(sum8_t (*sum)[NT], extra_t *extra, const work_t *w,
        const mm_xmx_t *t, const group_prefetch_t *group, int at, int end) {
    if (is_double_buffered()) {
        add_double_buffered(sum, w, t, at, end);
        return;
    }
    const messages_t messages = tile_messages(w, t);
    if (!mm_flag(MMX_BLOCKS) && at >= end) return;
    do {
        a_word_t a[A_PIECES][A_WORDS];
        uint b[NT][16];
        read_weights(&w->b, t, w->col, at, b);
        read_a(&w->a, at, w->row, a);
        if (mm_flag(MMX_PREFETCH)) prefetch_group(group, at);
        else prefetch_messages(&messages, w, t, at + AHEAD * 32);
        multiply_step(sum, a, b);
        add_extra(extra, a, b);
        at += 32;
    } while (at < end);
}

/* Computes the sums of a tile over the sub-group's part of k. */
static inline void accumulate(
        sum8_t (*sum)[NT], const work_t *w, const mm_xmx_t *t, quant_t *q, const member_t *m) {
    clear_sums(sum);
    const group_prefetch_t group = group_prefetch(w, t, m->sg);
    const int end = !mm_flag(MMX_BLOCKS) && w->unaligned ? 0 : w->last;
    extra_t extra;
    clear_extra(&extra, t, m->lane);
    if (has_groups()) {
        const int length = mm_flag(MMX_GROUPS) ? t->group : w->last;
        for (int at = w->first; at < end; at += length) {
            add_products(sum, &extra, w, t, &group, at, min(at + length, end));
            finish_group(sum, &extra, w, t, q, m->lane, at);
        }
    } else {
        add_products(sum, &extra, w, t, &group, w->first, end);
    }
    finish_sums(sum, &extra, w, t, q, m->lane);
}

#endif

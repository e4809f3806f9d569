/* SPDX-License-Identifier: Apache-2.0 */
/* Packs a matrix of bytes or bf16 for dot products: words of DOTS elements along k. A matrix b gets
 * panels of 16 * nv columns, a matrix a keeps its rows. Bytes of the other sign move by 128. */
#define VW 16
#include "matmul_params.h"
#include "../lib/dots.h"
#include "pack.h"

/* The bits of an element as the dot product reads it. */
static inline int load_bits(gcptr_t src, long at, __private const mm_pack_t *p) {
#if DOTS == 4
    return (load_int(src, at, src_dt()) ^ p->flip) & 0xff;
#else
    (void)p;
    return ((__global const ushort *)src)[at];
#endif
}

/* The same of 16 elements that lie one after the other. */
static inline int16 load_bits_16(gcptr_t src, long at, __private const mm_pack_t *p) {
#if DOTS == 4
    if (src_dt() == DT_S8 || src_dt() == DT_U8)
        return convert_int16(vload16(0, src + at)) ^ p->flip;
    union {
        int16 v;
        int s[16];
    } t;
    for (int i = 0; i < 16; i++) t.s[i] = load_bits(src, at + i, p);
    return t.v;
#else
    (void)p;
    return convert_int16(vload16(0, (__global const ushort *)src + at));
#endif
}

/* Do words of columns lie in the source as they are? */
static inline bool has_words(int row, __private const mm_pack_t *p) {
    if (p->src_row != 1 || row + DOTS > p->rows) return false;
#if DOTS == 4
    return src_dt() == DT_S8 || src_dt() == DT_U8;
#else
    return true;
#endif
}

/* The word of a column that begins at row `row`; rows behind the last one are 0. */
static inline int load_column(gcptr_t src, long at, int row, __private const mm_pack_t *p) {
    int word = 0;
    for (int i = 0; i < DOTS && row + i < p->rows; i++)
        word |= load_bits(src, at + i * p->src_row, p) << i * (32 / DOTS);
    return word;
}

/* 16 words of b, of n columns. */
static inline int16 load_words(gcptr_t src, long at, int row, int n, __private const mm_pack_t *p) {
    union {
        int16 v;
        int s[16];
    } t;
    if (p->src_col == 1 && n == 16 && row + DOTS <= p->rows) {
        t.v = load_bits_16(src, at, p);
        UNROLL_FOR (int i = 1; i < DOTS; i++)
            t.v |= load_bits_16(src, at + i * p->src_row, p) << i * (32 / DOTS);
        return t.v;
    }
    t.v = 0;
    if (has_words(row, p)) {
#if DOTS == 4
        for (int i = 0; i < n; i++)
            t.s[i] = load_word(src + at + i * p->src_col, 0) ^ p->flip * 0x01010101;
#else
        __global const ushort *from = (__global const ushort *)src + at;
        for (int i = 0; i < n; i++) t.s[i] = load_word(from + i * p->src_col, 0);
#endif
        return t.v;
    }
    for (int i = 0; i < n; i++) t.s[i] = load_column(src, at + i * p->src_col, row, p);
    return t.v;
}

static inline void pack_rows(gcptr_t src, long from, __global elem_t *dst, int row, int end,
        __private const mm_pack_t *p) {
    const int padded = (p->cols + DOTS - 1) / DOTS * DOTS;
    for (; row < end; row++) {
        __global elem_t *to = dst + row * p->dst_row;
        const long at = from + row * p->src_row;
        int k = 0;
        if (p->src_col == 1)
            for (; k + 16 <= p->cols; k += 16)
#if DOTS == 4
                vstore16(convert_uchar16(load_bits_16(src, at + k, p)), 0, to + k);
#else
                vstore16(convert_ushort16(load_bits_16(src, at + k, p)), 0, to + k);
#endif
        for (; k < p->cols; k++) to[k] = load_bits(src, at + k * p->src_col, p);
        for (; k < padded; k++) to[k] = 0;
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void matmul_pack_dots(
        gcptr_t src, __global int *dst, const mm_pack_t p) {
    int pos[MM_DIMS];
    const long z = get_group_id(2);
    long from = seek_matrix(pos, z, &p);
    int row = get_group_id(1) * p.rows_per_item;
    const int end = min(row + p.rows_per_item, p.rows);
    if (!p.pairs) {
        pack_rows(src, from, (__global elem_t *)dst + z * p.dst_batch, row, end, &p);
        return;
    }
    const int col = get_group_id(0) * 16;
    const int width = clamp(p.cols - col, 0, 16);
    dst += z * p.dst_batch + (long)(get_group_id(0) / p.nv) * p.dst_panel +
           (get_group_id(0) % p.nv) * 16;
    from += col * p.src_col;
    for (; row < end; row += DOTS)
        vstore16(load_words(src, from + row * p.src_row, row, width, &p), 0,
                dst + row / DOTS * p.dst_row);
}

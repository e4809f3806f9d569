/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a source of bytes or bf16 to the layout that dot products read: channels last in whole
 * words, with its padding. Signed bytes move by 128, and so does the padding. */
#define VW 16
#include "conv.h"
#include "../lib/dots.h"

static inline int load_bits(gcptr_t src, long at, __private const cv_prepare_t *p) {
#if DOTS == 4
    return src[at] ^ p->moved;
#else
    (void)p;
    return ((__global const ushort *)src)[at];
#endif
}

/* Copies `count` elements that lie one after the other. */
static inline void copy_elements(
        __global elem_t *to, gcptr_t src, long at, int count, __private const cv_prepare_t *p) {
    int k = 0;
#if DOTS == 4
    const uchar16 moved = (uchar)p->moved;
    for (; k + 16 <= count; k += 16) vstore16(vload16(0, src + at + k) ^ moved, 0, to + k);
#else
    __global const ushort *from = (__global const ushort *)src + at;
    for (; k + 16 <= count; k += 16) vstore16(vload16(0, from + k), 0, to + k);
#endif
    for (; k < count; k++) to[k] = load_bits(src, at + k, p);
}

static inline void fill(__global elem_t *to, int value, int count) {
    int k = 0;
    for (; k + 16 <= count; k += 16)
#if DOTS == 4
        vstore16((uchar16)(uchar)value, 0, to + k);
#else
        vstore16((ushort16)(ushort)value, 0, to + k);
#endif
    for (; k < count; k++) to[k] = value;
}

static inline void copy_pixel(
        __global elem_t *to, gcptr_t src, long from, __private const cv_prepare_t *p) {
    if (p->channels == DOTS && p->src.c_inner == 1) { /* a word */
        int word = 0;
        UNROLL_FOR (int c = 0; c < DOTS; c++)
            if (c < p->src_channels) word |= load_bits(src, from + c, p) << c * (32 / DOTS);
        *(__global int *)to = word;
        return;
    }
    if (p->src.c_inner == 1 && p->src.block >= p->src_channels) {
        copy_elements(to, src, from, p->src_channels, p);
    } else {
        for (int c = 0; c < p->src_channels; c++) {
            const long at = c / p->src.block * p->src.c_outer + c % p->src.block * p->src.c_inner;
            to[c] = load_bits(src, from + at, p);
        }
    }
    for (int c = p->src_channels; c < p->channels; c++) to[c] = 0;
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_prepare_dots(
        gcptr_t src, __global elem_t *dst, const cv_prepare_t p) {
    const int first = get_group_id(0) * p.rows, end = min(first + p.rows, p.nrows);
    for (int row = first; row < end; row++) {
        const int h = row % p.out[1] + p.first[1], d = row / p.out[1] % p.out[0] + p.first[0];
        const long n = row / p.out[1] / p.out[0];
        const bool inside = h >= 0 && h < p.in[1] && d >= 0 && d < p.in[0];
        const long from = n * p.src.n + d * p.src.sp[0] + h * p.src.sp[1];
        __global elem_t *to = dst + (long)row * p.out[2] * p.channels;
        const int stop = inside ? clamp(p.in[2] - p.first[2], 0, p.out[2]) : 0;
        const int begin = inside ? clamp(-p.first[2], 0, stop) : 0;
        fill(to, p.moved, begin * p.channels);
        if (p.flat && p.src_channels == p.channels) {
            copy_elements(to + begin * p.channels, src, from + (begin + p.first[2]) * p.src.sp[2],
                    (stop - begin) * p.channels, &p);
        } else {
            for (int x = begin; x < stop; x++)
                copy_pixel(to + x * p.channels, src, from + (x + p.first[2]) * p.src.sp[2], &p);
        }
        fill(to + stop * p.channels, p.moved, (p.out[2] - stop) * p.channels);
    }
}

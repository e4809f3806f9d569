/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling for CPUs, where the width is contiguous in the source. The kernel interpolates a row
 * in depth and height first and then along the width. */
#define VW 16
#include "place.h"
#include "resample.h"

/* Elements of a row, with room for a vector on both sides. */
enum { MARGIN = 16 };
typedef union {
    float16 v[RS_MAX_ROW / 16 + 2];
    float s[RS_MAX_ROW + 2 * MARGIN];
} row_t;

typedef union {
    float16 v;
    float s[16];
} row_16_t;

/* True if the destination is twice as wide as the source: what a result reads is known. */
static inline bool twice(void) {
    return (flags() & RSF_TWICE) != 0;
}

/* Adds weight * row to n elements of the buffer. */
static inline void add_row(row_t *buffer, gcptr_t src, long from, int n, float weight, bool first) {
    NO_UNROLL_FOR (int k = 0; k < n; k += 16) {
        const float16 v = (float16)weight * load_v(src, from + k, 1, min(16, n - k), src_dt());
        buffer->v[k / 16 + 1] = first ? v : buffer->v[k / 16 + 1] + v;
    }
}

/* 16 results, two of each element of the row from number i on: the element itself, or a quarter of
 * its neighbour and three quarters of it. */
static inline float16 doubled(const row_t *buffer, int i) {
    const float *at = buffer->s + MARGIN + i;
    const float8 v = vload8(0, at);
    float16 x;
    x.even = is_linear() ? fma(0.75f, v, 0.25f * vload8(0, at - 1)) : v;
    x.odd = is_linear() ? fma(0.25f, vload8(0, at + 1), 0.75f * v) : v;
    return x;
}

/* The neighbour of an element at the end of the source is the element. */
static inline void repeat_ends(row_t *buffer, int count) {
    buffer->s[MARGIN - 1] = buffer->s[MARGIN];
    buffer->s[MARGIN + count] = buffer->s[MARGIN + count - 1];
}

/* Interpolates n results between element at[] and the next one. */
static inline float16 between(const row_t *buffer, const int *at, float16 w, int n, int count) {
    row_16_t a, b;
    UNROLL_FOR (int j = 0; j < 16; j++) {
        const int l = j < n ? at[j] : 0;
        a.s[j] = buffer->s[MARGIN + l];
        if (is_linear()) b.s[j] = buffer->s[MARGIN + min(l + 1, count - 1)];
    }
    if (!is_linear()) return a.v;
    /* An infinity of weight 0 must not make the result NaN. */
    const float16 mix = fma(w, b.v, (1.0f - w) * a.v);
    return w == 0.0f ? a.v : (w == 1.0f ? b.v : mix);
}

/* Moves on to the next row: height, depth, channel and image. */
static inline void next_place(
        int *h, int *d, int *c, int *n, __private const resample_params_t *p) {
    if (++*h < p->out[1]) return;
    *h = 0;
    if (++*d < p->out[0]) return;
    *d = 0;
    if (++*c < p->padded_channels) return;
    *c = 0;
    ++*n;
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void resample_rows(
        gcptr_t src, gptr_t dst, const resample_params_t p, PO_ARGS) {
    po_ctx_t ctx = PO_CTX;
    int pos[6];
    row_t buffer;
    const bool stream = (flags() & RSF_STREAM) && ((ulong)dst & 63) == 0 && p.dst.sp[2] == 1;
    union {
        int16 v[RS_MAX_ROW / 16];
        int s[RS_MAX_ROW];
    } lo;
    union {
        float16 v[RS_MAX_ROW / 16];
        float s[RS_MAX_ROW];
    } weight;
    const int begin = get_group_id(0) * p.span, width = min(p.span, p.out[2] - begin);
    /* Finds the source position of each result. All rows share these positions. */
    const int base = between_of(begin, p.in[2], p.out[2]).lo;
    const int count =
            min(between_of(begin + width - 1, p.in[2], p.out[2]).hi - base + 1, (int)RS_MAX_ROW);
    const long den = 2 * (long)p.out[2], step = 2 * (long)p.in[2];
    const long whole = step / den, part = step % den;
    long num = (2 * (long)begin + 1) * p.in[2] - (is_linear() ? p.out[2] : 0),
         i = num < 0 ? -1 : num / den;
    long rest = num - i * den;
    NO_UNROLL_FOR (int k = 0; k < width; k++) {
        /* At the ends both elements are the same. */
        const int at = clamp((int)i - base, 0, max(count - (is_linear() ? 2 : 1), 0));
        lo.s[k] = at;
        weight.s[k] = !is_linear() || i < 0 ? (int)i - base - at
                                            : min((int)i - base - at + (float)rest / (float)den,
                                                      (float)(count - 1 - at));
        if (i < 0) weight.s[k] = 0;
        i += whole;
        rest += part;
        if (rest >= den) {
            rest -= den;
            i++;
        }
    }

    const int first_row = get_group_id(1) * p.rows,
              last_row = min(first_row + (int)p.rows, (int)p.nrows);
    int c = first_row / p.out[1] / p.out[0] % p.padded_channels;
    pos[0] = first_row / p.out[1] / p.out[0] / p.padded_channels;
    pos[3] = first_row / p.out[1] % p.out[0];
    pos[4] = first_row % p.out[1];
    long there = -1; /* the element of the source that begins the buffer's row; -1: unknown */
    for (int row = first_row; row < last_row; row++, next_place(&pos[4], &pos[3], &c, pos, &p)) {
        pos[1] = c / p.dst.block;
        pos[2] = c % p.dst.block;
        const long dst_at = pos[0] * p.dst.n + pos[1] * p.dst.c_outer + pos[2] * p.dst.c_inner +
                            pos[3] * p.dst.sp[0] + pos[4] * p.dst.sp[1];
        const bool valid = c < p.channels;
        if (valid) {
            const long from = pos[0] * p.src.n + channel_at(&p.src, c) + base;
            const between_t bd = between_of(pos[3], p.in[0], p.out[0]),
                            bh = between_of(pos[4], p.in[1], p.out[1]);
            const long begins = from + bd.lo * p.src.sp[0] + bh.lo * p.src.sp[1];
            const bool again = !is_linear() && begins == there;
            bool first = true;
            there = begins;
            NO_UNROLL_FOR (int corner = 0; corner < 4 && !again; corner++) {
                const bool d = (corner & 2) != 0, h = (corner & 1) != 0;
                const float w = (d ? bd.w : 1 - bd.w) * (h ? bh.w : 1 - bh.w);
                if (w == 0) continue;
                add_row(&buffer, src,
                        from + (d ? bd.hi : bd.lo) * p.src.sp[0] +
                                (h ? bh.hi : bh.lo) * p.src.sp[1],
                        count, w, first);
                first = false;
            }
            if (twice() && is_linear()) repeat_ends(&buffer, count);
            if (po_count() > 0) po_seek(&ctx, &po, pos, 5);
        }
        int k = 0;
        /* What the loop below does for whole vectors, with fewer values to keep in registers. */
        if (twice() && po_count() == 0 && stream && valid && (dst_at + begin) % 16 == 0)
            NO_UNROLL_FOR (; k + 16 <= width; k += 16)
                stream_16(doubled(&buffer, (begin + k) / 2 - base), dst, dst_at + begin + k,
                        dst_dt());
        NO_UNROLL_FOR (; k < width; k += 16) {
            const int n = min(16, width - k);
            float16 x = 0;
            if (valid) {
                if (twice()) x = doubled(&buffer, (begin + k) / 2 - base);
                else x = between(&buffer, lo.s + k, weight.v[k / 16], n, count);
                x = po_apply(x, &ctx, &po, begin + k, n);
            }
            const long to = dst_at + (begin + k) * p.dst.sp[2];
            if (stream && n == 16 && to % 16 == 0) stream_16(x, dst, to, dst_dt());
            else store_v(x, dst, to, p.dst.sp[2], n, dst_dt());
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling for CPUs, where channels are contiguous in the source: vectors of 16 channels. */
#define VW 16
#include "resample.h"

enum { MAX_LINES = 4 };

/* Rows of the source and their weights. */
typedef struct {
    int n;
    long at[MAX_LINES];
    float weight[MAX_LINES];
} lines_t;

static inline lines_t lines_of(__private const resample_params_t *p, int od, int oh) {
    const between_t bd = between_of(od, p->in[0], p->out[0]),
                    bh = between_of(oh, p->in[1], p->out[1]);
    lines_t l;
    l.n = 0;
    NO_UNROLL_FOR (int corner = 0; corner < MAX_LINES; corner++) {
        const bool d = (corner & 2) != 0, h = (corner & 1) != 0;
        const float weight = (d ? bd.w : 1 - bd.w) * (h ? bh.w : 1 - bh.w);
        if (weight == 0) continue;
        l.weight[l.n] = weight;
        l.at[l.n++] = (d ? bd.hi : bd.lo) * p->src.sp[0] + (h ? bh.hi : bh.lo) * p->src.sp[1];
    }
    return l;
}

/* Interpolates 16 channels at `from` between the pixels lo and hi of the first n rows. n is a
 * constant where the function is inlined. It does not read elements of weight 0, because an
 * infinity there would make the sum NaN. */
static inline float16 mix_lines(
        gcptr_t src, long from, __private const lines_t *l, int n, long lo, long hi, float w) {
    if (!is_linear()) return load_16(src, from + l->at[0] + lo, src_dt());
    float16 x = 0;
    UNROLL_FOR (int i = 0; i < n; i++) {
        const float weight = l->weight[i];
        x = mad(load_16(src, from + l->at[i] + lo, src_dt()), (float16)(weight * (1 - w)), x);
        if (w > 0) x = mad(load_16(src, from + l->at[i] + hi, src_dt()), (float16)(weight * w), x);
    }
    return x;
}

static inline float16 mix_any(
        gcptr_t src, long from, __private const lines_t *l, long lo, long hi, float w, int lanes) {
    float16 x = 0;
    NO_UNROLL_FOR (int i = 0; i < 2 * l->n; i++) {
        const bool high = i & 1;
        const float weight = l->weight[i / 2] * (high ? w : 1 - w);
        if (weight == 0) continue;
        x = mad(load_v(src, from + l->at[i / 2] + (high ? hi : lo), 1, lanes, src_dt()),
                (float16)weight, x);
    }
    return x;
}

/* A pixel of `count` channels, a multiple of 16, from the first n rows, without an epilogue. */
static inline void whole_pixel(gcptr_t src, long from, gptr_t dst, long to, int count,
        __private const lines_t *l, int n, long lo, long hi, float w, bool past_caches) {
    NO_UNROLL_FOR (int c = 0; c < count; c += 16, from += 16, to += 16) {
        const float16 x = mix_lines(src, from, l, n, lo, hi, w);
        if (past_caches) stream_16(x, dst, to, dst_dt());
        else store_16(x, dst, to, dst_dt());
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void resample_channels(
        gcptr_t src, gptr_t dst, const resample_params_t p, PO_ARGS) {
    /* A chunk does not cross the border between two blocks of channels. */
    const int begin = get_group_id(0) * p.chunk, end = min(begin + p.chunk, p.padded_channels);
    const long src_c = (begin / p.src.block) * p.src.c_outer + begin % p.src.block;
    const int inner = begin % p.dst.block;
    po_ctx_t ctx = PO_CTX;
    int pos[6];
    pos[1] = begin / p.dst.block;
    const long dst_c = pos[1] * p.dst.c_outer + inner * p.dst.c_inner;
    const bool stream = (flags() & RSF_STREAM) && ((ulong)dst & 63) == 0 && p.dst.c_inner == 1;
    const long den = 2 * (long)p.out[2], step = 2 * (long)p.in[2];
    const int whole = step / den;
    const long part = step % den;
    const int last_row = min((int)(get_group_id(1) + 1) * p.rows, p.nrows);
    for (int row = get_group_id(1) * p.rows; row < last_row; row++) {
        pos[3] = row % p.out[1];
        pos[2] = row / p.out[1] % p.out[0];
        pos[0] = row / p.out[1] / p.out[0];
        const lines_t lines = lines_of(&p, pos[2], pos[3]);
        const long from = pos[0] * p.src.n + src_c;
        const long to = pos[0] * p.dst.n + dst_c + pos[2] * p.dst.sp[0] + pos[3] * p.dst.sp[1];
        /* Computes between_of() incrementally, from one pixel to the next. */
        const long num = p.in[2] - (is_linear() ? p.out[2] : 0);
        int i = num < 0 ? -1 : num / den;
        long rest = num - i * den;
        const int count = end - begin;
        const bool whole_pixels = count % 16 == 0 && end <= p.channels && p.dst.c_inner == 1 &&
                                  lines.n <= 2 && po_count() == 0;
        const bool past_caches = stream && to % 16 == 0 && p.dst.sp[2] % 16 == 0;
        for (int ow = 0; ow < p.out[2]; ow++) {
            const int at_lo = max(i, 0), at_hi = min(i + 1, p.in[2] - 1);
            const float w = is_linear() && at_hi > at_lo ? (float)rest / (float)den : 0;
            const long lo = at_lo * p.src.sp[2], hi = at_hi * p.src.sp[2];
            pos[4] = ow;
            if (whole_pixels && lines.n == 1)
                whole_pixel(src, from, dst, to + ow * p.dst.sp[2], count, &lines, 1, lo, hi, w,
                        past_caches);
            if (whole_pixels && lines.n == 2)
                whole_pixel(src, from, dst, to + ow * p.dst.sp[2], count, &lines, 2, lo, hi, w,
                        past_caches);
            if (po_count() > 0) po_seek(&ctx, &po, pos, 5);
            for (int c = 0; c < count && !whole_pixels; c += 16) {
                const int lanes = clamp(p.channels - begin - c, 0, 16),
                          stored = min(16, end - begin - c);
                float16 x;
                if (lanes == 16 && lines.n == 1) x = mix_lines(src, from + c, &lines, 1, lo, hi, w);
                else if (lanes == 16 && lines.n == 2)
                    x = mix_lines(src, from + c, &lines, 2, lo, hi, w);
                else x = mix_any(src, from + c, &lines, lo, hi, w, lanes);
                if (po_count() > 0 && lanes > 0) x = po_apply(x, &ctx, &po, inner + c, lanes);
                const long dst_at = to + ow * p.dst.sp[2] + c * p.dst.c_inner;
                if (stream && lanes == 16 && dst_at % 16 == 0) stream_16(x, dst, dst_at, dst_dt());
                else
                    store_v(first_lanes(x, lanes, stored), dst, dst_at, p.dst.c_inner, stored,
                            dst_dt());
            }
            i += whole;
            rest += part;
            if (rest >= den) {
                rest -= den;
                i++;
            }
        }
    }
}

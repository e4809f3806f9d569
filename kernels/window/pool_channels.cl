/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling for CPUs, where channels are contiguous in the source. The kernel keeps NC vectors of 16
 * channels in registers, or MANY where there are so many: it then reads longer runs of memory. With
 * the indices of a workspace it keeps up to WIDE of them in the L1 cache instead. */
#include "pool_16.h"

enum { WIDE = 64, MANY = 4 * NC };

typedef struct {
    const taps_t *d, *h, *w;
    int first_index; /* index of the first tap that reads the source; 0: there is none */
} window_t;

/* Pools n vectors. Either `wide` is set, or n is a constant where the function is inlined. */
static inline void pool_vectors(pooled_t *r, int n, bool wide, gcptr_t src, long from, int lanes,
        const pool_params_t *p, const window_t *win) {
    for (int i = 0; i < n; i++) {
        r[i].x = flag(PLF_MAX) ? -INFINITY : 0;
        r[i].index = win->first_index;
    }
    for (int kd = win->d->first; kd < win->d->end; kd++) {
        const long at_d = from + (long)(win->d->at + kd * p->win.dilation[0]) * p->src.sp[0];
        for (int kh = win->h->first; kh < win->h->end; kh++) {
            const long at_h = at_d + (long)(win->h->at + kh * p->win.dilation[1]) * p->src.sp[1];
            const int index = (kd * p->win.k[1] + kh) * p->win.k[2];
            for (int kw = win->w->first; kw < win->w->end; kw++) {
                const long s = at_h + (long)(win->w->at + kw * p->win.dilation[2]) * p->src.sp[2];
                if (wide) {
                    NO_UNROLL_FOR (int i = 0; i < n; i++)
                        pool_in(&r[i], load_16(src, s + 16 * i, src_dt()), index + kw);
                } else
                    UNROLL_FOR (int i = 0; i < n; i++)
                        pool_in(&r[i],
                                lanes == 16 ? load_16(src, s + 16 * i, src_dt())
                                            : load_v(src, s, 1, lanes, src_dt()),
                                index + kw);
            }
        }
    }
}

/* Pools NC vectors of a window that the module knows and that lies in the source. False: there may
 * be a NaN, and x is no result. */
static inline bool pool_known(float16 *x, gcptr_t src, long at, long step_h, long step_w) {
    float16 seen[NC];
    UNROLL_FOR (int i = 0; i < NC; i++) {
        x[i] = flag(PLF_MAX) ? -INFINITY : 0;
        seen[i] = 0;
    }
    EACH_KNOWN(h, known_below(), POOL_MOST_TAPS)
    EACH_KNOWN(w, known_across(), POOL_MOST_TAPS)
    UNROLL_FOR (int i = 0; i < NC; i++)
        pool_ordered(
                &x[i], &seen[i], load_16(src, at + h * step_h + w * step_w + 16 * i, src_dt()));
    float16 all = seen[0];
    UNROLL_FOR (int i = 1; i < NC; i++) all += seen[i];
    return is_ordered(all);
}

/* Pools up to n channels of such a window, as long as there are NC vectors. Returns how many it has
 * pooled. */
static inline int pool_inside(
        gcptr_t src, long src_at, gptr_t dst, long dst_at, int n, const pool_params_t *p) {
    int c = 0;
    for (; c + 16 * NC <= n; c += 16 * NC) {
        float16 x[NC];
        if (!pool_known(x, src, src_at + c, p->src.sp[1], p->src.sp[2])) break;
        UNROLL_FOR (int i = 0; i < NC; i++) {
            if (!flag(PLF_MAX)) x[i] /= (float)(known_across() * known_below());
            store_v(x[i], dst, dst_at + (c + 16 * i) * p->dst.c_inner, p->dst.c_inner, 16,
                    dst_dt());
        }
    }
    return c;
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void pool_channels(
        gcptr_t src, gptr_t dst, gptr_t ws, const pool_params_t p, PO_ARGS) {
    /* A chunk does not cross the border between two blocks of channels. */
    const int begin = get_group_id(0) * p.chunk, end = min(begin + p.chunk, p.padded_channels);
    const long src_c = (begin / p.src.block) * p.src.c_outer + begin % p.src.block;
    const int inner = begin % p.dst.block;
    po_ctx_t ctx = PO_CTX;
    int pos[6];
    pos[1] = begin / p.dst.block;
    const long dst_c = pos[1] * p.dst.c_outer + inner * p.dst.c_inner;
    const int last_row = min((int)(get_group_id(1) + 1) * p.rows, p.nrows);
    for (int row = get_group_id(1) * p.rows; row < last_row; row++) {
        pos[3] = row % p.win.out[1];
        pos[2] = row / p.win.out[1] % p.win.out[0];
        pos[0] = row / p.win.out[1] / p.win.out[0];
        const taps_t td = taps_of(&p.win, 0, pos[2]), th = taps_of(&p.win, 1, pos[3]);
        const long from = pos[0] * p.src.n + src_c;
        const long row_at = pos[0] * p.dst.n + dst_c + pos[2] * p.dst.sp[0] + pos[3] * p.dst.sp[1];
        const bool known = window() && !flag(PLF_WS) && po_count() == 0 && count_of(&td) == 1 &&
                           count_of(&th) == known_below();
        const long line = from + td.at * (long)p.src.sp[0] + th.at * (long)p.src.sp[1];
        for (int ow = 0; ow < p.win.out[2]; ow++) {
            const long dst_at = row_at + ow * p.dst.sp[2];
            const int left = ow * p.win.stride[2] - p.win.pad[2];
            int c = begin;
            if (known && left >= 0 && left + known_across() <= p.win.in[2])
                c += pool_inside(src, line + left * (long)p.src.sp[2], dst, dst_at,
                        min(end, p.channels) - begin, &p);
            if (c == end) continue;
            pos[4] = ow;
            const taps_t tw = taps_of(&p.win, 2, ow);
            const int count = count_of(&td) * count_of(&th) * count_of(&tw);
            const int first_index = (td.first * p.win.k[1] + th.first) * p.win.k[2] + tw.first;
            const window_t win = {&td, &th, &tw, count ? first_index : 0};
            const float divisor =
                    flag(PLF_EXCLUDE) ? max(count, 1) : p.win.k[0] * p.win.k[1] * p.win.k[2];
            if (po_count() > 0) po_seek(&ctx, &po, pos, 5);
            while (c < end) {
                pooled_t r[WIDE];
                const int whole = (min(end, p.channels) - c) / 16;
                int n = 1;
                if (whole >= MANY && flag(PLF_WS)) {
                    n = min(whole, (int)WIDE);
                    pool_vectors(r, n, true, src, from + c - begin, 16, &p, &win);
                } else if (whole >= MANY) {
                    n = MANY;
                    pool_vectors(r, MANY, false, src, from + c - begin, 16, &p, &win);
                } else if (whole >= NC) {
                    n = NC;
                    pool_vectors(r, NC, false, src, from + c - begin, 16, &p, &win);
                } else {
                    const int lanes = clamp(p.channels - c, 0, 16);
                    if (lanes == 16) pool_vectors(r, 1, false, src, from + c - begin, 16, &p, &win);
                    else if (lanes > 0)
                        pool_vectors(r, 1, false, src, from + c - begin, lanes, &p, &win);
                }
                NO_UNROLL_FOR (int i = 0; i < n; i++) {
                    const int at = c + 16 * i, valid = clamp(p.channels - at, 0, 16),
                              stored = min(16, end - at);
                    float16 x = r[i].x;
                    if (!flag(PLF_MAX)) x /= divisor;
                    else if (count == 0) x = p.lowest;
                    if (po_count() > 0 && valid > 0)
                        x = po_apply(x, &ctx, &po, inner + at - begin, valid);
                    const long to = dst_at + (at - begin) * p.dst.c_inner;
                    store_v(first_lanes(x, valid, stored), dst, to, p.dst.c_inner, stored,
                            dst_dt());
                    if (flag(PLF_WS)) {
                        const int16 lane =
                                (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                        store_indices(lane < valid ? r[i].index : (int16)0, ws, to, p.dst.c_inner,
                                stored);
                    }
                }
                c += 16 * n;
            }
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling for CPUs where channels lie next to each other: up to NC vectors of 16 channels at a time. */
#include "pool_16.h"

typedef struct {
    const taps_t *d, *h, *w;
    int first_index; /* of the first tap that reads the source */
} window_t;

/* n is known where this is inlined. */
static inline void pool_vectors(pooled_t *r, int n, gcptr_t src, long from, int lanes, const pool_params_t *p,
        const window_t *win) {
    UNROLL for (int i = 0; i < n; i++) {
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
                UNROLL for (int i = 0; i < n; i++)
                    pool_in(&r[i], lanes == 16 ? load_16(src, s + 16 * i, src_dt()) : load_v(src, s, 1, lanes, src_dt()),
                            index + kw);
            }
        }
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void pool_channels(
        gcptr_t src, gptr_t dst, gptr_t ws, const pool_params_t p, PO_ARGS) {
    const int begin = get_group_id(0) * p.chunk, end = min(begin + p.chunk, p.padded_channels);
    po_ctx_t ctx = PO_CTX;
    int pos[6];
    const int last_row = min((int)(get_group_id(1) + 1) * p.rows, p.nrows);
    for (int row = get_group_id(1) * p.rows; row < last_row; row++) {
        pos[3] = row % p.win.out[1];
        pos[2] = row / p.win.out[1] % p.win.out[0];
        pos[0] = row / p.win.out[1] / p.win.out[0];
        const taps_t td = taps_of(&p.win, 0, pos[2]), th = taps_of(&p.win, 1, pos[3]);
        for (int ow = 0; ow < p.win.out[2]; ow++) {
            pos[4] = ow;
            const taps_t tw = taps_of(&p.win, 2, ow);
            const window_t win = {&td, &th, &tw, (td.first * p.win.k[1] + th.first) * p.win.k[2] + tw.first};
            const int count = count_of(&td) * count_of(&th) * count_of(&tw);
            const float divisor =
                    flag(PLF_EXCLUDE) ? max(count, 1) : p.win.k[0] * p.win.k[1] * p.win.k[2];
            for (int c = begin; c < end;) {
                pooled_t r[NC];
                const long from = pos[0] * p.src.n + (c / p.src.block) * p.src.c_outer + c % p.src.block;
                int n = 1;
                if (c + 16 * NC <= min(end, p.channels) && c % p.src.block + 16 * NC <= p.src.block &&
                        c % p.dst.block + 16 * NC <= p.dst.block) {
                    n = NC;
                    pool_vectors(r, NC, src, from, 16, &p, &win);
                } else {
                    const int lanes = clamp(p.channels - c, 0, 16);
                    if (lanes == 16) pool_vectors(r, 1, src, from, 16, &p, &win);
                    else if (lanes > 0) pool_vectors(r, 1, src, from, lanes, &p, &win);
                }
                pos[1] = c / p.dst.block;
                const int inner = c % p.dst.block;
                const long dst_at = pos[0] * p.dst.n + pos[1] * p.dst.c_outer + inner * p.dst.c_inner +
                                    pos[2] * p.dst.sp[0] + pos[3] * p.dst.sp[1] + ow * p.dst.sp[2];
                if (po_count() > 0) po_seek(&ctx, &po, pos, 5);
                NO_UNROLL for (int i = 0; i < n; i++) {
                    const int at = c + 16 * i, valid = clamp(p.channels - at, 0, 16), stored = min(16, end - at);
                    float16 x = r[i].x;
                    if (!flag(PLF_MAX)) x /= divisor;
                    else if (count == 0) x = p.lowest;
                    if (valid > 0) x = po_apply(x, &ctx, &po, inner + 16 * i, valid);
                    const long to = dst_at + 16 * i * p.dst.c_inner;
                    store_v(first_lanes(x, valid, stored), dst, to, p.dst.c_inner, stored, dst_dt());
                    if (flag(PLF_WS)) {
                        const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
                        store_indices(lane < valid ? r[i].index : (int16)0, ws, to, p.dst.c_inner, stored);
                    }
                }
                c += 16 * n;
            }
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling for GPUs: any types and strides. Neighbouring work-items have neighbouring elements of
 * the result: positions of an image, or with PLF_CHANNELS its channels and then positions. A
 * work-item computes once which taps lie in the source, for the same position of several images and
 * channels. */
#include "place.h"
#include "pool.h"

/* The taps of a position in each dimension, and elements from one to the next. */
typedef struct {
    taps_t tap[3];
    long step[3], at; /* at: of tap 0, from the first element of the image and channel on */
    float divisor;
} region_t;

static inline region_t region_of(const int *pos, const pool_params_t *p) {
    region_t r;
    r.at = 0; /* an initialiser of all would be a table */
    UNROLL_FOR (int d = 0; d < 3; d++) {
        r.tap[d] = taps_of(&p->win, d, pos[d]);
        r.step[d] = p->win.dilation[d] * p->src.sp[d];
        r.at += r.tap[d].at * p->src.sp[d];
    }
    const float count = (float)count_of(&r.tap[0]) * count_of(&r.tap[1]) * count_of(&r.tap[2]),
                all = (float)p->win.k[0] * p->win.k[1] * p->win.k[2];
    r.divisor = flag(PLF_EXCLUDE) ? fmax(count, 1.0f) : all;
    return r;
}

typedef struct {
    float x;
    int index;
} result_t;

static inline result_t pool(gcptr_t src, long from, const region_t *r, const pool_params_t *p) {
    result_t y;
    y.x = flag(PLF_MAX) ? -INFINITY : 0;
    y.index = -1;
    NO_UNROLL_FOR (int kd = r->tap[0].first; kd < r->tap[0].end; kd++) {
        NO_UNROLL_FOR (int kh = r->tap[1].first; kh < r->tap[1].end; kh++) {
            /* The sum of a row: a single sum over a large window would lose the last elements in
             * rounding. */
            float sum = 0;
            long at =
                    from + r->at + kd * r->step[0] + kh * r->step[1] + r->tap[2].first * r->step[2];
            for (int kw = r->tap[2].first; kw < r->tap[2].end; kw++, at += r->step[2]) {
                const float v = load_1(src, at, src_dt());
                if (!flag(PLF_MAX)) {
                    sum += v;
                } else if (y.index < 0 || v > y.x || v != v) {
                    y.x = v;
                    y.index = (kd * p->win.k[1] + kh) * p->win.k[2] + kw;
                }
            }
            if (!flag(PLF_MAX)) y.x += sum;
        }
    }
    if (!flag(PLF_MAX)) y.x /= r->divisor;
    else if (y.index < 0) y.x = p->lowest;
    return y;
}

static inline void store_index(gptr_t ws, long at, int index) {
    if (flag(PLF_WS_U8)) ws[at] = index;
    if (flag(PLF_WS_S32)) ((__global int *)ws)[at] = index;
}

__kernel void pool_group(gcptr_t src, gptr_t dst, gptr_t ws, const pool_params_t p, PO_ARGS) {
    const uint channels = p.padded_channels, beside = flag(PLF_CHANNELS) ? channels : 1;
    uint rest = get_global_id(0);
    if (rest >= (uint)p.win.out[0] * p.win.out[1] * p.win.out[2] * beside) return;
    const int own = flag(PLF_CHANNELS) ? rest % channels : 0;
    rest /= beside;
    int pos[3];
    pos[2] = rest % (uint)p.win.out[2];
    rest /= (uint)p.win.out[2];
    pos[1] = rest % (uint)p.win.out[1];
    pos[0] = rest / (uint)p.win.out[1];
    const region_t region = region_of(pos, &p);
    const long to = pos[0] * p.dst.sp[0] + pos[1] * p.dst.sp[1] + pos[2] * p.dst.sp[2];

    const int first = get_group_id(1) * p.rows, end = min(first + p.rows, p.nrows);
    int n = flag(PLF_CHANNELS) ? first : first / (int)channels,
        c = flag(PLF_CHANNELS) ? own : first % (int)channels;
    po_ctx_t ctx = PO_CTX;
    NO_UNROLL_FOR (int plane = first; plane < end; plane++) {
        const long dst_at = n * p.dst.n + channel_at(&p.dst, c) + to;
        result_t y;
        y.x = 0;
        y.index = 0;
        if (c < p.channels) {
            y = pool(src, n * p.src.n + channel_at(&p.src, c), &region, &p);
            if (po_count() > 0) {
                int at[6];
                at[0] = n, at[1] = c / p.dst.block;
                at[2] = pos[0], at[3] = pos[1], at[4] = pos[2];
                po_seek(&ctx, &po, at, 5);
                y.x = po_apply(y.x, &ctx, &po, c % p.dst.block, 1);
            }
        }
        store_1(y.x, dst, dst_at, dst_dt());
        store_index(ws, dst_at, max(y.index, 0));
        if (flag(PLF_CHANNELS)) n++;
        else if (++c == (int)channels) c = 0, n++;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling for GPUs: any types and strides. A work-item has MR results below one another. It
 * reduces each row of the source that they read once, along the width of the window, and adds that
 * to all results whose windows have the row. Neighbouring work-items have neighbouring results of a
 * row; with PLF_CHANNELS neighbouring channels, p.chunk of them, and then results of a row. */
#include "bytes.h"
#include "place.h"
#include "pool.h"

enum { STRIP = MR, MOST_ROWS = POOL_MOST_ROWS(MR) };

/* Small windows are constants of the module: all loops over them are unrolled. */
SPEC_GETTER(window, SPEC_POOL_WINDOW, 0)

static inline int taps_across(const cv_window_t *w) {
    return window() ? window() & 255 : w->k[2];
}
static inline int taps_below(const cv_window_t *w) {
    return window() ? window() >> 8 & 255 : w->k[1];
}
static inline int rows_apart(const cv_window_t *w) {
    return window() ? window() >> 16 : w->stride[1];
}

/* A maximum or a sum. index: the tap of the maximum; -1: no element has been seen. */
typedef struct {
    float x;
    int index;
} result_t;

static inline result_t nothing(void) {
    result_t r;
    r.x = flag(PLF_MAX) ? -INFINITY : 0.0f;
    r.index = -1;
    return r;
}

/* A NaN stays: nothing is greater. An element that is not inside does not count. */
static inline void pool_element(result_t *r, float x, int index, bool inside) {
    x = inside ? x : flag(PLF_MAX) ? -INFINITY : 0.0f;
    if (!flag(PLF_MAX)) {
        r->x += x;
    } else if (!flag(PLF_WS)) {
        r->x = MAXIMUM(x, r->x);
    } else {
        const bool better = inside && (r->index < 0 || x > r->x || x != x);
        r->x = better ? x : r->x;
        r->index = better ? index : r->index;
    }
}

/* Tap k of a row of the source, at position i. */
static inline void pool_tap(
        result_t *r, gcptr_t src, int row, int i, int k, bool inside, const pool_params_t *p) {
    const int width = p->win.in[2];
    const float x = load_1(src, row + clamp(i, 0, width - 1) * (int)p->src.sp[2], src_dt());
    pool_element(r, x, k, inside && (uint)i < (uint)width);
}

/* The taps of a window in row y of a plane of the source. x: position of tap 0. */
static inline result_t pool_row(gcptr_t src, int y, int x, const pool_params_t *p) {
    result_t r = nothing();
    const int height = p->win.in[1], taps = taps_across(&p->win);
    const bool inside = (uint)y < (uint)height;
    const int row = clamp(y, 0, height - 1) * (int)p->src.sp[1];
    if (window()) {
        EACH_KNOWN(k, taps, POOL_MOST_TAPS) pool_tap(&r, src, row, x + k, k, inside, p);
    } else {
        NO_UNROLL_FOR (int k = 0; k < taps; k++)
            pool_tap(&r, src, row, x + k * p->win.dilation[2], k, inside, p);
    }
    return r;
}

/* Adds a row of the source to the results whose windows have it. i: its place below the first row
 * of the first window; before: index of the plane's first tap. */
static inline void pool_in_row(
        result_t *r, const result_t *row, int i, int before, const pool_params_t *p) {
    const int below = taps_below(&p->win), apart = rows_apart(&p->win);
    UNROLL_FOR (int t = 0; t < STRIP; t++) {
        const int tap = i - t * apart;
        if ((uint)tap < (uint)below)
            pool_element(&r[t], row->x, before + tap * taps_across(&p->win) + row->index,
                    !flag(PLF_WS) || row->index >= 0);
    }
}

/* All rows of a plane of the source. */
static inline void pool_plane(
        result_t *r, gcptr_t src, int y, int x, int before, const pool_params_t *p) {
    const int rows = (STRIP - 1) * rows_apart(&p->win) + taps_below(&p->win);
    if (window()) {
        result_t row[MOST_ROWS];
        EACH_KNOWN(i, rows, MOST_ROWS) row[i] = pool_row(src, y + i, x, p);
        EACH_KNOWN(i, rows, MOST_ROWS) pool_in_row(r, &row[i], i, before, p);
    } else {
        NO_UNROLL_FOR (int i = 0; i < rows; i++) {
            const result_t row = pool_row(src, y + i, x, p);
            pool_in_row(r, &row, i, before, p);
        }
    }
}

static inline void store_index(gptr_t ws, long at, int index) {
    if (flag(PLF_WS_U8)) ws[at] = index;
    if (flag(PLF_WS_S32)) ((__global int *)ws)[at] = index;
}

/* Taps of a window that lie in a row or column of the source, where tap 0 is at position `at`. */
static inline int taps_inside(int at, int taps, int size) {
    return max(min(taps, size - at) - max(-at, 0), 0);
}

/* x / n: the reciprocal, and what its rounding has left out. */
static inline float divide(float x, float n) {
    const float r = 1 / n, q = x * r;
    return fabs(q) < INFINITY ? fma(fma(-q, n, x), r, q) : q;
}

/* What one of the results is in the end. taps: elements that its window sees. */
static inline float finished(float x, int taps, const pool_params_t *p) {
    if (flag(PLF_MAX)) return taps ? x : p->lowest;
    const int all = p->win.k[0] * p->win.k[1] * p->win.k[2];
    if (!flag(PLF_EXCLUDE) || taps == all) return divide(x, all);
    return x / max(taps, 1);
}

/* The strip of a work-item. */
typedef struct {
    int pos[PAR_MAX_DIMS]; /* image, block of channels, depth, first row, column */
    int c;
    int beside; /* taps of all its windows across and in depth */
    long to;    /* its first result in the destination */
} strip_t;

static inline void store_result(float x, int index, int t, const strip_t *s, gptr_t dst, gptr_t ws,
        const pool_params_t *p) {
    const bool valid = s->c < p->channels;
    const long at = s->to + t * p->dst.sp[1];
    store_1(valid ? x : 0, dst, at, dst_dt());
    if (flag(PLF_WS)) store_index(ws, at, max(index, 0));
}

static inline float result_of(float x, int t, const strip_t *s, const pool_params_t *p) {
    const int at = (s->pos[3] + t) * p->win.stride[1] - p->win.pad[1],
              below = taps_inside(at, taps_below(&p->win), p->win.in[1]);
    return finished(x, below * s->beside, p);
}

__kernel void pool_strip(gcptr_t src, gptr_t dst, gptr_t ws, const pool_params_t p, PO_ARGS) {
    const uint chunk = flag(PLF_CHANNELS) ? p.chunk : 1, width = p.win.out[2],
               strips = (p.win.out[1] + STRIP - 1) / STRIP;
    uint item = get_global_id(0);
    strip_t s;
    s.c = get_group_id(1) * chunk + item % chunk;
    item /= chunk;
    s.pos[0] = get_group_id(2);
    s.pos[4] = item % width;
    item /= width;
    s.pos[2] = flag(PLF_FLAT) ? 0 : item / strips;
    s.pos[3] = (item - s.pos[2] * strips) * STRIP;
    const int left = p.win.out[1] - s.pos[3];
    if (left <= 0 || s.pos[2] >= p.win.out[0] || s.c >= p.padded_channels) return;

    const taps_t td = taps_of(&p.win, 0, s.pos[2]), tw = taps_of(&p.win, 2, s.pos[4]);
    const long from = s.pos[0] * p.src.n + plain_channel_at(&p.src, min(s.c, p.channels - 1));
    s.beside = count_of(&td) * count_of(&tw);
    result_t r[STRIP];
    UNROLL_FOR (int t = 0; t < STRIP; t++) r[t] = nothing();
    NO_UNROLL_FOR (int k = td.first; s.c < p.channels && k < td.end; k++) {
        const long plane = from + (td.at + k * p.win.dilation[0]) * p.src.sp[0];
        pool_plane(r, src + plane * element_bytes(src_dt()),
                s.pos[3] * p.win.stride[1] - p.win.pad[1], tw.at, k * p.win.k[1] * p.win.k[2], &p);
        if (flag(PLF_FLAT)) break;
    }

    s.pos[1] = s.c < p.dst.block ? 0 : s.c / p.dst.block;
    s.to = s.pos[0] * p.dst.n + plain_channel_at(&p.dst, s.c) + s.pos[2] * p.dst.sp[0] +
           s.pos[3] * p.dst.sp[1] + s.pos[4] * p.dst.sp[2];
    if (po_count() == 0) {
        UNROLL_FOR (int t = 0; t < STRIP; t++)
            if (t < left)
                store_result(result_of(r[t].x, t, &s, &p), r[t].index, t, &s, dst, ws, &p);
        return;
    }
    po_ctx_t ctx = PO_CTX;
    NO_UNROLL_FOR (int t = 0; t < min(left, (int)STRIP); t++) {
        float x = result_of(AT(r, STRIP, t, .x), t, &s, &p);
        int pos[PAR_MAX_DIMS];
        UNROLL_FOR (int d = 0; d < 5; d++) pos[d] = s.pos[d];
        pos[3] += t;
        po_seek(&ctx, &po, pos, 5);
        x = po_apply(x, &ctx, &po, s.c - s.pos[1] * p.dst.block, 1);
        store_result(x, AT(r, STRIP, t, .index), t, &s, dst, ws, &p);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Backward pooling for CPUs, where the width is contiguous in the gradient of the destination and
 * in the workspace. A work-item owns rows of the result for one channel. It copies each row of
 * windows that reaches a row of the result to a buffer with room at both ends, and adds it up, 16
 * positions at once. Positions are sorted by their remainder (phase) after division by the stride:
 * those of one phase read contiguous windows. */
#define VW 16
#include "place.h"
#include "pool_backward.h"

typedef struct {
    float src[PB_ROW], sums[PB_ROW]; /* a row of windows; the sums, one phase after the other */
    union {
        int index[PB_ROW];   /* PLF_MAX: of the row of windows */
        float share[PB_ROW]; /* PLF_EXCLUDE: one by the elements of the row in a window */
    } of;
    int tap[PB_TAPS],
            shift[PB_TAPS]; /* sorted by phase; position s is tap `tap` of window s - shift */
    int first[PB_TAPS + 1]; /* tap of each phase */
    int most, span;         /* the largest shift; elements of a phase in `sums` */
} row_t;

/* The first of the up to 16 elements that follow x. The last vector of a row overlaps the one
 * before it, so that it has its full length. */
static inline int vector_at(int x, int width) {
    return width >= 16 && x + 16 > width ? width - 16 : x;
}

static inline void sort_taps(row_t *r, const cv_window_t *w) {
    const int stride = w->stride[2], dilation = w->dilation[2];
    int n = 0;
    NO_UNROLL_FOR (int phase = 0; phase < stride; phase++) {
        r->first[phase] = n;
        NO_UNROLL_FOR (int k = 0; k < w->k[2]; k++) {
            if (k * dilation % stride != phase) continue;
            r->tap[n] = k;
            r->shift[n++] = k * dilation / stride;
        }
    }
    r->first[stride] = n;
    r->most = (w->k[2] - 1) * dilation / stride;
    r->span = (w->in[2] + w->pad[2] - 1) / stride + 17;
}

/* The room at both ends stays zero. */
static inline void prepare(row_t *r, const cv_window_t *w) {
    sort_taps(r, w);
    NO_UNROLL_FOR (int i = 0; i < PB_ROW; i += 16) {
        vstore16((float16)0.0f, 0, r->src + i);
        if (flag(PLF_EXCLUDE)) vstore16((float16)1.0f, 0, r->of.share + i);
        else vstore16((int16)0, 0, r->of.index + i);
    }
    if (!flag(PLF_EXCLUDE)) return;
    NO_UNROLL_FOR (int o = 0; o < w->out[2]; o++)
        r->of.share[r->most + o] = 1.0f / count_in(w, 2, o);
}

/* share: one by the rows of the image that the windows read. */
static inline void read_row(
        row_t *r, gcptr_t src, long from, gcptr_t ws, long ws_from, int width, float share) {
    NO_UNROLL_FOR (int x = 0; x < width; x += 16) {
        const int o = vector_at(x, width), n = min(16, width - o), to = r->most + o;
        float16 v = load_v(src, from + o, 1, n, src_dt());
        if (flag(PLF_EXCLUDE)) v *= share * vload16(0, r->of.share + to);
        vstore16(v, 0, r->src + to);
        if (flag(PLF_MAX)) vstore16(load_indices(ws, ws_from + o, n), 0, r->of.index + to);
    }
}

/* Adds the row of windows, whose first tap is `index`, to the sums. */
static inline void add_row(row_t *r, const cv_window_t *w, int index) {
    NO_UNROLL_FOR (int phase = 0; phase < w->stride[2]; phase++) {
        float *sums = r->sums + phase * r->span;
        NO_UNROLL_FOR (int s = w->pad[2] / w->stride[2]; s < r->span - 16; s += 16) {
            float16 sum = 0; /* of a row: a sum of all could lose small terms in rounding */
            NO_UNROLL_FOR (int t = r->first[phase]; t < r->first[phase + 1]; t++) {
                const int at = s + r->most - r->shift[t];
                float16 v = vload16(0, r->src + at);
                if (flag(PLF_MAX))
                    v = vload16(0, r->of.index + at) == index + r->tap[t] ? v : (float16)0.0f;
                sum += v;
            }
            vstore16(vload16(0, sums + s) + sum, 0, sums + s);
        }
    }
}

/* The sums of n positions from w on. */
static inline float16 sums_at(const row_t *r, const cv_window_t *win, int w, int n) {
    const int stride = win->stride[2], at = w + win->pad[2];
    if (stride == 1) return vload16(0, r->sums + at);
    if (stride == 2) {
        const float8 a = vload8(0, r->sums + (at & 1) * r->span + at / 2),
                     b = vload8(0, r->sums + (~at & 1) * r->span + (at + 1) / 2);
        return (float16)(a, b).s08192a3b4c5d6e7f;
    }
    union {
        float16 v;
        float s[16];
    } t;
    t.v = 0;
    int phase = at % stride, s = at / stride;
    NO_UNROLL_FOR (int i = 0; i < n; i++) {
        t.s[i] = r->sums[phase * r->span + s];
        if (++phase < stride) continue;
        phase = 0;
        s++;
    }
    return t.v;
}

/* The sums of the row of the result that lies in these windows. */
static inline void sum_windows(row_t *r, gcptr_t src, long from, gcptr_t ws, long ws_from,
        const pool_backward_params_t *p, const windows_t *d, const windows_t *h) {
    NO_UNROLL_FOR (int i = 0; i < p->win.stride[2] * r->span; i += 16)
        vstore16((float16)0.0f, 0, r->sums + i);
    NO_UNROLL_FOR (int od = d->first; od < d->end; od++) {
        const int kd = tap_of(&p->win, 0, d, od);
        NO_UNROLL_FOR (int oh = h->first; kd >= 0 && oh < h->end; oh++) {
            const int kh = tap_of(&p->win, 1, h, oh);
            if (kh < 0) continue;
            float share = 1;
            if (flag(PLF_EXCLUDE))
                share = 1 / (count_in(&p->win, 0, od) * (float)count_in(&p->win, 1, oh));
            read_row(r, src, from + od * p->src.sp[0] + oh * p->src.sp[1], ws,
                    ws_from + od * p->ws.sp[0] + oh * p->ws.sp[1], p->win.out[2], share);
            add_row(r, &p->win, (kd * p->win.k[1] + kh) * p->win.k[2]);
        }
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void pool_backward_rows(
        gcptr_t src, gptr_t dst, gcptr_t ws, const pool_backward_params_t p) {
    row_t r;
    prepare(&r, &p.win);
    const float share =
            flag(PLF_MAX | PLF_EXCLUDE) ? 1 : 1 / ((float)p.win.k[0] * p.win.k[1] * p.win.k[2]);
    const bool stream = flag(PLF_STREAM) && ((ulong)dst & 63) == 0 && p.dst.sp[2] == 1;
    const int width = p.win.in[2], last_row = min((int)(get_group_id(1) + 1) * p.rows, p.nrows);
    NO_UNROLL_FOR (int row = get_group_id(1) * p.rows; row < last_row; row++) {
        const int h = row % p.win.in[1], d = row / p.win.in[1] % p.win.in[0],
                  channel = row / p.win.in[1] / p.win.in[0], c = channel % p.padded_channels,
                  image = channel / p.padded_channels;
        const long to = image * p.dst.n + channel_at(&p.dst, c) + d * p.dst.sp[0] + h * p.dst.sp[1];
        const bool valid = c < p.channels;
        if (valid) {
            const windows_t of_d = windows_of(&p.win, 0, d), of_h = windows_of(&p.win, 1, h);
            sum_windows(&r, src, image * p.src.n + channel_at(&p.src, c), ws,
                    flag(PLF_MAX) ? image * p.ws.n + channel_at(&p.ws, c) : 0, &p, &of_d, &of_h);
        }
        NO_UNROLL_FOR (int x = 0; x < width; x += 16) {
            const int w = vector_at(x, width), n = min(16, width - w);
            const float16 v = valid ? sums_at(&r, &p.win, w, n) * share : (float16)0.0f;
            const long at = to + w * p.dst.sp[2];
            if (stream && n == 16 && at % 16 == 0) stream_16(v, dst, at, dst_dt());
            else store_v(v, dst, at, p.dst.sp[2], n, dst_dt());
        }
    }
}

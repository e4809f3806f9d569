/* SPDX-License-Identifier: Apache-2.0 */
/* Backward pooling for CPUs, where the width is contiguous in the gradient of the destination and
 * in the workspace. A work-item owns rows of the result for one channel. It copies the rows of
 * windows that reach a row of the result to buffers with room at both ends, and adds them up, 16
 * positions at once. Positions are sorted by their remainder (phase) after division by the stride:
 * those of one phase read contiguous windows. */
#define VW 16
#include "place.h"
#include "pool_backward.h"

/* Buffers of rows of windows: those of a row of the result, and of the next one. GAP: they begin at
 * different places of a page, since a load waits for a store to the same place of another page. */
enum { BUFFERS = 4, GAP = 272 };

/* A row of windows. */
typedef struct {
    long number; /* of all channels; -1: none yet */
    float src[PB_ROW];
    int gap[GAP];
    int index[PB_ROW]; /* PLF_MAX */
} buffer_t;

typedef struct {
    buffer_t buffers[BUFFERS];
    float share[PB_ROW]; /* PLF_EXCLUDE: one by the elements of the row in a window */
    int gap[GAP];
    float sums[PB_ROW]; /* one phase after the other */
    int tap[PB_TAPS + 1],
            shift[PB_TAPS + 1]; /* sorted by phase; position s is tap `tap` of window s - shift */
    int first[PB_TAPS + 1];     /* tap of each phase */
    int most, span;             /* the largest shift; elements of a phase in `sums` */
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
    const int end = max(r->span, (int)w->out[2] + 16) + r->most;
    NO_UNROLL_FOR (int b = 0; b < BUFFERS; b++) {
        r->buffers[b].number = -1;
        NO_UNROLL_FOR (int i = 0; i < end; i += 16) {
            vstore16((float16)0.0f, 0, r->buffers[b].src + i);
            if (flag(PLF_MAX)) vstore16((int16)0, 0, r->buffers[b].index + i);
        }
    }
    if (!flag(PLF_EXCLUDE)) return;
    NO_UNROLL_FOR (int i = 0; i < end; i += 16) vstore16((float16)1.0f, 0, r->share + i);
    NO_UNROLL_FOR (int o = 0; o < w->out[2]; o++) r->share[r->most + o] = 1.0f / count_in(w, 2, o);
}

/* Where the rows of windows of a channel begin. */
typedef struct {
    gcptr_t src, ws;
    long from, ws_from, number;
} planes_t;

/* Copies row (od, oh) of windows, unless its buffer has it. */
static inline buffer_t *read_row(
        row_t *r, const planes_t *planes, int od, int oh, const pool_backward_params_t *p) {
    const int width = p->win.out[2], row = od * p->win.out[1] + oh;
    const long number = planes->number + row;
    buffer_t *b = &r->buffers[row % BUFFERS];
    const long from = planes->from + od * p->src.sp[0] + oh * p->src.sp[1],
               ws_from = planes->ws_from + od * p->ws.sp[0] + oh * p->ws.sp[1];
    if (b->number == number) return b;
    b->number = number;
    float share = 1; /* one by the rows of the image that the windows read */
    if (flag(PLF_EXCLUDE)) share /= count_in(&p->win, 0, od) * (float)count_in(&p->win, 1, oh);
    NO_UNROLL_FOR (int x = 0; x < width; x += 16) {
        const int o = vector_at(x, width), n = min(16, width - o), to = r->most + o;
        float16 v = load_v(planes->src, from + o, 1, n, src_dt());
        if (flag(PLF_EXCLUDE)) v *= share * vload16(0, r->share + to);
        vstore16(v, 0, b->src + to);
        if (flag(PLF_MAX)) vstore16(load_indices(planes->ws, ws_from + o, n), 0, b->index + to);
    }
    return b;
}

/* A tap of a row of windows. */
typedef struct {
    const float *src;
    const int *index;
    int number;
} tap_t;

static inline tap_t tap_of_row(const row_t *r, const buffer_t *b, int t, int index) {
    const int shift = r->most - r->shift[t];
    return (tap_t){b->src + shift, b->index + shift, index + r->tap[t]};
}

/* What it adds to 16 positions. */
static inline float16 part_of(const tap_t *t, int s) {
    const float16 v = vload16(0, t->src + s);
    if (!flag(PLF_MAX)) return v;
    return vload16(0, t->index + s) == t->number ? v : (float16)0.0f;
}

/* Sets 16 sums, or adds to them. */
static inline void add_to(float *sums, float16 v, bool starts) {
    vstore16(starts ? v : vload16(0, sums) + v, 0, sums);
}

#define EACH_VECTOR(s) NO_UNROLL_FOR (int s = begin; s < stop; s += 16)

/* Adds the row of windows, whose first tap is `index`, to the sums, which may start there. */
static inline void add_row(
        row_t *r, const buffer_t *b, const cv_window_t *w, int index, bool starts) {
    const int begin = w->pad[2] / w->stride[2], stop = r->span - 16;
    NO_UNROLL_FOR (int phase = 0; phase < w->stride[2]; phase++) {
        float *sums = r->sums + phase * r->span;
        const int first = r->first[phase], end = r->first[phase + 1];
        const tap_t one = tap_of_row(r, b, first, index),
                    two = tap_of_row(r, b, min(first + 1, PB_TAPS), index),
                    three = tap_of_row(r, b, min(first + 2, PB_TAPS), index);
        if (end == first + 1) {
            EACH_VECTOR(s) add_to(sums + s, part_of(&one, s), starts);
        } else if (end == first + 2) {
            EACH_VECTOR(s) add_to(sums + s, part_of(&one, s) + part_of(&two, s), starts);
        } else if (end == first + 3) {
            EACH_VECTOR(s)
            add_to(sums + s, part_of(&one, s) + part_of(&two, s) + part_of(&three, s), starts);
        } else {
            EACH_VECTOR(s) {
                float16 sum = 0; /* of a row: a sum of all could lose small terms in rounding */
                NO_UNROLL_FOR (int t = first; t < end; t++) {
                    const tap_t tap = tap_of_row(r, b, t, index);
                    sum += part_of(&tap, s);
                }
                add_to(sums + s, sum, starts);
            }
        }
    }
}

/* The sums of 16 positions of one phase or two. */
static inline float16 whole_at(const row_t *r, const cv_window_t *win, int w) {
    const int at = w + win->pad[2];
    if (win->stride[2] == 1) return vload16(0, r->sums + at);
    const float8 a = vload8(0, r->sums + (at & 1) * r->span + at / 2),
                 b = vload8(0, r->sums + (~at & 1) * r->span + (at + 1) / 2);
    return (float16)(a, b).s08192a3b4c5d6e7f;
}

/* The sums of n positions from w on. */
static inline float16 sums_at(const row_t *r, const cv_window_t *win, int w, int n) {
    const int stride = win->stride[2], at = w + win->pad[2];
    if (stride <= 2) return whole_at(r, win, w);
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

/* A row of the result, and the windows that it lies in. */
typedef struct {
    int image, channel, d, h;
    bool valid; /* no padding of the channels */
    planes_t planes;
    windows_t of_d, of_h;
} place_t;

static inline void place_row(
        place_t *at, int row, gcptr_t src, gcptr_t ws, const pool_backward_params_t *p) {
    const int channel = row / p->win.in[1] / p->win.in[0];
    at->h = row % p->win.in[1];
    at->d = row / p->win.in[1] % p->win.in[0];
    at->channel = channel % p->padded_channels;
    at->image = channel / p->padded_channels;
    at->valid = at->channel < p->channels;
    at->of_d = windows_of(&p->win, 0, at->d);
    at->of_h = windows_of(&p->win, 1, at->h);
    at->planes.number = (long)channel * p->win.out[0] * p->win.out[1];
    at->planes.src = src;
    at->planes.ws = ws;
    at->planes.from = at->image * p->src.n + channel_at(&p->src, at->channel);
    at->planes.ws_from = flag(PLF_MAX) ? at->image * p->ws.n + channel_at(&p->ws, at->channel) : 0;
}

/* Moves on by a row. In a plane this takes no division. */
static inline void next_row(
        place_t *at, int row, gcptr_t src, gcptr_t ws, const pool_backward_params_t *p) {
    const int stride = p->win.stride[1], reach = (p->win.k[1] - 1) * p->win.dilation[1];
    windows_t *h = &at->of_h;
    if (++at->h == p->win.in[1]) {
        place_row(at, row, src, ws, p);
        return;
    }
    h->at++;
    if (h->first * stride + reach < h->at) h->first++;
    if (h->end < p->win.out[1] && h->end * stride <= h->at) h->end++;
}

/* Copies the rows of windows of the next row of the result: their stores are over when their
 * elements are loaded, at other offsets. */
static inline void read_ahead(row_t *r, const place_t *at, const pool_backward_params_t *p) {
    const windows_t *d = &at->of_d, *h = &at->of_h;
    if (!at->valid || (d->end - d->first) * (h->end - h->first) > BUFFERS / 2) return;
    NO_UNROLL_FOR (int od = d->first; od < d->end; od++)
        NO_UNROLL_FOR (int oh = h->first; oh < h->end; oh++) read_row(r, &at->planes, od, oh, p);
}

/* The sums of the row. */
static inline void sum_windows(row_t *r, const place_t *at, const pool_backward_params_t *p) {
    const windows_t *d = &at->of_d, *h = &at->of_h;
    bool starts = true;
    NO_UNROLL_FOR (int od = d->first; od < d->end; od++) {
        const int kd = tap_of(&p->win, 0, d, od);
        NO_UNROLL_FOR (int oh = h->first; kd >= 0 && oh < h->end; oh++) {
            const int kh = tap_of(&p->win, 1, h, oh);
            if (kh < 0) continue;
            const buffer_t *b = read_row(r, &at->planes, od, oh, p);
            add_row(r, b, &p->win, (kd * p->win.k[1] + kh) * p->win.k[2], starts);
            starts = false;
        }
    }
    if (!starts) return;
    NO_UNROLL_FOR (int i = 0; i < p->win.stride[2] * r->span; i += 16)
        vstore16((float16)0.0f, 0, r->sums + i);
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void pool_backward_rows(
        gcptr_t src, gptr_t dst, gcptr_t ws, const pool_backward_params_t p) {
    row_t r;
    prepare(&r, &p.win);
    const float share =
            flag(PLF_MAX | PLF_EXCLUDE) ? 1 : 1 / ((float)p.win.k[0] * p.win.k[1] * p.win.k[2]);
    const bool stream = flag(PLF_STREAM) && ((ulong)dst & 63) == 0 && p.dst.sp[2] == 1;
    const bool whole = p.win.stride[2] <= 2 && p.win.in[2] >= 16 && p.dst.sp[2] == 1;
    const int width = p.win.in[2], last_row = min((int)(get_group_id(1) + 1) * p.rows, p.nrows);
    int row = get_group_id(1) * p.rows;
    place_t at, next;
    if (row < last_row) place_row(&next, row, src, ws, &p);
    NO_UNROLL_FOR (; row < last_row; row++) {
        at = next;
        if (at.valid) sum_windows(&r, &at, &p);
        if (row + 1 < last_row) {
            next_row(&next, row + 1, src, ws, &p);
            read_ahead(&r, &next, &p);
        }
        const long to = at.image * p.dst.n + channel_at(&p.dst, at.channel) + at.d * p.dst.sp[0] +
                        at.h * p.dst.sp[1];
        if (whole && at.valid) { /* the loop below has too many cases to stay in registers */
            if (stream && width % 16 == 0 && to % 16 == 0) {
                NO_UNROLL_FOR (int x = 0; x < width; x += 16)
                    stream_16(whole_at(&r, &p.win, x) * share, dst, to + x, dst_dt());
            } else {
                NO_UNROLL_FOR (int x = 0; x < width; x += 16) {
                    const int w = vector_at(x, width);
                    store_v(whole_at(&r, &p.win, w) * share, dst, to + w, 1, 16, dst_dt());
                }
            }
            continue;
        }
        NO_UNROLL_FOR (int x = 0; x < width; x += 16) {
            const int w = vector_at(x, width), n = min(16, width - w);
            const float16 v = at.valid ? sums_at(&r, &p.win, w, n) * share : (float16)0.0f;
            const long element = to + w * p.dst.sp[2];
            if (stream && n == 16 && element % 16 == 0) stream_16(v, dst, element, dst_dt());
            else store_v(v, dst, element, p.dst.sp[2], n, dst_dt());
        }
    }
}

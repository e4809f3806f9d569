/* SPDX-License-Identifier: Apache-2.0 */
/* What windows read, as vectors of 16 columns of a matrix: it has a row for each position of the
 * window, and a column for each tap and channel of a group, channels fastest. Elements outside of
 * the image are zero. */
#ifndef KERNELS_CONV_COLUMNS_H
#define KERNELS_CONV_COLUMNS_H

#include "conv.h"
#include "place.h"

/* 16 columns: where the window reads for each of them, from the window's first element on. */
typedef struct {
    int tap[3][16];
    long from[16];
    int lowest[3], highest[3]; /* of the taps */
    int count;                 /* columns behind it are padding */
    int split;                 /* the elements before it lie next to each other */
    bool two_runs;             /* so do those from there on, at higher addresses */
} columns_t;

/* A column: its channel in the group and its tap. */
typedef struct {
    int channel, tap[3];
} column_t;

static inline column_t seek_column(int column, int channels, const cv_window_t *win) {
    column_t c;
    c.channel = column % channels; /* an initialiser of all would be a table */
    int rest = column / channels;
    for (int d = 2; d >= 0; d--) {
        c.tap[d] = rest % win->k[d];
        rest /= win->k[d];
    }
    return c;
}

static inline void next_column(column_t *c, int channels, const cv_window_t *win) {
    if (++c->channel < channels) return;
    c->channel = 0;
    for (int d = 2; d >= 0; d--) {
        if (++c->tap[d] < win->k[d]) break;
        c->tap[d] = 0;
    }
}

static inline void set_column(columns_t *x, int i, const column_t *c, int first_channel,
        const cv_tensor_t *src, const cv_window_t *win) {
    x->from[i] = channel_at(src, first_channel + c->channel);
    for (int d = 2; d >= 0; d--) {
        const int tap = c->tap[d] * win->dilation[d];
        x->tap[d][i] = tap;
        x->from[i] += tap * src->sp[d];
        x->lowest[d] = i ? min(x->lowest[d], tap) : tap;
        x->highest[d] = i ? max(x->highest[d], tap) : tap;
    }
    if (x->split == 16 && x->from[i] != x->from[0] + i) {
        x->split = i;
        x->two_runs = x->from[i] > x->from[0] + i;
    }
    if (x->split < i && x->from[i] != x->from[x->split] + i - x->split) x->two_runs = false;
}

/* The columns from `column` on, of `columns`. first_channel: of the group. */
static inline void set_columns(columns_t *x, int column, int columns, int channels,
        int first_channel, const cv_tensor_t *src, const cv_window_t *win) {
    column_t c = seek_column(column, channels, win);
    x->count = min(16, columns - column);
    x->split = 16;
    x->two_runs = false;
    for (int i = 0; i < x->count; i++, next_column(&c, channels, win))
        set_column(x, i, &c, first_channel, src, win);
}

/* A position of the window: its image, its place in the destination, and the place in the source
 * at which the window begins. */
typedef struct {
    long n;
    int out[3], at[3];
} position_t;

static inline position_t seek_position(long number, const cv_window_t *win) {
    position_t x;
    for (int d = 2; d >= 0; d--) {
        x.out[d] = (int)(number % win->out[d]);
        number /= win->out[d];
        x.at[d] = x.out[d] * win->stride[d] - win->pad[d];
    }
    x.n = number;
    return x;
}

static inline void next_position(position_t *x, const cv_window_t *win) {
    for (int d = 2; d >= 0; d--) {
        x->at[d] += win->stride[d];
        if (++x->out[d] < win->out[d]) return;
        x->out[d] = 0;
        x->at[d] = -win->pad[d];
    }
    x->n++;
}

static inline bool is_inside(const int *at, const columns_t *x, const cv_window_t *win) {
    bool inside = true;
    for (int d = 0; d < 3; d++)
        if (at[d] + x->lowest[d] < 0 || at[d] + x->highest[d] >= win->in[d]) inside = false;
    return inside;
}

/* Is the element of column i in the image? */
static inline bool reads_image(const int *at, const columns_t *x, int i, const cv_window_t *win) {
    bool inside = true;
    for (int d = 0; d < 3; d++)
        if ((uint)(at[d] + x->tap[d][i]) >= (uint)win->in[d]) inside = false;
    return inside;
}

#if VW == 16
/* The elements of the columns for the window at a position. */
static inline float16 gather(gcptr_t src, const position_t *position, const columns_t *x,
        const cv_tensor_t *t, const cv_window_t *win) {
    const int *at = position->at;
    const long first = position->n * t->n + at[0] * t->sp[0] + at[1] * t->sp[1] + at[2] * t->sp[2];
    const bool inside = is_inside(at, x, win);
    if (inside && x->split == 16) return load_v(src, first + x->from[0], 1, x->count, src_dt());
    if (inside && x->two_runs && x->count == 16) {
        /* What is read of either run beyond its end lies between the two. */
        const float16 low = load_v(src, first + x->from[0], 1, 16, src_dt()),
                      high = load_v(src, first + x->from[x->split] - x->split, 1, 16, src_dt());
        const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        return select(low, high, lane >= x->split);
    }
    union {
        float16 v;
        float s[16];
    } y;
    for (int i = 0; i < 16; i++) {
        const bool reads = i < x->count && (inside || reads_image(at, x, i, win));
        y.s[i] = reads ? load_1(src, first + x->from[i], src_dt()) : 0;
    }
    return y.v;
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Copies what windows read to the rows of a matrix: a row for each position of the window, a column
 * for each tap and channel. Elements outside of the image are zero. */
#include "conv.h"
#include "diff_weights_params.h"
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

static inline void find_column(columns_t *x, int i, int g, int column, const cv_columns_t *p) {
    int rest = column / p->channels;
    x->from[i] = channel_at(&p->src, g * p->channels + column % p->channels);
    for (int d = 2; d >= 0; d--) {
        const int tap = rest % p->win.k[d] * p->win.dilation[d];
        rest /= p->win.k[d];
        x->tap[d][i] = tap;
        x->from[i] += tap * p->src.sp[d];
        x->lowest[d] = i ? min(x->lowest[d], tap) : tap;
        x->highest[d] = i ? max(x->highest[d], tap) : tap;
    }
    if (x->split == 16 && x->from[i] != x->from[0] + i) {
        x->split = i;
        x->two_runs = x->from[i] > x->from[0] + i;
    }
    if (x->split < i && x->from[i] != x->from[x->split] + i - x->split) x->two_runs = false;
}

static inline bool is_inside(const int *at, const columns_t *x, const cv_columns_t *p) {
    bool inside = true;
    for (int d = 0; d < 3; d++)
        if (at[d] + x->lowest[d] < 0 || at[d] + x->highest[d] >= p->win.in[d]) inside = false;
    return inside;
}

/* Is the element of column i in the image? */
static inline bool reads_image(const int *at, const columns_t *x, int i, const cv_columns_t *p) {
    bool inside = true;
    for (int d = 0; d < 3; d++)
        if ((uint)(at[d] + x->tap[d][i]) >= (uint)p->win.in[d]) inside = false;
    return inside;
}

/* The elements of the columns for a window that begins at position at[], or offset `first`. */
static inline float16 gather(
        gcptr_t src, const int *at, long first, const columns_t *x, const cv_columns_t *p) {
    const bool inside = is_inside(at, x, p);
    if (inside && x->split == 16) return load_v(src, first + x->from[0], 1, x->count, src_dt());
    if (inside && x->two_runs && x->count == 16) {
        /* What is read of either run beyond its end lies between the two. */
        const float16 low = load_v(src, first + x->from[0], 1, 16, src_dt()),
                      high = load_v(src, first + x->from[x->split] - x->split, 1, 16, src_dt());
        const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        return select(low, high, lane >= x->split);
    }
    float y[16];
    for (int i = 0; i < 16; i++) {
        const bool reads = i < x->count && (inside || reads_image(at, x, i, p));
        y[i] = reads ? load_1(src, first + x->from[i], src_dt()) : 0;
    }
    return vload16(0, y);
}

/* A work-item writes 16 columns of some rows. */
__kernel void conv_columns(gcptr_t src, gptr_t dst, const cv_columns_t p) {
    const int vector = get_global_id(0);
    long row = (long)get_global_id(1) * p.rows_of_item;
    if (vector >= p.groups * p.vectors || row >= p.rows) return;
    const long end = min(row + p.rows_of_item, (long)p.rows);
    const int g = vector / p.vectors, column = vector % p.vectors * 16;
    columns_t x;
    x.count = min(16, p.columns - column);
    x.split = 16;
    x.two_runs = false;
    for (int i = 0; i < x.count; i++) find_column(&x, i, g, column + i, &p);

    long in_chunk = row % p.chunk;
    long to = g * p.to_group + column / p.panel * p.to_panel + column % p.panel +
              row / p.chunk * p.to_chunk + in_chunk * p.to_row;
    int out[3], at[3];
    long n = p.first + row;
    for (int d = 2; d >= 0; d--) {
        out[d] = (int)(n % p.win.out[d]);
        n /= p.win.out[d];
        at[d] = out[d] * p.win.stride[d] - p.win.pad[d];
    }
    for (; row < end; row++) {
        const long first =
                n * p.src.n + at[0] * p.src.sp[0] + at[1] * p.src.sp[1] + at[2] * p.src.sp[2];
        const float16 y = gather(src, at, first, &x, &p);
        store_v(y, dst, to, 1, 16, dst_dt());
        to += p.to_row;
        if (++in_chunk == p.chunk) {
            in_chunk = 0;
            to += p.to_chunk - p.chunk * p.to_row;
        }
        for (int d = 2; d >= 0; d--) {
            at[d] += p.win.stride[d];
            if (++out[d] < p.win.out[d]) break;
            out[d] = 0;
            at[d] = -p.win.pad[d];
            if (d == 0) n++;
        }
    }
}

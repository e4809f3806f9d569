/* SPDX-License-Identifier: Apache-2.0 */
/* Backward pooling for CPUs, where channels are contiguous in the gradient of the destination and
 * in the workspace. A work-item owns rows of the result by a chunk of channels. It lists the
 * windows that reach some columns once, and those that reach a row once for each row. For each
 * position it adds up the windows of both lists, NC vectors of 16 channels at once. */
#define VW 16
#include "pool_backward.h"

/* The windows that reach columns: those of column i are from first[i] up to first[i + 1]. */
typedef struct {
    int first[PB_COLUMNS + 1];
    int window[PB_WINDOWS], tap[PB_WINDOWS];
    float share[PB_WINDOWS]; /* one by the columns of the image in the window; PLF_EXCLUDE */
} columns_t;

/* The rows of windows that reach a row of the result. */
typedef struct {
    int n;
    long src[PB_ROWS], ws[PB_ROWS]; /* the first window of each */
    int index[PB_ROWS];             /* of its first tap in the row of the result */
    float share[PB_ROWS];           /* one by the rows of the image in the window; PLF_EXCLUDE */
} rows_t;

/* The columns from w on. */
static inline void list_columns(columns_t *r, const cv_window_t *win, int w, int columns) {
    int n = 0;
    NO_UNROLL_FOR (int i = 0; i < columns; i++) {
        const windows_t of = windows_of(win, 2, w + i);
        r->first[i] = n;
        NO_UNROLL_FOR (int o = of.first; o < of.end; o++) {
            const int tap = tap_of(win, 2, &of, o);
            if (tap < 0) continue;
            r->window[n] = o;
            r->tap[n] = tap;
            if (flag(PLF_EXCLUDE)) r->share[n] = 1.0f / count_in(win, 2, o);
            n++;
        }
    }
    r->first[columns] = n;
}

/* src, ws: the first channel of the image. */
static inline void list_rows(
        rows_t *r, const pool_backward_params_t *p, int d, int h, long src, long ws) {
    const windows_t of_d = windows_of(&p->win, 0, d), of_h = windows_of(&p->win, 1, h);
    r->n = 0;
    NO_UNROLL_FOR (int od = of_d.first; od < of_d.end; od++) {
        const int kd = tap_of(&p->win, 0, &of_d, od);
        NO_UNROLL_FOR (int oh = of_h.first; kd >= 0 && oh < of_h.end; oh++) {
            const int kh = tap_of(&p->win, 1, &of_h, oh);
            if (kh < 0) continue;
            r->src[r->n] = src + od * p->src.sp[0] + oh * p->src.sp[1];
            r->ws[r->n] = ws + od * p->ws.sp[0] + oh * p->ws.sp[1];
            r->index[r->n] = (kd * p->win.k[1] + kh) * p->win.k[2];
            r->share[r->n] = 1;
            if (flag(PLF_EXCLUDE))
                r->share[r->n] = 1 / (count_in(&p->win, 0, od) * (float)count_in(&p->win, 1, oh));
            r->n++;
        }
    }
}

/* Adds up n vectors, which are a constant where the function is inlined; `lanes` of each. */
static inline void add_windows(float16 *x, int n, gcptr_t src, gcptr_t ws, int c, int lanes,
        const pool_backward_params_t *p, const rows_t *rows, const columns_t *columns, int column) {
    const int first = columns->first[column], end = columns->first[column + 1];
    for (int i = 0; i < n; i++) x[i] = 0;
    NO_UNROLL_FOR (int row = 0; row < rows->n; row++) {
        float16 sum[NC]; /* of a row: a sum of all could lose small terms in rounding */
        for (int i = 0; i < n; i++) sum[i] = 0;
        NO_UNROLL_FOR (int o = first; o < end; o++) {
            const int window = columns->window[o], index = rows->index[row] + columns->tap[o];
            const long at = rows->src[row] + window * p->src.sp[2] + c,
                       ws_at = rows->ws[row] + window * p->ws.sp[2] + c;
            UNROLL_FOR (int i = 0; i < n; i++) {
                float16 v = load_v(src, at + 16 * i, 1, lanes, src_dt());
                if (flag(PLF_MAX))
                    v = load_indices(ws, ws_at + 16 * i, lanes) == index ? v : (float16)0.0f;
                if (flag(PLF_EXCLUDE)) v *= columns->share[o];
                sum[i] += v;
            }
        }
        for (int i = 0; i < n; i++) x[i] += flag(PLF_EXCLUDE) ? sum[i] * rows->share[row] : sum[i];
    }
}

/* Stores n vectors of channels from c on, of a chunk that ends at `end`. */
static inline void store_vectors(const float16 *x, int n, gptr_t dst, long to, int c, int end,
        bool stream, const pool_backward_params_t *p) {
    const float share =
            flag(PLF_MAX | PLF_EXCLUDE) ? 1 : 1 / ((float)p->win.k[0] * p->win.k[1] * p->win.k[2]);
    UNROLL_FOR (int i = 0; i < n; i++) {
        const int channel = c + 16 * i, valid = clamp(p->channels - channel, 0, 16),
                  stored = min(16, end - channel);
        const long at = to + 16 * i * p->dst.c_inner;
        if (stream && valid == 16 && at % 16 == 0) stream_16(x[i] * share, dst, at, dst_dt());
        else
            store_v(first_lanes(x[i] * share, valid, stored), dst, at, p->dst.c_inner, stored,
                    dst_dt());
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void pool_backward_channels(
        gcptr_t src, gptr_t dst, gcptr_t ws, const pool_backward_params_t p) {
    columns_t columns;
    rows_t rows;
    /* A chunk does not cross the border between two blocks of channels. */
    const int begin = get_group_id(0) * p.chunk, end = min(begin + p.chunk, p.padded_channels);
    const long src_c = (begin / p.src.block) * p.src.c_outer + begin % p.src.block;
    const long ws_c = flag(PLF_MAX) ? (begin / p.ws.block) * p.ws.c_outer + begin % p.ws.block : 0;
    const long dst_c =
            (begin / p.dst.block) * p.dst.c_outer + (begin % p.dst.block) * p.dst.c_inner;
    const bool stream = flag(PLF_STREAM) && ((ulong)dst & 63) == 0 && p.dst.c_inner == 1;
    const int items = p.nrows * ((p.win.in[2] + p.columns - 1) / p.columns);
    const int last = min((int)(get_group_id(1) + 1) * p.rows, items);
    int listed = -1; /* the column that `columns` begins with */
    NO_UNROLL_FOR (int item = get_group_id(1) * p.rows; item < last; item++) {
        const int row = item % p.nrows, w = item / p.nrows * p.columns,
                  width = min((int)p.columns, p.win.in[2] - w);
        const int h = row % p.win.in[1], d = row / p.win.in[1] % p.win.in[0],
                  image = row / p.win.in[1] / p.win.in[0];
        if (w != listed) list_columns(&columns, &p.win, w, width);
        listed = w;
        list_rows(&rows, &p, d, h, image * p.src.n + src_c,
                flag(PLF_MAX) ? image * p.ws.n + ws_c : 0);
        const long row_at = image * p.dst.n + dst_c + d * p.dst.sp[0] + h * p.dst.sp[1];
        NO_UNROLL_FOR (int i = 0; i < width; i++) {
            NO_UNROLL_FOR (int c = begin; c < end;) {
                float16 x[NC];
                const int at = c - begin, left = min(end, p.channels) - c,
                          lanes = clamp(left, 0, 16);
                const long to = row_at + (w + i) * p.dst.sp[2] + at * p.dst.c_inner;
                int n = 1;
                if (left >= 16 * NC) {
                    n = NC;
                    add_windows(x, NC, src, ws, at, 16, &p, &rows, &columns, i);
                    store_vectors(x, NC, dst, to, c, end, stream, &p);
                } else if (lanes == 16) {
                    add_windows(x, 1, src, ws, at, 16, &p, &rows, &columns, i);
                    store_vectors(x, 1, dst, to, c, end, stream, &p);
                } else {
                    add_windows(x, 1, src, ws, at, lanes, &p, &rows, &columns, i);
                    store_vectors(x, 1, dst, to, c, end, stream, &p);
                }
                c += 16 * n;
            }
        }
    }
}

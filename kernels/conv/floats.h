/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of a tile of a convolution as floats, for tile.cl. */
#ifndef KERNELS_CONV_FLOATS_H
#define KERNELS_CONV_FLOATS_H

/* A float sum of this many products of 8-bit integers is exact, with the zero point subtracted. */
#define EXACT 256
#define EDGE 64 /* channels copied at a time where a window reaches beyond the source */

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

/* Sums as floats. Integer sums that would exceed the exact range of floats are moved to `sum`. */
typedef struct {
    float16 acc[MR][NV];
    int16 sum[MR][NV];
    int pending; /* products in acc since the last move */
} sums_t;

static inline void start_sums(sums_t *s, const float16 *start) {
    s->pending = 0;
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++) {
            s->acc[i][j] = start[j];
            s->sum[i][j] = 0;
        }
}

/* acc += x * weights for `count` channels of the pixels `from` to `to` - 1, which are constants;
 * X(i) points to the channels of pixel i. */
#define MULTIPLY_SOME(X, count, from, to)                                                          \
    for (int k = 0; k < (count); k++, w += NR) {                                                   \
        float16 bv[NV];                                                                            \
        UNROLL_FOR (int j = 0; j < NV; j++) bv[j] = load_16(wei, w + j * 16, wei_dt());            \
        UNROLL_FOR (int i = 0; i < MR; i++) {                                                      \
            if (i < (from) || i >= (to)) continue;                                                 \
            const float16 av = X(i)[k];                                                            \
            UNROLL_FOR (int j = 0; j < NV; j++) s->acc[i][j] = mad(av, bv[j], s->acc[i][j]);       \
        }                                                                                          \
    }
#define MULTIPLY(X, count) MULTIPLY_SOME(X, count, 0, part_pixels())
#define IN_ROW(i) (row + (i) * step)
#define IN_SOURCE(i) (rows->a[i] + tap)
#define IN_CHUNK(i) (rows->a[i] + tap + k0)
#define IN_COPY(i) edge[i]
#define IN_TILE(i) copy[i]

static inline void copy_channels(float *to, __global const float *from, int count, bool valid) {
    int k = 0;
    if (valid) {
        for (; k + 8 <= count; k += 8) vstore8(vload8(0, from + k), 0, to + k);
        for (; k < count; k++) to[k] = from[k];
    } else {
        for (; k < count; k += 8) vstore8((float8)0.0f, 0, to + k);
    }
}

/* Adds products of integers. Moves the float sums to integers before they lose exactness. */
static inline long add_integers(
        sums_t *s, const rows_t *rows, gcptr_t wei, long w, long tap, int len) {
    for (int k0 = 0; k0 < len; k0 += EXACT) {
        const int count = min(EXACT, len - k0);
        if (s->pending + count > EXACT) {
            UNROLL_FOR (int i = 0; i < MR; i++)
                UNROLL_FOR (int j = 0; j < NV; j++) {
                    s->sum[i][j] += convert_int16(s->acc[i][j]);
                    s->acc[i][j] = 0;
                }
            s->pending = 0;
        }
        s->pending += count;
        MULTIPLY(IN_CHUNK, count)
    }
    return w;
}

/* Adds a tap that reads outside of the source for some pixels; it reads a copy with zeros. */
static inline long add_edge(
        sums_t *s, const rows_t *rows, gcptr_t wei, long w, long tap, int len, const bool *valid) {
    for (int k0 = 0; k0 < len; k0 += EDGE) {
        float edge[MR][EDGE];
        const int count = min(EDGE, len - k0);
        for (int i = 0; i < part_pixels(); i++)
            copy_channels(edge[i], rows->a[i] + tap + k0, count, valid[i]);
        MULTIPLY(IN_COPY, count)
    }
    return w;
}

/* Counts the pixels whose tap at (d, h, c) lies inside of the source, and marks them in `valid`. */
static inline int find_inside(
        bool *valid, const rows_t *rows, __private const cv_tile_t *t, int d, int h, int c) {
    int inside = 0;
    UNROLL_FOR (int i = 0; i < MR; i++) {
        if (i >= part_pixels()) break;
        valid[i] = (uint)(rows->d[i] + d) < (uint)t->win.in[0] &&
                   (uint)(rows->h[i] + h) < (uint)t->win.in[1] &&
                   (uint)(rows->w[i] + c) < (uint)t->win.in[2];
        inside += valid[i];
    }
    return inside;
}

/* Adds the products of the tap at distance (d, h, c) from the first tap. Its weights begin at
 * element w. */
static inline void add_tap(sums_t *s, const rows_t *rows, bool is_inside, gcptr_t wei, long w,
        __private const cv_tile_t *t, int d, int h, int c) {
    const int blocks = (t->ic + t->src.block - 1) / t->src.block;
    long tap = d * t->src.sp[0] + h * t->src.sp[1] + c * t->src.sp[2];
    bool valid[MR];
    const int inside = cv_flag(CVF_PADDED) && !is_inside ? find_inside(valid, rows, t, d, h, c)
                                                         : part_pixels();
    if (inside == 0) return;
    for (int b = 0; b < blocks; b++, tap += t->src.c_outer) {
        const int len = min(t->ic - b * t->src.block, t->src.block);
        if (cv_flag(CVF_INT)) {
            w = add_integers(s, rows, wei, w, tap, len);
        } else if (inside == part_pixels()) {
            MULTIPLY(IN_SOURCE, len)
        } else {
            w = add_edge(s, rows, wei, w, tap, len, valid);
        }
    }
}

/* Are the taps in row kh of the windows zeros for the whole tile? */
static inline bool is_padding(const place_t *place, int kh, __private const cv_tile_t *t) {
    if (!cv_flag(CVF_ROWS) || !place->in_one_row) return false;
    const int row = place->top + kh * t->win.dilation[1];
    return row < t->first_row || row >= t->end_row;
}

static inline void open_products(__private const cv_tile_t *t) {
    (void)t; /* these variants use no tile registers */
}

static inline void close_products(void) {}

static inline void copy_tile(
        float (*copy)[COPY_PITCH], place_t *place, __private const cv_tile_t *t) {
    place->copy = copy;
    for (int i = 0; i < tile_pixels(); i++)
        copy_channels(copy[i], place->part[i / MR].a[i % MR], t->ic, true);
}

/* A tile of pixels beside one another reads no padding: only its first or its last pixel has taps
 * there, and the products of these taps are left out. */
static inline void add_row_of_taps(sums_t *s, const rows_t *rows, gcptr_t wei, long wei_at,
        __global const float *row, __private const cv_tile_t *t) {
    const long step = t->win.stride[2] * t->src.sp[2];
    const int reach = (tile_pixels() - 1) * t->win.stride[2];
    for (int kw = 0; kw < t->win.k[2]; kw++) {
        const int at = rows->w[0] + kw * t->win.dilation[2];
        long w = wei_at + kw * t->wei_k[2];
        if (at < 0) {
            MULTIPLY_SOME(IN_ROW, t->ic, 1, tile_pixels())
        } else if (at + reach >= t->win.in[2]) {
            MULTIPLY_SOME(IN_ROW, t->ic, 0, tile_pixels() - 1)
        } else {
            MULTIPLY_SOME(IN_ROW, t->ic, 0, tile_pixels())
        }
        row += t->win.dilation[2] * t->src.sp[2];
    }
}

static inline void accumulate_piece(
        sums_t *s, const rows_t *rows, gcptr_t wei, long wei_at, __private const cv_tile_t *t) {
    for (int kd = 0; kd < t->win.k[0]; kd++)
        for (int kh = 0; kh < t->win.k[1]; kh++) {
            const int d = kd * t->win.dilation[0], h = kh * t->win.dilation[1];
            if (lies_outside(rows, d, h, t)) continue;
            add_row_of_taps(s, rows, wei, wei_at + kd * t->wei_k[0] + kh * t->wei_k[1],
                    rows->a[0] + d * t->src.sp[0] + h * t->src.sp[1], t);
        }
}

static inline void accumulate(sums_t *s, const place_t *place, int part, gcptr_t wei, long wei_at,
        __private const cv_tile_t *t) {
    if (cv_flag(CVF_PIECES)) {
        accumulate_piece(s, &place->part[part], wei, wei_at, t);
        return;
    }
    if (cv_flag(CVF_COPIED)) {
        const float(*copy)[COPY_PITCH] = place->copy + part * MR;
        long w = wei_at;
        MULTIPLY(IN_TILE, t->ic)
        return;
    }
    for (int kd = 0; kd < t->win.k[0]; kd++)
        for (int kh = 0; kh < t->win.k[1]; kh++) {
            if (is_padding(place, kh, t)) continue;
            for (int kw = 0; kw < t->win.k[2]; kw++)
                add_tap(s, &place->part[part], place->is_inside, wei,
                        wei_at + kd * t->wei_k[0] + kh * t->wei_k[1] + kw * t->wei_k[2], t,
                        kd * t->win.dilation[0], kh * t->win.dilation[1], kw * t->win.dilation[2]);
        }
}

/* A result; that of integers as its bits. */
static inline float16 sum_of(const sums_t *s, int i, int j) {
    return cv_flag(CVF_INT) ? as_float16(s->sum[i][j] + convert_int16(s->acc[i][j])) : s->acc[i][j];
}

#endif

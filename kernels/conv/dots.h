/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of a tile of a convolution by dot products of the CPU, for tile.cl. The source has whole
 * words of channels and no padding. A panel holds a word for each of its NR channels, for each word
 * of each tap. */
#ifndef KERNELS_CONV_DOTS_H
#define KERNELS_CONV_DOTS_H

typedef struct {
    dot_sums_t acc[MR][NV];
} sums_t;

static inline void start_sums(sums_t *s, const float16 *start) {
    UNROLL_FOR (int j = 0; j < NV; j++)
#if DOTS == 4
        s->acc[0][j] = as_int16(start[j]);
#else
        s->acc[0][j] = start[j];
#endif
}

/* Adds the words of a tap of the pixels `from` to `to` - 1, which are constants; X(i) points to the
 * channels of pixel i. */
#define MULTIPLY_SOME(X, from, to)                                                                 \
    for (int k = 0; k < words; k++, w += NR) {                                                     \
        int16 wv[NV];                                                                              \
        UNROLL_FOR (int j = 0; j < NV; j++) wv[j] = vload16(j, w);                                 \
        UNROLL_FOR (int i = 0; i < MR; i++) {                                                      \
            if (i < (from) || i >= (to)) continue;                                                 \
            const int16 av = load_word(X(i), k);                                                   \
            UNROLL_FOR (int j = 0; j < NV; j++) acc[i][j] = dot(acc[i][j], av, wv[j]);             \
        }                                                                                          \
    }
#define IN_ROW(i) (rows->a[0] + tap + (i) * step)
#define IN_SOURCE(i) (rows->a[i] + tap)

/* Adds all taps to the sums, which begin at those of the first pixel, or in tile registers at 0:
 * pixels are rows there. Pieces leave out taps in the padding: in a row of taps, only the first or
 * the last pixel has such. */
DOTS_FUNCTION void convolve(
        dot_sums_t *sums, const rows_t *rows, __global const int *w, __private const cv_tile_t *t) {
    dot_sums_t acc[MR][NV];
    const int words = t->ic / DOTS, reach = (tile_pixels() - 1) * t->win.stride[2];
    const long step = t->win.stride[2] * t->src.sp[2];
    const long distance = (rows->a[1] - rows->a[0]) * (long)sizeof(elem_t);
    const bool even = cv_flag(CVF_PIECES) || rows_are_even(rows->a, part_pixels());
    if (cv_flag(CVF_TILES)) {
        CLEAR_SUMS();
    } else {
        UNROLL_FOR (int i = 0; i < MR; i++)
            UNROLL_FOR (int j = 0; j < NV; j++) acc[i][j] = sums[j];
    }
    for (int kd = 0; kd < t->win.k[0]; kd++)
        for (int kh = 0; kh < t->win.k[1]; kh++) {
            const int d = kd * t->win.dilation[0], h = kh * t->win.dilation[1];
            if (cv_flag(CVF_PIECES) && lies_outside(rows, d, h, t)) {
                w += t->win.k[2] * words * NR;
                continue;
            }
            for (int kw = 0; kw < t->win.k[2]; kw++) {
                const int c = kw * t->win.dilation[2];
                const long tap = d * t->src.sp[0] + h * t->src.sp[1] + c * t->src.sp[2];
                const bool first = cv_flag(CVF_PIECES) && rows->w[0] + c < 0,
                           last = cv_flag(CVF_PIECES) && rows->w[0] + c + reach >= t->win.in[2];
                if (cv_flag(CVF_TILES)) {
                    MULTIPLY_ROWS(rows->a, tap, words, w, !even || first || last, distance, first,
                            part_pixels() - last);
                } else if (!cv_flag(CVF_PIECES)) {
                    MULTIPLY_SOME(IN_SOURCE, 0, part_pixels())
                } else if (first) {
                    MULTIPLY_SOME(IN_ROW, 1, tile_pixels())
                } else if (last) {
                    MULTIPLY_SOME(IN_ROW, 0, tile_pixels() - 1)
                } else {
                    MULTIPLY_SOME(IN_ROW, 0, tile_pixels())
                }
            }
        }
    if (cv_flag(CVF_TILES)) {
        STORE_SUMS(sums);
        return;
    }
    UNROLL_FOR (int i = 0; i < MR; i++) {
        if (i >= part_pixels()) break;
        UNROLL_FOR (int j = 0; j < NV; j++) sums[i * NV + j] = acc[i][j];
    }
}

static inline void open_products(__private const cv_tile_t *t) {
    if (cv_flag(CVF_TILES)) open_tiles(part_pixels(), t->ic / DOTS);
}

static inline void close_products(void) {
    if (cv_flag(CVF_TILES)) close_tiles();
}

static inline void copy_tile(
        float (*copy)[COPY_PITCH], place_t *place, __private const cv_tile_t *t) {
    (void)copy, (void)place, (void)t; /* these variants copy no tiles */
}

static inline void accumulate(sums_t *s, const place_t *place, int part, gcptr_t wei, long wei_at,
        __private const cv_tile_t *t) {
    __global const int *w = (__global const int *)wei + wei_at;
    dot_sums_t start[NV];
    UNROLL_FOR (int j = 0; j < NV; j++) start[j] = s->acc[0][j];
    convolve((dot_sums_t *)s->acc, &place->part[part], w, t);
    if (!cv_flag(CVF_TILES) || !cv_flag(CVF_BIAS)) return;
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++) s->acc[i][j] += start[j];
}

/* A result; that of bytes as its bits. */
static inline float16 sum_of(const sums_t *s, int i, int j) {
#if DOTS == 4
    return as_float16(s->acc[i][j]);
#else
    return s->acc[i][j];
#endif
}

#endif

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

/* Adds all taps to the sums, which begin at those of the first pixel. */
DOTS_FUNCTION void convolve(dot_sums_t *sums, __global const elem_t *const *a,
        __global const int *w, __private const cv_tile_t *t) {
    dot_sums_t acc[MR][NV];
    __global const elem_t *row[MR];
    const int words = t->ic / DOTS;
    UNROLL_FOR (int i = 0; i < MR; i++) {
        row[i] = a[i];
        UNROLL_FOR (int j = 0; j < NV; j++) acc[i][j] = sums[j];
    }
    for (int kd = 0; kd < t->win.k[0]; kd++)
        for (int kh = 0; kh < t->win.k[1]; kh++)
            for (int kw = 0; kw < t->win.k[2]; kw++) {
                const long tap = kd * t->win.dilation[0] * t->src.sp[0] +
                                 kh * t->win.dilation[1] * t->src.sp[1] +
                                 kw * t->win.dilation[2] * t->src.sp[2];
                for (int k = 0; k < words; k++, w += NR) {
                    int16 wv[NV];
                    UNROLL_FOR (int j = 0; j < NV; j++) wv[j] = vload16(j, w);
                    UNROLL_FOR (int i = 0; i < MR; i++) {
                        const int16 av = load_word(row[i] + tap, k);
                        UNROLL_FOR (int j = 0; j < NV; j++) acc[i][j] = dot(acc[i][j], av, wv[j]);
                    }
                }
            }
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++) sums[i * NV + j] = acc[i][j];
}

static inline void copy_tile(
        float (*copy)[COPY_PITCH], place_t *place, __private const cv_tile_t *t) {
    (void)copy, (void)place, (void)t; /* these variants copy no tiles */
}

static inline void accumulate(sums_t *s, const place_t *place, int part, gcptr_t wei, long wei_at,
        __private const cv_tile_t *t) {
    convolve((dot_sums_t *)s->acc, place->part[part].a, (__global const int *)wei + wei_at, t);
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

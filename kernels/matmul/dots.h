/* SPDX-License-Identifier: Apache-2.0 */
/* The product of a tile by dot products of the CPU: an instruction adds the products of a word of a
 * row and a word of each of 16 columns. A word holds DOTS elements along k: 4 bytes, which are
 * unsigned in a and signed in b, or 2 bf16. */
#ifndef KERNELS_MATMUL_DOTS_H
#define KERNELS_MATMUL_DOTS_H

#include "tile.h"
#include "../lib/tile_registers.h"

/* Multiplies the rows a[] by the NR columns of a panel, and adds start[] to each row. Sums of bytes
 * are stored as bits. */
DOTS_FUNCTION void multiply(dot_sums_t *done, __global const elem_t *const *a,
        __global const int *b, int words, const dot_sums_t *start) {
    dot_sums_t acc[MR][NV];
    __global const elem_t *row[MR];
    UNROLL_FOR (int i = 0; i < MR; i++) {
        row[i] = a[i];
        UNROLL_FOR (int j = 0; j < NV; j++) acc[i][j] = start[j];
    }
    for (int k = 0; k < words; k++, b += NR) {
        int16 bv[NV];
        UNROLL_FOR (int j = 0; j < NV; j++) bv[j] = vload16(j, b);
        UNROLL_FOR (int i = 0; i < MR; i++) {
            const int16 av = load_word(row[i], k);
            UNROLL_FOR (int j = 0; j < NV; j++) acc[i][j] = dot(acc[i][j], av, bv[j]);
        }
    }
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++) done[i * NV + j] = acc[i][j];
}

/* The same with tile registers; rows that are not equally far apart are copied. */
DOTS_FUNCTION void multiply_tiles(
        dot_sums_t *done, __global const elem_t *const *a, __global const int *b, int words) {
    const bool even = rows_are_even(a, MR);
    const long pitch = (a[1] - a[0]) * (long)sizeof(elem_t);
    CLEAR_SUMS();
    MULTIPLY_ROWS(a, 0, words, b, !even, pitch, 0, MR);
    STORE_SUMS(done);
}

#if DOTS == 4
/* The sums of the columns of a panel. */
DOTS_FUNCTION void sum_columns(int16 *sum, __global const int *b, int words) {
    const int16 ones = 0x01010101;
    int16 acc[NV];
    UNROLL_FOR (int j = 0; j < NV; j++) acc[j] = 0;
    for (int k = 0; k < words; k++, b += NR)
        UNROLL_FOR (int j = 0; j < NV; j++) acc[j] = dot(acc[j], ones, vload16(j, b));
    UNROLL_FOR (int j = 0; j < NV; j++) sum[j] = acc[j];
}

/* The sum of a row. */
DOTS_FUNCTION void sum_row(int *sum, __global const elem_t *a, int words) {
    const int16 ones = 0x01010101;
    int16 acc = 0;
    int k = 0;
    for (; k + 16 <= words; k += 16) acc = dot(acc, as_int16_of_bytes(a + 4 * k), ones);
    int8 s8 = acc.lo + acc.hi;
    int4 s4 = s8.lo + s8.hi;
    int rest = s4.x + s4.y + s4.z + s4.w;
    for (int i = 4 * k; i < 4 * words; i++) rest += a[i];
    *sum = rest;
}
#endif

/* What the tiles of a work-item have in common. */
typedef struct {
    __global const int *b;
    int words;            /* along k */
    dot_sums_t start[NV]; /* minus the zero point of a times the sums of the columns */
} panel_t;

static inline void open_panel(
        panel_t *panel, gcptr_t b, long at, __private const mm_tile_t *t, int za) {
    panel->b = (__global const int *)b + at;
    panel->words = (t->k + DOTS - 1) / DOTS;
    UNROLL_FOR (int j = 0; j < NV; j++) panel->start[j] = 0;
    if (mm_flag(MMF_TILES)) open_tiles(MR, panel->words);
#if DOTS == 4
    if (!mm_flag(MMF_ZA)) return;
    sum_columns(panel->start, panel->b, panel->words);
    UNROLL_FOR (int j = 0; j < NV; j++) panel->start[j] *= -za;
#else
    (void)za;
#endif
}

static inline void close_panel(void) {
    if (mm_flag(MMF_TILES)) close_tiles();
}

static inline void products(float16 *done, __global const elem_t *const *a, const panel_t *panel,
        __private const mm_tile_t *t) {
    dot_sums_t *sums = (dot_sums_t *)done;
    (void)t;
    if (!mm_flag(MMF_TILES)) {
        multiply(sums, a, panel->b, panel->words, panel->start);
        return;
    }
    multiply_tiles(sums, a, panel->b, panel->words);
    if (!mm_flag(MMF_ZA)) return;
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++) sums[i * NV + j] += panel->start[j];
}

static inline int sum_of_row(__global const elem_t *a, __private const mm_tile_t *t) {
#if DOTS == 4
    int sum;
    sum_row(&sum, a, (t->k + DOTS - 1) / DOTS);
    return sum;
#else
    (void)a, (void)t;
    return 0;
#endif
}

#endif

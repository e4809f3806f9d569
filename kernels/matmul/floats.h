/* SPDX-License-Identifier: Apache-2.0 */
/* The product of a tile in floats. Sums of 8-bit integers are split into runs that floats
 * hold exactly. */
#ifndef KERNELS_MATMUL_FLOATS_H
#define KERNELS_MATMUL_FLOATS_H

#include "tile.h"

typedef float elem_t;
#include "panel.h"

/* Multiplies the rows a[] by the NR columns of the panel, and subtracts the zero point of a times
 * the sums of the columns. Results of integers are stored as their bits. */
static inline void products(
        float16 *done, __global const elem_t *const *a, const panel_t *panel, const mm_tile_t *t) {
    const gcptr_t b = panel->b;
    const int za = panel->za;
    long b_at = panel->at;
    float16 acc[MR][NV];
    int16 sum[MR][NV], b_sum[NV];
    UNROLL_FOR (int j = 0; j < NV; j++) {
        b_sum[j] = 0;
        UNROLL_FOR (int i = 0; i < MR; i++) acc[i][j] = 0, sum[i][j] = 0;
    }
    const int step = mm_flag(MMF_INT) ? EXACT_K : t->k;
    for (int k0 = 0; k0 < t->k; k0 += step) {
        const int end = min(t->k - k0, step);
        float16 part[NV];
        UNROLL_FOR (int j = 0; j < NV; j++) part[j] = 0;
        for (int k = k0; k < k0 + end; k++, b_at += t->b_k) {
            float16 bv[NV];
            UNROLL_FOR (int j = 0; j < NV; j++) {
                bv[j] = load_16(b, b_at + j * 16, wei_dt());
                if (mm_flag(MMF_INT) && mm_flag(MMF_ZA)) part[j] += bv[j];
            }
            UNROLL_FOR (int i = 0; i < MR; i++) {
                const float16 av = a[i][k * t->a_k];
                UNROLL_FOR (int j = 0; j < NV; j++) acc[i][j] = mad(av, bv[j], acc[i][j]);
            }
        }
        if (mm_flag(MMF_INT))
            UNROLL_FOR (int j = 0; j < NV; j++) {
                if (mm_flag(MMF_ZA)) b_sum[j] += convert_int16(part[j]);
                UNROLL_FOR (int i = 0; i < MR; i++) {
                    sum[i][j] += convert_int16(acc[i][j]);
                    acc[i][j] = 0;
                }
            }
    }
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++)
            done[i * NV + j] =
                    mm_flag(MMF_INT) ? as_float16(sum[i][j] - (mm_flag(MMF_ZA) ? za * b_sum[j] : 0))
                                     : acc[i][j];
}

#endif

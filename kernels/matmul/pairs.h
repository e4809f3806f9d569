/* SPDX-License-Identifier: Apache-2.0 */
/* The product of a tile of 16-bit integers, which hold 8-bit values, in exact 32-bit sums. The loop
 * handles two k at a time: compilers for x86 turn a product whose even and odd lanes are added into
 * one instruction. They do not recognise this pattern if the same iteration adds the sum to an
 * accumulator, so that addition happens one iteration later. */
#ifndef KERNELS_MATMUL_PAIRS_H
#define KERNELS_MATMUL_PAIRS_H

#include "tile.h"

typedef short elem_t;
#include "panel.h"

/* Multiplies the rows a[] by the NR columns of the panel, and subtracts the zero point of a times
 * the sums of the columns. Results are stored as bits. */
static inline void products(
        float16 *done, __global const elem_t *const *a, const panel_t *panel, const mm_tile_t *t) {
    const gcptr_t b = panel->b;
    const long b_at = panel->at;
    const int za = panel->za;
    int8 acc[MR][2 * NV], late[MR][2 * NV], b_sum[2 * NV];
    UNROLL_FOR (int j = 0; j < 2 * NV; j++) {
        b_sum[j] = 0;
        UNROLL_FOR (int i = 0; i < MR; i++) acc[i][j] = 0, late[i][j] = 0;
    }
    __global const short *bk = (__global const short *)b + b_at;
    for (int k = 0; k < t->k; k += 2, bk += t->b_k) {
        int16 bv[2 * NV];
        UNROLL_FOR (int j = 0; j < 2 * NV; j++) bv[j] = convert_int16(vload16(j, bk));
        UNROLL_FOR (int i = 0; i < MR; i++) {
            const int16 av = convert_int16(as_short16((int8)(*(__global const int *)(a[i] + k))));
            UNROLL_FOR (int j = 0; j < 2 * NV; j++) {
                const int16 product = av * bv[j];
                acc[i][j] += late[i][j];
                late[i][j] = product.even + product.odd;
            }
        }
    }
    if (mm_flag(MMF_ZA)) {
        bk = (__global const short *)b + b_at;
        for (int k = 0; k < t->k; k += 2, bk += t->b_k)
            UNROLL_FOR (int j = 0; j < 2 * NV; j++) {
                const int16 bv = convert_int16(vload16(j, bk));
                b_sum[j] += bv.even + bv.odd;
            }
    }
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NV; j++) {
            const int16 sum =
                    (int16)(acc[i][2 * j] + late[i][2 * j], acc[i][2 * j + 1] + late[i][2 * j + 1]);
            const int16 columns = (int16)(b_sum[2 * j], b_sum[2 * j + 1]);
            done[i * NV + j] = as_float16(mm_flag(MMF_ZA) ? sum - za * columns : sum);
        }
}

#endif

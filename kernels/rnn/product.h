/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a time step in the kernel that uses them: RNN_BLOCK rows of VW channels. */
#ifndef KERNELS_RNN_PRODUCT_H
#define KERNELS_RNN_PRODUCT_H

#include "rnn.h"

/* Products of the first `f->block` rows from row0 on that a work-item has at the same time. */
#if VW == 16
#define RNN_BLOCK RNN_CPU_ROWS

typedef __global const float *panel_t;

/* to[i] = the sum over k of a[i][k] * panel[k] for `rows` rows, which is a constant where the
 * function is inlined. Few rows have `parts` sums each, so that additions do not wait for one
 * another. */
static inline void multiply_tile(
        accv_t *to, gcptr_t a, long a_row, int dt, panel_t panel, int count, int rows, int parts) {
    const long bytes = dt == DT_F32 ? 4 : 2;
    gcptr_t at[MR];
    accv_t sum[2 * MR];
    UNROLL_FOR (int i = 0; i < rows; i++) at[i] = a + i * a_row * bytes;
    UNROLL_FOR (int i = 0; i < rows * parts; i++) sum[i] = V(0);
    int k = 0;
    for (; k + parts <= count; k += parts) {
        UNROLL_FOR (int s = 0; s < parts; s++) {
            const accv_t b = vload16(0, panel + (k + s) * 16L);
            UNROLL_FOR (int i = 0; i < rows; i++)
                sum[i * parts + s] = mad(V(load_1(at[i], k + s, dt)), b, sum[i * parts + s]);
        }
    }
    for (; k < count; k++)
        UNROLL_FOR (int i = 0; i < rows; i++)
            sum[i * parts] =
                    mad(V(load_1(at[i], k, dt)), vload16(0, panel + k * 16L), sum[i * parts]);
    UNROLL_FOR (int i = 0; i < rows; i++) {
        accv_t x = sum[i * parts];
        UNROLL_FOR (int s = 1; s < parts; s++) x += sum[i * parts + s];
        to[i] = x;
    }
}

/* Tiles of nearly the same height, MR rows at most. */
static inline void multiply_rows(
        accv_t *to, gcptr_t a, long a_row, int dt, panel_t panel, int count, int rows) {
    const long bytes = dt == DT_F32 ? 4 : 2;
    const int tiles = (rows + MR - 1) / MR;
    int row = 0;
    NO_UNROLL_FOR (int tile = 0; tile < tiles; tile++) {
        const int height = (rows - row + tiles - tile - 1) / (tiles - tile);
        gcptr_t from = a + row * a_row * bytes;
        accv_t *done = to + row;
        switch (height) {
        case 1: multiply_tile(done, from, a_row, dt, panel, count, 1, 4); break;
        case 2: multiply_tile(done, from, a_row, dt, panel, count, 2, 4); break;
        case 3: multiply_tile(done, from, a_row, dt, panel, count, 3, 2); break;
        case 4: multiply_tile(done, from, a_row, dt, panel, count, 4, 1); break;
        case 5: multiply_tile(done, from, a_row, dt, panel, count, 5, 1); break;
        default: multiply_tile(done, from, a_row, dt, panel, count, 6, 1); break;
        }
        row += height;
    }
}

/* products[gate * RNN_BLOCK + i] for `gates` gates from `first` on, of rows from row0 on. */
static inline void multiply_block(accv_t *products, gcptr_t a, gcptr_t u, int dt,
        const rnn_factor_t *f, int row0, int rows, int vector, int first, int gates) {
    const long bytes = dt == DT_F32 ? 4 : 2;
    NO_UNROLL_FOR (int g = first; g < first + gates; g++)
        multiply_rows(products + g * RNN_BLOCK, a + row0 * f->a_row * bytes, f->a_row, dt,
                (panel_t)u + g * f->u_gate + vector * f->u_vector, f->k, rows);
}

/* Runs `step` for each row of the work-group's block, and each of its vectors of channels. */
#define EACH_BLOCK(p, f, row0, height, vector)                                                     \
    const int row0 = get_group_id(1) * (f).block, height = min((f).block, (p).rows - row0);        \
    const int first_vector = get_group_id(0) * (p).vectors;                                        \
    NO_UNROLL_FOR (int vector = first_vector;                                                      \
            vector < first_vector + (p).vectors && vector * VW < (p).channels; vector++)
#else
#define RNN_BLOCK 1

SPEC_GETTER(weights_dt, SPEC_RNN_WEIGHTS_DT, DT_F32)

static inline void multiply_block(accv_t *products, gcptr_t a, gcptr_t u, int dt,
        const rnn_factor_t *f, int row0, int rows, int vector, int first, int gates) {
    const long a_at = row0 * f->a_row, u_at = first * f->u_gate + vector * f->u_vector;
    accv_t sum[4];
    UNROLL_FOR (int g = 0; g < 4; g++) sum[g] = 0;
    NO_UNROLL_FOR (int k = 0; k < f->k; k++) {
        const float x = load_1(a, a_at + k, dt);
        UNROLL_FOR (int g = 0; g < 4; g++)
            if (g < gates)
                sum[g] = mad(x, load_1(u, u_at + k * f->u_k + g * f->u_gate, weights_dt()), sum[g]);
    }
    UNROLL_FOR (int g = 0; g < 4; g++)
        if (g < gates) products[first + g] = sum[g];
}

#define EACH_BLOCK(p, f, row0, height, vector)                                                     \
    const int row0 = get_global_id(1), height = 1;                                                 \
    if (row0 >= (p).rows) return;                                                                  \
    const int first_vector = get_global_id(0);                                                     \
    NO_UNROLL_FOR (int vector = first_vector; vector < min(first_vector + 1, (p).channels);        \
            vector++)
#endif

#endif

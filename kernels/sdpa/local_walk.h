/* SPDX-License-Identifier: Apache-2.0 */
/* How attention's kernels in tiles of local memory, and those of its gradients, walk along a matrix
 * in blocks of 64 lines (local_tile.h). */
#ifndef KERNELS_SDPA_LOCAL_WALK_H
#define KERNELS_SDPA_LOCAL_WALK_H

#include "local_tile.h"

/* A block of lines is double-buffered as far as 32 KiB of local memory allow it. */
enum { VALUE_BUFFERS = NT == 1 ? 2 : 1 };

/* The products of the lines of two blocks, along k from 0 to `size`: scores without scale and mask.
 * `parts` has room for two buffers of both inputs; when this returns, all of them have been
 * read. */
static inline sums_t products_of(const reader_t *from_a, const reader_t *from_b, int size,
        __local float *parts, int row, int column) {
    sums_t s = no_sums();
    int now = 0;
    NO_UNROLL_FOR (int i = -STEP; i < size; i += STEP) {
        const float4 x = read_four(from_a, i + STEP, size), y = read_four(from_b, i + STEP, size);
        __local float *part = parts + now * (A_BUFFER + B_BUFFER);
        if (i >= 0) multiply_step(&s, part, part + A_BUFFER, row, column);
        now = 1 - now;
        part = parts + now * (A_BUFFER + B_BUFFER);
        keep_four(x, part + from_a->to, A_PITCH, from_a->along_k);
        keep_four(y, part + A_BUFFER + from_b->to, B_PITCH, from_b->along_k);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return s;
}

/* Stores the sums of a block where add_weighted() reads weights: a row of all results for each line
 * of the block. */
static inline void keep_sums(__local float *to, const sums_t *x, int row, int column) {
    UNROLL_FOR (int j = 0; j < NR; j++)
        *(__local float4 *)(to + (column + j) * A_PITCH + row) =
                (float4)(x->s[0][j], x->s[1][j], x->s[2][j], x->s[3][j]);
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* How add_weighted() reads columns of a matrix, from one tile of columns to the next. */
static inline void read_columns(reader_t from[NT], gcptr_t x, long first, long col_step,
        long line_step, int columns, bool along_lines, int dt, int item) {
    UNROLL_FOR (int n = 0; n < NT; n++)
        from[n] = reader_of(x, first + n * TILE_N * col_step, col_step, line_step,
                columns - n * TILE_N, TILE_N, along_lines, dt, item);
}

/* Adds the lines from `first` to `end` to the sums, with their weights: a row of all results for
 * each line. */
static inline void add_weighted(sums_t o[NT], const reader_t from[NT], int first, int end,
        __local const float *weights, __local float *parts, int row, int column) {
    float4 x[NT];
    UNROLL_FOR (int n = 0; n < NT; n++) x[n] = read_four(&from[n], first, end);
    NO_UNROLL_FOR (int step = 0; step < TILE_N / STEP; step++) {
        __local float *part = parts + step % VALUE_BUFFERS * B_BUFFER;
        UNROLL_FOR (int n = 0; n < NT; n++)
            keep_four(x[n], part + n * B_BUFFER + from[n].to, B_PITCH, from[n].along_k);
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL_FOR (int n = 0; n < NT; n++)
            x[n] = read_four(&from[n], first + (step + 1) * STEP, end);
        UNROLL_FOR (int n = 0; n < NT; n++)
            multiply_step(&o[n], weights + step * A_BUFFER, part + n * B_BUFFER, row, column);
        if (VALUE_BUFFERS == 1) barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#endif

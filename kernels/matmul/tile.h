/* SPDX-License-Identifier: Apache-2.0 */
/* Code that tile.cl, wide.cl and dot.cl share: positions in tensors of any number of dimensions. */
#ifndef KERNELS_MATMUL_TILE_H
#define KERNELS_MATMUL_TILE_H

#include "quant.h"

/* Products of 8-bit integers are below 2^16, so the float sum of this many products is exact. */
#define EXACT_K 256

SPEC_GETTER(wei_dt, SPEC_SRC1_DT, DT_F32)

/* The position of row number `row` among all rows of c. */
static inline void seek_row(int *pos, __private const mm_tile_t *t, long row) {
    for (int d = t->ndims - 2; d >= 0; d--) {
        pos[d] = row % t->dims[d];
        row /= t->dims[d];
    }
    pos[t->ndims - 1] = 0;
}

/* Moves on to the next row. */
static inline void next_row(int *pos, __private const mm_tile_t *t) {
    for (int d = t->ndims - 2; d >= 0; d--) {
        if (++pos[d] < t->dims[d]) return;
        pos[d] = 0;
    }
}

static inline long at(const int *pos, const par_i64_t *stride, int ndims) {
    long sum = 0;
    for (int d = 0; d < ndims; d++) sum += pos[d] * stride[d];
    return sum;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Code that pack.cl and pack_dots.cl share. */
#ifndef KERNELS_MATMUL_PACK_H
#define KERNELS_MATMUL_PACK_H

#include "quant.h"

/* The first element of matrix number z of the source; pos becomes its position in the batch. */
static inline long seek_matrix(int *pos, long z, __private const mm_pack_t *p) {
    long from = 0;
    for (int d = MM_DIMS - 3; d >= 0; d--) {
        pos[d] = z % p->dims[d];
        from += pos[d] * p->src_batch[d];
        z /= p->dims[d];
    }
    return from;
}

#endif

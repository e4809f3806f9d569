/* SPDX-License-Identifier: Apache-2.0 */
/* The matrices of an element of the batch, for kernels on matrix units. */
#ifndef KERNELS_MATMUL_XMX_BATCH_H
#define KERNELS_MATMUL_XMX_BATCH_H

#include "matmul_params.h"
#include "spec.h"

/* Offsets of the first elements, in elements. */
typedef struct {
    long a, b, c;
} batch_t;

/* Finds the matrices of element z, and stores its position in `pos`. The loop is short code; all
 * its products unrolled would be a fifth of a kernel. */
static inline batch_t batch_element(int *pos, uint z, const mm_xmx_t *t, int nd) {
    batch_t at;
    if (!mm_flag(MMX_BATCH)) {
        at.a = z * t->a_stride[0];
        at.b = z * t->b_stride[0];
        at.c = z * t->c_stride[0];
        UNROLL_FOR (int d = 0; d < MM_DIMS; d++) pos[d] = 0;
        return at;
    }
    at.a = at.b = at.c = 0;
    NO_UNROLL_FOR (int d = nd - 3; d >= 0; d--) {
        const uint size = AT(t->dims, MM_DIMS - 2, d, ), rest = z / size, p = z - rest * size;
        at.a += p * AT(t->a_stride, MM_DIMS - 2, d, );
        at.b += p * AT(t->b_stride, MM_DIMS - 2, d, );
        at.c += p * AT(t->c_stride, MM_DIMS - 2, d, );
        SET(pos, MM_DIMS - 2, d, p);
        z = rest;
    }
    return at;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Iteration over the loops of nd_params_t. */
#ifndef KERNELS_STRIDED_H
#define KERNELS_STRIDED_H

#include "params.h"
#include "spec.h"

/* Sets the position of row number `row` in the first n axes and clears the other axes. */
static inline void nd_go_to(const nd_params_t *p, int *pos, int n, long row) {
    NO_UNROLL_FOR (int d = n; d < PAR_MAX_DIMS; d++) SET(pos, PAR_MAX_DIMS, d, 0);
    NO_UNROLL_FOR (int d = n - 1; d >= 0; d--) {
        SET(pos, PAR_MAX_DIMS, d, row % AT(p->size, PAR_MAX_DIMS, d, ));
        row /= AT(p->size, PAR_MAX_DIMS, d, );
    }
}

static inline void nd_next(const nd_params_t *p, int *pos, int n) {
    EACH_DOWN(d, n, PAR_MAX_DIMS) {
        if (++pos[d] < p->size[d]) break;
        pos[d] = 0;
    }
}

/* Counts how many of the first len elements along an axis lie before the limits, at a position of
 * the other axes. */
static inline int elements_within(
        const nd_params_t *p, const long *limits, const int *pos, int axis, int len) {
    EACH (l, p->nlimits, ND_MAX_LIMITS) {
        long at = 0;
        EACH (d, p->ndims, PAR_MAX_DIMS)
            if (d != axis && p->limit_of[d] == l) at += (long)pos[d] * p->mult[d];
        const long left = max(limits[l] - at, 0L);
        if (AT(p->limit_of, PAR_MAX_DIMS, axis, ) == l)
            len = min((long)len, (left + AT(p->mult, PAR_MAX_DIMS, axis, ) - 1) /
                                         AT(p->mult, PAR_MAX_DIMS, axis, ));
        else if (left == 0) len = 0;
    }
    return len;
}

#endif

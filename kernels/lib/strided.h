/* SPDX-License-Identifier: Apache-2.0 */
/* Walking through nd_params_t. */
#ifndef KERNELS_ND_H
#define KERNELS_ND_H

#include "params.h"
#include "spec.h"

/* The position of row number `row` in the first n axes; the others are at 0. */
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

/* How many of the first len elements along an axis, at a position of the others, lie before the
 * limits. What comes after p->limit is padding, after p->skip another tensor's. */
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

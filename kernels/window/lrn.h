/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the kernels of local response normalization share. */
#ifndef KERNELS_LRN_H
#define KERNELS_LRN_H

#include "eltwise.h"
#include "lrn_params.h"

SPEC_GETTER(src_dt, SPEC_SRC_DT, DT_F32)
SPEC_GETTER(dst_dt, SPEC_DST_DT, DT_F32)
SPEC_GETTER(flags, SPEC_FLAGS, 0)

static inline bool flag(int f) {
    return (flags() & f) != 0;
}

/* Returns base to the power of -beta. */
static inline accv_t denominator(accv_t base, const lrn_params_t *p) {
    if (flag(LRF_BETA_075)) {
        const accv_t root = sqrt(base);
        return V(1) / (root * sqrt(root));
    }
    return power(base, -p->beta);
}

#endif

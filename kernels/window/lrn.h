/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the kernels of local response normalization share. */
#ifndef KERNELS_LRN_H
#define KERNELS_LRN_H

#include "eltwise.h"
#include "io.h"
#include "lrn_params.h"

/* Returns base to the power of -beta. */
static inline accv_t denominator(accv_t base, float beta) {
    if (flag(LRF_BETA_075)) {
        const accv_t root = sqrt(base);
        return V(1) / (root * sqrt(root));
    }
    return power(base, -beta);
}

#endif

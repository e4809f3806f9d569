/* SPDX-License-Identifier: Apache-2.0 */
/* The last part of the convolution kernels for matrix units: stores a sum as an element of
 * the destination. */
#ifndef KERNELS_CONV_XMX_RESULT_H
#define KERNELS_CONV_XMX_RESULT_H

#include "conv.h"
#include "postops.h"
#include "xmx_sums.h"
#include "xmx_zero.h"

/* Sums of zero point * weight for an output channel: one per tap from tap 0 on, and over
 * all taps. */
typedef struct {
    __global const int *sums;
    int all;
} zero_sums_t;

static inline zero_sums_t zero_sums(__global const int *zero, const cv_xmx_t *t, int g, int c) {
    zero_sums_t z;
    z.sums = zero + (long)g * t->zero_taps * t->zero_columns + c;
    z.all = 0;
    if (cv_flag(CVF_ZA) && c < t->oc)
        for (int tap = 0; tap < t->zero_taps; tap++) z.all += z.sums[tap * t->zero_columns];
    return z;
}

/* Stores a sum as element `to`. c: channel of the group, which is padding from t->oc on; inner: its
 * position in its block; pos: as po_seek() expects it. */
static inline void store_sum(sum_t value, gptr_t dst, long to, int c, int inner, const cv_xmx_t *t,
        const zero_sums_t *zero, const int *pos, po_ctx_t *ctx, const po_params_t *po) {
    if (c >= t->oc) {
        store_1(0, dst, to, dst_dt());
        return;
    }
    if (cv_flag(CVF_ZA)) value -= zero_part(zero->sums, t, pos, zero->all);
    if (ELEMENT == 1 && po_count() == 0 && dst_dt() == DT_S32) {
        ((__global int *)dst)[to] = value;
        return;
    }
    if (po_nsrcs() > 0) po_seek(ctx, po, pos, 5);
    store_1(po_apply((float)value, ctx, po, inner, 1), dst, to, dst_dt());
}

#endif

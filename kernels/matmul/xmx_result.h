/* SPDX-License-Identifier: Apache-2.0 */
/* The last part of the kernels for matrix units: stores a sum as an element of c. */
#ifndef KERNELS_MATMUL_XMX_RESULT_H
#define KERNELS_MATMUL_XMX_RESULT_H

#include "matmul_params.h"
#include "postops.h"
#include "quant.h"
#include "xmx_sums.h"

/* c_at: offset of the batch's matrix in c; ctx has the same position. Sums outside of c
 * are dropped. */
static inline void store_sum(sum_t value, int row, int col, gptr_t c, long c_at, const mm_xmx_t *t,
        int nd, const po_ctx_t *ctx, const po_params_t *po) {
    if (row >= t->rows || col >= t->columns) return;
    const long at = c_at + row * t->c_row + col * t->c_col;
    if (ELEMENT == 1 && po_count() == 0 && dst_dt() == DT_S32) {
        ((__global int *)c)[at] = value;
        return;
    }
    po_ctx_t line_ctx = *ctx;
    po_advance(&line_ctx, po, nd - 2, row);
    store_1(po_apply((float)value, &line_ctx, po, col, 1), c, at, dst_dt());
}

#endif

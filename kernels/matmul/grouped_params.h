/* SPDX-License-Identifier: Apache-2.0 */
/* The structure that the kernel of grouped matrix products receives by value. */
#ifndef KERNELS_MATMUL_GROUPED_PARAMS_H
#define KERNELS_MATMUL_GROUPED_PARAMS_H

#include "matmul_params.h"

/* Bits of SPEC_FLAGS besides MMF_INT, MMF_ZA, MMF_ZB, MMF_SA and MMF_SB. Here these flags stand for
 * any zero point or scale. */
enum {
    /* The groups divide k, and each group has its own result matrix; without the flag they divide
     * the rows. */
    MMG_SPLIT_K = 64
};

/* The strides of scales and zero points are in the order (group, row, k) for the source and (group,
 * k, column) for the weights. */
typedef struct {
    par_i32_t groups, rows, cols, k; /* rows or k of all groups together */
    par_i32_t rows_per_item;
    par_i32_t step; /* values of k that share all scales and zero points */
    par_i64_t a_row, a_k;
    par_i64_t b_group, b_k, b_col;
    par_i64_t c_group, c_row, c_col;
    mm_quant_t sa, sb, za, zb;
} mm_grouped_t;

#endif

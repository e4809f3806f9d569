/* SPDX-License-Identifier: Apache-2.0 */
/* The structure that the kernel of grouped matrix products takes by value. */
#ifndef KERNELS_MATMUL_GROUPED_PARAMS_H
#define KERNELS_MATMUL_GROUPED_PARAMS_H

#include "matmul_params.h"

/* Bits of SPEC_FLAGS beside MMF_INT, MMF_ZA, MMF_ZB, MMF_SA and MMF_SB, which here stand for any
 * zero point or scale. */
enum {
    /* the groups divide k, and each has a matrix of the result; else they divide the rows */
    MMG_SPLIT_K = 64
};

/* Strides of scales and zero points are those of (group, row, k) for the source, of (group, k,
 * column) for weights. */
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

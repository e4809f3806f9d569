/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that the kernels of sparse matrix products receive by value. One dimension of the
 * result belongs to the sparse matrix; its positions are called lines. The other dimension belongs
 * to the dense matrix; its positions are called lanes. */
#ifndef KERNELS_MATMUL_SPARSE_PARAMS_H
#define KERNELS_MATMUL_SPARSE_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

/* The product; the entries of a line are contiguous. */
typedef struct {
    par_i32_t lines, lanes;
    par_i32_t lines_per_item;
    par_i32_t empty; /* there are no entries, and no arrays of entries */
    par_i64_t dense_k, dense_lane;
    par_i64_t dst_line, dst_lane;
} mm_sparse_t;

/* The step that sorts the entries by lines. */
typedef struct {
    par_i32_t lines;
    par_i32_t lines_per_item;
    par_i32_t entries;
    /* Number of k if k is given by pointers to the first entry of each k; 0 if each entry has its
     * own k. */
    par_i32_t compressed;
} mm_sparse_order_t;

#endif

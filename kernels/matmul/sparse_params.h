/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that the kernels of sparse matrix products take by value. One dimension of the result
 * belongs to the sparse matrix: its lines. The other belongs to the dense one: its lanes. */
#ifndef KERNELS_MATMUL_SPARSE_PARAMS_H
#define KERNELS_MATMUL_SPARSE_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

/* The product, with the entries of a line one after the other. */
typedef struct {
    par_i32_t lines, lanes;
    par_i32_t lines_per_item;
    par_i32_t empty; /* no entries, and no arrays of them either */
    par_i64_t dense_k, dense_lane;
    par_i64_t dst_line, dst_lane;
} mm_sparse_t;

/* Bringing entries into that order. */
typedef struct {
    par_i32_t lines;
    par_i32_t lines_per_item;
    par_i32_t entries;
    /* k is given by pointers to the first entry of each k, so many; 0: entry by entry */
    par_i32_t compressed;
} mm_sparse_order_t;

#endif

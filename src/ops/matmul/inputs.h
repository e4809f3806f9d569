/* SPDX-License-Identifier: Apache-2.0 */
/* The matrices of a matmul, as its kernels address them. */
#ifndef OPS_MATMUL_INPUTS_H
#define OPS_MATMUL_INPUTS_H

#include "ops/matmul/problem.h"
#include "steps/result.h"

/* An input, where it is or as a step before the product has made it. It may point into itself. */
typedef struct {
    operand_t at;        /* without a descriptor if the matrix is packed */
    dnnl_data_type_t dt; /* of the elements, as the kernel reads them */
    int64_t stride[MM_DIMS];
    int64_t panel; /* elements from one panel to the next; 0: no panels */
    md_t copy;     /* of a matrix in the scratchpad */
} matrix_t;

/* Elements from one position of a dimension to the next: 0 where the dimension is 1, and
 * broadcast. */
int64_t matmul_stride(const md_t *md, int d);
void matmul_set_strides(int64_t stride[MM_DIMS], const md_t *md);
/* The input where it is. */
void matrix_in_place(matrix_t *x, const operand_t *input);
/* The input as a plain matrix; a step unfolds one with inner blocks into the scratchpad. */
const char *matrix_plain(matmul_t *mm, const operand_t *input, matrix_t *x);

/* What tiles of c = a * b have in common; the caller sets rows, b_panel, and what its kernel
 * needs besides. */
void matmul_tile_params(const matmul_t *mm, const matrix_t *a, const matrix_t *b, const result_t *r,
        mm_tile_t *params);

#endif

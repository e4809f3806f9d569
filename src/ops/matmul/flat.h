/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of an inner product as matrices: the first dimension, and all others as one. */
#ifndef OPS_MATMUL_FLAT_H
#define OPS_MATMUL_FLAT_H

#include "steps/elementwise.h"

typedef struct {
    md_t md;   /* the matrix */
    md_t copy; /* the tensor in the scratchpad, if the matrix is one of that */
} flat_t;

/* The order in which the dimensions of a tensor lie, but the first one slowest; the logical order
 * for a layout with inner blocks. */
void flat_order(const md_t *md, int *order);
/* Does the tensor lie as a matrix whose columns are the other dimensions in this order? */
bool flat_is_possible(const md_t *md, const int *order);
/* The input as such a matrix: where it is, or a copy of it in the scratchpad. The sentence is the
 * answer where there is none. */
const char *flat_input(
        planner_t *p, operand_t *input, const int *order, flat_t *flat, const char *sentence);
/* The same for a tensor that is written later, without the copy: where the operand becomes one in
 * the scratchpad (slot -1), flat_finish() is to follow. */
const char *flat_output(
        planner_t *p, operand_t *output, const int *order, flat_t *flat, const char *sentence);
/* The step that copies the matrix `from` of flat_output() to the tensor. */
const char *flat_finish(
        planner_t *p, const flat_t *flat, const operand_t *from, const operand_t *to);

/* Exchanges the dimensions of a matrix, which may have inner blocks. */
void flat_transpose(md_t *md);

#endif

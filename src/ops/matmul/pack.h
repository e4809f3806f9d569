/* SPDX-License-Identifier: Apache-2.0 */
/* Packing: a first step that writes an input to the scratchpad in the order in which a tile
 * reads it. */
#ifndef OPS_MATMUL_PACK_H
#define OPS_MATMUL_PACK_H

#include "ops/matmul/inputs.h"

/* How the elements of a packed matrix lie: strides in elements, as in mm_pack_t. */
typedef struct {
    int row_dim;               /* which of the last two dimensions are its rows: 0 or 1 */
    int nv;                    /* vectors of 16 elements beside one another in a panel */
    bool shorts;               /* 16-bit integers; else floats */
    bool pairs;                /* two rows lie element by element; with dots: panels of words */
    int dots;                  /* elements of a word; 0: none. Strides of panels are in words */
    bool flip;                 /* bytes move by 128 */
    int64_t panels;            /* beside one another */
    int64_t row, panel, batch; /* from one to the next */
} packing_t;

/* Plans the step; x, the input with that argument and descriptor, becomes the packed matrix.
 * Scales and zero points that change along k are applied on the way. */
void matmul_pack(matmul_t *mm, matrix_t *x, int arg, const md_t *md, const packing_t *how);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of the elementwise variant that transposes in registers of sub-groups
 * (kernels/elementwise/transpose.cl). */
#ifndef STEPS_TRANSPOSE_H
#define STEPS_TRANSPOSE_H

#include "steps/loops.h"

typedef struct {
    int fast;    /* the loop of the lanes: the source or the destination is contiguous along it */
    int vec;     /* the one in which the other is, which each lane has vectors of */
    int part;    /* a third one: a tile has 8 positions of it; -1: a tile is wider along `fast` */
    bool gather; /* the vectors are those of the source */
    int words;   /* of 32 bits, in a vector */
    int span;    /* elements of the loop `vec` that a sub-group does */
    int64_t vec_tiles, part_tiles; /* along these loops */
    int64_t items;                 /* sub-groups that the tiles need */
    int combined; /* so many elements next to each other in both tensors are copied as one */
    dnnl_data_type_t copied_as; /* of a copy: what type stands for its elements; else undefined */
} ew_transpose_t;

/* NULL, or why there is no such tile for these loops and types. copy: values do not change. */
const char *ew_transpose_of(ew_transpose_t *tile, const ew_loops_t *loops, dnnl_data_type_t src_dt,
        dnnl_data_type_t dst_dt, bool copy);
/* Makes the tile's loops the last ones, in the order of the kernel, over elements that may be
 * several together. */
void ew_transpose_order(const ew_transpose_t *tile, ew_loops_t *loops);

#endif

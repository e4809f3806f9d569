/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of group and batch normalization for sub-groups, for the kernels and the planner. */
#ifndef KERNELS_NORM_PARAMS_H
#define KERNELS_NORM_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

enum { SPEC_NORM_FLAGS = SPEC_FIRST_FREE };
enum {
    NORM_GIVEN = 1, /* mean and variance are inputs */
    NORM_SAVE = 2,  /* mean and variance are stored */
    NORM_PARTS = 4, /* first step only: stores count, mean and squares of a part */
    NORM_SCALE = 8,
    NORM_SHIFT = 16,
    NORM_SAME = 32, /* scale and shift are the same for all pieces of a row */
    NORM_ALONG = 64 /* scale and shift run along pieces */
};

enum { SLAB_ITEMS = 512 }; /* of a work-group in slab.cl */

/* The loops are, in this order: the loops that count the statistics; two loops that are reduced (of
 * size 1 if there are fewer); and the contiguous loop. In norm_rows the contiguous loop is reduced,
 * too. In norm_columns each of its positions has its own statistics. */
typedef struct {
    nd_params_t nd;
    par_i32_t stat_stride[PAR_MAX_DIMS], weight_stride[PAR_MAX_DIMS];
    par_i32_t stats;  /* number of means */
    par_i32_t pieces; /* pieces of a row; rows of the columns */
    par_i32_t chunk;  /* pieces per work-group */
    par_i32_t share;  /* neighbouring columns that share a mean, with NORM_GIVEN or NORM_PARTS */
    float count;      /* elements per mean */
    float epsilon;
} norm_params_t;

/* The step that combines the parts. */
typedef struct {
    par_i32_t stats, chunks, share;
} norm_join_t;

#endif

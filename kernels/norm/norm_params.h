/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of group and batch normalization for sub-groups, for the kernels and for the code that
 * writes plans. */
#ifndef KERNELS_NORM_PARAMS_H
#define KERNELS_NORM_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

enum { SPEC_NORM_FLAGS = SPEC_FIRST_FREE };
enum {
    NORM_GIVEN = 1, /* mean and variance are read */
    NORM_SAVE = 2,  /* they are written */
    NORM_PARTS = 4, /* nothing else is done: count, mean and squares of a part go to memory */
    NORM_SCALE = 8,
    NORM_SHIFT = 16,
    NORM_SAME = 32, /* scale and shift are the same for all pieces of a row */
    NORM_ALONG = 64 /* they run along pieces */
};

/* Loops: those that statistics are counted by, then two that they are taken over (of one position
 * where there are less), then the contiguous one, which statistics are taken over (rows) or which
 * has one for each position (columns). */
typedef struct {
    nd_params_t nd;
    par_i32_t stat_stride[PAR_MAX_DIMS], weight_stride[PAR_MAX_DIMS];
    par_i32_t stats;  /* how many means there are */
    par_i32_t pieces; /* of a row; rows of columns */
    par_i32_t chunk;  /* of those, what a work-group does */
    par_i32_t share;  /* neighbouring columns that have one mean: NORM_GIVEN, NORM_PARTS */
    float count;      /* elements that a mean is taken of */
    float epsilon;
} norm_params_t;

/* The joining of parts. */
typedef struct {
    par_i32_t stats, chunks, share;
} norm_join_t;

#endif

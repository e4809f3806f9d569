/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the kernels for the gradient of weights. */
#ifndef KERNELS_CONV_DIFF_WEIGHTS_PARAMS_H
#define KERNELS_CONV_DIFF_WEIGHTS_PARAMS_H

#include "../lib/image_params.h"

/* Sums of in * out, where windows slide over `in`, and each position of a window has a value in
 * `out`. */
typedef struct {
    cv_tensor_t in, out;
    cv_window_t win;       /* its in and out: the sizes of these two */
    par_i64_t elements;    /* of the weights, dimensions from the slowest: groups, oc, taps, ic */
    par_i64_t rows, chunk; /* rows of `out` in all images and depths, and of a work-item */
    par_i32_t ic, oc;      /* of the weights, per group */
} cv_diff_weights_t;

/* Copies what windows read to matrices: a row for each position of the window over all images, and
 * a column for each tap and channel of a group, channels fastest. Rows are in chunks, columns in
 * panels; strides are in elements. */
typedef struct {
    cv_tensor_t src;
    cv_window_t win;
    par_i64_t first, rows, chunk; /* the first position; rows, and how many are in a chunk */
    par_i64_t to_chunk, to_group, to_panel, to_row; /* from one to the next */
    par_i32_t panel;                                /* columns of a panel: a multiple of 16 */
    par_i32_t groups, channels;                     /* channels of a group */
    par_i32_t columns, vectors;                     /* of a group; vectors of 16 columns */
    par_i32_t rows_of_item;                         /* that a work-item writes */
} cv_columns_t;

/* Sums of in * out on CPUs: rows are channels of `out`, columns taps and channels of `in`, channels
 * fastest. Group of work-items 0 counts shares of the positions, group 1 blocks of the sums. */
typedef struct {
    cv_tensor_t in, out; /* positions of `out` are out.sp[2] elements apart, channels contiguous */
    cv_window_t win;
    par_i64_t positions, share; /* in all images, and of a share */
    par_i64_t chunk;            /* positions of a chunk: CV_DIFF_CHUNK() at most */
    par_i64_t elements;         /* sums of a share */
    par_i64_t packed;           /* elements of a work-group's panels of `out` */
    par_i32_t channels;         /* of `in`, per group */
    par_i32_t rows, columns;    /* of a group */
    par_i32_t channels_of_out;  /* of all groups */
    par_i32_t rows_of_block, columns_of_block, row_blocks, column_blocks;
} cv_diff_tile_t;
/* Positions of a chunk: a panel of columns, 16 KB, fills half of the nearest cache. */
#define CV_DIFF_CHUNK(nv) (256 / (nv))

#endif

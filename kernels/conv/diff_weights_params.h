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

#endif

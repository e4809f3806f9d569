/* SPDX-License-Identifier: Apache-2.0 */
/* The structure that the kernels of backward pooling receive by value. Their flags are those of
 * pool_params.h. */
#ifndef KERNELS_POOL_BACKWARD_PARAMS_H
#define KERNELS_POOL_BACKWARD_PARAMS_H

#include "../lib/image_params.h"

/* The variant for rows: the longest buffer of a row, and the most taps along the width. */
enum { PB_ROW = 2048, PB_TAPS = 64 };
/* The variant for channels: the most columns that a work-item lists the windows of, the most of
 * these windows, and the most rows of windows that reach a row. */
enum { PB_COLUMNS = 256, PB_WINDOWS = 1024, PB_ROWS = 128 };

typedef struct {
    cv_tensor_t src, ws, dst;            /* the gradient of the destination; that of the source */
    cv_window_t win;                     /* as in forward propagation: from `dst` to `src` */
    par_i32_t channels, padded_channels; /* padding after `channels` is set to zero */
    /* The variants for CPUs: channels (0: one) and rows of a work-item; rows of all images, depths
     * and, where a work-item has one channel, channels. */
    par_i32_t chunk, rows, nrows;
    /* The variant for channels: columns whose windows are listed at once. `rows` counts pieces of
     * rows with so many columns. */
    par_i32_t columns;
} pool_backward_params_t;

#endif

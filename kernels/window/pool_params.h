/* SPDX-License-Identifier: Apache-2.0 */
/* The structure that the pooling kernels receive by value, and their flags. */
#ifndef KERNELS_POOL_PARAMS_H
#define KERNELS_POOL_PARAMS_H

#include "../lib/image_params.h"

/* Bits of SPEC_FLAGS in the pooling kernels. */
enum {
    PLF_MAX = 1,
    PLF_EXCLUDE = 2, /* an average counts only the elements of the source */
    PLF_WS_U8 = 4,   /* the index of the maximum is stored as u8 or s32 */
    PLF_WS_S32 = 8,
    PLF_WS = PLF_WS_U8 | PLF_WS_S32,
    PLF_PLANE = 16, /* variants for sub-groups: one window covers a whole plane without gaps */
    PLF_STREAM = 32 /* non-temporal stores: the result is larger than the caches */
};

/* Parts of 16 elements in a tile of the variants for sub-groups: 1, 2, 4 or 8. */
enum { SPEC_POOL_PARTS = SPEC_FIRST_FREE };

typedef struct {
    cv_tensor_t src, dst; /* the workspace has the strides of dst */
    cv_window_t win;
    par_i32_t channels, padded_channels; /* padding after `channels` is set to zero */
    par_i32_t chunk;                     /* channels per work-item or sub-group */
    par_i32_t rows,
            /* Rows per work-item (sub-groups: results of a row), and nrows: rows of all images
             * and depths. */
            nrows;
    par_i32_t ragged; /* some windows reach beyond the ends of a row */
    float lowest;     /* the maximum of an empty window */
} pool_params_t;

#endif

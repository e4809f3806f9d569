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
    PLF_PLANE = 16,    /* variants for sub-groups: one window covers a whole plane without gaps */
    PLF_STREAM = 32,   /* non-temporal stores: the result is larger than the caches */
    PLF_CHANNELS = 64, /* strips: neighbouring work-items have neighbouring channels */
    PLF_FLAT = 128,    /* strips: there is no depth */
    PLF_AHEAD = 256    /* rows for CPUs: prefetches rows, which are in no cache */
};

/* Parts of 16 elements in a tile of the variants for sub-groups: 1, 2, 4 or 8. Strips, and kernels
 * for CPUs: taps across | taps below << 8 | elements from one result to the next << 16 (below in
 * strips, across in rows) of windows without dilation in these directions; 0: the module serves any
 * window. */
enum { SPEC_POOL_PARTS = SPEC_FIRST_FREE, SPEC_POOL_WINDOW };

/* Of windows that a module knows: taps across, and rows of the source that a strip of so many
 * results reads. */
enum { POOL_MOST_TAPS = 4 };
#define POOL_MOST_ROWS(strip) ((strip) + 8)

typedef struct {
    cv_tensor_t src, dst; /* the workspace has the strides of dst */
    cv_window_t win;
    par_i32_t channels, padded_channels; /* padding after `channels` is set to zero */
    par_i32_t chunk;                     /* channels per work-item or sub-group */
    par_i32_t rows,
            /* Rows per work-item (sub-groups: results of a row), and nrows: rows of all images
             * and depths. */
            nrows;
    par_i32_t ragged; /* some windows reach beyond the ends of a row. Of maxima without a workspace:
                       * some lie there */
    float lowest;     /* the maximum of an empty window */
} pool_params_t;

#endif

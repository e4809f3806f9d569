/* SPDX-License-Identifier: Apache-2.0 */
/* What the pooling kernels take by value, and the meaning of their flags. */
#ifndef KERNELS_POOL_PARAMS_H
#define KERNELS_POOL_PARAMS_H

#include "../conv/conv_params.h"

/* Bits of SPEC_FLAGS in the pooling kernels. */
enum {
    PLF_MAX = 1,
    PLF_EXCLUDE = 2, /* an average counts the elements of the source only */
    PLF_WS_U8 = 4,   /* the index of the maximum is stored, as u8 or s32 */
    PLF_WS_S32 = 8,
    PLF_WS = PLF_WS_U8 | PLF_WS_S32,
    PLF_PLANE = 16 /* rows for sub-groups: a whole plane is the one window, without gaps */
};

/* Parts of 16 elements that a tile of the rows for sub-groups has: 1, 2, 4 or 8. */
enum { SPEC_POOL_PARTS = SPEC_FIRST_FREE };

typedef struct {
    cv_tensor_t src, dst; /* the workspace lies like dst */
    cv_window_t win;
    par_i32_t channels, padded_channels; /* what comes after the channels is set to zero */
    par_i32_t chunk;                     /* a work-item (sub-group) does so many channels ... */
    par_i32_t rows,
            nrows;    /* ... of so many rows (results of a row); nrows: of all images and depths */
    par_i32_t ragged; /* windows reach over the ends of rows */
    float lowest;     /* the maximum over no elements */
} pool_params_t;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the resampling kernels take by value, and the meaning of their flags. */
#ifndef KERNELS_RESAMPLE_PARAMS_H
#define KERNELS_RESAMPLE_PARAMS_H

#include "../conv/conv_params.h"

/* Bits of SPEC_FLAGS in the resampling kernels. */
enum {
    RSF_LINEAR = 1,
    RSF_STREAM = 2, /* write past the caches: the destination is larger than they are */
    RSF_TWICE = 4   /* nearest, and the destination is twice as wide as the source */
};

enum { RS_MAX_ROW = 512 }; /* elements of a row that a work-item interpolates at once */

typedef struct {
    cv_tensor_t src, dst;
    par_i32_t in[3], out[3];
    par_i32_t channels, padded_channels; /* what comes after the channels is set to zero */
    par_i32_t chunk;                     /* a work-item does so many channels ... */
    par_i32_t rows, nrows;               /* ... of so many rows; nrows: of all images and depths */
    /* positions of a row that read less than RS_MAX_ROW elements; a multiple of 16 */
    par_i32_t span;
} resample_params_t;

#endif

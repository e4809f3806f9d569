/* SPDX-License-Identifier: Apache-2.0 */
/* The structure that the resampling kernels receive by value, and their flags. */
#ifndef KERNELS_RESAMPLE_PARAMS_H
#define KERNELS_RESAMPLE_PARAMS_H

#include "../lib/image_params.h"

/* Bits of SPEC_FLAGS in the resampling kernels. */
enum {
    RSF_LINEAR = 1,
    RSF_STREAM = 2,   /* non-temporal stores: the destination is larger than the caches */
    RSF_TWICE = 4,    /* on CPUs: the destination is twice as wide as the source */
    RSF_CHANNELS = 8, /* channels are next to each other in the destination */
    RSF_FLAT = 16,    /* on GPUs: there is no depth */
    RSF_PLANES = 32,  /* on GPUs: channels of source and destination are in no blocks */
    /* on GPUs: the planes of a work-item are evenly spaced and get no epilogue */
    RSF_EVEN = 64,
    RSF_STRIP = 128 /* the same, linear and flat: a work-item has RS_STRIP rows of each plane */
};
enum { RS_STRIP = 2 };

enum { RS_MAX_ROW = 512 }; /* elements of a row that a work-item interpolates at once */

/* Elements of the longest row that resample_backward_rows adds up. */
enum { RS_BACKWARD_ROW = 2048 };

typedef struct {
    cv_tensor_t src, dst;
    par_i32_t in[3], out[3];
    par_i32_t channels, padded_channels; /* padding after `channels` is set to zero */
    par_i32_t chunk;                     /* channels per work-item */
    /* Rows per work-item, and of all images and depths. On GPUs: images, or channels of images. */
    par_i32_t rows, nrows;
    /* Positions of a row that read fewer than RS_MAX_ROW elements; a multiple of 16. */
    par_i32_t span;
} resample_params_t;

#endif

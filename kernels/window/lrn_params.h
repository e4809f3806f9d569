/* SPDX-License-Identifier: Apache-2.0 */
/* The structure that the kernels of local response normalization receive by value, and
 * their flags. */
#ifndef KERNELS_LRN_PARAMS_H
#define KERNELS_LRN_PARAMS_H

#include "../lib/image_params.h"

/* Bits of SPEC_FLAGS. */
enum {
    LRF_ACROSS = 1,   /* the window runs over channels, else over the spatial dimensions */
    LRF_WS = 2,       /* the kernel stores the bases of the powers in the workspace */
    LRF_BETA_075 = 4, /* beta is 0.75: two square roots replace the power */
    LRF_TERMS = 8     /* backward: stores what each element adds to the sums of its neighbours */
};

typedef struct {
    cv_tensor_t src, dst; /* the workspace has the strides of dst */
    par_i32_t size[3];
    par_i32_t channels, padded_channels; /* padding after `channels` is set to zero */
    par_i32_t reach;                     /* elements of the window on each side of its centre */
    par_i32_t rows, nrows;     /* rows per work-item; nrows: rows of all images and depths */
    float alpha, beta, k;      /* alpha is divided by the size of the window */
    float numerator, elements; /* alpha as a quotient */
} lrn_params_t;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the local response normalization kernels take by value, and the meaning of their flags. */
#ifndef KERNELS_LRN_PARAMS_H
#define KERNELS_LRN_PARAMS_H

#include "../conv/conv_params.h"

/* Bits of SPEC_FLAGS. */
enum {
    LRF_ACROSS = 1,  /* the window runs over channels, else over the spatial dimensions */
    LRF_WS = 2,      /* the bases of the powers are stored */
    LRF_BETA_075 = 4 /* beta is 0.75: the power is two square roots */
};

typedef struct {
    cv_tensor_t src, dst; /* the workspace lies like dst */
    par_i32_t size[3];
    par_i32_t channels, padded_channels; /* what comes after the channels is set to zero */
    par_i32_t reach; /* the window has so many elements before and after the one in the middle */
    par_i32_t rows, nrows;     /* a work-item does so many; nrows: of all images and depths */
    float alpha, beta, k;      /* alpha: divided by the size of the window */
    float numerator, elements; /* alpha in two */
} lrn_params_t;

#endif

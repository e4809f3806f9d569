/* SPDX-License-Identifier: Apache-2.0 */
/* Structures of images and windows that kernels of convolution, pooling, resampling and LRN receive
 * by value. */
#ifndef KERNELS_IMAGE_PARAMS_H
#define KERNELS_IMAGE_PARAMS_H

#include "params.h"
#include "spec.h"

/* A tensor of activations. Channel c is at (c / block) * c_outer + (c % block) * c_inner. */
typedef struct {
    par_i64_t n, c_outer, c_inner;
    par_i64_t sp[3]; /* depth, height, width */
    par_i32_t block, pad;
} cv_tensor_t;

/* The window: position o of the destination reads position o * stride - pad + k * dilation of
 * the source. */
typedef struct {
    par_i32_t in[3], out[3];
    par_i32_t k[3], stride[3], dilation[3], pad[3];
} cv_window_t;

#endif

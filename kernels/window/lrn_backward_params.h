/* SPDX-License-Identifier: Apache-2.0 */
/* The structure that the kernels of backward local response normalization receive by value. Their
 * flags are those of lrn_params.h. */
#ifndef KERNELS_LRN_BACKWARD_PARAMS_H
#define KERNELS_LRN_BACKWARD_PARAMS_H

#include "../lib/image_params.h"

typedef struct {
    cv_tensor_t src, diff, ws, dst; /* diff: the gradient of the destination; dst: of the source */
    cv_tensor_t terms;              /* lrn_backward_channels, windows within channels: float */
    par_i32_t size[3];
    par_i32_t channels, padded_channels; /* padding after `channels` is set to zero */
    par_i32_t reach;                     /* elements of the window on each side of its centre */
    par_i32_t rows, nrows;               /* as lrn_params_t has them */
    float alpha, beta, elements;         /* elements: of a whole window */
} lrn_backward_params_t;

#endif

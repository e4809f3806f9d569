/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the kernel for the gradient of weights. */
#ifndef KERNELS_CONV_DIFF_WEIGHTS_PARAMS_H
#define KERNELS_CONV_DIFF_WEIGHTS_PARAMS_H

#include "../lib/image_params.h"

/* Sums of in * out, where windows slide over `in`, and each position of a window has a value in
 * `out`. */
typedef struct {
    cv_tensor_t in, out;
    cv_window_t win;       /* its in and out: the sizes of these two */
    par_i64_t elements;    /* of the weights, dimensions from the slowest: groups, oc, taps, ic */
    par_i64_t rows, chunk; /* rows of `out` in all images and depths, and of a work-item */
    par_i32_t ic, oc;      /* of the weights, per group */
} cv_diff_weights_t;

#endif

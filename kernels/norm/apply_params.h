/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the last step of normalizations, for the kernel and the planner. */
#ifndef KERNELS_APPLY_PARAMS_H
#define KERNELS_APPLY_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

enum { SPEC_APPLY_FLAGS = SPEC_FIRST_FREE };
enum {
    APPLY_SCALE = 1,
    APPLY_SHIFT = 2,
    APPLY_RELU = 4,
    APPLY_ALONG = 8 /* mean, variance, scale and shift run along the vector axis */
};
enum { APPLY_MAX_CHUNK = 512 }; /* elements of the vector axis per work-item with APPLY_ALONG */

typedef struct {
    nd_params_t nd;
    par_i64_t stat_stride[PAR_MAX_DIMS]; /* strides of mean, variance, scale and shift */
    float epsilon;
    par_i32_t pad;
} apply_params_t;

#endif

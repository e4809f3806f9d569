/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of layer normalization, for the kernels and the planner. */
#ifndef KERNELS_LAYER_PARAMS_H
#define KERNELS_LAYER_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

enum { SPEC_LAYER_FLAGS = SPEC_FIRST_FREE, SPEC_LAYER_DATA_DT }; /* backward: the source's type */
/* LAYER_GIVEN: the statistics do not depend on the source. */
enum { LAYER_RMS = 1, LAYER_GIVEN = 2, LAYER_SAVE = 4, LAYER_SCALE = 8, LAYER_SHIFT = 16 };
/* Backward: the gradients of scale and shift are wanted. */
enum { LAYER_SCALE_SUMS = 32, LAYER_SHIFT_SUMS = 64 };

typedef struct {
    nd_params_t nd;
    par_i64_t stat_stride[PAR_MAX_DIMS];
    float epsilon;
} layer_params_t;

#endif

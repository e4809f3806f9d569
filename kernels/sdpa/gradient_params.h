/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of attention's gradients receive besides sdpa_params.h. */
#ifndef KERNELS_SDPA_GRADIENT_PARAMS_H
#define KERNELS_SDPA_GRADIENT_PARAMS_H

#include "sdpa_params.h"

/* Specialisation constants: types of the gradients. */
enum {
    SPEC_SDG_DIFF_DST_DT = SPEC_FIRST_FREE + 24,
    SPEC_SDG_DIFF_QUERY_DT,
    SPEC_SDG_DIFF_KEY_DT,
    SPEC_SDG_DIFF_VALUE_DT,
    SPEC_SDG_DIFF_SCORE_DT /* 0: the gradient of the scores is not stored */
};

/* Strides of a gradient, in elements. */
typedef struct {
    par_i64_t outer[SD_OUTER], row, col;
} sd_layout_t;

typedef struct {
    sd_layout_t dst, query, key, value, score; /* gradients of these; a row of `key` is a key */
    par_i32_t share;                           /* matrices of queries that share one of keys */
} sd_gradients_t;

#endif

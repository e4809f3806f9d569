/* SPDX-License-Identifier: Apache-2.0 */
/* Steps whose work-items take whole rows of contiguous elements (kernels/include/rows.h), or whose sub-groups
 * do (kernels/include/sg.h): softmax, layer normalization. */
#ifndef OPS_REDUCTION_ROWS_H
#define OPS_REDUCTION_ROWS_H

#include "ops/elementwise.h"

typedef struct {
    nd_params_t p;
    chain_segment_t seg;
    int64_t stat_stride[PAR_MAX_DIMS]; /* of the tensor with a value for each row */
    int64_t len;
    uint32_t items;
    bool stream;
} rows_t;

/* The rows run along the one dimension in which stat is 1 and src is not. NULL, or why there are no such
 * rows. */
const char *rows_init(
        rows_t *rows, const pd_t *pd, const caps_t *caps, const chain_t *chain, const md_t *stat);
/* NULL, or why the kernel row does not take them. */
const char *rows_fit(const rows_t *rows, const pd_t *pd, int row);
/* Starts a step: the specialisation constants of types, flags and chain, and of the sub-groups' shares. */
void rows_step(const rows_t *rows, const pd_t *pd, const caps_t *caps, int row, plan_t *plan);

#endif

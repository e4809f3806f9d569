/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of convolution and deconvolution share. */
#ifndef OPS_CONVOLUTION_H
#define OPS_CONVOLUTION_H

#include "conv/conv_params.h"
#include "ops/elementwise.h"

/* A problem, with depth, height and width whatever the number of spatial dimensions is. */
typedef struct {
    const pd_t *pd;
    const caps_t *caps;
    plan_t *plan;
    bool transposed;  /* deconvolution */
    bool with_groups; /* weights have a dimension for them */
    int ndims;
    int64_t mb, groups, ic, oc; /* channels of a group */
    cv_window_t win;
    int src_slot, wei_slot, dst_slot, bias_slot;
    const md_t *src, *wei, *dst;
    bool exact;       /* 8-bit integers, summed up as 32-bit ones */
    uint64_t scratch; /* bytes of the scratchpad used so far */
} conv_t;

/* Shapes, data types and attributes; no layouts. */
dnnl_status_t conv_check(const pd_t *pd, bool transposed);
void conv_of(conv_t *cv, const pd_t *pd, const caps_t *caps, plan_t *plan);

/* Writes the plan for a row into cv->plan and the scratchpad's size into cv->scratch; NULL, or why the row
 * does not take the problem. */
const char *conv_plan(conv_t *cv, int row);

/* Gives tensors that are `any` the layouts that the kernels are fastest with. */
dnnl_status_t conv_resolve_any(pd_t *pd, const caps_t *caps);

/* op_kind_t functions of both. */
dnnl_status_t conv_init(pd_t *pd, const caps_t *caps);
int conv_format_problem(const pd_t *pd, char *buf, size_t size);
int conv_format_aux(const pd_t *pd, char *buf, size_t size);

#endif

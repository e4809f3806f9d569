/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of convolution and deconvolution share. */
#ifndef OPS_CONVOLUTION_H
#define OPS_CONVOLUTION_H

#include "kernels/conv/conv_params.h"
#include "steps/elementwise.h"

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
    bool bias_inside; /* the kernel adds it itself */
    uint64_t scratch; /* bytes of the scratchpad used so far */
} conv_t;

/* Shapes, data types and attributes; no layouts. */
dnnl_status_t conv_check(const pd_t *pd, bool transposed);
void conv_of(conv_t *cv, const pd_t *pd, const caps_t *caps, plan_t *plan);

/* Tags of activations with 1 to 3 spatial dimensions. */
extern const char *const conv_channels_last[];

/* ---- steps ---- */

/* Where a kernel finds a tensor. */
typedef struct {
    int slot;        /* -1: in the scratchpad */
    uint64_t offset; /* bytes */
    dnnl_data_type_t dt;
} conv_place_t;

/* The result of the kernel and what it applies to it. */
typedef struct {
    conv_place_t place;
    cv_tensor_t t;
    epilogue_t chain;
    epilogue_segment_t seg;
    bool complete; /* it is the destination; else links from `rest` on follow in steps of their own */
    int rest;
    md_t scratch_md;
} conv_result_t;

uint64_t conv_reserve(conv_t *cv, uint64_t bytes);
conv_place_t conv_place_of(const md_t *md, int slot);
void conv_bind_place(plan_t *plan, const conv_place_t *p);
/* Activations without inner blocks, or with one of channels; false: the kernels cannot address it. */
bool conv_set_tensor(cv_tensor_t *t, const md_t *md);
/* A copy of an input in the scratchpad, made by a step of its own, with the layout of `to`. */
const char *conv_copy_input(
        conv_t *cv, int slot, const md_t *md, const md_t *to, conv_place_t *place);
/* Weights in the layout of the tag, as they are or from a step that makes them so. */
const char *conv_pack_weights(conv_t *cv, const char *tag, conv_place_t *place, md_t *packed);
/* Are the pixels of a tensor so far apart as those of its last dimension, over all images? */
bool conv_is_even(const cv_tensor_t *t, const int32_t *size);
/* The destination, or what a kernel that stores vectors of `lanes` channels writes in its place. by_group:
 * the vectors start anew in each group. */
const char *conv_plan_result(conv_t *cv, int lanes, bool by_group, conv_result_t *r);
const char *conv_finish_result(conv_t *cv, const conv_result_t *r);
const quant_t *conv_zero_of(const conv_t *cv, int arg);
/* The type of zero points, and elements from channel to channel. */
typedef struct {
    int32_t dt, step;
} conv_quant_dt_t;
conv_quant_dt_t conv_zero_dt(const conv_t *cv, int arg);
/* A pointer and, where that is NULL, a value. */
void conv_bind_zero(conv_t *cv, int arg);
void conv_common_specs(plan_t *plan, dnnl_data_type_t src, dnnl_data_type_t wei,
        const conv_result_t *r, uint32_t flags);

/* ---- rows ---- */

/* The tag of weights that the rows for CPUs, for matrix units and for sub-groups read in place; NULL: none.
 */
const char *conv_cpu_weights(const conv_t *cv);
const char *conv_xmx_weights(const conv_t *cv);
const char *conv_sg16_weights(const conv_t *cv);
/* conv_plan() for the rows of these classes. */
const char *conv_plan_cpu(conv_t *cv, int row);
const char *conv_plan_xmx(conv_t *cv, int row);
const char *conv_plan_xmx8(conv_t *cv, int row);
const char *conv_plan_sg16(conv_t *cv, int row);
/* Writes the plan for a row into cv->plan and the scratchpad's size into cv->scratch; NULL, or why the row
 * does not take the problem. */
const char *conv_plan(conv_t *cv, int row);

/* Gives tensors that are `any` the layouts that the kernels are fastest with. */
dnnl_status_t conv_resolve_any(pd_t *pd, const caps_t *caps);

/* The number of the depthwise convolution among the post-ops; -1: none. */
int conv_find_depthwise(const attr_t *attr);
/* conv_init() with one. */
dnnl_status_t conv_init_fused(pd_t *pd, const caps_t *caps);

/* op_kind_t functions of both. */
dnnl_status_t conv_init(pd_t *pd, const caps_t *caps);
int conv_format_problem(const pd_t *pd, char *buf, size_t size);
int conv_format_aux(const pd_t *pd, char *buf, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution or deconvolution as planners see it, its inputs and its result. */
#ifndef OPS_CONV_PROBLEM_H
#define OPS_CONV_PROBLEM_H

#include "kernels/conv/conv_params.h"
#include "steps/image.h"

/* A problem, with depth, height and width whatever the number of spatial dimensions is. */
typedef struct {
    planner_t *p;
    const pd_t *pd;
    const caps_t *caps;
    operand_t src, wei, dst, bias; /* bias: md NULL where there is none */
    bool transposed;               /* deconvolution */
    bool with_groups;              /* weights have a dimension for them */
    int ndims;
    int64_t mb, groups, ic, oc; /* channels of a group */
    cv_window_t win;
    bool exact; /* products of integers of 8 bits or fewer, summed up as 32-bit ones */
} conv_t;

/* The problem as the forward primitive has it. In backward propagation gradients are in the places
 * of the tensors that are not there. */
conv_t conv_of(planner_t *p);

/* ---- inputs ---- */

/* A copy of the source or the weights without inner blocks. *md: room for its descriptor. */
const char *conv_plain_copy(const conv_t *cv, const operand_t *from, operand_t *copy, md_t *md);
/* The source with channels next to each other, in place or copied; *t: how a kernel finds its
 * elements. *md: room for the copy's descriptor. */
const char *conv_channels_last(const conv_t *cv, operand_t *src, md_t *md, cv_tensor_t *t);
/* Weights in the layout of the tag and in this data type, where they are or copied. *md: the
 * descriptor of that layout. */
const char *conv_pack_weights(
        const conv_t *cv, const char *tag, dnnl_data_type_t dt, operand_t *packed, md_t *md);
/* A type with whole bytes that has all values of dt: dt itself, unless it has 4 bits. */
dnnl_data_type_t conv_byte_type(dnnl_data_type_t dt);
/* Elements from one position of a dimension of the weights to the next; 0: there is no such
 * dimension. */
typedef struct {
    int64_t group, oc, ic, tap[3];
} conv_strides_t;
conv_strides_t conv_weights_strides(const conv_t *cv, const md_t *md);

/* ---- zero points ---- */

bool conv_has_zero_point(const conv_t *cv, int arg);
/* The type of an argument's zero points, and elements from channel to channel. */
typedef struct {
    int32_t dt, step;
} conv_zero_point_t;
conv_zero_point_t conv_zero_point(const conv_t *cv, int arg);

/* ---- the result ---- */

/* What the kernel does itself, beside the sums. */
typedef struct {
    int lanes;     /* channels of the vectors that it stores; 1: it writes every layout */
    bool by_group; /* each group begins with a new vector */
    bool bias;     /* it adds the bias */
} conv_stores_t;
/* The result, and in *t what the kernel writes. */
const char *conv_result(const conv_t *cv, conv_stores_t stores, result_t *r, cv_tensor_t *t);
/* The arguments of a kernel that has tiles of pixels and channels, and the steps that are left. */
const char *conv_tile_finish(const conv_t *cv, const operand_t *src, const operand_t *wei,
        const result_t *r, const cv_tile_t *p);
/* Channels of a group that the kernel writes. Where it writes the destination and there are no
 * groups, it sets the padding to zero as well. */
int64_t conv_padded_oc(const conv_t *cv, const result_t *r);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of convolution, deconvolution and inner product as lines of text. */
#ifndef TESTS_KERNELS_CONV_CASE_H
#define TESTS_KERNELS_CONV_CASE_H

#include "harness.h"

/* A line: "g2mb1_ic8oc6_ih9kh3sh2dh1ph1 f16 dst=f32 ..."
 *   first word    mb, g (present: weights have a dimension for groups), ic, oc in all; for each spatial
 * dimension i size, k kernel, s stride, d dilation, p padding, r padding on the right (p) followed by d, h or
 * w; w is as h, h as d where they are not given type          of src and weights (f32); u8 and s8 go with s8
 *   dst= bia=     other types; bia: no bias unless given
 *   stag= wtag= dtag=  layouts, as for make_md(), or any (any)
 *   scales= zps=  comma-separated s, w, d with a mask; h after it: on the host
 *   po=           post-ops, comma-separated: relu, tanh, linear, sum, add<mask>, mul<mask>, prelu<mask>
 */
typedef struct {
    dnnl_alg_kind_t alg;
    int nsp;
    bool groups;
    dnnl_dims_t src_dims, wei_dims, dst_dims, bias_dims;
    dnnl_dims_t strides, dilates, padding[2];
    md_t src, wei, dst, bias; /* bias: zero descriptor if there is none */
    dnnl_primitive_attr_t attr;
} conv_case_t;

enum { CASE_CONVOLUTION, CASE_DECONVOLUTION, CASE_INNER_PRODUCT };
void conv_case_parse(conv_case_t *c, int kind, const char *line);
void conv_case_free(conv_case_t *c);
/* Parses, creates, runs, checks. */
void conv_case_run(int kind, const char *line);

/* What every row of family "convolution" sees. */
extern const char *const conv_shapes[];
extern const int conv_shape_count;

#endif

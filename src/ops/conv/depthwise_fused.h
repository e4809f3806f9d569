/* SPDX-License-Identifier: Apache-2.0 */
/* A 1x1 convolution with a depthwise one as post-op. */
#ifndef OPS_CONV_DEPTHWISE_FUSED_H
#define OPS_CONV_DEPTHWISE_FUSED_H

#include "core/primitive_desc.h"

/* The number of the depthwise convolution among the post-ops; -1: none. */
int conv_find_depthwise(const attr_t *attr);
/* The init() of a convolution that has one. Each of the two is planned with pd->op->init(). */
dnnl_status_t conv_init_fused(pd_t *pd, const caps_t *caps);

#endif

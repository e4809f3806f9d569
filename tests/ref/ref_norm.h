/* SPDX-License-Identifier: Apache-2.0 */
/* References of the primitives that reduce: softmax, reduction, normalizations; and PReLU. The
 * error of a sum of n terms in any order is at most n * epsilon * (sum of absolute values). */
#ifndef TESTS_REF_NORM_H
#define TESTS_REF_NORM_H

#include "ref.h"

ref_value_t ref_softmax(const ref_t *ref, const dnnl_dim_t *pos);
/* The gradient of its source. */
ref_value_t ref_softmax_bwd(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_reduction(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_layer_norm(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_batch_norm(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_batch_norm_relu(const ref_t *ref, const dnnl_dim_t *pos); /* without post-ops */
ref_value_t ref_group_norm(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_prelu(const ref_t *ref, const dnnl_dim_t *pos);

/* The gradients of source, scale and shift of a normalization. */
ref_value_t ref_norm_diff_src(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_norm_diff_src_1(const ref_t *ref, const dnnl_dim_t *pos); /* what was added */
ref_value_t ref_norm_diff_scale(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_norm_diff_shift(const ref_t *ref, const dnnl_dim_t *pos);

/* The statistics at a position of their own tensor. */
ref_value_t ref_mean_out(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_variance_out(const ref_t *ref, const dnnl_dim_t *pos);

#endif

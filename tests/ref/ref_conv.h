/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution, deconvolution and inner product in double precision. */
#ifndef TESTS_REF_CONV_H
#define TESTS_REF_CONV_H

#include "ref.h"

/* The error of a float sum of n products is at most n roundings of the sum of the products'
 * magnitudes. Sums of 8-bit integers are exact. */
ref_value_t ref_convolution(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_deconvolution(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_inner_product(const ref_t *ref, const dnnl_dim_t *pos);
/* A 1x1 convolution with a depthwise post-op, without zero points. */
ref_value_t ref_fused_convolution(const ref_t *ref, const dnnl_dim_t *pos);

/* Gradients. That of the bias is for every kind of product. */
ref_value_t ref_inner_product_diff_src(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_inner_product_diff_weights(const ref_t *ref, const dnnl_dim_t *pos);
/* Of a convolution or a deconvolution. */
ref_value_t ref_convolution_diff_src(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_convolution_diff_weights(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_product_diff_bias(const ref_t *ref, const dnnl_dim_t *pos);

#endif

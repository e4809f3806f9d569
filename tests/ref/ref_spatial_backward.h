/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the source of pooling, resampling and LRN in double precision. */
#ifndef TESTS_REF_SPATIAL_BACKWARD_H
#define TESTS_REF_SPATIAL_BACKWARD_H

#include "ref.h"

/* The error of a sum of n values is at most n roundings of the sum of the magnitudes. */
ref_value_t ref_pooling_backward(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_resampling_backward(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_lrn_backward(const ref_t *ref, const dnnl_dim_t *pos);

#endif

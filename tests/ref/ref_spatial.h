/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling, resampling and LRN in double precision. */
#ifndef TESTS_REF_SPATIAL_H
#define TESTS_REF_SPATIAL_H

#include "ref.h"

/* The error of a sum of n values is at most n roundings of the sum of the magnitudes. */
ref_value_t ref_pooling(const ref_t *ref, const dnnl_dim_t *pos);
/* The index of the first maximum in its window. */
ref_value_t ref_pooling_workspace(const ref_t *ref, const dnnl_dim_t *pos);

ref_value_t ref_resampling(const ref_t *ref, const dnnl_dim_t *pos);

ref_value_t ref_lrn(const ref_t *ref, const dnnl_dim_t *pos);
/* The base of the power. */
ref_value_t ref_lrn_workspace(const ref_t *ref, const dnnl_dim_t *pos);

#endif

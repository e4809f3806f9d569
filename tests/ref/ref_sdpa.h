/* SPDX-License-Identifier: Apache-2.0 */
/* The reference of attention. */
#ifndef TESTS_REF_SDPA_H
#define TESTS_REF_SDPA_H

#include "ref.h"

/* Positions must come in row-major order. A row begins at the first column that is wanted, and the
 * first row begins at column 0. Values that a row shares are kept between calls. */
ref_value_t ref_sdpa(const ref_t *ref, const dnnl_dim_t *pos);
/* The statistics of query number pos[0]: the logarithm of the sum of the exponentials of the
 * scores; 0 if none is more than minus infinity. */
ref_value_t ref_sdpa_stats(const ref_t *ref, const dnnl_dim_t *pos);

/* The gradients. Positions must come in row-major order from the first one of the tensor on. */
ref_value_t ref_sdpa_diff_queries(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_sdpa_diff_keys(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_sdpa_diff_values(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_sdpa_diff_scores(const ref_t *ref, const dnnl_dim_t *pos);

#endif

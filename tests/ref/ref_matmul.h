/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product in double precision. */
#ifndef TESTS_REF_MATMUL_H
#define TESTS_REF_MATMUL_H

#include "ref.h"

/* The result at a position of the destination. In arithmetic with unit roundoff u, the error of a
 * sum of K products is at most K * u * (sum of their magnitudes), plus a few roundings if factors
 * are scaled. A sum of products of 8-bit integers is exact. */
ref_value_t ref_matmul(const ref_t *ref, const dnnl_dim_t *pos);
/* Scale number index[0] of the destination, if the primitive computes the scales. */
ref_value_t ref_matmul_scale(const ref_t *ref, const dnnl_dim_t *index);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product in double precision. */
#ifndef TESTS_REF_MATMUL_H
#define TESTS_REF_MATMUL_H

#include "ref.h"

/* The result at a position of the destination. A sum of K products, in arithmetic of unit
 * roundoff u, is off by K * u * (sum of their magnitudes) at most, and a few roundings more
 * where factors are scaled; a sum of products of 8-bit integers is exact. */
ref_value_t ref_matmul(const ref_t *ref, const dnnl_dim_t *pos);
/* Scale number index[0] of the destination, where the primitive computes them. */
ref_value_t ref_matmul_scale(const ref_t *ref, const dnnl_dim_t *index);

#endif

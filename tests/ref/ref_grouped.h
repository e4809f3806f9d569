/* SPDX-License-Identifier: Apache-2.0 */
/* Products of grouped matrices in double precision. */
#ifndef TESTS_REF_GROUPED_H
#define TESTS_REF_GROUPED_H

#include "ref.h"

/* The result at a position of the destination: in groups of rows, a row is multiplied with the
 * weights of its group; in groups along k, each group gives a matrix. In arithmetic with unit
 * roundoff u, the error of a sum is at most the number of terms, plus a few roundings, times u and
 * the sum of their magnitudes. */
ref_value_t ref_grouped(const ref_t *ref, const dnnl_dim_t *pos);

#endif

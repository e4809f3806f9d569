/* SPDX-License-Identifier: Apache-2.0 */
/* Products with a sparse matrix in double precision. */
#ifndef TESTS_REF_SPARSE_H
#define TESTS_REF_SPARSE_H

#include "ref.h"

/* The result at a position of the destination: the sum over the stored elements, of which several
 * may have the same position. In arithmetic with unit roundoff u, its error is at most the number
 * of terms, plus a few roundings, times u and the sum of their magnitudes. */
ref_value_t ref_sparse(const ref_t *ref, const dnnl_dim_t *pos);

#endif

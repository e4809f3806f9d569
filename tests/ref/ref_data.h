/* SPDX-License-Identifier: Apache-2.0 */
/* Concat, sum and shuffle in double precision. */
#ifndef TESTS_REF_DATA_H
#define TESTS_REF_DATA_H

#include "ref.h"

ref_value_t ref_concat(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_sum(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_shuffle(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_shuffle_backward(const ref_t *ref, const dnnl_dim_t *pos);

#endif

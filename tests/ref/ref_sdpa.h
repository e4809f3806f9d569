/* SPDX-License-Identifier: Apache-2.0 */
/* The reference of attention. */
#ifndef TESTS_REF_SDPA_H
#define TESTS_REF_SDPA_H

#include "ref.h"

/* Positions have to come in row-major order, each row from its first column on that is wanted,
 * and the first row from column 0 on: what a row has in common is kept. */
ref_value_t ref_sdpa(const ref_t *ref, const dnnl_dim_t *pos);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What a matmul may look like. Every refusal is a sentence in the log. */
#ifndef OPS_MATMUL_CHECK_H
#define OPS_MATMUL_CHECK_H

#include "core/primitive_desc.h"

/* Shapes, of descriptors that may have run-time dims. bias: may be NULL. */
dnnl_status_t matmul_check_shapes(
        const md_t *src, const md_t *wei, const md_t *bias, const md_t *dst);
/* All of a matmul of dense tensors: shapes, formats, data types, attributes. */
dnnl_status_t matmul_check(const pd_t *pd);

#endif

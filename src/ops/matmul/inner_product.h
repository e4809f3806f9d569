/* SPDX-License-Identifier: Apache-2.0 */
/* What the directions of inner product share. */
#ifndef OPS_MATMUL_INNER_PRODUCT_H
#define OPS_MATMUL_INNER_PRODUCT_H

#include "core/primitive_desc.h"

/* The tensors of an inner product, or their gradients in their places. */
dnnl_status_t inner_product_check_shapes(
        const md_t *src, const md_t *wei, const md_t *bias, const md_t *dst);
/* Are all arguments dense arrays, or `any`? */
dnnl_status_t inner_product_check_formats(const pd_t *pd);
/* The problem column of a verbose line. */
int inner_product_format_problem(const pd_t *pd, char *buf, size_t size);

#endif

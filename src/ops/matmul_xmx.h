/* SPDX-License-Identifier: Apache-2.0 */
/* What the plans for matrix units of 16 and of 8 lanes share. */
#ifndef OPS_MATMUL_XMX_H
#define OPS_MATMUL_XMX_H

#include "ops/matmul_plan.h"

/* Copying weights costs as much as reading them so many times. */
enum { XMX_ROWS_WORTH_A_COPY = 64 };

static inline bool xmx_is_integer(dnnl_data_type_t dt) {
    return dt == dnnl_s8 || dt == dnnl_u8;
}
static inline bool xmx_is_half(dnnl_data_type_t dt) {
    return dt == dnnl_f16 || dt == dnnl_bf16;
}

/* Rows that are multiples of 64 bytes long, filled up with zeros, made by a step of its own. */
const char *xmx_copy_rows(matmul_t *mm, int slot, const md_t *md, matmul_matrix_t *x, md_t *rows);
/* Are the weights in panels as wide as the units have lanes, 32 columns of them together, with 32 bits of k
 * beside one another? Then they are where the kernel reads them. */
bool xmx_in_panels(const md_t *md, int lanes);
void xmx_panels(const matmul_t *mm, matmul_matrix_t *b);
/* Sub-groups that share the k of a tile, so that there are enough of them. With twice the registers, half of
 * the hardware's threads are there. k has so many units of so many steps; parts are equal, as work-groups
 * walk through them together. bytes: of local memory, for a part. */
int64_t xmx_split_of(const caps_t *caps, int64_t tiles, int64_t units, int64_t steps, int64_t bytes);

#endif

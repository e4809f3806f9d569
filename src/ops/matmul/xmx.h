/* SPDX-License-Identifier: Apache-2.0 */
/* What the plans for matrix units of 16 and of 8 lanes share. */
#ifndef OPS_MATMUL_XMX_H
#define OPS_MATMUL_XMX_H

#include "ops/matmul/plan.h"

/* Where the kernel finds the inputs, as they are or copied, and what it writes; the parameters that have
 * nothing to do with how it reads them. It points into itself: not to be copied. */
typedef struct {
    matmul_matrix_t a, b;
    md_t a_rows, b_rows;
    matmul_result_t r;
    uint32_t flags; /* of the kernel: how the weights lie */
    mm_xmx_t p;
} xmx_problem_t;
/* Does the kernel read a matrix where it is, the elements of whose dimension `along` lie beside one another?
 */
typedef bool xmx_reads_t(const md_t *md, int along);

static inline bool xmx_is_integer(dnnl_data_type_t dt) {
    return dt == dnnl_s8 || dt == dnnl_u8;
}
static inline bool xmx_is_half(dnnl_data_type_t dt) {
    return dt == dnnl_f16 || dt == dnnl_bf16;
}

/* Places inputs and the result; NULL, or why not. */
const char *xmx_plan_inputs(matmul_t *mm, int lanes, xmx_reads_t *reads, xmx_problem_t *x);
/* Sub-groups that share the k of a tile, so that there are enough of them. With twice the registers, half of
 * the hardware's threads are there. k has so many units of so many steps; parts are equal, as work-groups
 * walk through them together. bytes: of local memory, for a part. */
int64_t xmx_split_of(
        const caps_t *caps, int64_t tiles, int64_t units, int64_t steps, int64_t bytes);

#endif

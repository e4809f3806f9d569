/* SPDX-License-Identifier: Apache-2.0 */
/* What the planners for matrix units of 16 and of 8 lanes share. */
#ifndef OPS_MATMUL_XMX_H
#define OPS_MATMUL_XMX_H

#include "ops/matmul/inputs.h"
#include "plan/split_k.h"

static inline bool xmx_is_integer(dnnl_data_type_t dt) {
    return dt == dnnl_s8 || dt == dnnl_u8;
}
static inline bool xmx_is_half(dnnl_data_type_t dt) {
    return dt == dnnl_f16 || dt == dnnl_bf16;
}

/* What the units multiply: 16-bit floats, 8-bit integers, or f32 as tf32. */
typedef enum { FACTORS_16, FACTORS_8, FACTORS_TF32 } xmx_factors_t;

/* Are the weights integers that the kernel decodes to the source's 16-bit floats? */
bool xmx_is_decoded(const md_t *src, const md_t *wei);
/* Can the units multiply the types of src and weights? NULL, or why not. */
const char *xmx_check_types(const pd_t *pd, const caps_t *caps, const md_t *src, const md_t *wei,
        xmx_factors_t factors);
/* Gives weights of format `any` the layout that the units read fastest; false: the device has no
 * matrix units for the types. transposed: two-dimensional weights whose columns come first. */
bool xmx_set_weights(
        const pd_t *pd, const caps_t *caps, const md_t *src, md_t *wei, bool transposed);

/* Where the kernel finds the inputs, as they are or copied, and what it writes; and the
 * parameters that do not depend on how it reads them. It points into itself. */
typedef struct {
    matrix_t a, b;
    result_t r;
    uint32_t flags; /* of the kernel: how the weights lie */
    mm_xmx_t params;
} xmx_problem_t;
/* Can the kernel read a matrix where it is, whose elements along dimension `along` lie beside
 * one another? */
typedef bool xmx_reads_t(const md_t *md, int along);

/* Places inputs and the result; NULL, or why not. */
const char *xmx_plan_inputs(matmul_t *mm, int lanes, xmx_reads_t *reads, xmx_problem_t *x);

#endif

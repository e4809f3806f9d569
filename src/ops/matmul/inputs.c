/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs as plain matrices. */
#include "ops/matmul/inputs.h"

#include <string.h>

#include "core/status.h"

int64_t matmul_stride(const md_t *md, int d) {
    return md->dims[d] == 1 ? 0 : md->format_desc.blocking.strides[d];
}

void matmul_set_strides(int64_t stride[MM_DIMS], const md_t *md) {
    for (int d = 0; d < MM_DIMS; d++) stride[d] = d < md->ndims ? matmul_stride(md, d) : 0;
}

void matrix_in_place(matrix_t *x, const operand_t *input) {
    x->at = *input;
    x->dt = input->md->data_type;
    x->panel = 0;
    matmul_set_strides(x->stride, input->md);
}

const char *matrix_plain(matmul_t *mm, const operand_t *input, matrix_t *x) {
    if (md_is_plain(input->md)) {
        matrix_in_place(x, input);
        return NULL;
    }
    if (matmul_is_unknown(mm, input)) return "a blocked input has run-time dims";
    epilogue_t none;
    epilogue_init(&none);
    REFUSE_IF(
            why_not_of(ew_scratch_md(&x->copy, &none, input->md), "a blocked input is too large"));
    const operand_t copy = operand_in_scratch(&mm->planner, &x->copy);
    matrix_in_place(x, &copy);
    return ew_copy(&mm->planner, -1, input, &x->at);
}

void matmul_tile_params(const matmul_t *mm, const matrix_t *a, const matrix_t *b, const result_t *r,
        mm_tile_t *params) {
    const int nd = mm->ndims;
    memset(params, 0, sizeof(*params));
    params->ndims = nd;
    params->k = (int32_t)mm->k;
    params->n = (int32_t)mm->n;
    params->a_k = a->stride[nd - 1];
    params->b_k = b->stride[nd - 2];
    for (int d = 0; d < nd; d++) {
        params->dims[d] = (int32_t)mm->dst.md->dims[d];
        params->a_stride[d] = d == nd - 1 ? 0 : a->stride[d];
        params->b_stride[d] = d >= nd - 2 ? 0 : b->stride[d];
        params->c_stride[d] = matmul_stride(r->to.md, d);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Products of grouped matrices. */
#include "oneapi/dnnl/dnnl.h"
#include "problem.h"

/* "10x4:3x4x20", groups of rows, or "4x10:10x20", groups along k. */
const char *replay_grouped_matmul(problem_t *p) {
    dims_list_t z;
    md_t src, wei, bias, dst;
    const md_text_t *dst_text = line_md(p->line, "dst");
    if (problem_dims(p, &z) != 2 || z.ndims[0] != 2 || (z.ndims[1] != 2 && z.ndims[1] != 3))
        return "the problem is not the dims of grouped matrices";
    const dnnl_dim_t groups = line_md(p->line, "src")->group_count, m = z.dims[0][0],
                     n = z.dims[1][z.ndims[1] - 1];
    const bool flat = dst_text && dst_text->kind == dnnl_format_kind_sparse;
    const dnnl_dims_t rows = {m, n}, matrices = {groups, m, n}, bias_dims = {groups, n};
    TRY_TEXT(problem_md(p, "src", &src, 2, z.dims[0]));
    TRY_TEXT(problem_md(p, "wei", &wei, z.ndims[1], z.dims[1]));
    TRY_TEXT(problem_md(p, "dst", &dst, flat ? 2 : 3, flat ? rows : matrices));
    TRY_TEXT(problem_md(p, "bia", &bias, 2, bias_dims));
    TRY_TEXT(problem_attr(p, dst.ndims, dst.dims));
    p->low = -1;
    p->high = 1;
    if (p->status == dnnl_success)
        p->status = dnnl_matmul_primitive_desc_create(
                &p->pd, p->engine, &src, &wei, md_is_zero(&bias) ? NULL : &bias, &dst, p->attr);
    return NULL;
}

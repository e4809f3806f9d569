/* SPDX-License-Identifier: Apache-2.0 */
/* The variants that run on every device: a work-item computes an element of the result. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "ops/matmul/inputs.h"
#include "ops/matmul/planners.h"
#include "ops/matmul/result.h"
#include "plan/variant.h"

static uint32_t flags_of(const matmul_t *mm) {
    return (mm->exact ? MMF_INT : 0) | (matmul_zero_point(mm, DNNL_ARG_SRC) ? MMF_ZA : 0) |
           (matmul_zero_point(mm, DNNL_ARG_WEIGHTS) ? MMF_ZB : 0) | (mm->scale_src ? MMF_SA : 0) |
           (mm->scale_wei ? MMF_SB : 0);
}

static mm_any_t params_of(
        const matmul_t *mm, const matrix_t *a, const matrix_t *b, const result_t *r) {
    const int nd = mm->ndims;
    mm_any_t params;
    memset(&params, 0, sizeof(params));
    params.ndims = nd;
    params.k = (int32_t)mm->k;
    params.a_k = a->stride[nd - 1];
    params.b_k = b->stride[nd - 2];
    for (int d = 0; d < nd; d++) {
        params.dims[d] = (int32_t)mm->dst.md->dims[d];
        params.a_stride[d] = d == nd - 1 ? 0 : a->stride[d];
        params.b_stride[d] = d == nd - 2 ? 0 : b->stride[d];
        params.c_stride[d] = matmul_stride(r->to.md, d);
    }
    matmul_set_quant(&params.sa, matmul_scale(mm, DNNL_ARG_SRC), mm->src.md, 0);
    matmul_set_quant(&params.sb, matmul_scale(mm, DNNL_ARG_WEIGHTS), mm->wei.md, 0);
    matmul_set_quant(&params.za, matmul_zero_point(mm, DNNL_ARG_SRC), mm->src.md, 0);
    matmul_set_quant(&params.zb, matmul_zero_point(mm, DNNL_ARG_WEIGHTS), mm->wei.md, 0);
    return params;
}

const char *matmul_plan_portable(planner_t *p, int variant) {
    enum { GROUP = 16 }; /* work-items, which compute neighbours in a row */
    matmul_t *mm = (matmul_t *)p;
    matrix_t a, b;
    result_t r;
    REFUSE_IF(matrix_plain(mm, &mm->src, &a));
    REFUSE_IF(matrix_plain(mm, &mm->wei, &b));
    REFUSE_IF(matmul_result(mm, &r));
    if (!variants[variant].needs_fp64 && (a.dt == dnnl_f64 || result_has_doubles(&r)))
        return "the data is double precision";

    const mm_any_t params = params_of(mm, &a, &b, &r);
    const uint32_t size[3] = {GROUP, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)div_up(mm->n, GROUP), (uint32_t)mm->m, (uint32_t)matmul_batch(mm->dst.md)};
    plan_step(p->plan, variant, size, count);
    result_specs(p->plan, &r, a.dt, b.dt, flags_of(mm));
    bind_operand(p->plan, &a.at);
    bind_operand(p->plan, &b.at);
    bind_operand(p->plan, &r.to);
    plan_const(p->plan, &params, sizeof(params));
    bind_scale(p, DNNL_ARG_SRC);
    bind_scale(p, DNNL_ARG_WEIGHTS);
    bind_zero_point(p, DNNL_ARG_SRC);
    bind_zero_point(p, DNNL_ARG_WEIGHTS);
    epilogue_args(&r.seg, p->pd, p->mds, p->plan);
    return matmul_finish(mm, &r);
}

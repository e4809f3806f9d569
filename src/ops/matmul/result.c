/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel of matmul writes, and the steps after it. */
#include "ops/matmul/result.h"

#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "kernels/lib/spec.h"
#include "plan/variant_id.h"

const char *matmul_result(matmul_t *mm, result_t *r) {
    const pd_t *pd = mm->planner.pd;
    const md_t *dst = mm->dst.md;
    axis_t axes[MM_DIMS];
    for (int d = 0; d < mm->ndims; d++) axes[d] = (axis_t){d, 1, dst->dims[d]};
    r->epilogue = mm->epilogue;
    /* Two work-items would share a byte of a 4-bit destination. */
    const bool writable =
            md_is_plain(dst) && !dt_is_nibble(dst->data_type) && !attr_is_dynamic(pd, DNNL_ARG_DST);
    if (result_direct(&mm->planner, r, &mm->dst, writable, axes, mm->ndims)) return NULL;
    if (matmul_is_unknown(mm, &mm->dst)) mm->by_shape = true;
    return result_in_scratch(&mm->planner, r, NULL, mm->exact, md_is_plain(dst), axes, mm->ndims);
}

const char *matmul_float_result(matmul_t *mm, result_t *r) {
    REFUSE_IF(matmul_result(mm, r));
    return result_has_doubles(r);
}

/* ---- scales of dst that the primitive computes ---- */

static const char *check_quantise(const md_t *dst, const result_t *r) {
    const int nd = dst->ndims;
    if (!md_is_plain(dst)) return "scales are computed for a plain dst";
    const int64_t *stride = dst->format_desc.blocking.strides;
    for (int d = 0; dt_is_nibble(dst->data_type) && d < nd; d++)
        if (dst->dims[d] > 1 && (d == nd - 1 ? stride[d] != 1 : stride[d] % 2 != 0))
            return "two groups of dst would share a byte";
    return r->to.md->data_type == dnnl_f32 ? NULL : "the attributes have double precision";
}

static mm_quantise_t quantise_params(const matmul_t *mm, const quant_t *q) {
    const md_t *dst = mm->dst.md;
    const float_format_t *format = attr_float_format(dst->data_type);
    mm_quantise_t params;
    memset(&params, 0, sizeof(params));
    params.ndims = mm->ndims;
    params.group = (int32_t)q->group_dims[1];
    params.groups = (int32_t)(mm->n / params.group);
    params.dropped = format->dropped;
    params.most = format->most;
    params.normal = format->normal;
    for (int d = 0; d < mm->ndims; d++) {
        params.dims[d] = (int32_t)dst->dims[d];
        params.stride[d] = dst->format_desc.blocking.strides[d];
    }
    return params;
}

/* The step that computes scales of the values in the scratchpad, and divides by them. */
static const char *plan_quantise(matmul_t *mm, const result_t *r) {
    enum { GROUP = 16 }; /* work-items, each of which has a group of elements */
    const pd_t *pd = mm->planner.pd;
    plan_t *plan = mm->planner.plan;
    const quant_t *q = matmul_scale(mm, DNNL_ARG_DST);
    const int seed = pd_find_arg(pd, DNNL_ARG_ATTR_ROUNDING_SEED);
    REFUSE_IF(check_quantise(mm->dst.md, r));
    const mm_quantise_t params = quantise_params(mm, q);
    const uint32_t size[3] = {GROUP, 1, 1};
    const uint32_t count[3] = {(uint32_t)div_up(params.groups, GROUP), (uint32_t)mm->m,
            (uint32_t)matmul_batch(mm->dst.md)};
    plan_step(plan, KERNEL_matmul_quantise, size, count);
    plan_spec(plan, SPEC_SRC1_DT, (uint32_t)q->dt);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)mm->dst.md->data_type);
    plan_spec(plan, SPEC_FLAGS,
            (q->qmode == dnnl_quantization_mode_dynamic_mx ? MMQ_POWERS : 0) |
                    (seed >= 0 ? MMQ_ROUND : 0));
    bind_operand(plan, &r->to);
    bind_operand(plan, &mm->dst);
    bind_scale(&mm->planner, DNNL_ARG_DST);
    plan_arg(plan, seed, 0);
    plan_const(plan, &params, sizeof(params));
    return NULL;
}

const char *matmul_finish(matmul_t *mm, const result_t *r) {
    if (r->complete || !attr_is_dynamic(mm->planner.pd, DNNL_ARG_DST))
        return result_finish(&mm->planner, r);
    if (r->rest != r->epilogue.len)
        REFUSE_IF(ew_plan(&mm->planner, -1, &r->epilogue, r->rest, &r->to, &r->to, &r->to));
    return plan_quantise(mm, r);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "steps/result.h"

#include "kernels/lib/spec.h"

/* The kernel applies nothing. */
static void apply_nothing(result_t *r) {
    epilogue_t none;
    epilogue_init(&none);
    epilogue_segment(&r->seg, &none, 0);
    r->rest = 0;
}

bool result_direct(planner_t *p, result_t *r, const operand_t *dst, bool writable,
        const axis_t *axes, int naxes) {
    r->dst = *dst;
    epilogue_segment(&r->seg, &r->epilogue, 0);
    r->rest = r->seg.count;
    r->complete = writable && !epilogue_strides(&r->seg, p->pd, p->mds, axes, naxes) &&
                  r->seg.count == r->epilogue.len;
    if (r->complete) r->to = *dst;
    return r->complete;
}

/* Sums of 8-bit integers may have more bits than a float. */
static dnnl_data_type_t scratch_type(const result_t *r, bool exact) {
    const bool integers = exact && r->dst.md->data_type == dnnl_s32 && r->epilogue.len == 0;
    return integers ? dnnl_s32 : epilogue_scratch_type(&r->epilogue, r->dst.md);
}

const char *result_in_scratch(planner_t *p, result_t *r, const char *tag, bool exact, bool apply,
        const axis_t *axes, int naxes) {
    const md_t *dst = r->dst.md;
    const dnnl_data_type_t dt = scratch_type(r, exact);
    const dnnl_status_t status =
            tag && !md_has_zero_dim(dst)
                    ? md_init_string_tag(&r->md, dst->ndims, dst->dims, dt, tag)
                    : md_init_strides(&r->md, dst->ndims, dst->dims, dt, NULL);
    if (status != dnnl_success)
        return why_not_of(status, "dst is too large for an intermediate result");
    if (!apply || epilogue_strides(&r->seg, p->pd, p->mds, axes, naxes)) apply_nothing(r);
    r->to = operand_in_scratch(p, &r->md);
    return NULL;
}

const char *result_finish(planner_t *p, const result_t *r) {
    if (r->complete) return NULL;
    return ew_plan(p, -1, &r->epilogue, r->rest, &r->to, &r->dst, &r->to);
}

bool result_fits_blocks(const result_t *r, bool exact, uint32_t shared, uint32_t *ops) {
    switch ((int)r->to.md->data_type) {
    case dnnl_f32:
    case dnnl_f16:
    case dnnl_bf16: break;
    case dnnl_s32:
        if (exact && r->seg.count == 0) break;
        return false;
    default: return false;
    }
    return epilogue_block_ops(&r->seg, shared, ops);
}

const char *result_has_doubles(const result_t *r) {
    return r->to.md->data_type == dnnl_f64 || (r->seg.dts >> dnnl_f64 & 1)
                   ? "the attributes have double precision"
                   : NULL;
}

void product_specs(plan_t *plan, dnnl_data_type_t src, dnnl_data_type_t weights,
        dnnl_data_type_t dst, uint32_t flags, const epilogue_segment_t *seg) {
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)src);
    plan_spec(plan, SPEC_SRC1_DT, (uint32_t)weights);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)dst);
    plan_spec(plan, SPEC_FLAGS, flags);
    epilogue_specs(seg, plan);
}

void result_specs(plan_t *plan, const result_t *r, dnnl_data_type_t src, dnnl_data_type_t weights,
        uint32_t flags) {
    product_specs(plan, src, weights, r->to.md->data_type, flags, &r->seg);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/operand.h"

#include "plan/attributes.h"

operand_t operand_at(const planner_t *p, int slot) {
    return (operand_t){planner_md(p, slot), slot, 0};
}

operand_t operand_of(const planner_t *p, int arg) {
    return operand_at(p, pd_find_arg(p->pd, arg));
}

operand_t operand_in_scratch(planner_t *p, const md_t *md) {
    return (operand_t){md, -1, planner_reserve(p, md_size(md, 0))};
}

void bind_operand(plan_t *plan, const operand_t *operand) {
    if (!operand) {
        plan_arg(plan, -1, 0);
    } else if (operand->slot < 0) {
        plan_scratch(plan, operand->offset);
    } else {
        const md_t *md = operand->md;
        plan_arg(plan, operand->slot, operand->offset + dt_offset(md->data_type, md->offset0));
    }
}

void bind_zero_point(planner_t *p, int arg) {
    const epilogue_source_t zero = epilogue_quant_source(p->pd, ATTR_ZERO_POINTS, arg);
    plan_arg(p->plan, zero.kind == SOURCE_QUANT ? zero.slot : -1, 0);
    plan_scalar_s32(p->plan, zero.kind == SOURCE_HOST ? zero.slot : -1);
}

void bind_scale(planner_t *p, int arg) {
    plan_arg(p->plan, pd_find_arg(p->pd, DNNL_ARG_ATTR_SCALES | arg), 0);
}

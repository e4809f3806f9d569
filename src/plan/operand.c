/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/operand.h"

#include "core/status.h"

operand_t operand_at(const planner_t *p, int slot) {
    return (operand_t){planner_md(p, slot), slot, 0};
}

operand_t operand_of(const planner_t *p, int arg) {
    return operand_at(p, pd_find_arg(p->pd, arg));
}

operand_t operand_in_scratch(planner_t *p, const md_t *md) {
    return (operand_t){md, -1, planner_reserve(p, md_size(md, 0))};
}

/* Tensors of steps take whole cache lines. */
static const char *reserve(planner_t *p, operand_t *operand, md_t *md, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t dt) {
    enum { LINE = 64 };
    REFUSE_IF(why_not_of(md_init_strides(md, ndims, dims, dt, NULL), "the tensor is too large"));
    const uint64_t size = (md_size(md, 0) + LINE - 1) & ~(uint64_t)(LINE - 1);
    *operand = (operand_t){md, -1, planner_reserve(p, size)};
    return NULL;
}

const char *operand_like(planner_t *p, operand_t *operand, md_t *md, const md_t *like,
        unsigned mask, dnnl_data_type_t dt) {
    dnnl_dims_t dims;
    for (int d = 0; d < like->ndims; d++) dims[d] = mask & 1u << d ? like->dims[d] : 1;
    return reserve(p, operand, md, like->ndims, dims, dt);
}

const char *operand_array(
        planner_t *p, operand_t *operand, md_t *md, int64_t size, dnnl_data_type_t dt) {
    const dnnl_dims_t dims = {size};
    return reserve(p, operand, md, 1, dims, dt);
}

epilogue_source_t operand_source(const operand_t *operand, unsigned mask, int like_slot) {
    const bool argument = operand->slot >= 0;
    return (epilogue_source_t){.kind = argument ? SOURCE_QUANT : SOURCE_SCRATCH,
            .slot = operand->slot,
            .mask = (int)mask,
            .like_slot = like_slot,
            .dt = operand->md->data_type,
            .offset = argument ? 0 : operand->offset};
}

epilogue_source_t operand_tensor(const operand_t *operand) {
    const bool argument = operand->slot >= 0;
    return (epilogue_source_t){.kind = argument ? SOURCE_TENSOR : SOURCE_SCRATCH,
            .slot = operand->slot,
            .dt = operand->md->data_type,
            .md = operand->md,
            .offset = argument ? 0 : operand->offset};
}

/* Of the first element, in the memory of the argument or in the scratchpad. */
static uint64_t first_byte(const operand_t *operand) {
    const md_t *md = operand->md;
    return operand->offset + (operand->slot < 0 ? 0 : dt_offset(md->data_type, md->offset0));
}

void bind_operand(plan_t *plan, const operand_t *operand) {
    if (!operand) plan_arg(plan, -1, 0);
    else if (operand->slot < 0) plan_scratch(plan, first_byte(operand));
    else plan_arg(plan, operand->slot, first_byte(operand));
}

bool operand_may_be_aligned(const planner_t *p, const operand_t *operand, uint32_t bytes) {
    return !p->mds && !p->pd->request.hints.any_address &&
           !md_has_runtime_dims_or_strides(operand->md) && first_byte(operand) % bytes == 0;
}

void bind_aligned_operand(plan_t *plan, const operand_t *operand, uint32_t bytes) {
    bind_operand(plan, operand);
    plan_expect_alignment(plan, bytes);
}

void bind_zero_point(planner_t *p, int arg) {
    const epilogue_source_t zero = epilogue_quant_source(p->pd, ATTR_ZERO_POINTS, arg);
    plan_arg(p->plan, zero.kind == SOURCE_QUANT ? zero.slot : -1, 0);
    plan_scalar_s32(p->plan, zero.kind == SOURCE_HOST ? zero.slot : -1);
}

void bind_scale(planner_t *p, int arg) {
    plan_arg(p->plan, pd_find_arg(p->pd, DNNL_ARG_ATTR_SCALES | arg), 0);
}

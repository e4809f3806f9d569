/* SPDX-License-Identifier: Apache-2.0 */
/* What the descriptor of a matmul says, in the form that planners use. */
#include "ops/matmul/problem.h"

#include <string.h>

#include "core/util.h"
#include "plan/type_rules.h"

/* ---- the problem ---- */

static bool is_known(int64_t value) {
    return value != DNNL_RUNTIME_DIM_VAL;
}

/* A copy in which every size and stride that is not known yet counts as 1. */
static md_t with_known_dims(const md_t *md) {
    md_t out = *md;
    for (int d = 0; d < md->ndims; d++) {
        if (!is_known(out.dims[d])) out.dims[d] = out.padded_dims[d] = 1;
        if (!is_known(out.format_desc.blocking.strides[d])) out.format_desc.blocking.strides[d] = 1;
    }
    if (!is_known(out.offset0)) out.offset0 = 0;
    return out;
}

static operand_t known_operand(matmul_t *mm, int arg, md_t *known) {
    operand_t operand = operand_of(&mm->planner, arg);
    *known = with_known_dims(operand.md);
    operand.md = known;
    return operand;
}

/* Does the scale change along k, or have groups? */
static bool is_inside(const matmul_t *mm, int arg) {
    const quant_t *q = matmul_scale(mm, arg);
    const int k_dim = arg == DNNL_ARG_SRC ? mm->ndims - 1 : mm->ndims - 2;
    return q && ((q->mask >> k_dim & 1) || q->group_ndims > 0);
}

static void set_epilogue(matmul_t *mm) {
    const pd_t *pd = mm->planner.pd;
    const int bias = pd_find_arg(pd, DNNL_ARG_BIAS);
    epilogue_init(&mm->epilogue);
    if (!mm->scale_src) epilogue_add_scale(&mm->epilogue, pd, OP_MUL, DNNL_ARG_SRC);
    if (!mm->scale_wei) epilogue_add_scale(&mm->epilogue, pd, OP_MUL, DNNL_ARG_WEIGHTS);
    if (bias >= 0) epilogue_add_tensor(&mm->epilogue, pd, OP_ADD, bias);
    epilogue_add_post_ops(&mm->epilogue, pd);
    epilogue_add_dst(&mm->epilogue, pd);
}

void matmul_set(
        matmul_t *mm, const pd_t *pd, const caps_t *caps, const md_t *const *mds, plan_t *plan) {
    memset(mm, 0, sizeof(*mm));
    mm->planner = (planner_t){.pd = pd, .caps = caps, .mds = mds, .plan = plan};
    mm->src = known_operand(mm, DNNL_ARG_SRC, &mm->known[0]);
    mm->wei = known_operand(mm, DNNL_ARG_WEIGHTS, &mm->known[1]);
    mm->dst = known_operand(mm, DNNL_ARG_DST, &mm->known[2]);
    mm->ndims = mm->dst.md->ndims;
    mm->m = mm->dst.md->dims[mm->ndims - 2];
    mm->n = mm->dst.md->dims[mm->ndims - 1];
    mm->k = mm->src.md->dims[mm->ndims - 1];
    mm->exact = dt_in(mm->src.md, BYTES) && dt_in(mm->wei.md, INTS);
    mm->scale_src = is_inside(mm, DNNL_ARG_SRC);
    mm->scale_wei = is_inside(mm, DNNL_ARG_WEIGHTS);
    set_epilogue(mm);
}

/* ---- questions ---- */

bool matmul_is_unknown(const matmul_t *mm, const operand_t *operand) {
    return operand->slot >= 0 &&
           md_has_runtime_dims_or_strides(&mm->planner.pd->args[operand->slot].md);
}

bool matmul_has_unknown(const matmul_t *mm) {
    return matmul_is_unknown(mm, &mm->src) || matmul_is_unknown(mm, &mm->wei) ||
           matmul_is_unknown(mm, &mm->dst);
}

int64_t matmul_batch(const md_t *md) {
    int64_t count = 1;
    for (int d = 0; d < md->ndims - 2; d++) count *= md->dims[d];
    return count;
}

bool matmul_sums_integers(const matmul_t *mm) {
    return mm->exact && !mm->scale_src && !mm->scale_wei;
}

/* ---- scales and zero points ---- */

const quant_t *matmul_scale(const matmul_t *mm, int arg) {
    return quant_find(&mm->planner.pd->attr.scales, arg);
}

const quant_t *matmul_zero_point(const matmul_t *mm, int arg) {
    return quant_find(&mm->planner.pd->attr.zero_points, arg);
}

bool matmul_has_zero_points(const matmul_t *mm) {
    return matmul_zero_point(mm, DNNL_ARG_SRC) || matmul_zero_point(mm, DNNL_ARG_WEIGHTS);
}

/* Positions of dimension d that share a value. Only the last two dimensions have groups. */
static int64_t group_of(const quant_t *q, const md_t *like, int d) {
    const int g = d - (like->ndims - 2);
    const int64_t group = g >= 0 && q->group_ndims ? q->group_dims[g] : 1;
    return group > like->dims[d] ? max_i64(like->dims[d], 1) : group;
}

void matmul_set_quant(mm_quant_t *out, const quant_t *q, const md_t *like, int first) {
    memset(out, 0, sizeof(*out));
    out->group[0] = out->group[1] = 1;
    if (!q) return;
    out->dt = (int32_t)q->dt;
    int64_t stride = 1;
    for (int d = like->ndims - 1; d >= 0; d--) {
        const int g = d - (like->ndims - 2);
        const int64_t group = group_of(q, like, d);
        if (g >= 0) out->group[g] = (int32_t)group;
        if (!(q->mask >> d & 1)) continue;
        if (like->dims[d] > 1) out->stride[first + d] = (int32_t)stride;
        stride *= like->dims[d] / group;
    }
}

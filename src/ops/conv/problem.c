/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/conv/problem.h"

#include "core/util.h"
#include "plan/type_rules.h"

/* An argument that need not be there. */
static operand_t operand_or_none(const planner_t *p, int arg) {
    const int slot = pd_find_arg(p->pd, arg);
    return slot < 0 ? (operand_t){.slot = -1} : operand_at(p, slot);
}

/* A tensor, or the gradient of it where the primitive has that. */
static operand_t operand_or_diff(const planner_t *p, int arg, int diff) {
    return operand_of(p, pd_find_arg(p->pd, arg) < 0 ? diff : arg);
}

static void set_window(conv_t *cv) {
    const op_params_t *params = &cv->pd->params;
    const int first = cv->with_groups;
    for (int i = 0; i < 3; i++) {
        const int d = image_dim(cv->ndims, i), s = d - 2; /* s: among the spatial dimensions */
        const bool has = d >= 0;
        cv->win.in[i] = has ? (int32_t)cv->src.md->dims[d] : 1;
        cv->win.out[i] = has ? (int32_t)cv->dst.md->dims[d] : 1;
        cv->win.k[i] = has ? (int32_t)cv->wei.md->dims[first + d] : 1;
        cv->win.stride[i] = has ? (int32_t)params->strides[s] : 1;
        cv->win.dilation[i] = has ? (int32_t)params->dilates[s] + 1 : 1;
        cv->win.pad[i] = has ? (int32_t)params->padding[0][s] : 0;
    }
}

conv_t conv_of(planner_t *p) {
    conv_t cv = {
            .p = p,
            .pd = p->pd,
            .caps = p->caps,
            .src = operand_or_diff(p, DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC),
            .wei = operand_or_diff(p, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS),
            .dst = operand_or_diff(p, DNNL_ARG_DST, DNNL_ARG_DIFF_DST),
            .bias = operand_or_none(p, DNNL_ARG_BIAS),
            .transposed = p->pd->params.kind == dnnl_deconvolution,
    };
    const md_t *src = cv.src.md, *wei = cv.wei.md;
    const int first = wei->ndims - src->ndims;
    cv.with_groups = first > 0;
    cv.ndims = src->ndims;
    cv.mb = src->dims[0];
    cv.groups = first ? wei->dims[0] : 1;
    cv.oc = wei->dims[first];
    cv.ic = wei->dims[first + 1];
    cv.exact = dt_in(src, BYTES) && dt_in(wei, INTS);
    set_window(&cv);
    return cv;
}

/* ---- zero points ---- */

bool conv_has_zero_point(const conv_t *cv, int arg) {
    return quant_find(&cv->pd->attr.zero_points, arg) != NULL;
}

conv_zero_point_t conv_zero_point(const conv_t *cv, int arg) {
    const quant_t *q = quant_find(&cv->pd->attr.zero_points, arg);
    return (conv_zero_point_t){q ? (int32_t)q->dt : 0, q && q->mask};
}

/* ---- the result ---- */

/* A source that has one value, or one for each channel of the destination. */
static void add_per_channel(
        const conv_t *cv, epilogue_t *epilogue, int op, epilogue_source_t source) {
    if (source.kind == SOURCE_NONE) return;
    if (source.kind == SOURCE_QUANT) {
        source.like_slot = cv->dst.slot;
        source.mask = source.mask ? 2 : 0;
    }
    epilogue_add_tensor(epilogue, cv->pd, op, cv->dst.slot)->src = source;
}

static void set_epilogue(const conv_t *cv, epilogue_t *epilogue, bool has_bias) {
    epilogue_init(epilogue);
    epilogue_add_scale(epilogue, cv->pd, OP_MUL, DNNL_ARG_SRC);
    add_per_channel(
            cv, epilogue, OP_MUL, epilogue_quant_source(cv->pd, ATTR_SCALES, DNNL_ARG_WEIGHTS));
    if (cv->bias.md && !has_bias)
        add_per_channel(cv, epilogue, OP_ADD,
                (epilogue_source_t){.kind = SOURCE_QUANT,
                        .slot = cv->bias.slot,
                        .mask = 2,
                        .like_slot = cv->dst.slot,
                        .dt = cv->bias.md->data_type});
    epilogue_add_post_ops(epilogue, cv->pd);
    epilogue_add_dst(epilogue, cv->pd);
}

const char *conv_result(const conv_t *cv, conv_stores_t stores, result_t *r, cv_tensor_t *t) {
    set_epilogue(cv, &r->epilogue, stores.bias);
    return image_result(cv->p, r, t, &cv->dst,
            (image_stores_t){stores.lanes, stores.by_group ? cv->oc : 0, cv->exact});
}

const char *conv_tile_finish(const conv_t *cv, const operand_t *src, const operand_t *wei,
        const result_t *r, const cv_tile_t *p) {
    plan_t *plan = cv->p->plan;
    bind_operand(plan, src);
    bind_operand(plan, wei);
    bind_operand(plan, &r->to);
    plan_const(plan, p, sizeof(*p));
    epilogue_args(&r->seg, cv->pd, cv->p->mds, plan);
    return result_finish(cv->p, r);
}

int64_t conv_padded_oc(const conv_t *cv, const result_t *r) {
    return cv->groups == 1 && r->complete ? cv->dst.md->padded_dims[1] : cv->oc;
}

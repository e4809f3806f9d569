/* SPDX-License-Identifier: Apache-2.0 */
/* Group normalization: statistics of each image and group of channels. */
#include "core/check.h"
#include "core/status.h"
#include "ops/norm/norm.h"
#include "plan/op.h"
#include "plan/variant.h"

enum { FLAGS = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift };

/* The source with its channels as groups x channels in a group; in the scratchpad where its
 * layout has no such view. */
static const char *make_view(norm_t *n, operand_t *view, md_t *md) {
    const md_t *src = n->src.md;
    const dnnl_dim_t groups = n->planner.pd->params.groups;
    *view = (operand_t){md, n->src.slot, 0};
    if (md_is_plain(src) && !norm_group_view(md, src, groups)) return NULL;
    md_t plain_md;
    operand_t plain;
    REFUSE_IF(operand_like(&n->planner, &plain, &plain_md, src, ~0u, n->dt));
    REFUSE_IF(norm_group_view(md, &plain_md, groups));
    *view = (operand_t){md, -1, plain.offset};
    return ew_copy(&n->planner, -1, &n->src, &plain);
}

static const char *plan_reductions(planner_t *p, int variant) {
    norm_t *n = (norm_t *)p;
    operand_t view;
    md_t view_md;
    REFUSE_IF(reduce_variant_can(variant, n->dt == dnnl_f64));
    REFUSE_IF(make_view(n, &view, &view_md));
    REFUSE_IF(norm_statistics(n, variant, &view, 3));
    REFUSE_IF(norm_root(n, &view, 3));
    REFUSE_IF(norm_expand(n, &n->mean, &n->mean_md, &view_md));
    REFUSE_IF(norm_expand(n, &n->root, &n->root_md, &view_md));
    epilogue_t epilogue;
    norm_epilogue(n, &epilogue, 3, 2);
    norm_add_attributes(p->pd, &epilogue);
    return norm_apply(n, &epilogue);
}

/* Statistics, scale and shift. */
static dnnl_status_t add_args(pd_t *pd, const md_t *src) {
    const dnnl_dim_t groups = pd->params.groups;
    CHECK_ARG(groups > 0 && groups <= src->dims[1] && src->dims[1] % groups == 0,
            "group_normalization", "the number of groups does not divide the channels");
    md_t stat;
    TRY(md_init_strides(&stat, 2, (dnnl_dim_t[]){src->dims[0], groups}, dnnl_f32, NULL));
    return norm_add_args(pd, &stat, src->dims[1], dnnl_f32);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(norm_check(pd, FLAGS, 2, DNNL_MAX_NDIMS - 1));
    const md_t src = *pd_md(pd, DNNL_ARG_SRC);
    TRY(add_args(pd, &src));
    TRY(norm_attributes(pd, true, POST_OP_ELTWISE | POST_OP_BINARY | POST_OP_PRELU));
    if (md_has_zero_dim(&src)) return nothing_to_do(pd);
    return norm_plan(pd, caps, NORM_FAMILY, plan_reductions);
}

const op_kind_t op_group_normalization = {.kind = dnnl_group_normalization,
        .name = "group_normalization",
        .init = init,
        .make_epilogue = norm_add_attributes,
        .format_problem = norm_format_problem,
        .format_aux = norm_format_aux};

/* ---- backward propagation ---- */

/* Mean and root for each channel of each image. */
static const char *plan_statistics(norm_t *n, int variant) {
    const md_t *src = n->src.md;
    md_t plain, view_md;
    REFUSE_IF(why_not_of(md_init_strides(&plain, src->ndims, src->dims, src->data_type, NULL),
            "the tensor is too large"));
    REFUSE_IF(norm_group_view(&view_md, &plain, n->planner.pd->params.groups));
    const operand_t view = {&view_md, -1, 0}; /* nothing reads it: the statistics are given */
    REFUSE_IF(norm_statistics(n, variant, &view, 3));
    REFUSE_IF(norm_root(n, &view, 3));
    REFUSE_IF(norm_expand(n, &n->mean, &n->mean_md, &view_md));
    return norm_expand(n, &n->root, &n->root_md, &view_md);
}

static const char *plan_backward(planner_t *p, int variant) {
    norm_t *n = (norm_t *)p;
    const operand_t everywhere = {NULL, -1, 0}; /* no relu is fused */
    REFUSE_IF(reduce_variant_can(variant, n->dt == dnnl_f64));
    REFUSE_IF(plan_statistics(n, variant));
    return norm_backward_channels(n, variant, p->pd->params.groups, &everywhere);
}

static dnnl_status_t init_backward(pd_t *pd, const caps_t *caps) {
    TRY(norm_check_backward(pd, FLAGS, 2, DNNL_MAX_NDIMS - 1));
    const md_t src = *pd_md(pd, DNNL_ARG_SRC);
    TRY(add_args(pd, &src));
    TRY(norm_add_gradients(pd, src.dims[1], dnnl_f32));
    return norm_plan_backward(pd, caps, plan_backward);
}

const op_kind_t op_group_normalization_backward = {.kind = dnnl_group_normalization,
        .directions = DIRECTION_BACKWARD | DIRECTION_BACKWARD_DATA,
        .name = "group_normalization",
        .init = init_backward,
        .format_problem = norm_format_problem,
        .format_aux = norm_format_aux};

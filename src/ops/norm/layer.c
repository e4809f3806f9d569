/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalization and RMS normalization along the last dimension: one kernel for contiguous
 * rows, else reductions and an elementwise step. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/norm/layer_params.h"
#include "ops/norm/norm.h"
#include "plan/op.h"
#include "plan/variant.h"
#include "plan/variant_id.h"
#include "plan/variant_planners.h"
#include "steps/reduction_rows.h"

#define FAMILY "layer_normalization"

/* The statistics with a last dimension of 1: a value for each row. */
static const char *row_statistics(const norm_t *n, md_t *md) {
    const pd_t *pd = n->planner.pd;
    const md_t *src = n->src.md;
    dnnl_dims_t dims;
    memcpy(dims, src->dims, sizeof(dims));
    dims[src->ndims - 1] = 1;
    REFUSE_IF(why_not_of(
            md_init_strides(md, src->ndims, dims, dnnl_f32, NULL), "the tensor is too large"));
    const md_t *stat = norm_argument(n, DNNL_ARG_VARIANCE).md;
    if (!stat) return NULL;
    if (!md_is_plain(stat)) return "the statistics have inner blocks";
    if (!norm_flag(pd, dnnl_rms_norm) && !md_same_layout(stat, pd_md(pd, DNNL_ARG_MEAN)))
        return "mean and variance differ in their layouts";
    memcpy(md->format_desc.blocking.strides, stat->format_desc.blocking.strides,
            (size_t)stat->ndims * sizeof(dnnl_dim_t));
    return NULL;
}

static const char *init_rows(rows_t *rows, const planner_t *p, int variant) {
    md_t stat;
    REFUSE_IF(row_statistics((const norm_t *)p, &stat));
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    norm_add_attributes(p->pd, &epilogue);
    return rows_init(rows, p, variant, &epilogue, &stat);
}

static uint32_t layer_flags(const pd_t *pd) {
    return (norm_flag(pd, dnnl_rms_norm) ? LAYER_RMS : 0) | (norm_given(pd) ? LAYER_GIVEN : 0) |
           (norm_saves(pd) ? LAYER_SAVE : 0) | (norm_flag(pd, dnnl_use_scale) ? LAYER_SCALE : 0) |
           (norm_flag(pd, dnnl_use_shift) ? LAYER_SHIFT : 0);
}

static layer_params_t layer_params(const rows_t *rows, const pd_t *pd) {
    layer_params_t p;
    memset(&p, 0, sizeof(p));
    p.nd = rows->p;
    memcpy(p.stat_stride, rows->stat_stride, sizeof(p.stat_stride));
    p.epsilon = pd->params.epsilon;
    return p;
}

const char *layer_plan_rows(planner_t *planner, int variant) {
    norm_t *n = (norm_t *)planner;
    const pd_t *pd = planner->pd;
    plan_t *plan = planner->plan;
    rows_t rows;
    REFUSE_IF(init_rows(&rows, planner, variant));
    const layer_params_t p = layer_params(&rows, pd);
    const bool weights = norm_flag(pd, dnnl_use_scale | dnnl_use_shift);
    rows_step(planner, variant, &rows);
    plan_spec(plan, SPEC_SRC1_DT, weights ? pd->params.scale_shift_dt : dnnl_f32);
    plan_spec(plan, SPEC_LAYER_FLAGS, layer_flags(pd));
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE,
            DNNL_ARG_SCALE, DNNL_ARG_SHIFT};
    operand_t argument[ARRAY_LEN(args)];
    for (int i = 0; i < ARRAY_LEN(args); i++) argument[i] = norm_argument(n, args[i]);
    const bool whole = rows_are_whole(planner, variant, &rows, &argument[0], &argument[1]) &&
                       is_array_aligned(planner, &argument[4]) &&
                       is_array_aligned(planner, &argument[5]);
    whole_tiles_spec(plan, whole);
    for (int i = 0; i < ARRAY_LEN(args); i++) {
        norm_bind(n, &argument[i]);
        const bool is_statistic = args[i] == DNNL_ARG_MEAN || args[i] == DNNL_ARG_VARIANCE;
        plan_expect_alignment(plan, whole && !is_statistic ? WHOLE_TILE_ALIGNMENT : 0);
    }
    plan_const(plan, &p, sizeof(p));
    epilogue_args(&rows.seg, pd, NULL, plan);
    return NULL;
}

static const char *plan_reductions(planner_t *p, int variant) {
    norm_t *n = (norm_t *)p;
    const unsigned last = 1u << (n->src.md->ndims - 1), others = last - 1;
    REFUSE_IF(reduce_variant_can(variant, n->dt == dnnl_f64));
    REFUSE_IF(norm_statistics(n, variant, &n->src, others));
    REFUSE_IF(norm_root(n, &n->src, others));
    epilogue_t epilogue;
    norm_epilogue(n, &epilogue, others, last);
    norm_add_attributes(p->pd, &epilogue);
    return norm_apply(n, &epilogue);
}

/* What statistics of layout `any` are: f32, in the order and with the inner blocks of the source.
 * Row-major if the source has blocks of the dimension that is normalized. */
static dnnl_status_t default_statistics(const md_t *src, md_t *stat) {
    md_t rows = *src; /* without the last dimension */
    rows.ndims--;
    TRY(md_init_tag(stat, rows.ndims, rows.dims, dnnl_f32, dnnl_format_tag_any));
    const md_blocking_t *b = &src->format_desc.blocking;
    for (int i = 0; i < b->inner_nblks; i++)
        if (b->inner_idxs[i] == rows.ndims) return md_set_plain(stat);
    return md_set_like(stat, &rows);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(norm_check(
            pd, dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_rms_norm, 2, 5));
    const md_t src = *pd_md(pd, DNNL_ARG_SRC);
    const bool weights = norm_flag(pd, dnnl_use_scale | dnnl_use_shift);
    md_t stat;
    TRY(default_statistics(&src, &stat));
    TRY(norm_add_args(
            pd, &stat, src.dims[src.ndims - 1], weights ? pd->params.scale_shift_dt : dnnl_f32));
    TRY(norm_attributes(pd, true, POST_OP_ELTWISE | POST_OP_BINARY | POST_OP_PRELU));
    if (md_has_zero_dim(&src)) return nothing_to_do(pd);
    return norm_plan(pd, caps, FAMILY, plan_reductions);
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    return md_format_dims(pd_md(pd, DNNL_ARG_SRC), buf, size);
}

const op_kind_t op_layer_normalization = {.kind = dnnl_layer_normalization,
        .name = "layer_normalization",
        .init = init,
        .by_shape = true,
        .format_problem = format_problem,
        .format_aux = norm_format_aux};

/* ---- backward propagation ---- */

/* Sums of each work-item or work-group: a row of whole vectors. */
typedef struct {
    operand_t operand; /* without a descriptor: the gradient is not wanted */
    md_t md;
} item_sums_t;

static const char *place_sums(norm_t *n, int arg, const rows_t *rows, item_sums_t *sums) {
    enum { VECTOR = 16 };
    const dnnl_dim_t pitch = div_up(rows->len, VECTOR) * VECTOR;
    const dnnl_dims_t dims = {rows->items, rows->len}, strides = {pitch, 1};
    md_t all;
    sums->operand = (operand_t){NULL, -1, 0};
    if (!norm_argument(n, arg).md) return NULL;
    REFUSE_IF(operand_array(&n->planner, &sums->operand, &all, pitch * rows->items, dnnl_f32));
    REFUSE_IF(why_not_of(
            md_init_strides(&sums->md, 2, dims, dnnl_f32, strides), "the tensor is too large"));
    sums->operand.md = &sums->md;
    return NULL;
}

/* The gradient of scale or shift from the sums of all of them. */
static const char *add_up(norm_t *n, int arg, const item_sums_t *sums) {
    const operand_t to = norm_argument(n, arg);
    if (!to.md) return NULL;
    const dnnl_dims_t dims = {1, sums->md.dims[1]};
    md_t md;
    REFUSE_IF(why_not_of(
            md_init_strides(&md, 2, dims, to.md->data_type, NULL), "the tensor is too large"));
    const reduce_job_t job = {.src = sums->operand, .dst = {&md, to.slot, 0}, .op = RED_SUM};
    return reduce_steps(&n->planner, -1, &job);
}

static uint32_t backward_flags(const norm_t *n) {
    const pd_t *pd = n->planner.pd;
    return (norm_flag(pd, dnnl_rms_norm) ? LAYER_RMS : 0) |
           (norm_flag(pd, dnnl_use_global_stats) ? LAYER_GIVEN : 0) |
           (norm_flag(pd, dnnl_use_scale) ? LAYER_SCALE : 0) |
           (norm_argument(n, DNNL_ARG_DIFF_SCALE).md ? LAYER_SCALE_SUMS : 0) |
           (norm_argument(n, DNNL_ARG_DIFF_SHIFT).md ? LAYER_SHIFT_SUMS : 0);
}

static const char *rows_can(const norm_t *n, const operand_t *diff) {
    if (n->dt == dnnl_f64) return "it has no double arithmetic";
    if (!md_same_layout(n->src.md, diff->md) || !md_same_layout(n->src.md, n->dst.md))
        return "the source and the gradients differ in their layouts";
    return NULL;
}

const char *layer_plan_backward_rows(planner_t *planner, int variant) {
    norm_t *n = (norm_t *)planner;
    const pd_t *pd = planner->pd;
    plan_t *plan = planner->plan;
    const operand_t diff = operand_of(planner, DNNL_ARG_DIFF_DST);
    item_sums_t scale_sums, shift_sums;
    rows_t rows;
    REFUSE_IF(rows_can(n, &diff));
    REFUSE_IF(init_rows(&rows, planner, variant));
    if (variant_has_lanes(&variants[variant])) rows_in_turn(&rows, planner);
    REFUSE_IF(place_sums(n, DNNL_ARG_DIFF_SCALE, &rows, &scale_sums));
    REFUSE_IF(place_sums(n, DNNL_ARG_DIFF_SHIFT, &rows, &shift_sums));
    const layer_params_t p = layer_params(&rows, pd);
    rows_step(planner, variant, &rows);
    plan_spec(plan, SPEC_SRC1_DT,
            norm_flag(pd, dnnl_use_scale) ? pd->params.scale_shift_dt : dnnl_f32);
    plan_spec(plan, SPEC_LAYER_FLAGS, backward_flags(n));
    plan_spec(plan, SPEC_LAYER_DATA_DT, n->src.md->data_type);
    const operand_t args[] = {diff, n->dst, n->src, norm_argument(n, DNNL_ARG_MEAN),
            norm_argument(n, DNNL_ARG_VARIANCE), norm_argument(n, DNNL_ARG_SCALE),
            scale_sums.operand, shift_sums.operand};
    for (int i = 0; i < ARRAY_LEN(args); i++) norm_bind(n, &args[i]);
    plan_const(plan, &p, sizeof(p));
    REFUSE_IF(add_up(n, DNNL_ARG_DIFF_SCALE, &scale_sums));
    return add_up(n, DNNL_ARG_DIFF_SHIFT, &shift_sums);
}

static const char *plan_backward(planner_t *p, int variant) {
    norm_t *n = (norm_t *)p;
    const unsigned last = 1u << (n->src.md->ndims - 1), others = last - 1;
    const norm_backward_t shape = {.stat_mask = others, .weights_mask = last};
    const operand_t diff = operand_of(p, DNNL_ARG_DIFF_DST);
    REFUSE_IF(reduce_variant_can(variant, n->dt == dnnl_f64));
    REFUSE_IF(norm_statistics(n, variant, &n->src, others));
    REFUSE_IF(norm_root(n, &n->src, others));
    return norm_backward(n, variant, &shape, &diff);
}

static dnnl_status_t init_backward(pd_t *pd, const caps_t *caps) {
    TRY(norm_check_backward(
            pd, dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_rms_norm, 2, 5));
    const md_t src = *pd_md(pd, DNNL_ARG_SRC);
    const dnnl_dim_t channels = src.dims[src.ndims - 1];
    const bool weights = norm_flag(pd, dnnl_use_scale | dnnl_use_shift);
    md_t stat;
    TRY(default_statistics(&src, &stat));
    TRY(norm_add_args(pd, &stat, channels, weights ? pd->params.scale_shift_dt : dnnl_f32));
    if (weights && pd->params.prop_kind == dnnl_backward)
        TRY(norm_add_gradients(pd, channels, pd->params.diff_scale_shift_dt));
    return norm_plan_backward_family(pd, caps, FAMILY "_backward", plan_backward);
}

const op_kind_t op_layer_normalization_backward = {.kind = dnnl_layer_normalization,
        .directions = DIRECTION_BACKWARD | DIRECTION_BACKWARD_DATA,
        .name = "layer_normalization",
        .init = init_backward,
        .format_problem = format_problem,
        .format_aux = norm_format_aux};

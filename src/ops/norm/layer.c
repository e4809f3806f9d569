/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalization and RMS normalization along the last dimension: one kernel for contiguous rows, else
 * reductions and an elementwise step. */
#include <string.h>

#include "core/status.h"
#include "core/verbose.h"
#include "kernels/norm/layer_params.h"
#include "ops/norm/norm.h"
#include "plan/op.h"
#include "steps/reduction_rows.h"
#include "plan/variant.h"

#define FAMILY "layer_normalization"

static bool uses(const pd_t *pd, int arg) {
    const int slot = pd_find_arg(pd, arg);
    return slot >= 0 && pd->args[slot].flags & (PD_IN | PD_OUT);
}

/* The statistics with a last dimension of 1: a value for each row. */
static const char *row_statistics(const pd_t *pd, md_t *md) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    dnnl_dims_t dims;
    memcpy(dims, src->dims, sizeof(dims));
    dims[src->ndims - 1] = 1;
    if (md_init_strides(md, src->ndims, dims, dnnl_f32, NULL) != dnnl_success)
        return "the tensor is too large";
    const md_t *stat = pd_md(pd, DNNL_ARG_VARIANCE);
    if (!uses(pd, DNNL_ARG_VARIANCE)) return NULL;
    if (!md_is_plain(stat)) return "the statistics have inner blocks";
    const bool rms = norm_flag(pd, dnnl_rms_norm);
    if (!rms && !md_same_layout(stat, pd_md(pd, DNNL_ARG_MEAN)))
        return "mean and variance differ in their layouts";
    memcpy(md->format_desc.blocking.strides, stat->format_desc.blocking.strides,
            (size_t)stat->ndims * sizeof(dnnl_dim_t));
    return NULL;
}

static const char *init_rows(rows_t *rows, const pd_t *pd, const caps_t *caps) {
    md_t stat;
    const char *why_not = row_statistics(pd, &stat);
    if (why_not) return why_not;
    epilogue_t chain;
    epilogue_init(&chain);
    norm_chain_attributes(pd, &chain);
    return rows_init(rows, pd, caps, &chain, &stat);
}

static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    rows_t rows;
    const char *why_not = init_rows(&rows, pd, caps);
    return why_not ? why_not : rows_fit(&rows, pd, row);
}

static void bind(norm_t *n, int arg) {
    pd_t *pd = n->pd;
    const int slot = pd_find_arg(pd, arg);
    if (!uses(pd, arg)) plan_arg(&pd->plan, -1, 0);
    else bind_operand(&pd->plan, &(operand_t){&pd->args[slot].md, slot, 0});
}

static const char *plan_rows(norm_t *n) {
    pd_t *pd = n->pd;
    rows_t rows;
    const char *why_not = init_rows(&rows, pd, n->caps);
    if (why_not) return why_not;
    const bool scale = norm_flag(pd, dnnl_use_scale), shift = norm_flag(pd, dnnl_use_shift);
    layer_params_t p;
    memset(&p, 0, sizeof(p));
    p.nd = rows.p;
    memcpy(p.stat_stride, rows.stat_stride, sizeof(p.stat_stride));
    p.epsilon = pd->params.epsilon;
    rows_step(&rows, pd, n->caps, pd->variant, &pd->plan);
    plan_spec(&pd->plan, SPEC_SRC1_DT, scale || shift ? pd->params.scale_shift_dt : dnnl_f32);
    plan_spec(&pd->plan, SPEC_LAYER_FLAGS,
            (norm_flag(pd, dnnl_rms_norm) ? LAYER_RMS : 0) | (norm_given(pd) ? LAYER_GIVEN : 0) |
                    (norm_saves(pd) ? LAYER_SAVE : 0) | (scale ? LAYER_SCALE : 0) |
                    (shift ? LAYER_SHIFT : 0));
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE,
            DNNL_ARG_SCALE, DNNL_ARG_SHIFT};
    for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) bind(n, args[i]);
    plan_const(&pd->plan, &p, sizeof(p));
    epilogue_args(&rows.seg, pd, NULL, &pd->plan);
    return NULL;
}

static const char *plan_reductions(norm_t *n) {
    const unsigned last = 1u << (n->src.md->ndims - 1), others = last - 1;
    const char *why_not = norm_statistics(n, &n->src, others);
    if (!why_not) why_not = norm_root(n, &n->src, others);
    if (why_not) return why_not;
    epilogue_t chain;
    norm_chain(n, &chain, others, last);
    norm_chain_attributes(n->pd, &chain);
    return norm_apply(n, &chain);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(norm_check(
            pd, dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | dnnl_rms_norm, 2, 5));
    const md_t src = *pd_md(pd, DNNL_ARG_SRC);
    const bool weights = norm_flag(pd, dnnl_use_scale | dnnl_use_shift);
    md_t stat;
    TRY(md_init_strides(&stat, src.ndims - 1, src.dims, dnnl_f32, NULL));
    TRY(norm_add_args(
            pd, &stat, src.dims[src.ndims - 1], weights ? pd->params.scale_shift_dt : dnnl_f32));
    TRY(norm_attributes(pd, true, TAKES_ELTWISE | TAKES_BINARY | TAKES_PRELU));
    if (md_has_zero_dim(&src)) return nothing_to_do(pd);
    TRY(select_row_or_reduction(pd, caps, FAMILY, fits));
    name_variant(pd);
    norm_t n = norm_start(pd, caps);
    const bool rows = !strcmp(variants[pd->variant].family, FAMILY);
    return norm_finish(&n, rows ? plan_rows(&n) : plan_reductions(&n));
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

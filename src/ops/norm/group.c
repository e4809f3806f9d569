/* SPDX-License-Identifier: Apache-2.0 */
/* Group normalization: statistics of each image and group of channels. */
#include <string.h>

#include "core/check.h"
#include "ops/norm/norm.h"
#include "plan/op.h"
#include "plan/variant.h"

/* The source with its channels as groups x channels in a group; in the scratchpad where its layout has no
 * such view. */
static const char *make_view(norm_t *n, operand_t *view, md_t *md) {
    const md_t *src = n->src.md;
    dnnl_dims_t dims = {
            src->dims[0], n->pd->params.group_size, src->dims[1] / n->pd->params.group_size};
    for (int d = 2; d < src->ndims; d++) dims[d + 1] = src->dims[d];
    *view = (operand_t){md, n->src.slot, 0};
    if (md_is_plain(src) && md_init_reshape(md, src, src->ndims + 1, dims) == dnnl_success)
        return NULL;
    md_t plain;
    operand_t to;
    epilogue_t none;
    epilogue_init(&none);
    if (scratch_tensor(&to, &plain, src, ~0u, n->dt, &n->scratch) != dnnl_success ||
            md_init_reshape(md, &plain, src->ndims + 1, dims) != dnnl_success)
        return "the tensor is too large";
    *view = (operand_t){md, -1, to.offset};
    return ew_plan(&(planner_t){.pd = n->pd, .caps = n->caps, .plan = &n->pd->plan}, -1, &none, 0,
            &n->src, &to, &to);
}

/* Repeats a group's value for each of its channels. */
static const char *expand(norm_t *n, operand_t *t, md_t *md, const md_t *view) {
    operand_t wide;
    md_t wide_md;
    epilogue_t none;
    epilogue_init(&none);
    if (scratch_tensor(&wide, &wide_md, view, 7, n->dt, &n->scratch) != dnnl_success)
        return "the tensor is too large";
    const char *why_not = ew_plan(&(planner_t){.pd = n->pd, .caps = n->caps, .plan = &n->pd->plan},
            -1, &none, 0, t, &wide, &wide);
    *md = wide_md;
    *t = (operand_t){md, -1, wide.offset};
    return why_not;
}

static const char *plan_reductions(norm_t *n) {
    operand_t view;
    md_t view_md;
    const char *why_not = make_view(n, &view, &view_md);
    if (!why_not) why_not = norm_statistics(n, &view, 3);
    if (!why_not) why_not = norm_root(n, &view, 3);
    if (!why_not) why_not = expand(n, &n->mean, &n->mean_md, &view_md);
    if (!why_not) why_not = expand(n, &n->root, &n->root_md, &view_md);
    if (why_not) return why_not;
    epilogue_t chain;
    norm_chain(n, &chain, 3, 2);
    norm_chain_attributes(n->pd, &chain);
    return norm_apply(n, &chain);
}

static epilogue_t attributes(const pd_t *pd) {
    epilogue_t chain;
    epilogue_init(&chain);
    norm_chain_attributes(pd, &chain);
    return chain;
}

static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    const epilogue_t chain = attributes(pd);
    return norm_sg16_fits(pd, caps, row, &chain, pd->params.group_size);
}

static const char *make_plan(norm_t *n) {
    const epilogue_t chain = attributes(n->pd);
    return strcmp(variants[n->pd->variant].family, NORM_FAMILY)
                   ? plan_reductions(n)
                   : norm_sg16(n, &chain, n->pd->params.group_size);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(norm_check(
            pd, dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift, 2, DNNL_MAX_NDIMS - 1));
    const md_t src = *pd_md(pd, DNNL_ARG_SRC);
    const dnnl_dim_t groups = pd->params.group_size;
    CHECK_ARG(groups > 0 && groups <= src.dims[1] && src.dims[1] % groups == 0,
            "group_normalization", "the number of groups does not divide the channels");
    md_t stat;
    TRY(md_init_strides(&stat, 2, (dnnl_dim_t[]){src.dims[0], groups}, dnnl_f32, NULL));
    TRY(norm_add_args(pd, &stat, src.dims[1], dnnl_f32));
    TRY(norm_attributes(pd, true, TAKES_ELTWISE | TAKES_BINARY | TAKES_PRELU));
    if (md_has_zero_dim(&src)) return nothing_to_do(pd);
    TRY(select_row_or_reduction(pd, caps, NORM_FAMILY, fits));
    name_variant(pd);
    norm_t n = norm_start(pd, caps);
    return norm_finish(&n, make_plan(&n));
}

const op_kind_t op_group_normalization = {.kind = dnnl_group_normalization,
        .name = "group_normalization",
        .init = init,
        .format_problem = norm_format_problem,
        .format_aux = norm_format_aux};

/* SPDX-License-Identifier: Apache-2.0 */
/* Local response normalization, across channels or within one. */
#include <string.h>

#include "core/strings.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/window/lrn_params.h"
#include "plan/check.h"
#include "plan/op.h"
#include "plan/variant.h"
#include "ops/window/window.h"

#define INVALID(...) verbose_check(dnnl_invalid_arguments, "lrn", __VA_ARGS__)
#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "lrn", __VA_ARGS__)

static dnnl_status_t check(pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    const dnnl_alg_kind_t alg = pd->params.alg_kind;
    if (alg != dnnl_lrn_across_channels && alg != dnnl_lrn_within_channel)
        return INVALID("the algorithm is not one of this primitive");
    if (pd->params.group_size < 0) return INVALID("the local size is negative");
    if (md_is_any(src)) return INVALID("the source has no layout");
    if (src->ndims < 2) return INVALID("the source has %d dimensions", src->ndims);
    if (!md_same_dims(src, dst))
        return INVALID("source and destination differ in their dimensions");
    if (pd->params.group_size == 0 || pd->params.group_size > INT32_MAX / 4)
        return REFUSE("a local size of %lld is not taken", (long long)pd->params.group_size);
    if (src->ndims > 5) return REFUSE("more than 5 dimensions are not taken");
    for (int d = 0; d < src->ndims; d++)
        if (src->dims[d] > INT32_MAX / 4) return REFUSE("a dimension is 2^29 or more");
    dnnl_status_t status = ew_check_tensor(pd, src, "the source");
    if (status == dnnl_success) status = ew_resolve(pd, dst, src, "the destination");
    if (status != dnnl_success) return status;
    const dnnl_data_type_t dt = src->data_type;
    if (dt != dst->data_type || !dt_is_fp(dt))
        return REFUSE("the data types are not taken: one floating-point type for both tensors");
    return attr_check(pd, 0, 0, NULL);
}

/* The bases of the powers, for backward propagation. */
static dnnl_status_t add_workspace(pd_t *pd) {
    if (pd->params.prop_kind != dnnl_forward_training) return dnnl_success;
    md_t ws = *pd_md(pd, DNNL_ARG_DST);
    ws.data_type = dnnl_f32;
    ws.offset0 = 0;
    return pd_add_arg(pd, DNNL_ARG_WORKSPACE, PD_OUT, &ws);
}

static const char *make_plan(conv_t *sp, int row) {
    enum { GROUP = 16 };
    const bool cpu = variants[row].target == TARGET_CPU;
    const op_params_t *op = &sp->pd->params;
    const bool across = op->alg_kind == dnnl_lrn_across_channels;
    lrn_params_t p;
    conv_place_t src, ws = {-1, 0, dnnl_data_type_undef};
    conv_result_t r;
    md_t ws_md;
    memset(&p, 0, sizeof(p));
    if (sp->ndims < 3 && !conv_set_tensor(&p.dst, sp->dst))
        return "the destination has other blocks than of channels";
    const char *why_not = spatial_source(sp, &src, &p.src);
    if (!why_not) why_not = conv_plan_result(sp, cpu && sp->ndims > 2 ? 16 : 1, false, &r);
    if (!why_not && spatial_wide(sp, &r) && !variants[row].needs_fp64)
        why_not = "the data is double precision";
    if (why_not) return why_not;
    p.dst = r.t;
    p.reach = (int32_t)((op->group_size - 1) / 2);
    if (cpu && !spatial_has_lanes(&p.src, sp->ic)) return "channels do not lie next to each other";
    if (cpu && p.dst.block < sp->ic && p.dst.block % 16) return "blocks are not of 16 channels";
    if (cpu && across && p.reach > 16) return "the window is larger than 33 channels";
    const int ws_slot = pd_find_arg(sp->pd, DNNL_ARG_WORKSPACE);
    if (ws_slot >= 0) why_not = spatial_beside(sp, &r, ws_slot, &ws, &ws_md);
    if (why_not) return why_not;

    memcpy(p.size, sp->win.in, sizeof(p.size));
    p.channels = (int32_t)sp->ic;
    p.padded_channels = spatial_padded(sp, &r);
    double elements = (double)op->group_size;
    for (int d = 3; !across && d < sp->ndims; d++) elements *= (double)op->group_size;
    p.alpha = (float)((double)op->alpha / elements);
    p.numerator = op->alpha;
    p.elements = (float)elements;
    p.beta = op->beta;
    p.k = op->k;
    const int64_t points = (int64_t)p.size[0] * p.size[1] * p.size[2],
                  nrows = sp->mb * p.size[0] * p.size[1];
    if (points > UINT32_MAX) return "an image has 2^32 or more elements";
    if (cpu && nrows > INT32_MAX) return "there are too many rows";
    uint32_t size[3] = {1, 1, 1}, count[3] = {1, 1, 1};
    if (cpu) {
        p.nrows = (int32_t)nrows;
        p.rows = (int32_t)div_up(nrows, 8 * max_i64(sp->caps->compute_units, 1));
        count[0] = (uint32_t)div_up(nrows, p.rows);
    } else {
        size[0] = GROUP;
        count[0] = (uint32_t)div_up(p.padded_channels, GROUP);
        count[1] = (uint32_t)points;
        count[2] = (uint32_t)sp->mb;
    }
    plan_t *plan = sp->plan;
    plan_step(plan, row, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)src.dt);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)r.place.dt);
    plan_spec(plan, SPEC_FLAGS,
            (across ? LRF_ACROSS : 0) | (ws_slot >= 0 ? LRF_WS : 0) |
                    (op->beta == 0.75f ? LRF_BETA_075 : 0));
    conv_bind_place(plan, &src);
    conv_bind_place(plan, &r.place);
    if (ws_slot >= 0) conv_bind_place(plan, &ws);
    else plan_arg(plan, -1, 0);
    plan_const(plan, &p, sizeof(p));
    why_not = conv_finish_result(sp, &r);
    if (!why_not && ws_slot >= 0) why_not = spatial_finish_beside(sp, &r, ws_slot, &ws, &ws_md);
    return why_not;
}

static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    return spatial_fits(pd, caps, row, make_plan);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    dnnl_status_t status = check(pd);
    if (status == dnnl_success) status = add_workspace(pd);
    if (status == dnnl_success) status = attr_add_args(pd);
    return status == dnnl_success ? spatial_plan(pd, caps, fits, make_plan) : status;
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    const md_t *md = pd_md(pd, DNNL_ARG_SRC);
    text_t text = text_start(buf, size);
    text_add(&text, "mb%lldic%lld", (long long)md->dims[0], (long long)md->dims[1]);
    for (int d = 2; d < md->ndims; d++)
        text_add(&text, "i%c%lld", "dhw"[3 - md->ndims + d], (long long)md->dims[d]);
    text_add(&text, "ls%lldbeta%g", (long long)pd->params.group_size, (double)pd->params.beta);
    return text.len;
}

const op_kind_t op_lrn = {.kind = dnnl_lrn,
        .name = "lrn",
        .init = init,
        .format_problem = format_problem,
        .format_aux = format_alg};

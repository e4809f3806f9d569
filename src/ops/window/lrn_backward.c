/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of local response normalization. With the bases w that the forward
 * primitive leaves in the workspace,
 *     diff_src_i = w_i^-beta diff_dst_i
 *                  - 2 alpha beta / n * src_i * (sum of diff_dst_j src_j w_j^(-beta-1)),
 * where j runs over the window of n elements around i. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/window/lrn_backward_params.h"
#include "kernels/window/lrn_params.h"
#include "ops/window/lrn.h"
#include "ops/window/planners.h"
#include "ops/window/window.h"
#include "plan/check.h"
#include "plan/op.h"
#include "plan/variant.h"

#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "lrn", __VA_ARGS__)

/* ---- the plan ---- */

typedef struct {
    window_t w;
    window_tensors_t x;
    operand_t src;
    md_t src_md; /* of a copy of the source */
    operand_t terms;
    md_t terms_md;
    lrn_backward_params_t p;
} lrn_backward_t;

/* Source, gradients and workspace, of a kernel that stores vectors of `lanes` channels. */
static const char *place_tensors(lrn_backward_t *l, int lanes, bool has_f64) {
    if (l->w.ndims < 3 && !image_tensor(&l->p.dst, l->w.dst.md))
        return "the gradient of the source has other blocks than of channels";
    REFUSE_IF(window_tensors(&l->w, lanes, &l->x, &l->p.diff, &l->p.dst));
    if (!has_f64 && window_has_doubles(&l->w, &l->x.r)) return "the data is double precision";
    REFUSE_IF(window_read(&l->w, DNNL_ARG_SRC, &l->src, &l->src_md, &l->p.src));
    return window_read(&l->w, DNNL_ARG_WORKSPACE, &l->x.ws, &l->x.ws_md, &l->p.ws);
}

static void set_params(lrn_backward_t *l) {
    const op_params_t *op = &l->w.pd->params;
    memcpy(l->p.size, l->w.win.in, sizeof(l->p.size));
    l->p.channels = (int32_t)l->w.channels;
    l->p.padded_channels = window_padded_channels(&l->w, &l->x.r);
    l->p.reach = (int32_t)((op->local_size - 1) / 2);
    l->p.beta = op->beta;
    l->p.alpha = op->alpha;
    l->p.elements = (float)lrn_elements(op, l->w.ndims);
}

static bool is_across(const lrn_backward_t *l) {
    return l->w.pd->params.alg_kind == dnnl_lrn_across_channels;
}

/* A step up to the workspace. */
static void start(const lrn_backward_t *l, int variant, const uint32_t size[3],
        const uint32_t count[3], const operand_t *to, uint32_t flags) {
    plan_t *plan = l->w.p->plan;
    plan_step(plan, variant, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)l->src.md->data_type);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)to->md->data_type);
    plan_spec(plan, SPEC_FLAGS,
            flags | (is_across(l) ? LRF_ACROSS : 0) | (l->p.beta == 0.75f ? LRF_BETA_075 : 0));
    bind_operand(plan, &l->x.src);
    bind_operand(plan, to);
    bind_operand(plan, &l->src);
    bind_operand(plan, &l->x.ws);
}

const char *lrn_plan_backward(planner_t *p, int variant) {
    lrn_backward_t l = {.w = window_of(p)};
    uint32_t size[3], count[3];
    REFUSE_IF(place_tensors(&l, 1, variants[variant].needs_fp64));
    set_params(&l);
    REFUSE_IF(window_count_points(&l.w, l.p.padded_channels, size, count));
    start(&l, variant, size, count, &l.x.r.to, 0);
    plan_const(p->plan, &l.p, sizeof(l.p));
    return window_finish(&l.w, &l.x);
}

/* A tensor in the scratchpad for the terms: channels last. */
static const char *place_terms(lrn_backward_t *l) {
    const md_t *like = l->w.dst.md;
    dnnl_dims_t strides;
    dnnl_dim_t step = l->w.channels;
    for (int d = like->ndims - 1; d >= 2; d--) {
        strides[d] = step;
        step *= like->dims[d];
    }
    strides[1] = 1;
    strides[0] = step;
    REFUSE_IF(why_not_of(md_init_strides(&l->terms_md, like->ndims, like->dims, dnnl_f32, strides),
            "the tensor is too large"));
    l->terms = operand_in_scratch(l->w.p, &l->terms_md);
    return image_tensor(&l->p.terms, &l->terms_md) ? NULL : "channels are not the last dimension";
}

/* The step that stores the terms. */
static void write_terms(const lrn_backward_t *l, int variant, const uint32_t count[3]) {
    lrn_backward_params_t p = l->p;
    p.dst = l->p.terms;
    start(l, variant, (const uint32_t[]){1, 1, 1}, count, &l->terms, LRF_TERMS);
    bind_operand(l->w.p->plan, NULL);
    plan_const(l->w.p->plan, &p, sizeof(p));
}

const char *lrn_plan_backward_cpu(planner_t *p, int variant) {
    enum { LANES = 16, MAX_REACH = 16 }; /* the window's channels are in three vectors */
    lrn_backward_t l = {.w = window_of(p)};
    REFUSE_IF(place_tensors(&l, l.w.ndims > 2 ? LANES : 1, false));
    REFUSE_IF(window_check_lanes(&l.p.diff, &l.p.dst, l.w.channels));
    REFUSE_IF(window_check_lanes(&l.p.src, &l.p.dst, l.w.channels));
    REFUSE_IF(window_check_lanes(&l.p.ws, &l.p.dst, l.w.channels));
    set_params(&l);
    if (is_across(&l) && l.p.reach > MAX_REACH) return "the window is larger than 33 channels";
    const int64_t nrows = l.w.mb * l.p.size[0] * l.p.size[1];
    if (nrows > INT32_MAX / 2) return "there are too many rows";
    l.p.nrows = (int32_t)nrows;
    l.p.rows = (int32_t)div_up(nrows, window_cpu_items(&l.w));
    const uint32_t count[] = {(uint32_t)div_up(nrows, l.p.rows), 1, 1};
    if (!is_across(&l)) {
        REFUSE_IF(place_terms(&l));
        write_terms(&l, variant, count);
    }
    start(&l, variant, (const uint32_t[]){1, 1, 1}, count, &l.x.r.to, 0);
    bind_operand(p->plan, is_across(&l) ? NULL : &l.terms);
    plan_const(p->plan, &l.p, sizeof(l.p));
    return window_finish(&l.w, &l.x);
}

/* ---- the primitive ---- */

/* The workspace of another problem has other bases; that of another beta has the same ones, but the
 * gradient is not of its forward primitive. */
static bool same_problem(const op_params_t *a, const op_params_t *b) {
    return a->alg_kind == b->alg_kind && a->local_size == b->local_size && a->alpha == b->alpha &&
           a->beta == b->beta && a->k == b->k;
}

/* What the forward primitive wrote there. */
static dnnl_status_t take_workspace(pd_t *pd) {
    const md_t *ws = pd_hint_workspace(pd);
    if (!ws) return REFUSE("the descriptor of forward training is missing as the hint");
    if (!md_same_dims(ws, pd_md(pd, DNNL_ARG_DIFF_DST)) || ws->data_type != dnnl_f32)
        return REFUSE("the hint's workspace belongs to another problem");
    if (!same_problem(&pd->params, &pd->request.hint_fwd->params))
        return REFUSE("the hint has another algorithm, local size, alpha, beta or k");
    return pd_add_arg(pd, DNNL_ARG_WORKSPACE, PD_IN, ws);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    md_t *diff_src = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_SRC)].md;
    md_t *diff_dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_DST)].md;
    TRY(lrn_check_problem(pd, src, diff_dst));
    TRY(lrn_check_problem(pd, src, diff_src));
    TRY(ew_check_tensor(pd, src, "the source"));
    TRY(ew_resolve(pd, diff_dst, src, "the gradient of the destination"));
    TRY(ew_resolve(pd, diff_src, src, "the gradient of the source"));
    TRY(check_gradient_types("lrn", src->data_type, diff_src, diff_dst));
    if (!md_same_layout(diff_src, diff_dst))
        return REFUSE("the gradients of source and destination differ in their layout");
    TRY(attr_check(pd, 0, 0, NULL));
    TRY(take_workspace(pd));
    TRY(attr_add_args(pd));
    return window_plan(pd, caps, "lrn_backward");
}

const op_kind_t op_lrn_backward = {.kind = dnnl_lrn,
        .directions = DIRECTION_BACKWARD_DATA,
        .name = "lrn",
        .init = init,
        .format_problem = lrn_format_problem,
        .format_aux = format_alg};

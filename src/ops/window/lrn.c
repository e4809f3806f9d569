/* SPDX-License-Identifier: Apache-2.0 */
/* Local response normalization, across channels or within one. */
#include <math.h>
#include <string.h>

#include "core/status.h"
#include "core/strings.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/window/lrn_params.h"
#include "ops/window/lrn.h"
#include "ops/window/planners.h"
#include "ops/window/window.h"
#include "plan/check.h"
#include "plan/op.h"
#include "plan/variant.h"

#define INVALID(...) verbose_check(dnnl_invalid_arguments, "lrn", __VA_ARGS__)
#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "lrn", __VA_ARGS__)

dnnl_status_t lrn_check_problem(const pd_t *pd, const md_t *src, const md_t *dst) {
    const dnnl_alg_kind_t alg = pd->params.alg_kind;
    if (alg != dnnl_lrn_across_channels && alg != dnnl_lrn_within_channel)
        return INVALID("the algorithm is not one of this primitive");
    if (pd->params.group_size < 0) return INVALID("the local size is negative");
    if (md_is_any(src)) return INVALID("the source has no layout");
    if (src->ndims < 2) return INVALID("the source has %d dimensions", src->ndims);
    if (!md_same_dims(src, dst))
        return INVALID("source and destination differ in their dimensions");
    if (pd->params.group_size == 0 || pd->params.group_size > INT32_MAX / 4)
        return REFUSE("a local size of %lld is not supported", (long long)pd->params.group_size);
    if (src->ndims > 5) return REFUSE("more than 5 dimensions are not supported");
    for (int d = 0; d < src->ndims; d++)
        if (src->dims[d] > INT32_MAX / 4) return REFUSE("a dimension is 2^29 or more");
    return dnnl_success;
}

static dnnl_status_t check(pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    TRY(lrn_check_problem(pd, src, dst));
    TRY(ew_check_tensor(pd, src, "the source"));
    TRY(ew_resolve(pd, dst, src, "the destination"));
    const dnnl_data_type_t dt = src->data_type;
    if (dt != dst->data_type || !dt_is_fp(dt))
        return REFUSE("the two tensors need the same floating-point type");
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

/* ---- plans ---- */

typedef struct {
    window_t w;
    window_tensors_t x;
    lrn_params_t p;
    bool across; /* the window runs over channels */
} lrn_t;

static lrn_t lrn_of(planner_t *p) {
    const op_params_t *op = &p->pd->params;
    lrn_t l = {.w = window_of(p), .across = op->alg_kind == dnnl_lrn_across_channels};
    l.p.reach = (int32_t)((op->group_size - 1) / 2);
    return l;
}

/* Source and result of a kernel that stores vectors of `lanes` channels. */
static const char *place_tensors(lrn_t *l, int lanes, bool has_f64) {
    if (l->w.ndims < 3 && !image_tensor(&l->p.dst, l->w.dst.md))
        return "the destination has other blocks than of channels";
    REFUSE_IF(window_tensors(&l->w, lanes, &l->x, &l->p.src, &l->p.dst));
    if (!has_f64 && window_has_doubles(&l->w, &l->x.r)) return "the data is double precision";
    return NULL;
}

double lrn_elements(const op_params_t *op, int ndims) {
    const int dims = op->alg_kind == dnnl_lrn_across_channels ? 1 : ndims - 2;
    return pow((double)op->group_size, dims);
}

/* The parameters that all kernels read, once the tensors are there. */
static void set_params(lrn_t *l) {
    const op_params_t *op = &l->w.pd->params;
    const double elements = lrn_elements(op, l->w.ndims);
    memcpy(l->p.size, l->w.win.in, sizeof(l->p.size));
    l->p.channels = (int32_t)l->w.channels;
    l->p.padded_channels = window_padded_channels(&l->w, &l->x.r);
    l->p.alpha = (float)((double)op->alpha / elements);
    l->p.numerator = op->alpha;
    l->p.elements = (float)elements;
    l->p.beta = op->beta;
    l->p.k = op->k;
}

static const char *write_step(
        const lrn_t *l, int variant, const uint32_t size[3], const uint32_t count[3]) {
    plan_t *plan = l->w.p->plan;
    const bool ws = l->x.ws.md != NULL;
    plan_step(plan, variant, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)l->x.src.md->data_type);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)l->x.r.to.md->data_type);
    plan_spec(plan, SPEC_FLAGS,
            (l->across ? LRF_ACROSS : 0) | (ws ? LRF_WS : 0) |
                    (l->p.beta == 0.75f ? LRF_BETA_075 : 0));
    window_bind(&l->w, &l->x);
    bind_operand(plan, ws ? &l->x.ws : NULL);
    plan_const(plan, &l->p, sizeof(l->p));
    return window_finish(&l->w, &l->x);
}

const char *lrn_plan_portable(planner_t *p, int variant) {
    lrn_t l = lrn_of(p);
    uint32_t size[3], count[3];
    REFUSE_IF(place_tensors(&l, 1, variants[variant].needs_fp64));
    window_workspace(&l.w, &l.x);
    set_params(&l);
    REFUSE_IF(window_count_points(&l.w, l.p.padded_channels, size, count));
    return write_step(&l, variant, size, count);
}

const char *lrn_plan_cpu(planner_t *p, int variant) {
    enum { LANES = 16, MAX_REACH = 16 }; /* the window's channels are in three vectors */
    lrn_t l = lrn_of(p);
    uint32_t size[3], count[3];
    REFUSE_IF(place_tensors(&l, l.w.ndims > 2 ? LANES : 1, false));
    REFUSE_IF(window_check_lanes(&l.p.src, &l.p.dst, l.w.channels));
    if (l.across && l.p.reach > MAX_REACH) return "the window is larger than 33 channels";
    window_workspace(&l.w, &l.x);
    set_params(&l);
    REFUSE_IF(window_count_points(&l.w, l.p.padded_channels, size, count));
    const int64_t nrows = l.w.mb * l.p.size[0] * l.p.size[1];
    if (nrows > INT32_MAX) return "there are too many rows";
    l.p.nrows = (int32_t)nrows;
    l.p.rows = (int32_t)div_up(nrows, window_cpu_items(&l.w));
    return write_step(&l, variant, (const uint32_t[]){1, 1, 1},
            (const uint32_t[]){(uint32_t)div_up(nrows, l.p.rows), 1, 1});
}

/* ---- the primitive ---- */

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(check(pd));
    TRY(add_workspace(pd));
    TRY(attr_add_args(pd));
    return window_plan(pd, caps, "lrn");
}

int lrn_format_problem(const pd_t *pd, char *buf, size_t size) {
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
        .format_problem = lrn_format_problem,
        .format_aux = format_alg};

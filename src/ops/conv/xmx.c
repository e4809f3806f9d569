/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/conv/xmx.h"

#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "plan/device.h"
#include "plan/variant.h"
#include "plan/variant_id.h"

enum { OUTER = CONV_XMX_OUTER, ROWS = CONV_XMX_ROWS, COLUMNS = CONV_XMX_COLUMNS };

static const char *const other_types = "the matrix units do not support the data types together";

/* What does not depend on layouts. */
static const char *check(const conv_t *cv) {
    for (int i = 0; i < 3; i++)
        if (cv->transposed && cv->win.stride[i] > 1 && cv->win.dilation[i] > 1 && cv->win.k[i] > 1)
            return "a deconvolution has strides and dilation";
    if (conv_xmx_weights_dt(cv) == dnnl_data_type_undef) return other_types;
    if (conv_has_zero_point(cv, DNNL_ARG_WEIGHTS)) return "weights have a zero point";
    if (cv->mb == 0 || md_has_zero_dim(cv->dst.md) || md_has_zero_dim(cv->src.md))
        return "there is nothing to do";
    return NULL;
}

/* A form with panels of its own reads weights without blocks. */
const char *conv_xmx_weights(const conv_t *cv) {
    static const char *const plain[] = {"abc", "abcd", "abcde", "abcdef"};
    conv_xmx_form_t form;
    if (!variant_runs_on(&variants[KERNEL_conv_xmx16_f8x16], cv->caps) &&
            !conv_xmx_has_8_lanes(cv->caps))
        return NULL;
    if (check(cv) || conv_xmx_choose_form(cv, &form)) return NULL;
    return conv_xmx_has_own_panels(&form) ? plain[cv->ndims - 3 + cv->with_groups]
                                          : conv_xmx_panels_tag(cv);
}

/* ---- the problem ---- */

const char *conv_xmx_check(planner_t *p, bool integers) {
    const conv_t cv = conv_of(p);
    REFUSE_IF(check(&cv));
    return cv.exact == integers ? NULL : other_types;
}

const char *conv_xmx_plan_inputs(planner_t *p, conv_xmx_t *x) {
    x->of = x->as = conv_of(p);
    x->has_zero_point = conv_has_zero_point(&x->of, DNNL_ARG_SRC);
    memset(&x->p, 0, sizeof(x->p));
    REFUSE_IF(conv_xmx_choose_form(&x->of, &x->form));
    REFUSE_IF(conv_xmx_place_source(x));
    REFUSE_IF(conv_xmx_place_weights(x));
    REFUSE_IF(conv_result(&x->as, (conv_stores_t){.lanes = 1}, &x->r, &x->dst_t));
    return result_has_doubles(&x->r);
}

/* ---- parameters ---- */

/* Positions are integers of 32 bits, counted in bytes from an image's corner; sums of a few stay in
 * range. */
enum { FURTHEST = 1 << 29 };
/* Positions that a tile may reach over the end of the image. */
enum { OVERHANG = 64 };

/* How far one dimension of the window reaches, in positions. */
static int64_t reach_of(const cv_xmx_t *p, int i) {
    return (int64_t)(p->out[i] + OVERHANG) * p->stride[i] + labs(p->pad[i]) +
           (int64_t)p->k[i] * labs(p->dilation[i]);
}

/* Dimension i of the tile is dimension `at` of the window; -1: none. */
static void set_dimension(const conv_xmx_t *x, cv_xmx_t *p, int i, int at) {
    const cv_window_t *win = &x->as.win;
    const bool phases = conv_xmx_has_phases(&x->as);
    p->in[i] = p->apart[i] = p->whole[i] = p->k[i] = p->stride[i] = p->dilation[i] = 1;
    p->pad[i] = 0;
    if (at >= 0) {
        p->in[i] = win->in[at];
        p->whole[i] = win->out[at];
        p->k[i] = win->k[at];
        p->dilation[i] = win->dilation[at];
        p->pad[i] = win->pad[at];
        *(phases ? &p->apart[i] : &p->stride[i]) = win->stride[at];
    }
    p->out[i] = (int32_t)div_up(p->whole[i], p->apart[i]);
}

const char *conv_xmx_set_window(conv_xmx_t *x, const conv_xmx_view_t *v, int64_t column) {
    cv_xmx_t *p = &x->p;
    p->images = (int32_t)x->as.mb;
    p->phases = 1;
    for (int i = 0; i < 3; i++) {
        set_dimension(x, p, i, v->axis[i]);
        if (p->apart[i] > INT32_MAX / p->phases / (int32_t)x->as.groups)
            return "there are too many strides";
        p->phases *= p->apart[i];
        if (reach_of(p, i) > FURTHEST / (i == COLUMNS ? max_i64(column, 1) : 1))
            return "the windows reach too far";
    }
    return NULL;
}

const char *conv_xmx_set_params(conv_xmx_t *x, const conv_xmx_view_t *v) {
    const cv_tensor_t *t = &x->dst_t;
    cv_xmx_t *p = &x->p;
    p->dst_n = t->n;
    p->dst_outer = t->sp[v->axis[OUTER]];
    p->dst_row = t->sp[v->axis[ROWS]];
    p->dst_column = v->axis[COLUMNS] < 0 ? 0 : t->sp[v->axis[COLUMNS]];
    p->dst_c_outer = t->c_outer;
    p->dst_c_inner = t->c_inner;
    p->dst_block = t->block;
    p->oc = (int32_t)x->as.oc;
    p->padded_oc = (int32_t)conv_padded_oc(&x->as, &x->r);
    for (int i = 0; i < 3; i++) p->size[i] = x->as.win.out[i];
    p->panel_steps = (int32_t)x->wei.steps;
    p->panel_rows = (int32_t)(x->wei.columns * x->wei.steps);
    p->wei_g = x->wei.group;
    return x->has_zero_point ? conv_xmx_sum_zero_points(x) : NULL;
}

/* ---- the step ---- */

const char *conv_xmx_write(const conv_xmx_t *x, int variant, const conv_xmx_launch_t *launch) {
    planner_t *p = x->as.p;
    plan_t *plan = p->plan;
    uint32_t flags = launch->flags;
    if (x->has_zero_point) flags |= CVF_ZA;
    if (conv_xmx_has_phases(&x->as)) flags |= CVF_PHASES;
    plan_step(plan, variant, launch->size, launch->count);
    result_specs(plan, &x->r, x->src.md->data_type, x->wei.at.md->data_type, flags);
    if (launch->block_ops) plan_spec(plan, SPEC_BLOCK_OPS, launch->block_ops);
    const uint32_t bytes = flags & CVF_ALIGNED ? BLOCK_LINE : 0;
    bind_aligned_operand(plan, &x->src, bytes);
    bind_aligned_operand(plan, &x->wei.at, bytes);
    bind_aligned_operand(plan, &x->r.to, flags & CVF_BLOCKS ? bytes : 0);
    bind_operand(plan, x->has_zero_point ? &x->sums : NULL);
    plan_const(plan, &x->p, sizeof(x->p));
    if (launch->local) plan_local(plan, launch->local);
    epilogue_args(&x->r.seg, p->pd, p->mds, plan);
    return result_finish(p, &x->r);
}

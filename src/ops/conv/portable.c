/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a convolution with the portable kernel: an element of the destination for each
 * work-item. */
#include "core/status.h"
#include "core/util.h"
#include "ops/conv/planners.h"
#include "plan/variant.h"

/* What the kernel reads and writes. It points into itself: not to be copied. */
typedef struct {
    operand_t src, wei;
    md_t plain_src, plain_wei;
    result_t r;
    cv_any_t p;
} portable_t;

static const char *place_inputs(const conv_t *cv, portable_t *x) {
    x->src = cv->src;
    x->wei = cv->wei;
    if (!image_tensor(&x->p.src, cv->src.md)) {
        REFUSE_IF(conv_plain_copy(cv, &cv->src, &x->src, &x->plain_src));
        image_tensor(&x->p.src, &x->plain_src);
    }
    if (!md_is_plain(cv->wei.md)) REFUSE_IF(conv_plain_copy(cv, &cv->wei, &x->wei, &x->plain_wei));
    return NULL;
}

static bool has_doubles(const portable_t *x) {
    return x->src.md->data_type == dnnl_f64 || result_has_doubles(&x->r);
}

static void set_params(const conv_t *cv, portable_t *x) {
    const conv_strides_t s = conv_weights_strides(cv, x->wei.md);
    const conv_zero_point_t za = conv_zero_point(cv, DNNL_ARG_SRC);
    const md_t *dst = cv->dst.md;
    cv_any_t *p = &x->p;
    p->wei_g = s.group;
    p->wei_o = s.oc;
    p->wei_i = s.ic;
    for (int i = 0; i < 3; i++) p->wei_k[i] = s.tap[i];
    p->win = cv->win;
    p->groups = (int32_t)cv->groups;
    p->ic = (int32_t)cv->ic;
    p->oc = (int32_t)cv->oc;
    p->padded_channels = (int32_t)(x->r.complete ? dst->padded_dims[1] : dst->dims[1]);
    p->za_dt = za.dt;
    p->za_step = za.step;
    p->zb_dt = conv_zero_point(cv, DNNL_ARG_WEIGHTS).dt;
}

static uint32_t flags_of(const conv_t *cv) {
    return (cv->exact ? CVF_INT : 0) | (conv_has_zero_point(cv, DNNL_ARG_SRC) ? CVF_ZA : 0) |
           (conv_has_zero_point(cv, DNNL_ARG_WEIGHTS) ? CVF_ZB : 0) |
           (cv->transposed ? CVF_TRANSPOSED : 0);
}

static const char *write_step(const conv_t *cv, int variant, const portable_t *x) {
    enum { GROUP = 16 };
    const int64_t points = (int64_t)cv->win.out[0] * cv->win.out[1] * cv->win.out[2];
    if (points > UINT32_MAX) return "an image has 2^32 or more elements";
    const uint32_t size[3] = {GROUP, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)div_up(x->p.padded_channels, GROUP), (uint32_t)points, (uint32_t)cv->mb};
    plan_t *plan = cv->p->plan;
    plan_step(plan, variant, size, count);
    result_specs(plan, &x->r, x->src.md->data_type, x->wei.md->data_type, flags_of(cv));
    bind_operand(plan, &x->src);
    bind_operand(plan, &x->wei);
    bind_operand(plan, &x->r.to);
    plan_const(plan, &x->p, sizeof(x->p));
    bind_zero_point(cv->p, DNNL_ARG_SRC);
    bind_zero_point(cv->p, DNNL_ARG_WEIGHTS);
    epilogue_args(&x->r.seg, cv->pd, cv->p->mds, plan);
    return result_finish(cv->p, &x->r);
}

const char *conv_plan_portable(planner_t *p, int variant) {
    const conv_t cv = conv_of(p);
    portable_t x = {.p = {.wei_g = 0}};
    REFUSE_IF(place_inputs(&cv, &x));
    REFUSE_IF(conv_result(&cv, (conv_stores_t){.lanes = 1}, &x.r, &x.p.dst));
    if (!variants[variant].needs_fp64 && has_doubles(&x)) return "the data is double precision";
    set_params(&cv, &x);
    return write_step(&cv, variant, &x);
}

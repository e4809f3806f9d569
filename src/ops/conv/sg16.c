/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a convolution of floats on sub-groups without matrix units. */
#include "core/status.h"
#include "core/util.h"
#include "ops/conv/planners.h"
#include "plan/variant.h"
#include "plan/variant_id.h"

/* The tile: pixels of a row of the destination x output channels. */
enum { PIXELS = 8, CHANNELS = 32 };
/* Output channels of a group; fewer would leave most lanes idle. */
enum { FEWEST_CHANNELS = 9 };

/* What the kernel reads and writes. It points into itself: not to be copied. */
typedef struct {
    operand_t src, wei;
    md_t last, packed;
    result_t r;
    cv_tile_t p;
} sg16_t;

static const char *check(const conv_t *cv) {
    if (cv->transposed) return "it is a deconvolution";
    if (cv->exact) return "the sums are of integers";
    if (cv->src.md->data_type == dnnl_f64) return "the data is double precision";
    if (dt_is_nibble(cv->src.md->data_type)) return "two elements of src share a byte";
    if (cv->groups > 1 && cv->oc < FEWEST_CHANNELS) return "a group has too few output channels";
    if (cv->mb == 0 || md_has_zero_dim(cv->dst.md) || md_has_zero_dim(cv->src.md))
        return "there is nothing to do";
    return NULL;
}

static const char *panels_tag(const conv_t *cv) {
    static const char *const tags[2][3] = {
            {"Acb32a", "Acdb32a", "Acdeb32a"}, {"aBdc32b", "aBdec32b", "aBdefc32b"}};
    return tags[cv->with_groups][cv->ndims - 3];
}

const char *conv_sg16_weights(const conv_t *cv) {
    const bool runs = variant_runs_on(&variants[KERNEL_conv_sg16_8x32], cv->caps);
    return runs && !check(cv) ? panels_tag(cv) : NULL;
}

static void set_params(const conv_t *cv, sg16_t *x) {
    const conv_strides_t s = conv_weights_strides(cv, &x->packed);
    cv_tile_t *p = &x->p;
    p->win = cv->win;
    p->wei_g = s.group;
    p->wei_panel = s.oc;
    for (int i = 0; i < 3; i++) p->wei_k[i] = s.tap[i];
    p->groups = (int32_t)cv->groups;
    p->ic = (int32_t)cv->ic;
    p->oc = (int32_t)cv->oc;
    p->padded_oc = (int32_t)conv_padded_oc(cv, &x->r);
    p->panels = (int32_t)div_up(p->padded_oc, CHANNELS);
}

static const char *write_step(const conv_t *cv, int variant, const sg16_t *x) {
    const int32_t *out = x->p.win.out;
    const int64_t rows = cv->mb * out[0] * out[1], panels = cv->groups * x->p.panels;
    if (rows > INT32_MAX || panels > INT32_MAX) return "dst is too large";
    const uint32_t size[3] = {16, 1, 1};
    const uint32_t count[3] = {(uint32_t)panels, (uint32_t)div_up(out[2], PIXELS), (uint32_t)rows};
    plan_t *plan = cv->p->plan;
    plan_step(plan, variant, size, count);
    result_specs(plan, &x->r, x->src.md->data_type, x->wei.md->data_type, 0);
    return conv_tile_finish(cv, &x->src, &x->wei, &x->r, &x->p);
}

const char *conv_plan_sg16(planner_t *p, int variant) {
    const conv_t cv = conv_of(p);
    sg16_t x = {.p = {.wei_g = 0}};
    REFUSE_IF(check(&cv));
    REFUSE_IF(conv_channels_last(&cv, &x.src, &x.last, &x.p.src));
    REFUSE_IF(conv_pack_weights(
            &cv, panels_tag(&cv), conv_byte_type(cv.wei.md->data_type), &x.wei, &x.packed));
    REFUSE_IF(conv_result(&cv, (conv_stores_t){.lanes = 1}, &x.r, &x.p.dst));
    REFUSE_IF(result_has_doubles(&x.r));
    set_params(&cv, &x);
    return write_step(&cv, variant, &x);
}

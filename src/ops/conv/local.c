/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a convolution on GPUs with work-groups and local memory: a tile of pixels and output
 * channels a work-group. */
#include "core/status.h"
#include "core/util.h"
#include "ops/conv/planners.h"
#include "plan/variant.h"
#include "plan/variant_id.h"
#include "steps/local_tile.h"

/* Output channels of a group; fewer would leave most work-items idle. */
enum { FEWEST_CHANNELS = 9 };
/* Work-groups in the second dimension that every device takes. */
enum { MOST_GROUPS = 65535 };

/* What the kernel reads and writes. It points into itself: not to be copied. */
typedef struct {
    operand_t src, wei;
    md_t last, packed;
    result_t r;
    cv_tile_t p;
} local_t;

static int64_t pixels_of(const conv_t *cv) {
    return cv->mb * cv->win.out[0] * cv->win.out[1] * cv->win.out[2];
}

static const char *check(const conv_t *cv) {
    if (cv->transposed) return "it is a deconvolution";
    if (cv->src.md->data_type == dnnl_f64) return "the data is double precision";
    if (dt_is_nibble(cv->src.md->data_type)) return "two elements of src share a byte";
    if (conv_has_zero_point(cv, DNNL_ARG_SRC) || conv_has_zero_point(cv, DNNL_ARG_WEIGHTS))
        return "there are zero points of inputs";
    if (cv->groups > 1 && cv->oc < FEWEST_CHANNELS) return "a group has too few output channels";
    if (cv->mb == 0 || md_has_zero_dim(cv->dst.md) || md_has_zero_dim(cv->src.md))
        return "there is nothing to do";
    return pixels_of(cv) > INT32_MAX / 2 ? "dst has 2^30 or more pixels" : NULL;
}

/* Taps, input channels, output channels. */
static const char *weights_tag(const conv_t *cv) {
    static const char *const tags[2][3] = {{"cba", "cdba", "cdeba"}, {"adcb", "adecb", "adefcb"}};
    return tags[cv->with_groups][cv->ndims - 3];
}

const char *conv_local_weights(const conv_t *cv) {
    const bool runs = variant_runs_on(&variants[KERNEL_conv_local_64x64], cv->caps);
    return runs && !check(cv) ? weights_tag(cv) : NULL;
}

static void set_params(const conv_t *cv, int variant, local_t *x) {
    const conv_strides_t s = conv_weights_strides(cv, &x->packed);
    cv_tile_t *p = &x->p;
    p->win = cv->win;
    p->wei_g = s.group;
    p->wei_panel = s.ic;
    p->groups = (int32_t)cv->groups;
    p->ic = (int32_t)cv->ic;
    p->oc = (int32_t)cv->oc;
    p->padded_oc = (int32_t)conv_padded_oc(cv, &x->r);
    p->pixels = (int32_t)pixels_of(cv);
    p->panels = (int32_t)div_up(p->padded_oc, local_tile_columns(variant));
}

static const char *write_step(const conv_t *cv, int variant, const local_t *x) {
    const int64_t panels = cv->groups * x->p.panels;
    if (panels > MOST_GROUPS) return "there are too many tiles";
    plan_t *plan = cv->p->plan;
    const int64_t below = div_up(x->p.pixels, local_tile_rows(variant));
    plan_step(plan, variant, local_tile_group, (uint32_t[3]){(uint32_t)below, (uint32_t)panels, 1});
    result_specs(plan, &x->r, x->src.md->data_type, x->wei.md->data_type, cv->exact ? CVF_INT : 0);
    return conv_tile_finish(cv, &x->src, &x->wei, &x->r, &x->p);
}

const char *conv_plan_local(planner_t *p, int variant) {
    const conv_t cv = conv_of(p);
    const bool ints = variants[variant].geometry.ints;
    local_t x = {.p = {.wei_g = 0}};
    REFUSE_IF(check(&cv));
    if (cv.exact != ints) return ints ? "the sums are not of integers" : "the sums are of integers";
    REFUSE_IF(local_tile_can(p, variant, pixels_of(&cv), cv.oc, cv.groups));
    REFUSE_IF(conv_channels_last(&cv, &x.src, &x.last, &x.p.src));
    REFUSE_IF(conv_pack_weights(
            &cv, weights_tag(&cv), conv_byte_type(cv.wei.md->data_type), &x.wei, &x.packed));
    REFUSE_IF(conv_result(&cv, (conv_stores_t){.lanes = 1}, &x.r, &x.p.dst));
    REFUSE_IF(result_has_doubles(&x.r));
    set_params(&cv, variant, &x);
    return write_step(&cv, variant, &x);
}

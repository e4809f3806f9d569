/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a convolution of floats on sub-groups without matrix units. */
#include <string.h>

#include "core/util.h"
#include "ops/conv/convolution.h"
#include "plan/variant_id.h"
#include "plan/variant.h"

/* As the flags of the row say; fewer channels of a group would leave most lanes idle. */
enum { PIXELS = 8, CHANNELS = 32, FEWEST_CHANNELS = 9 };

static const char *check(const conv_t *cv) {
    if (cv->transposed) return "it is a deconvolution";
    if (cv->exact) return "the sums are of integers";
    if (cv->src->data_type == dnnl_f64) return "the data is double precision";
    if (dt_is_nibble(cv->src->data_type) || dt_is_nibble(cv->wei->data_type))
        return "two elements share a byte";
    if (cv->groups > 1 && cv->oc < FEWEST_CHANNELS) return "a group has too few output channels";
    if (cv->mb == 0 || md_has_zero_dim(cv->dst) || md_has_zero_dim(cv->src))
        return "there is nothing to do";
    return NULL;
}

static const char *panels_tag(const conv_t *cv) {
    static const char *const tags[2][3] = {
            {"Acb32a", "Acdb32a", "Acdeb32a"}, {"aBdc32b", "aBdec32b", "aBdefc32b"}};
    return tags[cv->with_groups][cv->ndims - 3];
}

const char *conv_sg16_weights(const conv_t *cv) {
    return variant_runs_on(&variants[KERNEL_conv_sg16_8x32], cv->caps) && !check(cv)
                   ? panels_tag(cv)
                   : NULL;
}

const char *conv_plan_sg16(conv_t *cv, int row) {
    plan_t *plan = cv->plan;
    cv_tile_t p;
    conv_place_t src = conv_place_of(cv->src, cv->src_slot), wei;
    conv_result_t r;
    md_t packed, last;
    const char *why_not = check(cv);
    if (why_not) return why_not;
    memset(&p, 0, sizeof(p));
    if (!conv_set_tensor(&p.src, cv->src) || (p.src.c_inner != 1 && cv->src->dims[1] > 1) ||
            p.src.block < cv->src->dims[1]) {
        if (md_init_string_tag(&last, cv->ndims, cv->src->dims, cv->src->data_type,
                    conv_channels_last[cv->ndims - 3]) != dnnl_success)
            return "src is too large to be copied";
        why_not = conv_copy_input(cv, cv->src_slot, cv->src, &last, &src);
        conv_set_tensor(&p.src, &last);
    }
    if (!why_not) why_not = conv_pack_weights(cv, panels_tag(cv), &wei, &packed);
    if (!why_not) why_not = conv_plan_result(cv, 1, false, &r);
    if (!why_not && (r.place.dt == dnnl_f64 || (r.seg.dts >> dnnl_f64 & 1)))
        why_not = "the attributes have double precision";
    if (why_not) return why_not;

    const int first = cv->with_groups;
    const int64_t *strides = packed.format_desc.blocking.strides;
    p.dst = r.t;
    p.win = cv->win;
    p.wei_g = first ? strides[0] : 0;
    p.wei_panel = strides[first];
    for (int i = 5 - cv->ndims; i < 3; i++) p.wei_k[i] = strides[first + i - (5 - cv->ndims) + 2];
    p.groups = (int32_t)cv->groups;
    p.ic = (int32_t)cv->ic;
    p.oc = (int32_t)cv->oc;
    p.padded_oc = (int32_t)(cv->groups == 1 && r.complete ? cv->dst->padded_dims[1] : cv->oc);
    p.panels = (int32_t)div_up(p.padded_oc, CHANNELS);
    const int64_t rows = cv->mb * p.win.out[0] * p.win.out[1], panels = cv->groups * p.panels;
    if (rows > INT32_MAX || panels > INT32_MAX) return "dst is too large";
    const uint32_t size[3] = {16, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)panels, (uint32_t)div_up(p.win.out[2], PIXELS), (uint32_t)rows};
    plan_step(plan, row, size, count);
    conv_common_specs(plan, src.dt, wei.dt, &r, 0);
    conv_bind_place(plan, &src);
    conv_bind_place(plan, &wei);
    conv_bind_place(plan, &r.place);
    plan_const(plan, &p, sizeof(p));
    epilogue_args(&r.seg, cv->pd, NULL, plan);
    return conv_finish_result(cv, &r);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What pooling, resampling and LRN have in common. */
#include "ops/window/window.h"

#include <string.h>

#include "core/strings.h"
#include "core/util.h"
#include "core/verbose.h"
#include "plan/check.h"
#include "plan/op.h"
#include "plan/variant.h"

void spatial_of(conv_t *sp, const pd_t *pd, const caps_t *caps, plan_t *plan) {
    memset(sp, 0, sizeof(*sp));
    sp->pd = pd;
    sp->caps = caps;
    sp->plan = plan;
    sp->src_slot = pd_find_arg(pd, DNNL_ARG_SRC);
    sp->dst_slot = pd_find_arg(pd, DNNL_ARG_DST);
    sp->wei_slot = sp->bias_slot = -1;
    sp->src = &pd->args[sp->src_slot].md;
    sp->dst = &pd->args[sp->dst_slot].md;
    sp->ndims = sp->src->ndims;
    sp->mb = sp->src->dims[0];
    sp->groups = 1;
    sp->ic = sp->oc = sp->src->dims[1];
    for (int i = 0; i < 3; i++) {
        const int d = i - (5 - sp->ndims);
        const bool has = d >= 0;
        sp->win.in[i] = has ? (int32_t)sp->src->dims[d + 2] : 1;
        sp->win.out[i] = has ? (int32_t)sp->dst->dims[d + 2] : 1;
        sp->win.k[i] = has ? (int32_t)pd->params.kernel[d] : 1;
        sp->win.stride[i] = has ? (int32_t)pd->params.strides[d] : 1;
        sp->win.dilation[i] = has ? (int32_t)pd->params.dilates[d] + 1 : 1;
        sp->win.pad[i] = has ? (int32_t)pd->params.padding[0][d] : 0;
    }
}

const char *spatial_fits(const pd_t *pd, const caps_t *caps, int row, spatial_plan_fn make_plan) {
    plan_t plan __attribute__((cleanup(plan_free))) = {0};
    conv_t sp;
    plan_reset(&plan);
    spatial_of(&sp, pd, caps, &plan);
    return make_plan(&sp, row);
}

dnnl_status_t spatial_plan(
        pd_t *pd, const caps_t *caps, variant_fits_fn fits, spatial_plan_fn make_plan) {
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) return nothing_to_do(pd);
    const dnnl_status_t status = select_variant(pd, caps, pd->op->name, fits);
    if (status != dnnl_success) return status;
    name_variant(pd);
    conv_t sp;
    plan_reset(&pd->plan);
    spatial_of(&sp, pd, caps, &pd->plan);
    make_plan(&sp, pd->variant);
    return attr_add_scratchpad(pd, sp.scratch);
}

const char *spatial_source(conv_t *sp, conv_place_t *place, cv_tensor_t *t) {
    *place = conv_place_of(sp->src, sp->src_slot);
    if (conv_set_tensor(t, sp->src)) return NULL;
    md_t plain;
    const md_t *src = sp->src;
    if (md_init_strides(&plain, src->ndims, src->dims, src->data_type, NULL) != dnnl_success)
        return "the source is too large";
    conv_set_tensor(t, &plain);
    return conv_copy_input(sp, sp->src_slot, src, &plain, place);
}

bool spatial_has_lanes(const cv_tensor_t *t, int64_t channels) {
    return t->c_inner == 1 && (t->block % 16 == 0 || t->block >= channels);
}

bool spatial_blocks_agree(const cv_tensor_t *a, const cv_tensor_t *b, int64_t channels) {
    const int32_t small = a->block < b->block ? a->block : b->block,
                  large = a->block < b->block ? b->block : a->block;
    return small >= channels || large >= channels || large % small == 0;
}

const char *spatial_width_last(const conv_t *sp, conv_result_t *r) {
    axis_t axes[6] = {
            {0, 1, sp->mb},
            {1, r->t.block, div_up(sp->dst->padded_dims[1], r->t.block)},
            {1, 1, r->t.block},
    };
    for (int i = 0; i < 3; i++) {
        const int d = i - (5 - sp->ndims);
        axes[3 + i] = d < 0 ? (axis_t){0, 1, 1} : (axis_t){d + 2, 1, sp->win.out[i]};
    }
    return epilogue_strides(&r->seg, sp->pd, NULL, axes, 6);
}

int32_t spatial_padded(const conv_t *sp, const conv_result_t *r) {
    return (int32_t)(r->complete ? sp->dst->padded_dims[1] : sp->dst->dims[1]);
}

const char *spatial_beside(
        conv_t *sp, const conv_result_t *r, int slot, conv_place_t *place, md_t *md) {
    const md_t *out = &sp->pd->args[slot].md;
    if (r->complete) {
        *place = conv_place_of(out, slot);
        return NULL;
    }
    *md = r->scratch_md;
    md->data_type = out->data_type;
    *place = (conv_place_t){-1, conv_reserve(sp, md_size(md, 0)), md->data_type};
    return NULL;
}

const char *spatial_finish_beside(
        conv_t *sp, const conv_result_t *r, int slot, const conv_place_t *place, const md_t *md) {
    if (r->complete) return NULL;
    epilogue_t none;
    epilogue_init(&none);
    const operand_t from = {md, -1, place->offset}, to = {&sp->pd->args[slot].md, slot, 0};
    return ew_plan(&(planner_t){.pd = sp->pd, .caps = sp->caps, .plan = sp->plan}, -1, &none, 0,
            &from, &to, &to);
}

bool spatial_wide(const conv_t *sp, const conv_result_t *r) {
    return sp->src->data_type == dnnl_f64 || r->place.dt == dnnl_f64 ||
           (r->seg.dts >> dnnl_f64 & 1);
}

int spatial_format(const pd_t *pd, bool window, char *buf, size_t size) {
    static const char names[] = "dhw";
    conv_t sp;
    spatial_of(&sp, pd, NULL, NULL);
    text_t text = text_start(buf, size);
    text_add(&text, "mb%lldic%lld", (long long)sp.mb, (long long)sp.ic);
    for (int i = 5 - sp.ndims; i < 3; i++) {
        const char c = names[i];
        text_add(&text, "_i%c%do%c%d", c, sp.win.in[i], c, sp.win.out[i]);
        if (window)
            text_add(&text, "k%c%ds%c%dd%c%dp%c%d", c, sp.win.k[i], c, sp.win.stride[i], c,
                    sp.win.dilation[i] - 1, c, sp.win.pad[i]);
    }
    return text.len;
}

dnnl_status_t spatial_check(pd_t *pd) {
    const char *kind = pd->op->name;
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    if (md_is_any(src))
        return verbose_check(dnnl_invalid_arguments, kind, "the source has no layout");
    if (src->ndims < 3 || src->ndims > 5 || dst->ndims != src->ndims)
        return verbose_check(dnnl_invalid_arguments, kind,
                "the source has %d dimensions, the destination %d", src->ndims, dst->ndims);
    for (int d = 0; d < 2; d++)
        if (src->dims[d] != dst->dims[d])
            return verbose_check(dnnl_invalid_arguments, kind,
                    "dimension %d differs between source and destination", d);
    for (int d = 0; d < src->ndims; d++)
        if (src->dims[d] > INT32_MAX / 4 || dst->dims[d] > INT32_MAX / 4)
            return verbose_refuse(dnnl_unimplemented, kind, "a dimension is 2^29 or more");
    dnnl_status_t status = ew_check_tensor(pd, src, "the source");
    if (status == dnnl_success) status = ew_resolve(pd, dst, src, "the destination");
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a convolution: inputs made plain where a kernel wants them so, the sums with as much of the
 * attributes as it takes, the rest of the attributes. */
#include <string.h>

#include "core/util.h"
#include "ops/conv/convolution.h"
#include "plan/variant_id.h"
#include "plan/variant.h"

const char *const conv_channels_last[] = {"acb", "acdb", "acdeb"};

uint64_t conv_reserve(conv_t *cv, uint64_t bytes) {
    const uint64_t at = (cv->scratch + 63) & ~UINT64_C(63);
    cv->scratch = at + bytes;
    return at;
}

void conv_bind_place(plan_t *plan, const conv_place_t *p) {
    if (p->slot >= 0) plan_arg(plan, p->slot, p->offset);
    else plan_scratch(plan, p->offset);
}

conv_place_t conv_place_of(const md_t *md, int slot) {
    return (conv_place_t){slot, dt_offset(md->data_type, md->offset0), md->data_type};
}

/* Activations without inner blocks, or with one of channels; false: the kernels cannot address it. */
bool conv_set_tensor(cv_tensor_t *t, const md_t *md) {
    const md_blocking_t *b = &md->format_desc.blocking;
    memset(t, 0, sizeof(*t));
    if (b->inner_nblks > 1 || (b->inner_nblks == 1 && b->inner_idxs[0] != 1)) return false;
    const bool blocked = b->inner_nblks == 1;
    t->n = b->strides[0];
    t->block = blocked ? (int32_t)b->inner_blks[0] : (int32_t)max_i64(md->padded_dims[1], 1);
    t->c_outer = blocked ? b->strides[1] : 0;
    t->c_inner = blocked ? 1 : b->strides[1];
    for (int i = 0; i < 3; i++) {
        const int d = i - (5 - md->ndims);
        t->sp[i] = d < 0 ? 0 : b->strides[d + 2];
    }
    return true;
}

const char *conv_copy_input(
        conv_t *cv, int slot, const md_t *md, const md_t *to, conv_place_t *place) {
    epilogue_t none;
    epilogue_init(&none);
    *place = (conv_place_t){-1, conv_reserve(cv, md_size(to, 0)), to->data_type};
    const operand_t from = {md, slot, 0}, copy = {to, -1, place->offset};
    return ew_plan(&(planner_t){.pd = cv->pd, .caps = cv->caps, .plan = cv->plan}, -1, &none, 0,
            &from, &copy, &copy);
}

/* A copy without inner blocks. */
static const char *plain_input(
        conv_t *cv, int slot, const md_t *md, conv_place_t *place, md_t *plain) {
    epilogue_t none;
    epilogue_init(&none);
    if (ew_scratch_md(plain, &none, md) != dnnl_success) return "a blocked input is too large";
    return conv_copy_input(cv, slot, md, plain, place);
}

const char *conv_pack_weights(conv_t *cv, const char *tag, conv_place_t *place, md_t *packed) {
    const md_t *md = cv->wei;
    if (md_init_string_tag(packed, md->ndims, md->dims, md->data_type, tag) != dnnl_success)
        return "weights are too large to be packed";
    *place = conv_place_of(md, cv->wei_slot);
    return md_same_layout(md, packed) ? NULL : conv_copy_input(cv, cv->wei_slot, md, packed, place);
}

bool conv_is_even(const cv_tensor_t *t, const int32_t *size) {
    int64_t step = t->sp[2];
    for (int i = 2; i > 0; i--) {
        step *= size[i];
        if (size[i - 1] > 1 && t->sp[i - 1] != step) return false;
    }
    return t->n == step * size[0];
}

/* ---- the result ---- */

/* A source whose values run along the channels of the destination, or a common one. */
static void add_per_channel(conv_t *cv, epilogue_t *chain, int op, epilogue_source_t source) {
    if (source.kind == SOURCE_NONE) return;
    epilogue_add_tensor(chain, cv->pd, op, cv->dst_slot);
    epilogue_op_t *link = &chain->op[chain->len - 1];
    if (source.kind == SOURCE_QUANT) {
        source.like_slot = cv->dst_slot;
        source.mask = source.mask ? 2 : 0;
    }
    link->src = source;
}

static void make_chain(conv_t *cv, epilogue_t *chain) {
    epilogue_init(chain);
    epilogue_add_scale(chain, cv->pd, OP_MUL, DNNL_ARG_SRC);
    add_per_channel(
            cv, chain, OP_MUL, epilogue_quant_source(cv->pd, ATTR_SCALES, DNNL_ARG_WEIGHTS));
    if (cv->bias_slot >= 0 && !cv->bias_inside)
        add_per_channel(cv, chain, OP_ADD,
                (epilogue_source_t){.kind = SOURCE_QUANT,
                        .slot = cv->bias_slot,
                        .mask = 2,
                        .like_slot = cv->dst_slot,
                        .dt = cv->pd->args[cv->bias_slot].md.data_type});
    epilogue_add_post_ops(chain, cv->pd);
    epilogue_add_scale(chain, cv->pd, OP_DIV, DNNL_ARG_DST);
    epilogue_add_zero_point(chain, cv->pd, OP_ADD, DNNL_ARG_DST);
}

enum { RESULT_AXES = 6 }; /* image, block of channels, depth, height, width, channel in the block */

static const char *set_chain_strides(conv_t *cv, conv_result_t *r) {
    axis_t axes[RESULT_AXES] = {
            {0, 1, cv->mb},
            {1, r->t.block, div_up(cv->dst->padded_dims[1], r->t.block)},
    };
    for (int i = 0; i < 3; i++) {
        const int d = i - (5 - cv->ndims);
        axes[2 + i] = d < 0 ? (axis_t){0, 1, 1} : (axis_t){d + 2, 1, cv->win.out[i]};
    }
    axes[RESULT_AXES - 1] = (axis_t){1, 1, r->t.block};
    return epilogue_strides(&r->seg, cv->pd, NULL, axes, RESULT_AXES);
}

/* Do vectors of so many channels fill the blocks of the destination? */
static bool lanes_fit(const conv_t *cv, const cv_tensor_t *t, int lanes, bool by_group) {
    const int64_t channels = cv->dst->dims[1], padded = cv->dst->padded_dims[1];
    if (lanes == 1 || t->block >= padded) return true;
    if (t->block % lanes || (by_group && (cv->oc % lanes || padded != channels))) return false;
    return padded <= div_up(channels, lanes) * lanes;
}

const char *conv_plan_result(conv_t *cv, int lanes, bool by_group, conv_result_t *r) {
    memset(r, 0, sizeof(*r));
    make_chain(cv, &r->chain);
    epilogue_segment(&r->seg, &r->chain, 0);
    const bool direct = conv_set_tensor(&r->t, cv->dst) && lanes_fit(cv, &r->t, lanes, by_group) &&
                        !dt_is_nibble(cv->dst->data_type);
    const char *why_not = direct ? set_chain_strides(cv, r) : NULL;
    r->complete = direct && !why_not && r->seg.count == r->chain.len;
    if (r->complete) {
        r->place = conv_place_of(cv->dst, cv->dst_slot);
        return NULL;
    }
    dnnl_status_t status = ew_scratch_md(&r->scratch_md, &r->chain, cv->dst);
    const bool integers = cv->exact && cv->dst->data_type == dnnl_s32 && r->chain.len == 0;
    if (status == dnnl_success && cv->mb > 0)
        status = md_init_string_tag(&r->scratch_md, cv->dst->ndims, cv->dst->dims,
                integers ? dnnl_s32 : r->scratch_md.data_type, conv_channels_last[cv->ndims - 3]);
    if (status != dnnl_success) return "dst is too large for an intermediate result";
    conv_set_tensor(&r->t, &r->scratch_md);
    r->rest = r->seg.count;
    if (set_chain_strides(cv, r)) {
        epilogue_t none;
        epilogue_init(&none);
        epilogue_segment(&r->seg, &none, 0);
        r->rest = 0;
    }
    r->place = (conv_place_t){
            -1, conv_reserve(cv, md_size(&r->scratch_md, 0)), r->scratch_md.data_type};
    return NULL;
}

const char *conv_finish_result(conv_t *cv, const conv_result_t *r) {
    if (r->complete) return NULL;
    const operand_t from = {&r->scratch_md, -1, r->place.offset}, to = {cv->dst, cv->dst_slot, 0};
    return ew_plan(&(planner_t){.pd = cv->pd, .caps = cv->caps, .plan = cv->plan}, -1, &r->chain,
            r->rest, &from, &to, &from);
}

/* ---- zero points ---- */

const quant_t *conv_zero_of(const conv_t *cv, int arg) {
    return quant_find(&cv->pd->attr.zero_points, arg);
}

conv_quant_dt_t conv_zero_dt(const conv_t *cv, int arg) {
    const quant_t *q = conv_zero_of(cv, arg);
    return (conv_quant_dt_t){q ? (int32_t)q->dt : 0, q && q->mask};
}

void conv_bind_zero(conv_t *cv, int arg) {
    const epilogue_source_t zero = epilogue_quant_source(cv->pd, ATTR_ZERO_POINTS, arg);
    plan_arg(cv->plan, zero.kind == SOURCE_QUANT ? zero.slot : -1, 0);
    plan_scalar_s32(cv->plan, zero.kind == SOURCE_HOST ? zero.slot : -1);
}

void conv_common_specs(plan_t *plan, dnnl_data_type_t src, dnnl_data_type_t wei,
        const conv_result_t *r, uint32_t flags) {
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)src);
    plan_spec(plan, SPEC_SRC1_DT, (uint32_t)wei);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)r->place.dt);
    plan_spec(plan, SPEC_FLAGS, flags);
    epilogue_specs(&r->seg, plan);
}

/* ---- the portable kernel ---- */

static const char *plan_any(conv_t *cv, int row) {
    enum { GROUP = 16 };
    plan_t *plan = cv->plan;
    cv_any_t p;
    conv_place_t src = conv_place_of(cv->src, cv->src_slot),
                 wei = conv_place_of(cv->wei, cv->wei_slot);
    md_t plain_src, plain_wei;
    const md_t *wei_md = cv->wei;
    const char *why_not = NULL;
    conv_result_t r;
    memset(&p, 0, sizeof(p));
    if (!conv_set_tensor(&p.src, cv->src)) {
        why_not = plain_input(cv, cv->src_slot, cv->src, &src, &plain_src);
        if (!why_not) conv_set_tensor(&p.src, &plain_src);
    }
    if (!why_not && !md_is_plain(cv->wei)) {
        why_not = plain_input(cv, cv->wei_slot, cv->wei, &wei, &plain_wei);
        wei_md = &plain_wei;
    }
    if (!why_not) why_not = conv_plan_result(cv, 1, false, &r);
    if (why_not) return why_not;
    if (!variants[row].needs_fp64 &&
            (src.dt == dnnl_f64 || r.place.dt == dnnl_f64 || (r.seg.dts >> dnnl_f64 & 1)))
        return "the data is double precision";

    const int first = cv->with_groups;
    const int64_t *strides = wei_md->format_desc.blocking.strides;
    p.dst = r.t;
    p.wei_g = first ? strides[0] : 0;
    p.wei_o = strides[first];
    p.wei_i = strides[first + 1];
    for (int i = 0; i < 3; i++) {
        const int d = i - (5 - cv->ndims);
        p.wei_k[i] = d < 0 ? 0 : strides[first + d + 2];
    }
    p.win = cv->win;
    p.groups = (int32_t)cv->groups;
    p.ic = (int32_t)cv->ic;
    p.oc = (int32_t)cv->oc;
    p.padded_channels = (int32_t)(r.complete ? cv->dst->padded_dims[1] : cv->dst->dims[1]);
    const quant_t *za = conv_zero_of(cv, DNNL_ARG_SRC), *zb = conv_zero_of(cv, DNNL_ARG_WEIGHTS);
    p.za_dt = conv_zero_dt(cv, DNNL_ARG_SRC).dt;
    p.za_step = conv_zero_dt(cv, DNNL_ARG_SRC).step;
    p.zb_dt = conv_zero_dt(cv, DNNL_ARG_WEIGHTS).dt;

    const int64_t points = (int64_t)cv->win.out[0] * cv->win.out[1] * cv->win.out[2];
    if (points > UINT32_MAX) return "an image has 2^32 or more elements";
    const uint32_t size[3] = {GROUP, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)div_up(p.padded_channels, GROUP), (uint32_t)points, (uint32_t)cv->mb};
    plan_step(plan, row, size, count);
    conv_common_specs(plan, src.dt, wei.dt, &r,
            (cv->exact ? CVF_INT : 0) | (za ? CVF_ZA : 0) | (zb ? CVF_ZB : 0) |
                    (cv->transposed ? CVF_TRANSPOSED : 0));
    conv_bind_place(plan, &src);
    conv_bind_place(plan, &wei);
    conv_bind_place(plan, &r.place);
    plan_const(plan, &p, sizeof(p));
    conv_bind_zero(cv, DNNL_ARG_SRC);
    conv_bind_zero(cv, DNNL_ARG_WEIGHTS);
    epilogue_args(&r.seg, cv->pd, NULL, plan);
    return conv_finish_result(cv, &r);
}

const char *conv_plan(conv_t *cv, int row) {
    plan_reset(cv->plan);
    cv->scratch = 0;
    if (variants[row].target == TARGET_CPU) return conv_plan_cpu(cv, row);
    if (variants[row].target == TARGET_XMX16) return conv_plan_xmx(cv, row);
    if (variants[row].target == TARGET_XMX8) return conv_plan_xmx8(cv, row);
    if (variants[row].target == TARGET_SG16) return conv_plan_sg16(cv, row);
    return plan_any(cv, row);
}

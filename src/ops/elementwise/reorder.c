/* SPDX-License-Identifier: Apache-2.0 */
/* Reorder: dst = ((src - zero point) * scale + sum) / scale + zero point, between any two
 * layouts and types. */
#include <stdio.h>

#include "core/memory_desc_impl.h"
#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "ops/elementwise/elementwise.h"
#include "plan/check.h"
#include "plan/op.h"
#include "plan/type_rules.h"
#include "plan/variant.h"
#include "steps/values.h"

static void make_epilogue(const pd_t *pd, epilogue_t *epilogue) {
    epilogue_add_zero_point(epilogue, pd, OP_SUB, DNNL_ARG_SRC);
    epilogue_add_scale(epilogue, pd, OP_MUL, DNNL_ARG_SRC);
    epilogue_add_post_ops(epilogue, pd);
    epilogue_add_dst(epilogue, pd);
}

/* Groups are of the last two dimensions and divide them. */
static dnnl_status_t check_groups(const pd_t *pd, const quant_map_t *map) {
    for (int i = 0; i < map->len; i++) {
        const quant_t *q = &map->entry[i];
        const md_t *md = pd_md(pd, q->arg);
        const int first = md->ndims - 2;
        if (!q->group_ndims) continue;
        if (q->arg == DNNL_ARG_DST)
            return verbose_refuse(
                    dnnl_unimplemented, "reorder", "the destination has no groups of scales");
        if (q->group_ndims != 2 || first < 0 || (q->mask >> first & 3) != 3)
            return verbose_check(dnnl_invalid_arguments, "reorder",
                    "groups need a mask with the last two dimensions");
        if (md_has_runtime_dims(md))
            return verbose_refuse(dnnl_unimplemented, "reorder",
                    "groups are not supported with run-time dimensions");
        for (int g = 0; g < 2; g++)
            if (md->dims[first + g] % q->group_dims[g])
                return verbose_check(dnnl_invalid_arguments, "reorder",
                        "groups of %lld do not divide dimension %d", (long long)q->group_dims[g],
                        first + g);
    }
    return dnnl_success;
}

/* Values that follow the data are for the kernels of the implementation that asked for them: in
 * a source they are passed over, in a destination nobody could say how they lie. Compensation
 * for the CPU belongs to weights that its kernels alone read. */
static dnnl_status_t check_extra(const pd_t *pd, const md_t *src, const md_t *dst) {
    const uint64_t passed_over = MD_EXTRA_COMP_GPU_ASYMM_SRC | MD_EXTRA_COMP_GPU_ASYMM_SRC_BWD |
                                 MD_EXTRA_COMP_GPU_ASYMM_SRC_SWAP;
    static const struct {
        uint64_t flags;
        const char *what;
    } refused[] = {
            {MD_EXTRA_COMP_S8S8, "a compensation of s8 sources"},
            {MD_EXTRA_SCALE_ADJUST, "values made smaller for s8 sources"},
            {MD_EXTRA_COMP_ASYMM_SRC, "a compensation of zero points"},
            {MD_EXTRA_RNN_U8S8_COMP | MD_EXTRA_RNN_S8S8_COMP, "a compensation for RNN"},
            {MD_EXTRA_COMP_GPU_ASYMM_SRC | MD_EXTRA_COMP_GPU_ASYMM_SRC_BWD |
                            MD_EXTRA_COMP_GPU_ASYMM_SRC_SWAP,
                    "zero points folded into a convolution"},
    };
    for (int i = 0; i < ARRAY_LEN(refused); i++) {
        if (dst->extra.flags & refused[i].flags)
            return verbose_refuse(
                    dnnl_unimplemented, pd->op->name, "the destination has %s", refused[i].what);
        if (src->extra.flags & refused[i].flags & ~passed_over)
            return verbose_refuse(
                    dnnl_unimplemented, pd->op->name, "the source has %s", refused[i].what);
    }
    return dnnl_success;
}

/* ---- quantisation for recurrent networks ---- */

/* The scales that the attributes have for the destination; NULL: none. */
static const attr_rnn_scales_t *rnn_scales(const pd_t *pd) {
    const md_t *dst = pd_md(pd, DNNL_ARG_DST);
    if (dst->data_type != dnnl_s8) return NULL;
    if (dst->ndims == 5 && pd->attr.rnn_weights.set) return &pd->attr.rnn_weights;
    return dst->ndims == 4 && pd->attr.rnn_projection.set ? &pd->attr.rnn_projection : NULL;
}

static dnnl_status_t check_rnn(const pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *dst = pd_md(pd, DNNL_ARG_DST);
    const attr_rnn_scales_t *scales = rnn_scales(pd);
    if (!dt_is_fp(src->data_type) || !dt_in(dst, BYTES))
        return verbose_refuse(dnnl_unimplemented, "reorder",
                "quantisation of recurrent networks is from floats to s8 or u8");
    if (md_has_runtime_dims_or_strides(src) || md_has_runtime_dims_or_strides(dst))
        return verbose_refuse(dnnl_unimplemented, "reorder",
                "quantisation of recurrent networks needs known dimensions");
    if (!scales) return dnnl_success;
    int64_t count = 1;
    for (int d = 0; d < dst->ndims; d++) count *= scales->mask >> d & 1 ? dst->dims[d] : 1;
    if (count != scales->count)
        return verbose_check(dnnl_invalid_arguments, "reorder",
                "there are %lld scales of weights, and the mask names %lld",
                (long long)scales->count, (long long)count);
    return dnnl_success;
}

/* q = factor * x + shift of data, q = scale * w of weights. */
static const char *plan_rnn(planner_t *p, int variant) {
    const operand_t src = operand_of(p, DNNL_ARG_SRC), dst = operand_of(p, DNNL_ARG_DST);
    const attr_rnn_scales_t *scales = rnn_scales(p->pd);
    const attr_t *attr = &p->pd->attr;
    epilogue_t epilogue;
    int first = 0;
    epilogue_init(&epilogue);
    if (!scales) {
        epilogue_add_eltwise(
                &epilogue, dnnl_eltwise_linear, 1, attr->rnn_data_scale, attr->rnn_data_shift);
    } else if (!scales->mask) {
        epilogue_add_eltwise(&epilogue, dnnl_eltwise_linear, 1, scales->scales[0], 0);
    } else {
        const uint64_t at = planner_reserve(p, (uint64_t)scales->count * sizeof(float));
        const epilogue_source_t source = {.kind = SOURCE_SCRATCH,
                .slot = -1,
                .mask = scales->mask,
                .like_slot = dst.slot,
                .dt = dnnl_f32,
                .offset = at};
        write_values(p, scales->scales, scales->count, dnnl_f32, at);
        epilogue_add_source(&epilogue, OP_MUL, &source);
    }
    return ew_step(p, variant, &epilogue, &first, &src, &dst);
}

static dnnl_status_t init_rnn(pd_t *pd, const caps_t *caps) {
    TRY(check_rnn(pd));
    TRY(attr_check(pd, ATTR_RNN, 0, NULL));
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) return nothing_to_do(pd);
    planner_t planner = planner_of(pd, caps);
    TRY(plan_best(&planner, pd, ELEMENTWISE_FAMILY, plan_rnn));
    name_variant(pd);
    return planner_finish(&planner, pd);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    static const attr_quant_rule_t rules[] = {{ATTR_SCALES, DNNL_ARG_SRC, ~0u},
            {ATTR_SCALES, DNNL_ARG_DST, ~0u}, {ATTR_ZERO_POINTS, DNNL_ARG_SRC, ~0u},
            {ATTR_ZERO_POINTS, DNNL_ARG_DST, ~0u}, {0, 0, 0}};
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *dst = pd_md(pd, DNNL_ARG_DST);
    if (md_is_any(src) || md_is_any(dst))
        return verbose_check(dnnl_invalid_arguments, "reorder", "a tensor has no layout");
    if (!md_same_dims(src, dst))
        return verbose_check(dnnl_invalid_arguments, "reorder",
                "source and destination differ in their dimensions");
    if (md_is_zero(src)) return nothing_to_do(pd); /* two zero descriptors */
    TRY(check_extra(pd, src, dst));
    md_t bare = *src;
    bare.extra.flags = 0;
    TRY(ew_check_tensor(pd, &bare, "the source"));
    TRY(ew_check_tensor(pd, dst, "the destination"));
    for (int i = 0; i < pd->attr.zero_points.len; i++)
        if (!dt_is_int(pd_md(pd, pd->attr.zero_points.entry[i].arg)->data_type))
            return verbose_check(dnnl_invalid_arguments, "reorder",
                    "a tensor that is not of an integer type has a zero point");
    if (attr_nondefault(&pd->attr) & ATTR_RNN) return init_rnn(pd, caps);
    TRY(attr_check(pd, ATTR_SCALES | ATTR_ZERO_POINTS | ATTR_POST_OPS | ATTR_GROUPS | ATTR_ROUNDING,
            POST_OP_SUM, rules));
    TRY(check_groups(pd, &pd->attr.scales));
    TRY(check_groups(pd, &pd->attr.zero_points));
    TRY(attr_add_args(pd));
    return ew_init(pd, caps);
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    return md_format_dims(pd_md(pd, DNNL_ARG_SRC), buf, size);
}

static int format_aux(const pd_t *pd, char *buf, size_t size) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    unsigned mask = 0;
    if (!md_has_runtime_dims_or_strides(src) &&
            !md_has_runtime_dims_or_strides(pd_md(pd, DNNL_ARG_DST)))
        return snprintf(buf, size, "%s", "");
    for (int d = 0; d < src->ndims; d++)
        mask |= (unsigned)(src->dims[d] == DNNL_RUNTIME_DIM_VAL) << d;
    return snprintf(buf, size, "runtime-dim-mask:%u", mask);
}

const op_kind_t op_reorder = {.kind = dnnl_reorder,
        .name = "reorder",
        .nibbles = true,
        .init = init,
        .replan = ew_replan,
        .make_epilogue = make_epilogue,
        .format_problem = format_problem,
        .format_aux = format_aux};

/* SPDX-License-Identifier: Apache-2.0 */
/* What layer, group and batch normalization share. */
#include "ops/norm/norm.h"

#include <string.h>

#include "core/check.h"
#include "core/strings.h"
#include "core/util.h"
#include "plan/check.h"
#include "plan/op.h"
#include "plan/variant.h"

dnnl_status_t norm_check_source(const pd_t *pd, unsigned flags, int min_ndims, int max_ndims) {
    const char *kind = pd->op->name;
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    CHECK_ARG(!(pd->params.flags & ~flags), kind,
            "there is a flag that is not one of this primitive");
    CHECK_ARG(!md_is_any(src), kind, "the source has no layout");
    CHECK_ARG(src->ndims >= min_ndims && src->ndims <= max_ndims, kind,
            "the source has %d dimensions, not %d to %d", src->ndims, min_ndims, max_ndims);
    return ew_check_tensor(pd, src, "the source");
}

dnnl_status_t norm_check(pd_t *pd, unsigned flags, int min_ndims, int max_ndims) {
    const char *kind = pd->op->name;
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    TRY(norm_check_source(pd, flags, min_ndims, max_ndims));
    CHECK_ARG(md_same_dims(src, dst), kind, "source and destination differ in their dimensions");
    TRY(ew_resolve(pd, dst, src, "the destination"));
    const bool bytes = src->data_type == dnnl_s8 || src->data_type == dnnl_u8;
    if (dt_is_int(src->data_type) && !norm_given(pd) &&
            (!bytes || pd->op->kind == dnnl_batch_normalization))
        return verbose_refuse(dnnl_unimplemented, kind, "statistics of integers are not computed");
    return dnnl_success;
}

dnnl_status_t norm_attributes(pd_t *pd, bool scales, unsigned post_ops) {
    static const attr_quant_rule_t rules[] = {
            {ATTR_SCALES, DNNL_ARG_SRC, 0}, {ATTR_SCALES, DNNL_ARG_DST, 0}, {0, 0, 0}};
    TRY(attr_check(
            pd, ATTR_POST_OPS | (scales ? ATTR_SCALES : 0), post_ops, scales ? rules : NULL));
    return attr_add_args(pd);
}

/* A statistic. Its argument has a descriptor where the caller gives statistics or gets them, also
 * if this one is not used (the mean of an RMS norm). Elsewhere it has the zero descriptor. */
static dnnl_status_t add_statistic(pd_t *pd, int arg, const md_t *stat, bool used) {
    const int slot = pd_find_arg(pd, arg);
    const bool described = norm_given(pd) || norm_saves(pd);
    const unsigned flags = !used ? PD_OPTIONAL : norm_given(pd) ? PD_IN : PD_OUT;
    if (slot < 0) return described ? pd_add_arg(pd, arg, flags, stat) : dnnl_success;
    md_t *md = &pd->args[slot].md;
    const bool open = !used && md_has_runtime_dims(md); /* nobody passes it at execution */
    CHECK_ARG(open || md_same_dims(md, stat), pd->op->name,
            "the statistics do not have the dimensions of the source's rows");
    if (md_is_any(md)) *md = *stat;
    TRY(ew_check_tensor(pd, md, "the tensor of statistics"));
    if (md->data_type != dnnl_f32)
        return verbose_refuse(
                dnnl_unimplemented, pd->op->name, "statistics are of another type than f32");
    if (!described) memset(md, 0, sizeof(*md));
    pd->args[slot].flags = flags;
    return dnnl_success;
}

dnnl_status_t norm_add_args(
        pd_t *pd, const md_t *stat, dnnl_dim_t channels, dnnl_data_type_t scale_dt) {
    const bool used = norm_given(pd) || norm_saves(pd);
    md_t md;
    TRY(add_statistic(pd, DNNL_ARG_MEAN, stat, used && !norm_flag(pd, dnnl_rms_norm)));
    TRY(add_statistic(pd, DNNL_ARG_VARIANCE, stat, used));
    if (scale_dt != dnnl_f32 && scale_dt != dnnl_f16 && scale_dt != dnnl_bf16)
        return verbose_refuse(dnnl_unimplemented, pd->op->name,
                "the data type of scale and shift is not supported");
    TRY(md_init_strides(&md, 1, &channels, scale_dt, NULL));
    if (norm_flag(pd, dnnl_use_scale)) TRY(pd_add_arg(pd, DNNL_ARG_SCALE, PD_IN, &md));
    const bool shifts = norm_flag(pd, dnnl_use_shift) && !norm_is_backward(pd);
    if (shifts) TRY(pd_add_arg(pd, DNNL_ARG_SHIFT, PD_IN, &md));
    return dnnl_success;
}

/* ---- operands ---- */

norm_t norm_start(pd_t *pd, const caps_t *caps) {
    norm_t n = {
            .planner = planner_of(pd, caps), .dt = pd_has_type(pd, dnnl_f64) ? dnnl_f64 : dnnl_f32};
    n.src = operand_of(&n.planner, DNNL_ARG_SRC);
    n.dst = operand_of(&n.planner, pd_result(pd));
    return n;
}

operand_t norm_argument(const norm_t *n, int arg) {
    const pd_t *pd = n->planner.pd;
    const int slot = pd_find_arg(pd, arg);
    const bool used = slot >= 0 && pd->args[slot].flags & (PD_IN | PD_OUT);
    return used ? operand_at(&n->planner, slot) : (operand_t){NULL, -1, 0};
}

void norm_bind(norm_t *n, const operand_t *operand) {
    bind_operand(n->planner.plan, operand->md ? operand : NULL);
}

/* ---- statistics ---- */

static const char too_large[] = "the tensor is too large";

/* A statistic with the dimensions of `like`, whose elements lie as the argument's: only if those
 * are row-major. */
static bool view_statistic(
        const norm_t *n, int arg, const md_t *like, unsigned mask, operand_t *t, md_t *md) {
    planner_t unused = n->planner; /* only the descriptor is of interest */
    const md_t *given = pd_md(n->planner.pd, arg);
    md_t plain;
    if (md_init_strides(&plain, given->ndims, given->dims, given->data_type, NULL) !=
                    dnnl_success ||
            !md_same_layout(given, &plain) ||
            operand_like(&unused, t, md, like, mask, dnnl_f32) != NULL)
        return false;
    md->offset0 = given->offset0;
    *t = (operand_t){md, pd_find_arg(n->planner.pd, arg), 0};
    return true;
}

/* A statistic in the scratchpad, as a row-major tensor with the argument's dimensions. */
static const char *flat_view(
        const norm_t *n, const operand_t *argument, const operand_t *t, operand_t *view, md_t *md) {
    const md_t *like = argument->md;
    REFUSE_IF(why_not_of(md_init_strides(md, like->ndims, like->dims, n->dt, NULL), too_large));
    *view = (operand_t){md, -1, t->offset};
    return NULL;
}

/* Where a statistic is computed or found: in the argument if there is one and its layout and
 * type allow it. *copied: it is in the scratchpad although there is an argument. */
static const char *place_statistic(
        norm_t *n, int arg, const md_t *view, unsigned mask, operand_t *t, md_t *md, bool *copied) {
    const operand_t argument = norm_argument(n, arg);
    const bool given = norm_given(n->planner.pd), rounds = n->dt != dnnl_f32 && !given;
    *copied = false;
    if (argument.md && !rounds && view_statistic(n, arg, view, mask, t, md)) return NULL;
    REFUSE_IF(operand_like(&n->planner, t, md, view, mask, n->dt));
    *copied = argument.md != NULL;
    if (!argument.md || !given) return NULL;
    md_t flat_md;
    operand_t flat;
    REFUSE_IF(flat_view(n, &argument, t, &flat, &flat_md));
    return ew_copy(&n->planner, -1, &argument, &flat);
}

/* A statistic that was computed in the scratchpad goes to its argument. */
static const char *save_statistic(norm_t *n, int arg, const operand_t *t) {
    const operand_t argument = norm_argument(n, arg);
    md_t flat_md;
    operand_t flat;
    REFUSE_IF(flat_view(n, &argument, t, &flat, &flat_md));
    return ew_copy(&n->planner, -1, &flat, &argument);
}

const char *norm_statistics(norm_t *n, int variant, const operand_t *view, unsigned mask) {
    planner_t *p = &n->planner;
    const bool rms = norm_flag(p->pd, dnnl_rms_norm);
    bool copied_mean = false, copied_variance;
    if (!rms)
        REFUSE_IF(place_statistic(
                n, DNNL_ARG_MEAN, view->md, mask, &n->mean, &n->mean_md, &copied_mean));
    REFUSE_IF(place_statistic(
            n, DNNL_ARG_VARIANCE, view->md, mask, &n->variance, &n->variance_md, &copied_variance));
    if (norm_given(p->pd)) return NULL;
    const reduce_job_t mean = {.src = *view, .dst = n->mean, .op = RED_SUM, .finish = RED_MEAN};
    const reduce_job_t square = {.src = *view,
            .dst = n->variance,
            .center = rms ? NULL : &n->mean,
            .op = RED_SUM_SQUARE,
            .finish = RED_MEAN};
    if (!rms) REFUSE_IF(reduce_steps(p, variant, &mean));
    REFUSE_IF(reduce_steps(p, variant, &square));
    if (copied_mean) REFUSE_IF(save_statistic(n, DNNL_ARG_MEAN, &n->mean));
    if (copied_variance) REFUSE_IF(save_statistic(n, DNNL_ARG_VARIANCE, &n->variance));
    return NULL;
}

const char *norm_root(norm_t *n, const operand_t *view, unsigned mask) {
    planner_t *p = &n->planner;
    epilogue_t epilogue;
    REFUSE_IF(operand_like(p, &n->root, &n->root_md, view->md, mask, n->dt));
    epilogue_init(&epilogue);
    epilogue_add_eltwise(&epilogue, dnnl_eltwise_linear, 1, 1, p->pd->params.epsilon);
    epilogue_add_eltwise(&epilogue, dnnl_eltwise_sqrt, 1, 0, 0);
    return ew_plan(p, -1, &epilogue, 0, &n->variance, &n->root, &n->root);
}

/* ---- the epilogue ---- */

static void add_source(
        const norm_t *n, epilogue_t *epilogue, int op, const operand_t *t, unsigned mask) {
    const epilogue_source_t source = operand_source(t, mask, n->dst.slot);
    epilogue_add_source(epilogue, op, &source);
}

static void add_weights(const norm_t *n, epilogue_t *epilogue, int op, int arg, unsigned mask) {
    const operand_t weights = operand_of(&n->planner, arg);
    add_source(n, epilogue, op, &weights, mask);
}

void norm_epilogue(
        const norm_t *n, epilogue_t *epilogue, unsigned stat_mask, unsigned weights_mask) {
    const pd_t *pd = n->planner.pd;
    epilogue_init(epilogue);
    if (!norm_flag(pd, dnnl_rms_norm)) add_source(n, epilogue, OP_SUB, &n->mean, stat_mask);
    add_source(n, epilogue, OP_DIV, &n->root, stat_mask);
    if (norm_flag(pd, dnnl_use_scale))
        add_weights(n, epilogue, OP_MUL, DNNL_ARG_SCALE, weights_mask);
    if (norm_flag(pd, dnnl_use_shift))
        add_weights(n, epilogue, OP_ADD, DNNL_ARG_SHIFT, weights_mask);
}

void norm_add_attributes(const pd_t *pd, epilogue_t *epilogue) {
    epilogue_add_scale(epilogue, pd, OP_MUL, DNNL_ARG_SRC);
    epilogue_add_post_ops(epilogue, pd);
    epilogue_add_scale(epilogue, pd, OP_DIV, DNNL_ARG_DST);
}

const char *norm_apply(norm_t *n, const epilogue_t *epilogue) {
    operand_t between = n->dst;
    md_t md;
    if (ew_steps(epilogue, 0) > 1)
        REFUSE_IF(operand_like(&n->planner, &between, &md, n->dst.md, ~0u, n->dt));
    return ew_plan(&n->planner, -1, epilogue, 0, &n->src, &n->dst, &between);
}

dnnl_status_t norm_plan(pd_t *pd, const caps_t *caps, const char *family, plan_fn reductions) {
    const plan_family_t families[] = {{family, NULL}, {REDUCTION_FAMILY, reductions}};
    norm_t n = norm_start(pd, caps);
    TRY(plan_best_family(&n.planner, pd, families, ARRAY_LEN(families)));
    name_variant(pd);
    return planner_finish(&n.planner, pd);
}

/* ---- verbose lines ---- */

int norm_format_aux(const pd_t *pd, char *buf, size_t size) {
    static const struct {
        unsigned flag;
        char letter;
    } letters[] = {{dnnl_use_global_stats, 'G'}, {dnnl_use_scale, 'C'}, {dnnl_use_shift, 'H'},
            {dnnl_fuse_norm_relu, 'R'}, {dnnl_fuse_norm_add_relu, 'A'}, {dnnl_rms_norm, 'M'}};
    text_t text = text_start(buf, size);
    text_add(&text, "flags:");
    for (int i = 0; i < ARRAY_LEN(letters); i++)
        if (norm_flag(pd, letters[i].flag)) text_add(&text, "%c", letters[i].letter);
    return text.len;
}

int norm_format_problem(const pd_t *pd, char *buf, size_t size) {
    static const char *const names[] = {"id", "ih", "iw"};
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    text_t text = text_start(buf, size);
    if (pd->params.kind == dnnl_group_normalization)
        text_add(&text, "g%lld", (long long)pd->params.groups);
    if (src->ndims > 5) {
        text_add_dims(&text, src->dims, src->ndims);
        return text.len;
    }
    text_add(&text, "mb%lldic%lld", (long long)src->dims[0], (long long)src->dims[1]);
    for (int d = 2; d < src->ndims; d++)
        text_add(&text, "%s%lld", names[d + 3 - src->ndims], (long long)src->dims[d]);
    return text.len;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What layer, group and batch normalization share. */
#include "ops/norm/norm.h"

#include <string.h>

#include "core/check.h"
#include "core/strings.h"
#include "plan/check.h"
#include "plan/op.h"

dnnl_status_t norm_check(pd_t *pd, unsigned flags, int min_ndims, int max_ndims) {
    const char *kind = pd->op->name;
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    CHECK_ARG(!(pd->params.flags & ~flags), kind,
            "there is a flag that is not one of this primitive");
    CHECK_ARG(!md_is_any(src), kind, "the source has no layout");
    CHECK_ARG(src->ndims >= min_ndims && src->ndims <= max_ndims, kind,
            "the source has %d dimensions, not %d to %d", src->ndims, min_ndims, max_ndims);
    CHECK_ARG(md_same_dims(src, dst), kind, "source and destination differ in their dimensions");
    TRY(ew_check_tensor(pd, src, "the source"));
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

/* A statistic: there, added, or left alone where nobody reads or writes it. */
static dnnl_status_t add_statistic(pd_t *pd, int arg, const md_t *stat, bool used) {
    const int slot = pd_find_arg(pd, arg);
    const unsigned flags = norm_given(pd) ? PD_IN : PD_OUT;
    if (slot < 0) return used ? pd_add_arg(pd, arg, flags, stat) : dnnl_success;
    md_t *md = &pd->args[slot].md;
    CHECK_ARG(md_same_dims(md, stat), pd->op->name,
            "the statistics do not have the dimensions of the source's rows");
    if (md_is_any(md)) *md = *stat;
    TRY(ew_check_tensor(pd, md, "the tensor of statistics"));
    if (md->data_type != dnnl_f32)
        return verbose_refuse(
                dnnl_unimplemented, pd->op->name, "statistics are of another type than f32");
    pd->args[slot].flags = used ? flags : PD_OPTIONAL;
    return dnnl_success;
}

dnnl_status_t norm_add_args(
        pd_t *pd, const md_t *stat, dnnl_dim_t channels, dnnl_data_type_t scale_dt) {
    const bool used = norm_given(pd) || norm_saves(pd);
    md_t md;
    TRY(add_statistic(pd, DNNL_ARG_MEAN, stat, used && !norm_flag(pd, dnnl_rms_norm)));
    TRY(add_statistic(pd, DNNL_ARG_VARIANCE, stat, used));
    if (scale_dt != dnnl_f32 && scale_dt != dnnl_f16 && scale_dt != dnnl_bf16)
        return verbose_refuse(
                dnnl_unimplemented, pd->op->name, "the data type of scale and shift is not taken");
    TRY(md_init_strides(&md, 1, &channels, scale_dt, NULL));
    if (norm_flag(pd, dnnl_use_scale)) TRY(pd_add_arg(pd, DNNL_ARG_SCALE, PD_IN, &md));
    if (norm_flag(pd, dnnl_use_shift)) TRY(pd_add_arg(pd, DNNL_ARG_SHIFT, PD_IN, &md));
    return dnnl_success;
}

/* ---- plans ---- */

static operand_t tensor_of(const pd_t *pd, int arg) {
    const int slot = pd_find_arg(pd, arg);
    return (operand_t){&pd->args[slot].md, slot, 0};
}

norm_t norm_start(pd_t *pd, const caps_t *caps) {
    plan_reset(&pd->plan);
    return (norm_t){.pd = pd,
            .caps = caps,
            .src = tensor_of(pd, DNNL_ARG_SRC),
            .dst = tensor_of(pd, DNNL_ARG_DST),
            .dt = has_doubles(pd) ? dnnl_f64 : dnnl_f32};
}

static const char *too_large = "the tensor is too large";

/* A statistic with the dimensions of `like`, whose elements lie as the argument's: only if those are
 * row-major. */
static bool view_statistic(
        const pd_t *pd, int arg, const md_t *like, unsigned mask, operand_t *t, md_t *md) {
    uint64_t unused = 0;
    const md_t *given = pd_md(pd, arg);
    md_t plain;
    if (md_init_strides(&plain, given->ndims, given->dims, given->data_type, NULL) !=
                    dnnl_success ||
            !md_same_layout(given, &plain) ||
            scratch_tensor(t, md, like, mask, dnnl_f32, &unused) != dnnl_success)
        return false;
    md->offset0 = given->offset0;
    t->slot = pd_find_arg(pd, arg);
    return true;
}

static const char *copy(norm_t *n, const operand_t *from, const operand_t *to) {
    epilogue_t none;
    epilogue_init(&none);
    return ew_plan(&(planner_t){.pd = n->pd, .caps = n->caps, .plan = &n->pd->plan}, -1, &none, 0,
            from, to, to);
}

/* Where a statistic is computed or found: in the argument if there is one and its layout and type allow it.
 */
static const char *place_statistic(
        norm_t *n, int arg, const md_t *view, unsigned mask, operand_t *t, md_t *md, bool *copied) {
    pd_t *pd = n->pd;
    const int slot = pd_find_arg(pd, arg);
    const bool used = slot >= 0 && pd->args[slot].flags & (PD_IN | PD_OUT);
    *copied = false;
    const bool rounds = n->dt != dnnl_f32 && !norm_given(pd);
    if (used && !rounds && view_statistic(pd, arg, view, mask, t, md)) return NULL;
    if (scratch_tensor(t, md, view, mask, n->dt, &n->scratch) != dnnl_success) return too_large;
    *copied = used;
    if (!used || !norm_given(pd)) return NULL;
    const operand_t from = tensor_of(pd, arg);
    md_t flat;
    if (md_init_strides(&flat, from.md->ndims, from.md->dims, n->dt, NULL) != dnnl_success)
        return too_large;
    return copy(n, &from, &(operand_t){&flat, -1, t->offset});
}

/* A statistic that was computed in the scratchpad goes to its argument. */
static const char *save_statistic(norm_t *n, int arg, const operand_t *t) {
    const operand_t to = tensor_of(n->pd, arg);
    md_t flat;
    if (md_init_strides(&flat, to.md->ndims, to.md->dims, n->dt, NULL) != dnnl_success)
        return too_large;
    return copy(n, &(operand_t){&flat, -1, t->offset}, &to);
}

const char *norm_statistics(norm_t *n, const operand_t *view, unsigned mask) {
    pd_t *pd = n->pd;
    const bool rms = norm_flag(pd, dnnl_rms_norm);
    bool copied_mean = false, copied_variance;
    const char *why_not = NULL;
    if (!rms)
        why_not = place_statistic(
                n, DNNL_ARG_MEAN, view->md, mask, &n->mean, &n->mean_md, &copied_mean);
    if (!why_not)
        why_not = place_statistic(n, DNNL_ARG_VARIANCE, view->md, mask, &n->variance,
                &n->variance_md, &copied_variance);
    if (!why_not && !norm_given(pd)) {
        const reduce_job_t mean = {.src = *view, .dst = n->mean, .op = RED_SUM, .finish = RED_MEAN};
        const reduce_job_t square = {.src = *view,
                .dst = n->variance,
                .center = rms ? NULL : &n->mean,
                .op = RED_SUM_SQUARE,
                .finish = RED_MEAN};
        if (!rms) why_not = reduce_steps(&pd->plan, pd, n->caps, pd->variant, &mean, &n->scratch);
        if (!why_not)
            why_not = reduce_steps(&pd->plan, pd, n->caps, pd->variant, &square, &n->scratch);
        if (!why_not && copied_mean) why_not = save_statistic(n, DNNL_ARG_MEAN, &n->mean);
        if (!why_not && copied_variance)
            why_not = save_statistic(n, DNNL_ARG_VARIANCE, &n->variance);
    }
    return why_not;
}

const char *norm_root(norm_t *n, const operand_t *view, unsigned mask) {
    pd_t *pd = n->pd;
    epilogue_t chain;
    if (scratch_tensor(&n->root, &n->root_md, view->md, mask, n->dt, &n->scratch) != dnnl_success)
        return too_large;
    epilogue_init(&chain);
    epilogue_add_eltwise(&chain, dnnl_eltwise_linear, 1, 1, pd->params.epsilon);
    epilogue_add_eltwise(&chain, dnnl_eltwise_sqrt, 1, 0, 0);
    return ew_plan(&(planner_t){.pd = pd, .caps = n->caps, .plan = &pd->plan}, -1, &chain, 0,
            &n->variance, &n->root, &n->root);
}

static void add_source(
        const norm_t *n, epilogue_t *chain, int op, const operand_t *t, unsigned mask) {
    epilogue_source_t source = scratch_source(t, mask, n->dst.slot);
    if (t->slot >= 0) {
        source.kind = SOURCE_QUANT;
        source.slot = t->slot;
        source.offset = 0;
    }
    epilogue_add_source(chain, op, &source);
}

void norm_chain(const norm_t *n, epilogue_t *chain, unsigned stat_mask, unsigned weights_mask) {
    const pd_t *pd = n->pd;
    epilogue_init(chain);
    if (!norm_flag(pd, dnnl_rms_norm)) add_source(n, chain, OP_SUB, &n->mean, stat_mask);
    add_source(n, chain, OP_DIV, &n->root, stat_mask);
    if (norm_flag(pd, dnnl_use_scale))
        add_source(n, chain, OP_MUL,
                &(operand_t){pd_md(pd, DNNL_ARG_SCALE), pd_find_arg(pd, DNNL_ARG_SCALE), 0},
                weights_mask);
    if (norm_flag(pd, dnnl_use_shift))
        add_source(n, chain, OP_ADD,
                &(operand_t){pd_md(pd, DNNL_ARG_SHIFT), pd_find_arg(pd, DNNL_ARG_SHIFT), 0},
                weights_mask);
}

void norm_chain_attributes(const pd_t *pd, epilogue_t *chain) {
    epilogue_add_scale(chain, pd, OP_MUL, DNNL_ARG_SRC);
    epilogue_add_post_ops(chain, pd);
    epilogue_add_scale(chain, pd, OP_DIV, DNNL_ARG_DST);
}

const char *norm_apply(norm_t *n, const epilogue_t *chain) {
    operand_t between = n->dst;
    md_t md;
    if (ew_steps(chain, 0) > 1 &&
            scratch_tensor(&between, &md, n->dst.md, ~0u, n->dt, &n->scratch) != dnnl_success)
        return too_large;
    return ew_plan(&(planner_t){.pd = n->pd, .caps = n->caps, .plan = &n->pd->plan}, -1, chain, 0,
            &n->src, &n->dst, &between);
}

dnnl_status_t norm_finish(norm_t *n, const char *why_not) {
    if (why_not) return verbose_refuse(dnnl_unimplemented, n->pd->op->name, "%s", why_not);
    return attr_add_scratchpad(n->pd, n->scratch);
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
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
        if (norm_flag(pd, letters[i].flag)) text_add(&text, "%c", letters[i].letter);
    return text.len;
}

int norm_format_problem(const pd_t *pd, char *buf, size_t size) {
    static const char *const names[] = {"id", "ih", "iw"};
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    text_t text = text_start(buf, size);
    if (pd->params.kind == dnnl_group_normalization)
        text_add(&text, "g%lld", (long long)pd->params.group_size);
    if (src->ndims > 5) {
        text_add_dims(&text, src->dims, src->ndims);
        return text.len;
    }
    text_add(&text, "mb%lldic%lld", (long long)src->dims[0], (long long)src->dims[1]);
    for (int d = 2; d < src->ndims; d++)
        text_add(&text, "%s%lld", names[d + 3 - src->ndims], (long long)src->dims[d]);
    return text.len;
}

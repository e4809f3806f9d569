/* SPDX-License-Identifier: Apache-2.0 */
/* What the backward propagation of all normalizations shares, and that of layer and RMS
 * normalization. With x_hat = (src - mean) / root and
 * g = scale * diff_dst,
 *     diff_scale = sum of diff_dst * x_hat, diff_shift = sum of diff_dst,
 *     diff_src = (g - mean of g - x_hat * mean of g * x_hat) / root,
 * where the means are over the elements that share statistics. They are missing if the statistics
 * do not depend on the source; the mean of g is also missing in RMS normalization, which subtracts
 * no mean. */
#include <string.h>

#include "core/check.h"
#include "core/status.h"
#include "core/util.h"
#include "ops/norm/norm.h"
#include "plan/attr_rules.h"
#include "plan/check.h"
#include "plan/op.h"
#include "plan/variant.h"

dnnl_status_t norm_check_backward(pd_t *pd, unsigned flags, int min_ndims, int max_ndims) {
    const char *kind = pd->op->name;
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    md_t *diff_dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_DST)].md,
         *diff_src = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_SRC)].md;
    TRY(norm_check_source(pd, flags, min_ndims, max_ndims));
    CHECK_ARG(md_same_dims(src, diff_src) && md_same_dims(src, diff_dst), kind,
            "the source and its gradients differ in their dimensions");
    TRY(ew_resolve(pd, diff_dst, src, "the gradient of the destination"));
    TRY(ew_resolve(pd, diff_src, diff_dst, "the gradient of the source"));
    const md_t *const tensors[] = {src, diff_dst, diff_src};
    for (int i = 0; i < 3; i++) {
        const dnnl_data_type_t dt = tensors[i]->data_type;
        if (dt != dnnl_f32 && dt != dnnl_f16 && dt != dnnl_bf16 && dt != dnnl_f64)
            return verbose_refuse(dnnl_unimplemented, kind,
                    "source and gradients are of type f32, f16, bf16 or f64");
    }
    return dnnl_success;
}

dnnl_status_t norm_add_gradients(pd_t *pd, dnnl_dim_t channels, dnnl_data_type_t dt) {
    md_t md;
    if (dt != dnnl_f32 && dt != dnnl_f16 && dt != dnnl_bf16)
        return verbose_refuse(dnnl_unimplemented, pd->op->name,
                "the data type of the gradients of scale and shift is not supported");
    TRY(md_init_strides(&md, 1, &channels, dt, NULL));
    if (norm_flag(pd, dnnl_use_scale)) TRY(pd_add_arg(pd, DNNL_ARG_DIFF_SCALE, PD_OUT, &md));
    if (norm_flag(pd, dnnl_use_shift)) TRY(pd_add_arg(pd, DNNL_ARG_DIFF_SHIFT, PD_OUT, &md));
    return dnnl_success;
}

dnnl_status_t norm_plan_backward(pd_t *pd, const caps_t *caps, plan_fn plan) {
    return norm_plan_backward_family(pd, caps, REDUCTION_FAMILY, plan);
}

dnnl_status_t norm_plan_backward_family(
        pd_t *pd, const caps_t *caps, const char *family, plan_fn reductions) {
    const plan_family_t families[] = {{family, NULL}, {REDUCTION_FAMILY, reductions}};
    const int first = strcmp(family, REDUCTION_FAMILY) ? 0 : 1;
    TRY(attr_check(pd, 0, 0, NULL));
    TRY(attr_add_args(pd));
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_SRC))) return ew_zero_outputs(pd, caps);
    norm_t n = norm_start(pd, caps);
    TRY(plan_best_family(&n.planner, pd, &families[first], ARRAY_LEN(families) - first));
    name_variant(pd);
    return planner_finish(&n.planner, pd);
}

const char *norm_like(norm_t *n, operand_t *t, md_t *md, const md_t *like, dnnl_data_type_t dt) {
    static const char too_large[] = "the tensor is too large";
    const bool padded = md_nelems(like, true) != md_nelems(like, false);
    REFUSE_IF(why_not_of(
            md_init_tag(md, like->ndims, like->dims, dt, dnnl_format_tag_any), too_large));
    REFUSE_IF(why_not_of(padded ? md_set_plain(md) : md_set_like(md, like), too_large));
    *t = operand_in_scratch(&n->planner, md);
    return NULL;
}

const char *norm_plan_gradient(
        norm_t *n, int variant, int arg, const operand_t *terms, unsigned mask) {
    const operand_t to = norm_argument(n, arg);
    const md_t *src = n->src.md;
    md_t md;
    dnnl_dims_t dims;
    if (!to.md) return NULL;
    for (int d = 0; d < src->ndims; d++) dims[d] = mask & 1u << d ? src->dims[d] : 1;
    REFUSE_IF(why_not_of(md_init_strides(&md, src->ndims, dims, to.md->data_type, NULL),
            "the tensor is too large"));
    const reduce_job_t job = {.src = *terms, .dst = {&md, to.slot, 0}, .op = RED_SUM};
    return reduce_steps(&n->planner, variant, &job);
}

/* ---- steps of layer normalization ---- */

typedef struct {
    norm_t *n;
    const norm_backward_t *shape;
    int variant;
    operand_t x_hat, products, diff; /* products: x_hat * diff */
    md_t x_hat_md, products_md;
} steps_t;

/* An operand in the scratchpad with the dimensions of the source. */
static const char *like_source(const steps_t *s, operand_t *t, md_t *md) {
    return operand_like(&s->n->planner, t, md, s->n->src.md, ~0u, s->n->dt);
}

/* An operand runs along the dimensions in the mask. */
static void add(
        const steps_t *s, epilogue_t *epilogue, int op, const operand_t *operand, unsigned mask) {
    const epilogue_source_t source = operand_source(operand, mask, s->n->dst.slot);
    if (mask == ~0u && operand->slot >= 0)
        epilogue_add_tensor(epilogue, s->n->planner.pd, op, operand->slot);
    else epilogue_add_source(epilogue, op, &source);
}

static void add_scale(const steps_t *s, epilogue_t *epilogue) {
    const operand_t scale = norm_argument(s->n, DNNL_ARG_SCALE);
    if (scale.md) add(s, epilogue, OP_MUL, &scale, s->shape->weights_mask);
}

static const char *apply(
        const steps_t *s, const epilogue_t *epilogue, const operand_t *from, const operand_t *to) {
    return ew_plan(&s->n->planner, -1, epilogue, 0, from, to, to);
}

static const char *plan_x_hat(steps_t *s) {
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    REFUSE_IF(like_source(s, &s->x_hat, &s->x_hat_md));
    if (!norm_flag(s->n->planner.pd, dnnl_rms_norm))
        add(s, &epilogue, OP_SUB, &s->n->mean, s->shape->stat_mask);
    add(s, &epilogue, OP_DIV, &s->n->root, s->shape->stat_mask);
    return apply(s, &epilogue, &s->n->src, &s->x_hat);
}

static const char *plan_products(steps_t *s) {
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    REFUSE_IF(like_source(s, &s->products, &s->products_md));
    add(s, &epilogue, OP_MUL, &s->diff, ~0u);
    return apply(s, &epilogue, &s->x_hat, &s->products);
}

/* The mean of terms over the elements that share statistics. */
static const char *plan_mean(const steps_t *s, const operand_t *terms, operand_t *mean, md_t *md) {
    planner_t *p = &s->n->planner;
    REFUSE_IF(operand_like(p, mean, md, terms->md, s->shape->stat_mask, s->n->dt));
    const reduce_job_t job = {.src = *terms, .dst = *mean, .op = RED_SUM, .finish = RED_MEAN};
    return reduce_steps(p, s->variant, &job);
}

/* g and its products, or those of diff if there is no scale. */
static const char *plan_scaled(steps_t *s, operand_t *g, md_t *md) {
    epilogue_t epilogue;
    *g = s->diff;
    if (!norm_flag(s->n->planner.pd, dnnl_use_scale)) return NULL;
    epilogue_init(&epilogue);
    add_scale(s, &epilogue);
    REFUSE_IF(apply(s, &epilogue, &s->products, &s->products));
    REFUSE_IF(like_source(s, g, md));
    return apply(s, &epilogue, &s->diff, g);
}

/* x_hat becomes mean of g + x_hat * mean of g * x_hat. */
static const char *plan_correction(steps_t *s) {
    const bool rms = norm_flag(s->n->planner.pd, dnnl_rms_norm);
    operand_t g, mean, slope;
    md_t g_md, mean_md, slope_md;
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    REFUSE_IF(plan_scaled(s, &g, &g_md));
    REFUSE_IF(plan_mean(s, &s->products, &slope, &slope_md));
    add(s, &epilogue, OP_MUL, &slope, s->shape->stat_mask);
    if (!rms) {
        REFUSE_IF(plan_mean(s, &g, &mean, &mean_md));
        add(s, &epilogue, OP_ADD, &mean, s->shape->stat_mask);
    }
    return apply(s, &epilogue, &s->x_hat, &s->x_hat);
}

/* The last step alone writes diff_src, since it may be in the place of diff_dst. */
static const char *plan_diff_src(const steps_t *s) {
    const bool corrected = !norm_flag(s->n->planner.pd, dnnl_use_global_stats);
    operand_t between = s->n->dst;
    md_t md;
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    add_scale(s, &epilogue);
    if (corrected) add(s, &epilogue, OP_SUB, &s->x_hat, ~0u);
    add(s, &epilogue, OP_DIV, &s->n->root, s->shape->stat_mask);
    if (ew_steps(&epilogue, 0) > 1) REFUSE_IF(like_source(s, &between, &md));
    return ew_plan(&s->n->planner, -1, &epilogue, 0, &s->diff, &s->n->dst, &between);
}

const char *norm_backward(
        norm_t *n, int variant, const norm_backward_t *shape, const operand_t *diff) {
    const pd_t *pd = n->planner.pd;
    const bool corrected = !norm_flag(pd, dnnl_use_global_stats);
    steps_t s = {.n = n, .shape = shape, .variant = variant, .diff = *diff};
    if (corrected || norm_flag(pd, dnnl_use_scale)) {
        REFUSE_IF(plan_x_hat(&s));
        REFUSE_IF(plan_products(&s));
    }
    const unsigned mask = shape->weights_mask;
    REFUSE_IF(norm_plan_gradient(n, variant, DNNL_ARG_DIFF_SCALE, &s.products, mask));
    REFUSE_IF(norm_plan_gradient(n, variant, DNNL_ARG_DIFF_SHIFT, &s.diff, mask));
    if (corrected) REFUSE_IF(plan_correction(&s));
    return plan_diff_src(&s);
}

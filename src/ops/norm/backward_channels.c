/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of batch and group normalization (the formulas: backward.c). Scale and shift
 * are the same for all elements of a channel, or of a channel of an image, and so are the
 * statistics. Two sums for each of these serve the gradients of scale and shift and the means, so
 * that the tensors are read once for the sums and once for the gradient of the source. */
#include "core/status.h"
#include "core/util.h"
#include "ops/norm/backward_fused.h"

typedef struct {
    norm_t *n;
    int variant;
    dnnl_dim_t groups; /* of channels; 0: batch normalization */
    unsigned mask;     /* dimensions of the sums: channels, of each image if there are groups */
    operand_t diff;
    md_t diff_md;
    operand_t work; /* a tensor like the source: x_hat * diff, then what goes on the way */
    md_t work_md;
    operand_t slope, mean; /* sums of work and of diff, then what becomes of them */
    md_t sum_md;
    bool is_fused; /* the kernels of backward_fused.h can run */
    norm_fused_t fused;
} channels_t;

enum { CHANNELS = 1 << 1 }; /* dimension 1 */

/* A value for each of the dimensions in the mask. */
static void add_values(
        const channels_t *s, epilogue_t *epilogue, int op, const operand_t *values, unsigned mask) {
    const epilogue_source_t source = operand_source(values, mask, s->n->dst.slot);
    epilogue_add_source(epilogue, op, &source);
}

static void add_scale(const channels_t *s, epilogue_t *epilogue) {
    const operand_t scale = norm_argument(s->n, DNNL_ARG_SCALE);
    if (scale.md) add_values(s, epilogue, OP_MUL, &scale, CHANNELS);
}

static void add_tensor(epilogue_t *epilogue, int op, const operand_t *tensor) {
    const epilogue_source_t source = operand_tensor(tensor);
    epilogue_add_source(epilogue, op, &source);
}

static const char *apply(
        channels_t *s, const epilogue_t *epilogue, const operand_t *from, const operand_t *to) {
    return ew_plan(&s->n->planner, -1, epilogue, 0, from, to, &s->work);
}

/* x_hat * diff */
static const char *plan_products(channels_t *s) {
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    add_values(s, &epilogue, OP_SUB, &s->n->mean, s->mask);
    add_values(s, &epilogue, OP_DIV, &s->n->root, s->mask);
    add_tensor(&epilogue, OP_MUL, &s->diff);
    return apply(s, &epilogue, &s->n->src, &s->work);
}

static const char *new_sum(channels_t *s, operand_t *sum) {
    return operand_like(&s->n->planner, sum, &s->sum_md, s->n->src.md, s->mask, s->n->dt);
}

static const char *plan_sum(channels_t *s, const operand_t *terms, const operand_t *sum) {
    const reduce_job_t job = {.src = *terms, .dst = *sum, .op = RED_SUM};
    return reduce_steps(&s->n->planner, s->variant, &job);
}

/* Elements that share statistics. */
static int64_t count_shared(const channels_t *s) {
    const md_t *src = s->n->src.md;
    int64_t count = s->groups ? src->dims[1] / s->groups : src->dims[0];
    for (int d = 2; d < src->ndims; d++) count *= src->dims[d];
    return count;
}

/* Sums of the channels of a group, of which each is scaled, become means for each of these
 * channels. */
static const char *plan_group_mean(channels_t *s, operand_t *sum) {
    norm_t *n = s->n;
    md_t view_md, mean_md;
    operand_t mean;
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    add_scale(s, &epilogue);
    if (epilogue.len) REFUSE_IF(apply(s, &epilogue, sum, sum));
    REFUSE_IF(norm_group_view(&view_md, sum->md, s->groups));
    REFUSE_IF(operand_like(&n->planner, &mean, &mean_md, &view_md, 3, n->dt));
    const reduce_job_t job = {.src = {&view_md, -1, sum->offset},
            .dst = mean,
            .op = RED_SUM,
            .finish = RED_MEAN,
            .count = count_shared(s)};
    REFUSE_IF(reduce_steps(&n->planner, s->variant, &job));
    REFUSE_IF(norm_expand(n, &mean, &mean_md, &view_md));
    sum->offset = mean.offset;
    return NULL;
}

/* Sums become means over the elements that share statistics. */
static const char *plan_mean(channels_t *s, operand_t *sum) {
    operand_t mean;
    if (s->groups) return plan_group_mean(s, sum);
    REFUSE_IF(new_sum(s, &mean));
    const reduce_job_t job = {
            .src = *sum, .dst = mean, .op = RED_SUM, .finish = RED_MEAN, .count = count_shared(s)};
    *sum = mean;
    return reduce_steps(&s->n->planner, s->variant, &job);
}

/* mean: that of g; slope: that of g * x_hat, divided by -root. */
static const char *plan_means(channels_t *s) {
    epilogue_t epilogue;
    REFUSE_IF(plan_mean(s, &s->mean));
    REFUSE_IF(plan_mean(s, &s->slope));
    epilogue_init(&epilogue);
    epilogue_add_eltwise(&epilogue, dnnl_eltwise_linear, 1, -1, 0);
    add_values(s, &epilogue, OP_DIV, &s->n->root, s->mask);
    return apply(s, &epilogue, &s->slope, &s->slope);
}

/* Epilogue of the source: what the statistics' gradients add to g. */
static void add_correction(const channels_t *s, epilogue_t *epilogue) {
    add_values(s, epilogue, OP_SUB, &s->n->mean, s->mask);
    add_values(s, epilogue, OP_MUL, &s->slope, s->mask);
    add_values(s, epilogue, OP_SUB, &s->mean, s->mask);
}

/* The last step alone writes diff_src, since it may be in the place of diff_dst. Where the elements
 * that share statistics have one scale, it multiplies the result. */
static const char *plan_diff_src(channels_t *s) {
    const bool corrected = !norm_flag(s->n->planner.pd, dnnl_use_global_stats);
    const bool inside = s->groups && norm_flag(s->n->planner.pd, dnnl_use_scale);
    const operand_t *from = corrected && !inside ? &s->n->src : &s->diff;
    epilogue_t correction, epilogue;
    epilogue_init(&correction);
    epilogue_init(&epilogue);
    if (corrected) add_correction(s, inside ? &correction : &epilogue);
    if (correction.len) REFUSE_IF(apply(s, &correction, &s->n->src, &s->work));
    if (from != &s->diff) add_tensor(&epilogue, OP_ADD, &s->diff);
    add_scale(s, &epilogue);
    if (correction.len) add_tensor(&epilogue, OP_ADD, &s->work);
    add_values(s, &epilogue, OP_DIV, &s->n->root, s->mask);
    return apply(s, &epilogue, from, &s->n->dst);
}

/* The gradient of the destination where relu let it pass, else 0: what the workspace has there.
 * It is also that of the tensor that was added. */
static const char *plan_mask(channels_t *s, const operand_t *passed) {
    norm_t *n = s->n;
    const operand_t from = s->diff;
    const epilogue_source_t source = operand_tensor(passed);
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    epilogue_add_source(&epilogue, OP_SELECT, &source)->cond = source;
    s->diff = norm_argument(n, DNNL_ARG_DIFF_SRC_1);
    if (!s->diff.md) REFUSE_IF(norm_like(n, &s->diff, &s->diff_md, from.md, from.md->data_type));
    return ew_plan(&n->planner, -1, &epilogue, 0, &from, &s->diff, &s->diff);
}

/* The sums that are asked for. */
static const char *plan_sums(channels_t *s) {
    norm_t *n = s->n;
    const bool corrected = !norm_flag(n->planner.pd, dnnl_use_global_stats);
    const bool scales = norm_flag(n->planner.pd, dnnl_use_scale),
               shifts = norm_flag(n->planner.pd, dnnl_use_shift);
    if (!corrected && !scales && !shifts) return NULL;
    REFUSE_IF(new_sum(s, &s->slope));
    REFUSE_IF(new_sum(s, &s->mean));
    if (s->is_fused) return norm_fused_sums(&s->fused, n, s->variant, &s->slope, &s->mean);
    if (corrected || scales) {
        REFUSE_IF(norm_like(n, &s->work, &s->work_md, n->src.md, n->dt));
        REFUSE_IF(plan_products(s));
        REFUSE_IF(plan_sum(s, &s->work, &s->slope));
    }
    return corrected || shifts ? plan_sum(s, &s->diff, &s->mean) : NULL;
}

static const char *plan_last(channels_t *s, bool corrected) {
    if (!s->is_fused) return plan_diff_src(s);
    norm_fused_apply(&s->fused, s->n, corrected ? &s->slope : NULL, corrected ? &s->mean : NULL);
    return NULL;
}

const char *norm_backward_channels(
        norm_t *n, int variant, dnnl_dim_t groups, const operand_t *passed) {
    const pd_t *pd = n->planner.pd;
    const bool corrected = !norm_flag(pd, dnnl_use_global_stats);
    const operand_t everywhere = {NULL, -1, 0};
    channels_t s = {.n = n, .variant = variant, .groups = groups, .mask = CHANNELS};
    if (groups) s.mask |= 1; /* of each image */
    s.work = n->dst;
    s.diff = operand_of(&n->planner, DNNL_ARG_DIFF_DST);
    const bool adds = norm_flag(pd, dnnl_fuse_norm_add_relu);
    s.is_fused = !adds && norm_fused_init(&s.fused, n, &s.diff, passed, groups);
    if (!s.is_fused) {
        if (passed->md) REFUSE_IF(plan_mask(&s, passed));
        s.is_fused = norm_fused_init(&s.fused, n, &s.diff, &everywhere, groups);
    }
    REFUSE_IF(plan_sums(&s));
    REFUSE_IF(norm_plan_gradient(n, variant, DNNL_ARG_DIFF_SCALE, &s.slope, CHANNELS));
    REFUSE_IF(norm_plan_gradient(n, variant, DNNL_ARG_DIFF_SHIFT, &s.mean, CHANNELS));
    if (corrected) REFUSE_IF(plan_means(&s));
    return plan_last(&s, corrected);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What layer, group and batch normalization share: checks, arguments, statistics, and the epilogue
 *     dst = attributes(scale * (src - mean) / sqrt(variance + epsilon) + shift) */
#ifndef OPS_NORM_NORM_H
#define OPS_NORM_NORM_H

#include "core/direction.h"
#include "steps/reduction_steps.h"

static inline bool norm_flag(const pd_t *pd, unsigned flag) {
    return (pd->params.flags & flag) != 0;
}
static inline bool norm_is_backward(const pd_t *pd) {
    return direction_of(pd->params.prop_kind) != DIRECTION_FORWARD;
}
/* Statistics come from the caller; go to the caller. */
static inline bool norm_given(const pd_t *pd) {
    return norm_flag(pd, dnnl_use_global_stats) || norm_is_backward(pd);
}
static inline bool norm_saves(const pd_t *pd) {
    return !norm_given(pd) && pd->params.prop_kind == dnnl_forward_training;
}

/* The source, and the flags against those that the kind knows. */
dnnl_status_t norm_check_source(const pd_t *pd, unsigned flags, int min_ndims, int max_ndims);
/* Source and destination, and the flags against those that the kind knows. Resolves the
 * destination. */
dnnl_status_t norm_check(pd_t *pd, unsigned flags, int min_ndims, int max_ndims);
/* Scales for integers, post-ops; adds the arguments of the attributes. */
dnnl_status_t norm_attributes(pd_t *pd, bool scales, unsigned post_ops);
/* Adds mean, variance, scale and, forward, shift as far as the flags ask for them; stat may have
 * been given already. */
dnnl_status_t norm_add_args(
        pd_t *pd, const md_t *stat, dnnl_dim_t channels, dnnl_data_type_t scale_dt);

/* What the planners of normalizations work on. */
typedef struct {
    planner_t planner;
    operand_t src, dst;             /* dst: backward, diff_src */
    dnnl_data_type_t dt;            /* of values on their way */
    operand_t mean, variance, root; /* where a plan has put them */
    md_t mean_md, variance_md, root_md;
} norm_t;

norm_t norm_start(pd_t *pd, const caps_t *caps);
/* An argument, or an operand without a descriptor where the primitive does not use it. */
operand_t norm_argument(const norm_t *n, int arg);
/* Binds an operand; NULL where it has no descriptor. */
void norm_bind(norm_t *n, const operand_t *operand);
/* Steps for mean and variance. view: the source with its reduced dimensions apart, which are
 * those not in the mask. */
const char *norm_statistics(norm_t *n, int variant, const operand_t *view, unsigned mask);
/* A step for root = sqrt(variance + epsilon). */
const char *norm_root(norm_t *n, const operand_t *view, unsigned mask);
/* Starts the epilogue: statistics run along the dimensions in stat_mask of the destination,
 * scale and shift along weights_mask. */
void norm_epilogue(
        const norm_t *n, epilogue_t *epilogue, unsigned stat_mask, unsigned weights_mask);
/* Scales and post-ops. */
void norm_add_attributes(const pd_t *pd, epilogue_t *epilogue);
/* The last step. */
const char *norm_apply(norm_t *n, const epilogue_t *epilogue);
/* The last step in one kernel, from the statistics: dst = relu(scale * (src - mean) / root +
 * shift). All tensors but src and dst lie alike. Answers false, and adds nothing, where the
 * kernel cannot run. */
bool norm_apply_fused(norm_t *n, bool relu);
/* Of a plain tensor: its channels as groups x channels in a group. NULL, or why there is no such
 * view; row-major tensors have one. */
const char *norm_group_view(md_t *view, const md_t *md, dnnl_dim_t groups);
/* Repeats a group's value for each of its channels. view: as norm_group_view() makes it. */
const char *norm_expand(norm_t *n, operand_t *t, md_t *md, const md_t *view);
/* A step for the workspace of batch normalization, if the primitive has one. x: the result of the
 * fused relu. */
const char *norm_fill_workspace(norm_t *n, const operand_t *x);
/* True if the workspace depends on values that the destination does not have: post-ops follow. */
bool norm_has_late_post_ops(const pd_t *pd);
/* The family of group and batch normalization. */
#define NORM_FAMILY "normalization"
/* The rest of init(): the best variant of a family of its own, else of the reductions. */
dnnl_status_t norm_plan(pd_t *pd, const caps_t *caps, const char *family, plan_fn reductions);

/* ---- backward propagation ---- */

/* Source, its gradient and that of the destination, and the flags. Resolves the gradients. */
dnnl_status_t norm_check_backward(pd_t *pd, unsigned flags, int min_ndims, int max_ndims);
/* Adds the gradients of scale and shift. */
dnnl_status_t norm_add_gradients(pd_t *pd, dnnl_dim_t channels, dnnl_data_type_t dt);
/* The rest of init() on the best variant of the reductions. */
dnnl_status_t norm_plan_backward(pd_t *pd, const caps_t *caps, plan_fn plan);
/* The same, if no variant of a family of its own supports the problem. */
dnnl_status_t norm_plan_backward_family(
        pd_t *pd, const caps_t *caps, const char *family, plan_fn reductions);

/* A tensor in the scratchpad of another one's dimensions and, unless that is padded, order. */
const char *norm_like(norm_t *n, operand_t *t, md_t *md, const md_t *like, dnnl_data_type_t dt);
/* The gradient of scale or shift, if it is asked for: the sum of terms over the dimensions of the
 * source that are not in the mask. */
const char *norm_plan_gradient(
        norm_t *n, int variant, int arg, const operand_t *terms, unsigned mask);

typedef struct {
    unsigned stat_mask;    /* dimensions that statistics run along */
    unsigned weights_mask; /* the others, that scale and shift run along */
} norm_backward_t;

/* All steps from the statistics and their root on. diff: the gradient of the destination. */
const char *norm_backward(
        norm_t *n, int variant, const norm_backward_t *shape, const operand_t *diff);
/* The same of batch normalization (groups 0) and group normalization. Mean and root have a value
 * for each channel, with groups for each channel of each image. passed: not zero where a fused relu
 * let an element pass; without descriptor: there is no relu. */
const char *norm_backward_channels(
        norm_t *n, int variant, dnnl_dim_t groups, const operand_t *passed);

/* "flags:GCH" of a verbose line; the problem as "mb2ic16ih3iw3". */
int norm_format_aux(const pd_t *pd, char *buf, size_t size);
int norm_format_problem(const pd_t *pd, char *buf, size_t size);

#endif

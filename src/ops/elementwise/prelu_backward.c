/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of PReLU: diff_src = diff_dst where src > 0, diff_dst * weights elsewhere;
 * diff_weights = the sum of diff_dst * src where src <= 0, over the dimensions in which the weights
 * broadcast. */
#include <math.h>
#include <string.h>

#include "core/check.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/prelu.h"
#include "plan/attr_rules.h"
#include "plan/check.h"
#include "plan/op.h"
#include "plan/variant.h"
#include "steps/reduction_steps.h"

static int slot_of(const planner_t *p, int arg) {
    return pd_find_arg(p->pd, arg);
}

static const char *plan_diff_src(planner_t *p, int variant) {
    const operand_t src = operand_of(p, DNNL_ARG_SRC), to = operand_of(p, DNNL_ARG_DIFF_SRC);
    epilogue_t epilogue;
    int first = 0;
    epilogue_init(&epilogue);
    epilogue.derivatives = true;
    epilogue_add_tensor(&epilogue, p->pd, OP_PRELU, slot_of(p, DNNL_ARG_WEIGHTS));
    epilogue_add_tensor(&epilogue, p->pd, OP_MUL, slot_of(p, DNNL_ARG_DIFF_DST));
    return ew_step(p, variant, &epilogue, &first, &src, &to);
}

/* What each element adds to the gradient of its weight. */
static const char *plan_products(planner_t *p, const operand_t *to) {
    const operand_t src = operand_of(p, DNNL_ARG_SRC);
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    epilogue_add_eltwise(&epilogue, dnnl_eltwise_clip, 1, -INFINITY, 0);
    epilogue_add_tensor(&epilogue, p->pd, OP_MUL, slot_of(p, DNNL_ARG_DIFF_DST));
    return ew_plan(p, -1, &epilogue, 0, &src, to, to);
}

static const char *plan_sums(planner_t *p, const operand_t *to, dnnl_data_type_t dt) {
    operand_t products, sums;
    md_t products_md, sums_md;
    REFUSE_IF(operand_like(p, &products, &products_md, pd_md(p->pd, DNNL_ARG_SRC), ~0u, dt));
    REFUSE_IF(operand_like(p, &sums, &sums_md, to->md, ~0u, dt));
    REFUSE_IF(plan_products(p, &products));
    const reduce_job_t job = {.src = products, .dst = sums, .op = RED_SUM};
    REFUSE_IF(reduce_steps(p, -1, &job));
    return ew_copy(p, -1, &sums, to);
}

static const char *plan(planner_t *p, int variant) {
    const operand_t to = operand_of(p, DNNL_ARG_DIFF_WEIGHTS);
    const bool doubles = pd_has_type(p->pd, dnnl_f64);
    const bool broadcast = !md_same_dims(to.md, pd_md(p->pd, DNNL_ARG_SRC));
    REFUSE_IF(broadcast ? plan_sums(p, &to, doubles ? dnnl_f64 : dnnl_f32) : plan_products(p, &to));
    return plan_diff_src(p, variant); /* last: it may be in the place of diff_dst */
}

static md_t *md_of(pd_t *pd, int arg) {
    return &pd->args[pd_find_arg(pd, arg)].md;
}

static dnnl_status_t check_dims(const pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    TRY(prelu_check_weights(src, pd_md(pd, DNNL_ARG_WEIGHTS)));
    CHECK_ARG(md_same_dims(src, pd_md(pd, DNNL_ARG_DIFF_SRC)) &&
                      md_same_dims(src, pd_md(pd, DNNL_ARG_DIFF_DST)),
            "prelu", "the source and its gradients differ in their dimensions");
    CHECK_ARG(md_same_dims(pd_md(pd, DNNL_ARG_WEIGHTS), pd_md(pd, DNNL_ARG_DIFF_WEIGHTS)), "prelu",
            "the weights and their gradient differ in their dimensions");
    return dnnl_success;
}

static dnnl_status_t check_types(const pd_t *pd) {
    const dnnl_data_type_t dt = pd_md(pd, DNNL_ARG_SRC)->data_type,
                           weights = pd_md(pd, DNNL_ARG_WEIGHTS)->data_type;
    TRY(check_gradient_types(
            "prelu", dt, pd_md(pd, DNNL_ARG_DIFF_SRC), pd_md(pd, DNNL_ARG_DIFF_DST)));
    if (weights != dt && (weights != dnnl_f32 || dt == dnnl_f64))
        return verbose_refuse(dnnl_unimplemented, "prelu",
                "the weights have neither the source's data type nor f32");
    if (pd_md(pd, DNNL_ARG_DIFF_WEIGHTS)->data_type != weights)
        return verbose_refuse(dnnl_unimplemented, "prelu",
                "the weights and their gradient differ in their data type");
    return dnnl_success;
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    md_t *src = md_of(pd, DNNL_ARG_SRC), *weights = md_of(pd, DNNL_ARG_WEIGHTS),
         *diff_dst = md_of(pd, DNNL_ARG_DIFF_DST);
    TRY(check_dims(pd));
    TRY(ew_check_tensor(pd, src, "the source"));
    TRY(ew_resolve(pd, weights, src, "the tensor of weights"));
    TRY(ew_resolve(pd, diff_dst, src, "the gradient of the destination"));
    TRY(ew_resolve(pd, md_of(pd, DNNL_ARG_DIFF_SRC), diff_dst, "the gradient of the source"));
    TRY(ew_resolve(pd, md_of(pd, DNNL_ARG_DIFF_WEIGHTS), weights, "the gradient of the weights"));
    TRY(check_types(pd));
    TRY(attr_check(pd, 0, 0, NULL));
    TRY(attr_add_args(pd));
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_SRC))) return ew_zero_outputs(pd, caps);
    planner_t planner = planner_of(pd, caps);
    TRY(plan_best(&planner, pd, "eltwise_bwd", plan));
    name_variant(pd);
    return planner_finish(&planner, pd);
}

const op_kind_t op_prelu_backward = {.kind = dnnl_prelu,
        .directions = DIRECTION_BACKWARD,
        .name = "prelu",
        .init = init,
        .format_problem = prelu_format_problem};

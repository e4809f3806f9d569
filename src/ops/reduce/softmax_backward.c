/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of softmax, from the destination:
 *     diff_src = dst * (diff_dst - sum of dst * diff_dst),
 * and of its logarithm:
 *     diff_src = diff_dst - exp(dst) * sum of diff_dst.
 * One kernel along contiguous rows computes both; else they are a reduction along the axis and
 * elementwise steps. */
#include "core/check.h"
#include "ops/reduce/softmax.h"
#include "plan/attr_rules.h"
#include "plan/check.h"
#include "plan/op.h"
#include "core/util.h"
#include "plan/variant.h"
#include "plan/variant_planners.h"
#include "steps/reduction_rows.h"
#include "steps/reduction_steps.h"

static bool is_log(const pd_t *pd) {
    return pd->params.alg_kind == dnnl_softmax_log;
}

/* The sums along the axis, of dst * diff_dst or of diff_dst. */
static const char *plan_sums(planner_t *p, int variant, const operand_t *sums) {
    const operand_t dst = operand_of(p, DNNL_ARG_DST);
    reduce_job_t job = {.src = operand_of(p, DNNL_ARG_DIFF_DST), .dst = *sums, .op = RED_SUM};
    md_t products;
    if (!is_log(p->pd)) {
        epilogue_t epilogue;
        REFUSE_IF(operand_like(p, &job.src, &products, dst.md, ~0u, sums->md->data_type));
        epilogue_init(&epilogue);
        epilogue_add_tensor(&epilogue, p->pd, OP_MUL, pd_find_arg(p->pd, DNNL_ARG_DIFF_DST));
        REFUSE_IF(ew_plan(p, -1, &epilogue, 0, &dst, &job.src, &job.src));
    }
    return reduce_steps(p, variant, &job);
}

/* diff_src from diff_dst, dst and the sums. The last step alone writes it, since it may be in the
 * place of diff_dst. */
static const char *plan_diff_src(planner_t *p, const operand_t *sums, unsigned mask) {
    const operand_t to = operand_of(p, DNNL_ARG_DIFF_SRC);
    const int dst = pd_find_arg(p->pd, DNNL_ARG_DST),
              diff_dst = pd_find_arg(p->pd, DNNL_ARG_DIFF_DST);
    const epilogue_source_t source = operand_source(sums, mask, dst);
    operand_t from = operand_of(p, DNNL_ARG_DIFF_DST), between = to;
    md_t between_md;
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    if (is_log(p->pd)) {
        from = operand_of(p, DNNL_ARG_DST);
        epilogue_add_eltwise(&epilogue, dnnl_eltwise_exp, 1, 0, 0);
        epilogue_add_source(&epilogue, OP_MUL, &source);
        epilogue_add_eltwise(&epilogue, dnnl_eltwise_linear, 1, -1, 0);
        epilogue_add_tensor(&epilogue, p->pd, OP_ADD, diff_dst);
    } else {
        epilogue_add_source(&epilogue, OP_SUB, &source);
        epilogue_add_tensor(&epilogue, p->pd, OP_MUL, dst);
    }
    if (ew_steps(&epilogue, 0) > 1)
        REFUSE_IF(operand_like(p, &between, &between_md, to.md, ~0u, sums->md->data_type));
    return ew_plan(p, -1, &epilogue, 0, &from, &to, &between);
}

/* All dimensions but the one along which softmax is taken. */
static unsigned kept_mask(const pd_t *pd) {
    return ~(1u << pd->params.axis);
}

const char *softmax_plan_backward_rows(planner_t *p, int variant) {
    const pd_t *pd = p->pd;
    const operand_t dst = operand_of(p, DNNL_ARG_DST), diff_dst = operand_of(p, DNNL_ARG_DIFF_DST),
                    diff_src = operand_of(p, DNNL_ARG_DIFF_SRC);
    planner_t unused = *p; /* only the descriptor is of interest */
    md_t stat;
    operand_t operand;
    epilogue_t epilogue;
    rows_t rows;
    if (!md_same_layout(dst.md, diff_dst.md) || !md_same_layout(dst.md, diff_src.md))
        return "the tensors differ in their layouts";
    epilogue_init(&epilogue);
    REFUSE_IF(operand_like(&unused, &operand, &stat, dst.md, kept_mask(pd), dnnl_f32));
    REFUSE_IF(rows_init(&rows, p, variant, &epilogue, &stat));
    rows.tensors = 2;
    rows_step(p, variant, &rows);
    plan_spec(p->plan, SPEC_FIRST_FREE, is_log(pd));
    bind_operand(p->plan, &diff_dst);
    bind_operand(p->plan, &diff_src);
    bind_operand(p->plan, &dst);
    plan_const(p->plan, &rows.p, sizeof(rows.p));
    return NULL;
}

static const char *plan_reductions(planner_t *p, int variant) {
    const unsigned mask = kept_mask(p->pd);
    const bool f64 = pd_has_type(p->pd, dnnl_f64);
    operand_t sums;
    md_t sums_md;
    REFUSE_IF(reduce_variant_can(variant, f64));
    REFUSE_IF(operand_like(
            p, &sums, &sums_md, pd_md(p->pd, DNNL_ARG_DST), mask, f64 ? dnnl_f64 : dnnl_f32));
    REFUSE_IF(plan_sums(p, variant, &sums));
    return plan_diff_src(p, &sums, mask);
}

static dnnl_status_t check(const pd_t *pd) {
    const md_t *dst = pd_md(pd, DNNL_ARG_DST);
    TRY(softmax_check_algorithm(pd));
    CHECK_ARG(!md_is_any(dst), "softmax", "the destination has no layout");
    CHECK_ARG(md_same_dims(dst, pd_md(pd, DNNL_ARG_DIFF_SRC)) &&
                      md_same_dims(dst, pd_md(pd, DNNL_ARG_DIFF_DST)),
            "softmax", "the destination and the gradients differ in their dimensions");
    return dnnl_success;
}

/* The destination and its gradient have one type, and the gradient of the source has one of its
 * own. */
static dnnl_status_t check_types(const md_t *dst, const md_t *diff_src, const md_t *diff_dst) {
    if (diff_dst->data_type != dst->data_type)
        return verbose_refuse(dnnl_unimplemented, "softmax",
                "the destination and its gradient differ in their data types");
    TRY(check_gradient_type("softmax", diff_dst->data_type));
    return check_gradient_type("softmax", diff_src->data_type);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    static const plan_family_t families[] = {
            {"softmax_backward", NULL}, {REDUCTION_FAMILY, plan_reductions}};
    const md_t *dst = pd_md(pd, DNNL_ARG_DST);
    md_t *diff_dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_DST)].md,
         *diff_src = &pd->args[pd_find_arg(pd, DNNL_ARG_DIFF_SRC)].md;
    TRY(check(pd));
    TRY(ew_check_tensor(pd, dst, "the destination"));
    TRY(ew_resolve(pd, diff_dst, dst, "the gradient of the destination"));
    TRY(ew_resolve(pd, diff_src, diff_dst, "the gradient of the source"));
    TRY(check_types(dst, diff_src, diff_dst));
    TRY(attr_check(pd, 0, 0, NULL));
    TRY(attr_add_args(pd)); /* the descriptors may have moved */
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) return nothing_to_do(pd);
    planner_t planner = planner_of(pd, caps);
    TRY(plan_best_family(&planner, pd, families, ARRAY_LEN(families)));
    name_variant(pd);
    return planner_finish(&planner, pd);
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    return md_format_dims(pd_md(pd, DNNL_ARG_DST), buf, size);
}

const op_kind_t op_softmax_backward = {.kind = dnnl_softmax,
        .directions = DIRECTION_BACKWARD_DATA,
        .name = "softmax",
        .init = init,
        .format_problem = format_problem,
        .format_aux = softmax_format_aux};

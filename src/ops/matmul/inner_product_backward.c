/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of inner product. By data it is a matmul of the destination's gradient and
 * the weights; by weights one of the transposed gradient and the source, and a sum over the batch
 * for the bias. */
#include <string.h>

#include "core/direction.h"
#include "core/status.h"
#include "core/verbose.h"
#include "ops/matmul/flat.h"
#include "ops/matmul/inner_product.h"
#include "ops/matmul/matmul.h"
#include "plan/op.h"
#include "plan/type_rules.h"
#include "plan/variant.h"
#include "steps/reduction_steps.h"

#define REFUSE(...) verbose_refuse(dnnl_unimplemented, "inner_product", __VA_ARGS__)

static bool is_by_data(const pd_t *pd) {
    return pd->params.prop_kind == dnnl_backward_data;
}

/* ---- checks ---- */

/* The product of the gradient of the destination and `factor` is `result`; only f32 is wider than
 * the factors may be. */
static dnnl_status_t check_types(const pd_t *pd, int factor) {
    const md_t *diff_dst = pd_md(pd, DNNL_ARG_DIFF_DST), *result = pd_md(pd, pd_result(pd));
    const md_t *diff_bias = pd_md(pd, DNNL_ARG_DIFF_BIAS);
    const dnnl_data_type_t dt = diff_dst->data_type;
    const unsigned results = dt == dnnl_f64 ? DT_SET(dnnl_f64) : DT_SET(dt) | DT_SET(dnnl_f32);
    if (!dt_in(diff_dst, FLOATS | DT_SET(dnnl_f64)) || pd_md(pd, factor)->data_type != dt)
        return REFUSE("the inputs are not of one type of f32, f16, bf16 and f64");
    if (!dt_in(result, results) || (!md_is_zero(diff_bias) && !dt_in(diff_bias, results)))
        return REFUSE("a gradient that is computed has neither the inputs' type nor f32");
    return dnnl_success;
}

static dnnl_status_t check(const pd_t *pd) {
    const bool by_data = is_by_data(pd);
    const md_t *diff_bias = pd_md(pd, DNNL_ARG_DIFF_BIAS);
    TRY(inner_product_check_shapes(pd_md(pd, by_data ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC),
            pd_md(pd, by_data ? DNNL_ARG_WEIGHTS : DNNL_ARG_DIFF_WEIGHTS), diff_bias,
            pd_md(pd, DNNL_ARG_DIFF_DST)));
    TRY(inner_product_check_formats(pd));
    TRY(check_types(pd, by_data ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC));
    return attr_check(pd, 0, 0, NULL);
}

/* ---- layouts ---- */

static md_t *md_of(pd_t *pd, int arg) {
    return &pd->args[pd_find_arg(pd, arg)].md;
}

/* Layouts without blocks: training reorders weights after each step, so that blocks would cost a
 * reorder for each product. Source and weights follow one another, for they are then read as
 * matrices where they are. */
static dnnl_status_t resolve_any(pd_t *pd) {
    md_t *src = md_of(pd, is_by_data(pd) ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC);
    md_t *wei = md_of(pd, is_by_data(pd) ? DNNL_ARG_WEIGHTS : DNNL_ARG_DIFF_WEIGHTS);
    if (md_is_any(src)) TRY(md_is_plain(wei) ? md_set_like(src, wei) : md_set_plain(src));
    if (md_is_any(wei)) TRY(md_is_plain(src) ? md_set_like(wei, src) : md_set_plain(wei));
    for (int i = 0; i < pd->nargs; i++)
        if (md_is_any(&pd->args[i].md)) TRY(md_set_plain(&pd->args[i].md));
    return dnnl_success;
}

/* ---- plan ---- */

typedef struct {
    matmul_t mm;     /* first: it has the planner */
    md_t transposed; /* by weights: the gradient of the destination */
    flat_t wei, dst; /* the matmul's second factor and result as matrices */
} backward_t;

/* Factor and result have the same columns: their order is the result's, unless that is copied from
 * the scratchpad anyway. */
static const char *flatten(backward_t *b) {
    matmul_t *mm = &b->mm;
    int order[DNNL_MAX_NDIMS];
    flat_order(mm->dst.md, order);
    if (!flat_is_possible(mm->dst.md, order)) flat_order(mm->wei.md, order);
    REFUSE_IF(flat_input(
            &mm->planner, &mm->wei, order, &b->wei, "an input cannot be read as a matrix"));
    return flat_output(
            &mm->planner, &mm->dst, order, &b->dst, "the gradient cannot be written as a matrix");
}

/* The sum of the gradient of the destination over the batch. */
static const char *plan_bias(planner_t *p) {
    const int slot = pd_find_arg(p->pd, DNNL_ARG_DIFF_BIAS);
    if (slot < 0) return NULL;
    const md_t *bias = planner_md(p, slot);
    md_t row;
    REFUSE_IF(why_not_of(
            md_init_strides(&row, 2, (dnnl_dims_t){1, bias->dims[0]}, bias->data_type, NULL),
            "the bias is too large"));
    row.offset0 = bias->offset0;
    const reduce_job_t sum = {.src = operand_of(p, DNNL_ARG_DIFF_DST),
            .dst = {&row, slot, 0},
            .op = RED_SUM,
            .finish = RED_KEEP};
    return reduce_steps(p, -1, &sum);
}

static const char *plan(planner_t *p, int variant) {
    backward_t *b = (backward_t *)p;
    matmul_t *mm = &b->mm;
    mm->src = operand_of(p, DNNL_ARG_DIFF_DST);
    mm->wei = operand_of(p, is_by_data(p->pd) ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC);
    mm->dst = operand_of(p, pd_result(p->pd));
    const operand_t result = mm->dst;
    if (result.md->ndims > 2) REFUSE_IF(flatten(b));
    if (!is_by_data(p->pd)) {
        b->transposed = *mm->src.md;
        flat_transpose(&b->transposed);
        mm->src.md = &b->transposed;
    }
    mm->m = mm->dst.md->dims[0];
    mm->n = mm->dst.md->dims[1];
    mm->k = mm->wei.md->dims[0];
    REFUSE_IF(matmul_plan(mm, variant));
    if (mm->dst.slot < 0) REFUSE_IF(flat_finish(p, &b->dst, &mm->dst, &result));
    return plan_bias(p);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    TRY(check(pd));
    TRY(resolve_any(pd));
    TRY(attr_add_args(pd));
    for (int i = 0; i < pd->nargs; i++)
        if (md_has_zero_dim(&pd->args[i].md)) return ew_zero_outputs(pd, caps);
    backward_t b;
    memset(&b, 0, sizeof(b));
    b.mm.planner = planner_of(pd, caps);
    b.mm.ndims = 2;
    epilogue_init(&b.mm.epilogue);
    return matmul_choose(&b.mm, pd, plan);
}

const op_kind_t op_inner_product_backward = {
        .kind = dnnl_inner_product,
        .directions = DIRECTION_BACKWARD_DATA | DIRECTION_BACKWARD_WEIGHTS,
        .name = "inner_product",
        .init = init,
        .format_problem = inner_product_format_problem,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax and its logarithm: one kernel along contiguous rows or beside them, else reductions and an
 * elementwise step. */
#include "core/strings.h"
#include "core/strings_enum.h"
#include "core/util.h"
#include "core/verbose.h"
#include "plan/check.h"
#include "plan/variant_id.h"
#include "plan/op.h"
#include "steps/reduction_rows.h"
#include "steps/reduction_steps.h"
#include "plan/variant.h"

#include <string.h>

#define FAMILY "softmax"

static bool is_log(const pd_t *pd) {
    return pd->params.alg_kind == dnnl_softmax_log;
}

static void add_attributes(const pd_t *pd, epilogue_t *chain) {
    epilogue_add_scale(chain, pd, OP_MUL, DNNL_ARG_SRC);
    epilogue_add_post_ops(chain, pd);
    epilogue_add_scale(chain, pd, OP_DIV, DNNL_ARG_DST);
}

static unsigned kept_mask(const pd_t *pd) {
    return ~(1u << pd->params.axis);
}

static const char *init_rows(rows_t *rows, const pd_t *pd, const caps_t *caps, int row) {
    md_t stat;
    uint64_t unused = 0;
    operand_t t;
    epilogue_t chain;
    epilogue_init(&chain);
    add_attributes(pd, &chain);
    if (scratch_tensor(&t, &stat, pd_md(pd, DNNL_ARG_DST), kept_mask(pd), dnnl_f32, &unused) !=
            dnnl_success)
        return "the tensor is too large";
    return row == KERNEL_softmax_columns_sg16 ? columns_init(rows, pd, &chain, &stat)
                                              : rows_init(rows, pd, caps, &chain, &stat);
}

static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    rows_t rows;
    const char *why_not = init_rows(&rows, pd, caps, row);
    return why_not ? why_not : rows_fit(&rows, pd, row);
}

static const char *plan_rows(pd_t *pd, const caps_t *caps, uint64_t *scratch) {
    rows_t rows;
    const char *why_not = init_rows(&rows, pd, caps, pd->variant);
    if (why_not) return why_not;
    const int src = pd_find_arg(pd, DNNL_ARG_SRC), dst = pd_find_arg(pd, DNNL_ARG_DST);
    const size_t temp = (size_t)((rows.len + 15) & ~15) * sizeof(float) * rows.items;
    rows_step(&rows, pd, caps, pd->variant, &pd->plan);
    plan_spec(&pd->plan, SPEC_FIRST_FREE, is_log(pd));
    bind_operand(&pd->plan, &(operand_t){&pd->args[src].md, src, 0});
    bind_operand(&pd->plan, &(operand_t){&pd->args[dst].md, dst, 0});
    if (variants[pd->variant].target == TARGET_CPU)
        plan_scratch(&pd->plan, scratch_take(scratch, temp));
    plan_const(&pd->plan, &rows.p, sizeof(rows.p));
    epilogue_args(&rows.seg, pd, NULL, &pd->plan);
    return NULL;
}

/* The maximum, the sum of exponentials, and what is left. */
static const char *plan_reductions(pd_t *pd, const caps_t *caps, uint64_t *scratch) {
    const int src_slot = pd_find_arg(pd, DNNL_ARG_SRC), dst_slot = pd_find_arg(pd, DNNL_ARG_DST);
    const operand_t src = {&pd->args[src_slot].md, src_slot, 0},
                    dst = {&pd->args[dst_slot].md, dst_slot, 0};
    const unsigned mask = kept_mask(pd);
    const dnnl_data_type_t dt = has_doubles(pd) ? dnnl_f64 : dnnl_f32;
    operand_t top, sum, between;
    md_t top_md, sum_md, between_md;
    if (scratch_tensor(&top, &top_md, dst.md, mask, dt, scratch) != dnnl_success ||
            scratch_tensor(&sum, &sum_md, dst.md, mask, dt, scratch) != dnnl_success)
        return "the tensor is too large";
    const reduce_job_t find_top = {.src = src, .dst = top, .op = RED_MAX};
    const reduce_job_t add_up = {.src = src,
            .dst = sum,
            .center = &top,
            .op = RED_SUM_EXP,
            .finish = is_log(pd) ? RED_LOG : RED_KEEP};
    const char *why_not = reduce_steps(&pd->plan, pd, caps, pd->variant, &find_top, scratch);
    if (!why_not) why_not = reduce_steps(&pd->plan, pd, caps, pd->variant, &add_up, scratch);
    if (why_not) return why_not;

    const epilogue_source_t top_source = scratch_source(&top, mask, dst_slot),
                            sum_source = scratch_source(&sum, mask, dst_slot);
    epilogue_t chain;
    epilogue_init(&chain);
    epilogue_add_source(&chain, OP_SUB, &top_source);
    if (!is_log(pd)) epilogue_add_eltwise(&chain, dnnl_eltwise_exp, 1, 0, 0);
    epilogue_add_source(&chain, is_log(pd) ? OP_SUB : OP_DIV, &sum_source);
    add_attributes(pd, &chain);
    between = dst;
    if (ew_steps(&chain, 0) > 1 &&
            scratch_tensor(&between, &between_md, dst.md, ~0u, dt, scratch) != dnnl_success)
        return "the tensor is too large";
    return ew_plan(&(planner_t){.pd = pd, .caps = caps, .plan = &pd->plan}, -1, &chain, 0, &src,
            &dst, &between);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    static const attr_quant_rule_t rules[] = {
            {ATTR_SCALES, DNNL_ARG_SRC, 0}, {ATTR_SCALES, DNNL_ARG_DST, 0}, {0, 0, 0}};
    const dnnl_alg_kind_t alg = pd->params.alg_kind;
    if (alg != dnnl_softmax_accurate && alg != dnnl_softmax_log)
        return verbose_check(
                dnnl_invalid_arguments, "softmax", "the algorithm is not one of this primitive");
    md_t *src = &pd->args[pd_find_arg(pd, DNNL_ARG_SRC)].md,
         *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    if (md_is_any(src))
        return verbose_check(dnnl_invalid_arguments, "softmax", "the source has no layout");
    if (!md_same_dims(src, dst))
        return verbose_check(dnnl_invalid_arguments, "softmax",
                "source and destination differ in their dimensions");
    dnnl_status_t status = ew_check_tensor(pd, src, "the source");
    if (status == dnnl_success) status = ew_resolve(pd, dst, src, "the destination");
    if (status == dnnl_success)
        status = attr_check(pd, ATTR_SCALES | ATTR_POST_OPS | ATTR_DROPOUT,
                TAKES_ELTWISE | TAKES_BINARY | TAKES_PRELU, rules);
    if (status == dnnl_success) status = attr_add_args(pd);
    if (status != dnnl_success) return status;
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST)))
        return nothing_to_do(pd); /* the arguments have moved */
    status = select_row_or_reduction(pd, caps, FAMILY, fits);
    if (status != dnnl_success) return status;
    name_variant(pd);
    plan_reset(&pd->plan);
    uint64_t scratch = 0;
    const bool rows = !strcmp(variants[pd->variant].family, FAMILY);
    const char *why_not =
            rows ? plan_rows(pd, caps, &scratch) : plan_reductions(pd, caps, &scratch);
    if (why_not) return verbose_refuse(dnnl_unimplemented, "softmax", "%s", why_not);
    return attr_add_scratchpad(pd, scratch);
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    return md_format_dims(pd_md(pd, DNNL_ARG_SRC), buf, size);
}

static int format_aux(const pd_t *pd, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    text_add(&text, "alg:%s axis:%d", enum_name(NAMES_ALG_KIND, (int)pd->params.alg_kind),
            pd->params.axis);
    return text.len;
}

const op_kind_t op_softmax = {.kind = dnnl_softmax,
        .name = "softmax",
        .init = init,
        .by_shape = true,
        .format_problem = format_problem,
        .format_aux = format_aux};

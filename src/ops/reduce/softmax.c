/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax and its logarithm: one kernel along contiguous rows or beside them, else reductions
 * and an elementwise step. */
#include "core/status.h"
#include "core/strings.h"
#include "core/strings_enum.h"
#include "core/util.h"
#include "core/verbose.h"
#include "kernels/reduce/reduce_params.h"
#include "ops/reduce/softmax.h"
#include "plan/check.h"
#include "plan/variant_id.h"
#include "plan/variant_planners.h"
#include "plan/op.h"
#include "steps/reduction_rows.h"
#include "steps/reduction_steps.h"
#include "plan/variant.h"

#define FAMILY "softmax"

static bool is_log(const pd_t *pd) {
    return pd->params.alg_kind == dnnl_softmax_log;
}

static void add_attributes(const pd_t *pd, epilogue_t *epilogue) {
    epilogue_add_scale(epilogue, pd, OP_MUL, DNNL_ARG_SRC);
    epilogue_add_post_ops(epilogue, pd);
    epilogue_add_scale(epilogue, pd, OP_DIV, DNNL_ARG_DST);
}

/* All dimensions but the one along which softmax is taken. */
static unsigned kept_mask(const pd_t *pd) {
    return ~(1u << pd->params.axis);
}

static const char *init_rows(rows_t *rows, const planner_t *p, int variant) {
    planner_t unused = *p; /* only the descriptor is of interest */
    md_t stat;
    operand_t operand;
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    add_attributes(p->pd, &epilogue);
    REFUSE_IF(operand_like(
            &unused, &operand, &stat, pd_md(p->pd, DNNL_ARG_DST), kept_mask(p->pd), dnnl_f32));
    return variants[variant].geometry.columns ? columns_init(rows, p, &epilogue, &stat)
                                              : rows_init(rows, p, variant, &epilogue, &stat);
}

/* Rows, or columns next to each other, at once. */
const char *softmax_plan_rows(planner_t *p, int variant) {
    enum { VECTOR = 16 };
    rows_t rows;
    REFUSE_IF(init_rows(&rows, p, variant));
    const operand_t src = operand_of(p, DNNL_ARG_SRC), dst = operand_of(p, DNNL_ARG_DST);
    rows_step(p, variant, &rows);
    const bool whole = rows_are_whole(p, variant, &rows, &src, &dst);
    whole_tiles_spec(p->plan, whole);
    plan_spec(p->plan, SPEC_FIRST_FREE, is_log(p->pd));
    bind_whole_tiles(p->plan, &src, whole);
    bind_whole_tiles(p->plan, &dst, whole);
    if (variants[variant].target == TARGET_CPU) { /* a row of floats for each work-item */
        md_t md;
        operand_t temp;
        const int64_t floats = div_up(rows.len, VECTOR) * VECTOR * rows.items;
        REFUSE_IF(operand_array(p, &temp, &md, floats, dnnl_f32));
        bind_operand(p->plan, &temp);
    }
    plan_const(p->plan, &rows.p, sizeof(rows.p));
    epilogue_args(&rows.seg, p->pd, NULL, p->plan);
    return NULL;
}

/* As many columns as leave each work-item no more elements than it keeps; 0: not even few do. */
static int64_t tall_columns(const rows_t *rows, int variant) {
    const int64_t kept = variants[variant].geometry.mr;
    for (int64_t columns = TALL_MOST; columns >= TALL_FEWEST; columns /= 2)
        if (rows->len <= TALL_ITEMS / columns * kept) return columns;
    return 0;
}

/* Long columns in the registers of a work-group. */
const char *softmax_plan_tall(planner_t *p, int variant) {
    enum { SECTOR = 32 }; /* bytes that memory reads at least */
    rows_t rows;
    const bool forced = variant_is_forced(p->pd, variant);
    REFUSE_IF(init_rows(&rows, p, variant));
    if (rows.seg.count) return "it has no epilogue";
    if (p->caps->max_group_size < TALL_ITEMS) return "the device has small work-groups";
    if (!forced && columns_stay(&rows, p)) return "columns stay in the registers of sub-groups";
    const operand_t src = operand_of(p, DNNL_ARG_SRC), dst = operand_of(p, DNNL_ARG_DST);
    const int64_t columns = tall_columns(&rows, variant),
                  bytes = columns * (int64_t)dt_size(src.md->data_type);
    if (!columns) return "columns are too long for registers";
    if (!forced && bytes < SECTOR) return "so few columns are less than memory reads at once";
    const int64_t groups = rows.p.nrows * div_up(rows.width, columns);
    if (groups > INT32_MAX / TALL_ITEMS) return "there are too many columns";
    plan_step(p->plan, variant, (uint32_t[3]){TALL_ITEMS, 1, 1},
            (uint32_t[3]){(uint32_t)groups, 1, 1});
    plan_spec(p->plan, SPEC_SRC_DT, src.md->data_type);
    plan_spec(p->plan, SPEC_DST_DT, dst.md->data_type);
    plan_spec(p->plan, SPEC_FIRST_FREE, is_log(p->pd));
    plan_spec(p->plan, SPEC_TALL_COLUMNS, (uint32_t)columns);
    bind_operand(p->plan, &src);
    bind_operand(p->plan, &dst);
    plan_const(p->plan, &rows.p, sizeof(rows.p));
    return NULL;
}

/* Maximum and sum of exponentials first, or its logarithm. */
static const char *find_statistics(planner_t *p, int variant, const operand_t *src,
        const operand_t *top, const operand_t *sum) {
    const reduce_job_t find_top = {.src = *src, .dst = *top, .op = RED_MAX};
    const reduce_job_t add_up = {.src = *src,
            .dst = *sum,
            .center = top,
            .op = RED_SUM_EXP,
            .finish = is_log(p->pd) ? RED_LOG : RED_KEEP};
    REFUSE_IF(reduce_steps(p, variant, &find_top));
    return reduce_steps(p, variant, &add_up);
}

/* The maximum, the sum of exponentials, and what is left. */
static const char *plan_reductions(planner_t *p, int variant) {
    const pd_t *pd = p->pd;
    const operand_t src = operand_of(p, DNNL_ARG_SRC), dst = operand_of(p, DNNL_ARG_DST);
    const unsigned mask = kept_mask(pd);
    const bool f64 = pd_has_type(pd, dnnl_f64);
    const dnnl_data_type_t dt = f64 ? dnnl_f64 : dnnl_f32;
    operand_t top, sum, between = dst;
    md_t top_md, sum_md, between_md;
    REFUSE_IF(reduce_variant_can(variant, f64));
    REFUSE_IF(operand_like(p, &top, &top_md, dst.md, mask, dt));
    REFUSE_IF(operand_like(p, &sum, &sum_md, dst.md, mask, dt));
    REFUSE_IF(find_statistics(p, variant, &src, &top, &sum));

    const epilogue_source_t top_source = operand_source(&top, mask, dst.slot),
                            sum_source = operand_source(&sum, mask, dst.slot);
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    epilogue_add_source(&epilogue, OP_SUB, &top_source);
    if (!is_log(pd)) epilogue_add_eltwise(&epilogue, dnnl_eltwise_exp, 1, 0, 0);
    epilogue_add_source(&epilogue, is_log(pd) ? OP_SUB : OP_DIV, &sum_source);
    add_attributes(pd, &epilogue);
    if (ew_steps(&epilogue, 0) > 1)
        REFUSE_IF(operand_like(p, &between, &between_md, dst.md, ~0u, dt));
    return ew_plan(p, -1, &epilogue, 0, &src, &dst, &between);
}

dnnl_status_t softmax_check_algorithm(const pd_t *pd) {
    const dnnl_alg_kind_t alg = pd->params.alg_kind;
    if (alg != dnnl_softmax_accurate && alg != dnnl_softmax_log)
        return verbose_check(
                dnnl_invalid_arguments, "softmax", "the algorithm is not one of this primitive");
    return dnnl_success;
}

static dnnl_status_t check(const pd_t *pd, const md_t *src, const md_t *dst) {
    TRY(softmax_check_algorithm(pd));
    if (md_is_any(src))
        return verbose_check(dnnl_invalid_arguments, "softmax", "the source has no layout");
    if (!md_same_dims(src, dst))
        return verbose_check(dnnl_invalid_arguments, "softmax",
                "source and destination differ in their dimensions");
    return dnnl_success;
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    static const attr_quant_rule_t rules[] = {
            {ATTR_SCALES, DNNL_ARG_SRC, 0}, {ATTR_SCALES, DNNL_ARG_DST, 0}, {0, 0, 0}};
    static const plan_family_t families[] = {{FAMILY, NULL}, {REDUCTION_FAMILY, plan_reductions}};
    md_t *src = &pd->args[pd_find_arg(pd, DNNL_ARG_SRC)].md,
         *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    TRY(check(pd, src, dst));
    TRY(ew_check_tensor(pd, src, "the source"));
    TRY(ew_resolve(pd, dst, src, "the destination"));
    TRY(attr_check(pd, ATTR_SCALES | ATTR_POST_OPS | ATTR_DROPOUT,
            POST_OP_ELTWISE | POST_OP_BINARY | POST_OP_PRELU, rules));
    TRY(attr_add_args(pd)); /* src and dst may have moved */
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) return nothing_to_do(pd);
    planner_t planner = planner_of(pd, caps);
    TRY(plan_best_family(&planner, pd, families, ARRAY_LEN(families)));
    name_variant(pd);
    return planner_finish(&planner, pd);
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    return md_format_dims(pd_md(pd, DNNL_ARG_SRC), buf, size);
}

int softmax_format_aux(const pd_t *pd, char *buf, size_t size) {
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
        .format_aux = softmax_format_aux};

/* SPDX-License-Identifier: Apache-2.0 */
/* Reduction: dst = post_ops(a sum, product, extreme, mean or norm over the dimensions where dst
 * is 1). */
#include "core/status.h"
#include "core/strings.h"
#include "core/strings_enum.h"
#include "core/verbose.h"
#include "plan/check.h"
#include "plan/op.h"
#include "steps/reduction_steps.h"
#include "plan/variant.h"

#include <math.h>
#include <string.h>

static bool is_norm(dnnl_alg_kind_t alg) {
    return alg >= dnnl_reduction_norm_lp_max && alg <= dnnl_reduction_norm_lp_power_p_sum;
}

static dnnl_status_t check(const pd_t *pd, const md_t *src, const md_t *dst) {
    const op_params_t *p = &pd->params;
    if (p->alg_kind < dnnl_reduction_max || p->alg_kind > dnnl_reduction_norm_lp_power_p_sum)
        return verbose_check(
                dnnl_invalid_arguments, "reduction", "the algorithm is not one of this primitive");
    if (is_norm(p->alg_kind) && !(p->alpha >= 1 && !isinf(p->alpha)))
        return verbose_check(
                dnnl_invalid_arguments, "reduction", "p is not a finite number of at least 1");
    if (is_norm(p->alg_kind) && dt_is_int(src->data_type))
        return verbose_check(
                dnnl_invalid_arguments, "reduction", "a norm of integers is not defined");
    if (md_is_any(src))
        return verbose_check(dnnl_invalid_arguments, "reduction", "the source has no layout");
    if (src->ndims != dst->ndims)
        return verbose_check(dnnl_invalid_arguments, "reduction",
                "source and destination differ in their number of dimensions");
    bool reduces = false;
    for (int d = 0; d < src->ndims; d++) {
        if (dst->dims[d] != 1 && dst->dims[d] != src->dims[d])
            return verbose_check(dnnl_invalid_arguments, "reduction",
                    "dimension %d of the destination is neither 1 nor the source's", d);
        reduces = reduces || dst->dims[d] != src->dims[d];
    }
    if (!reduces)
        return verbose_check(dnnl_invalid_arguments, "reduction", "no dimension is reduced");
    return dnnl_success;
}

static void set_algorithm(reduce_job_t *job, const pd_t *pd) {
    const float p = pd->params.alpha;
    job->a = p;
    job->c = pd->params.beta;
    job->b = 1;
    job->finish = RED_KEEP;
    job->op = p == 1 ? RED_SUM_ABS : p == 2 ? RED_SUM_SQUARE : RED_SUM_POWER;
    switch ((int)pd->params.alg_kind) {
    case dnnl_reduction_max: job->op = RED_MAX; break;
    case dnnl_reduction_min: job->op = RED_MIN; break;
    case dnnl_reduction_sum: job->op = RED_SUM; break;
    case dnnl_reduction_mul: job->op = RED_MUL; break;
    case dnnl_reduction_mean:
        job->op = RED_SUM;
        job->finish = RED_MEAN;
        break;
    case dnnl_reduction_norm_lp_max:
        job->finish = RED_ROOT_MAX;
        job->b = 1 / p;
        break;
    case dnnl_reduction_norm_lp_sum:
        job->finish = RED_ROOT_SUM;
        job->b = 1 / p;
        break;
    case dnnl_reduction_norm_lp_power_p_max: job->finish = RED_ROOT_MAX; break;
    default: job->finish = RED_ROOT_SUM;
    }
}

static bool is_padded(const md_t *md) {
    return memcmp(md->dims, md->padded_dims, (size_t)md->ndims * sizeof(md->dims[0])) != 0;
}

static bool has_doubles(const pd_t *pd) {
    return pd_has_type(pd, dnnl_f64);
}

static const char *plan(planner_t *p, int variant) {
    const pd_t *pd = p->pd;
    const operand_t dst = operand_of(p, DNNL_ARG_DST);
    reduce_job_t job;
    memset(&job, 0, sizeof(job));
    job.src = operand_of(p, DNNL_ARG_SRC);
    job.dst = dst;
    job.f64 = ew_exact_integers(pd, p->caps);
    set_algorithm(&job, pd);
    REFUSE_IF(reduce_variant_can(variant, job.f64 || has_doubles(pd)));
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    epilogue.f64 = job.f64;
    epilogue_add_post_ops(&epilogue, pd);
    if (epilogue.len == 0 && !is_padded(dst.md)) return reduce_steps(p, variant, &job);

    md_t md;
    const dnnl_data_type_t dt = job.f64 || has_doubles(pd) ? dnnl_f64 : dnnl_f32;
    REFUSE_IF(operand_like(p, &job.dst, &md, dst.md, ~0u, dt));
    REFUSE_IF(reduce_steps(p, variant, &job));
    return ew_plan(p, -1, &epilogue, 0, &job.dst, &dst, &job.dst);
}

static dnnl_status_t init(pd_t *pd, const caps_t *caps) {
    md_t *src = &pd->args[pd_find_arg(pd, DNNL_ARG_SRC)].md,
         *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    TRY(check(pd, src, dst));
    TRY(ew_check_tensor(pd, src, "the source"));
    TRY(ew_resolve(pd, dst, src, "the destination"));
    TRY(attr_check(pd, ATTR_POST_OPS,
            POST_OP_ELTWISE | POST_OP_SUM | POST_OP_BINARY | POST_OP_PRELU, NULL));
    TRY(attr_add_args(pd)); /* src and dst may have moved */
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) return nothing_to_do(pd);
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_SRC)))
        return verbose_refuse(dnnl_unimplemented, "reduction",
                "the source of a reduction is empty, the destination is not");
    planner_t planner = planner_of(pd, caps);
    TRY(plan_best(&planner, pd, REDUCTION_FAMILY, plan));
    name_variant(pd);
    return planner_finish(&planner, pd);
}

static int format_problem(const pd_t *pd, char *buf, size_t size) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *dst = pd_md(pd, DNNL_ARG_DST);
    text_t text = text_start(buf, size);
    text_add_dims(&text, src->dims, src->ndims);
    text_add(&text, ":");
    text_add_dims(&text, dst->dims, dst->ndims);
    return text.len;
}

static int format_aux(const pd_t *pd, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    text_add(&text, "alg:%s p:%g eps:%g", enum_name(NAMES_ALG_KIND, (int)pd->params.alg_kind),
            (double)pd->params.alpha, (double)pd->params.beta);
    return text.len;
}

const op_kind_t op_reduction = {.kind = dnnl_reduction,
        .name = "reduction",
        .init = init,
        .format_problem = format_problem,
        .format_aux = format_aux};

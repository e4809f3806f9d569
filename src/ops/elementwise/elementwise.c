/* SPDX-License-Identifier: Apache-2.0 */
/* The planner of primitives that are elementwise steps alone. */
#include "ops/elementwise/elementwise.h"

#include "core/alloc.h"
#include "core/status.h"
#include "core/verbose.h"
#include "plan/op.h"
#include "plan/variant.h"

static bool has_runtime(const pd_t *pd) {
    for (int i = 0; i < pd->nargs; i++)
        if (md_is_blocked(&pd->args[i].md) && md_has_runtime_dims_or_strides(&pd->args[i].md))
            return true;
    return false;
}

/* Descriptors as small as can be in place of those with run-time dims, so that a plan has the
 * right shape. */
typedef struct {
    const md_t **mds;
    md_t *made_up;
} stand_in_t;

static dnnl_status_t stand_in_make(stand_in_t *s, const pd_t *pd) {
    s->mds = NULL;
    s->made_up = NULL;
    if (!has_runtime(pd)) return dnnl_success;
    s->mds = dz_calloc((size_t)pd->nargs, sizeof(*s->mds));
    s->made_up = dz_calloc((size_t)pd->nargs, sizeof(*s->made_up));
    if (!s->mds || !s->made_up) {
        dz_free(s->mds);
        dz_free(s->made_up);
        return dnnl_out_of_memory;
    }
    for (int i = 0; i < pd->nargs; i++) {
        const md_t *md = &pd->args[i].md;
        if (!md_is_blocked(md) || !md_has_runtime_dims_or_strides(md)) continue;
        dnnl_dims_t ones;
        for (int d = 0; d < md->ndims; d++) ones[d] = 1;
        if (md_init_strides(&s->made_up[i], md->ndims, ones, md->data_type, NULL) == dnnl_success)
            s->mds[i] = &s->made_up[i];
    }
    return dnnl_success;
}

static void stand_in_free(stand_in_t *s) {
    dz_free(s->mds);
    dz_free(s->made_up);
}

int ew_source(const pd_t *pd) {
    return pd_find_arg(pd, DNNL_ARG_SRC) >= 0 ? DNNL_ARG_SRC : DNNL_ARG_DST;
}

static const char *plan(planner_t *p, int variant) {
    const operand_t src = operand_of(p, ew_source(p->pd)), dst = operand_of(p, pd_result(p->pd));
    const bool runtime = p->mds != NULL;
    if (runtime && ew_needs_layout(variant)) return "the layout is not known before execution";
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    p->pd->op->make_epilogue(p->pd, &epilogue);
    md_t md;
    operand_t between = dst;
    if (ew_steps(&epilogue, 0) > 1) {
        if (runtime) return "an epilogue of several steps needs known dimensions";
        REFUSE_IF(why_not_of(ew_scratch_md(&md, &epilogue, dst.md), "the tensor is too large"));
        between = operand_in_scratch(p, &md);
    }
    int first = 0;
    const operand_t *to = ew_steps(&epilogue, 0) > 1 ? &between : &dst;
    REFUSE_IF(ew_step(p, variant, &epilogue, &first, &src, to));
    return first < epilogue.len ? ew_plan(p, variant, &epilogue, first, &between, &dst, &between)
                                : NULL;
}

dnnl_status_t ew_init(pd_t *pd, const caps_t *caps) {
    return ew_init_family(pd, caps, ELEMENTWISE_FAMILY);
}

dnnl_status_t ew_init_family(pd_t *pd, const caps_t *caps, const char *family) {
    if (md_has_zero_dim(pd_md(pd, pd_result(pd)))) return nothing_to_do(pd);
    stand_in_t stand_in;
    TRY(stand_in_make(&stand_in, pd));
    planner_t planner = planner_of(pd, caps);
    planner.mds = stand_in.mds;
    const dnnl_status_t status = plan_best(&planner, pd, family, plan);
    stand_in_free(&stand_in);
    if (status != dnnl_success) return status;
    name_variant(pd);
    return planner_finish(&planner, pd);
}

dnnl_status_t ew_replan(const pd_t *pd, const caps_t *caps, const md_t *const *mds, plan_t *to) {
    for (int i = 0; i < pd->nargs; i++)
        if (mds[i] && md_is_blocked(&pd->args[i].md) && !md_is_instance(&pd->args[i].md, mds[i]))
            return verbose_exec_check(dnnl_invalid_arguments, pd->op->name,
                    "the memory of argument %d is not as the primitive was promised",
                    pd->args[i].arg);
    planner_t planner = {.pd = pd, .caps = caps, .mds = mds, .plan = to};
    const md_t *src = operand_of(&planner, DNNL_ARG_SRC).md;
    const md_t *dst = operand_of(&planner, pd_result(pd)).md;
    for (int d = 0; d < dst->ndims; d++)
        if (src->dims[d] != dst->dims[d] && (pd->op->kind != dnnl_binary || src->dims[d] != 1))
            return verbose_exec_check(dnnl_invalid_arguments, pd->op->name,
                    "dimension %d differs between source and destination", d);
    if (md_has_zero_dim(dst)) { /* the same steps, skipped */
        for (int i = 0; i < to->nsteps; i++) to->steps[i].group_count[0] = 0;
        return dnnl_success;
    }
    plan_reset(to);
    const char *why_not = plan(&planner, pd->variant);
    if (why_not) return verbose_exec_check(dnnl_invalid_arguments, pd->op->name, "%s", why_not);
    return dnnl_success;
}

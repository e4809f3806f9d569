/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a kernel for primitives that are made of elementwise steps. */
#include "ops/copies.h"

#include <stdio.h>

#include "core/verbose.h"
#include "ops/op.h"
#include "ops/select.h"

static const char *make_plan(const pd_t *pd, const caps_t *caps, int row, plan_t *plan, size_t *scratch) {
    plan_reset(plan);
    *scratch = 0;
    switch ((int)pd->op->kind) {
    case dnnl_concat: return concat_plan(pd, caps, row, plan, scratch);
    case dnnl_sum: return sum_plan(pd, caps, row, plan, scratch);
    default: return shuffle_plan(pd, caps, row, plan, scratch);
    }
}

/* A row fits if one of the steps takes it. */
static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    plan_t plan;
    size_t scratch;
    const char *why_not = make_plan(pd, caps, row, &plan, &scratch);
    if (why_not) return why_not;
    for (int i = 0; i < plan.nsteps; i++)
        if (plan.steps[i].row == row) return NULL;
    return "it takes none of the steps";
}

dnnl_status_t copies_init(pd_t *pd, const caps_t *caps) {
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) return nothing_to_do(pd);
    dnnl_status_t status = select_row(pd, caps, "elementwise", fits);
    if (status != dnnl_success) return status;
    name_row(pd);
    size_t scratch;
    const char *why_not = make_plan(pd, caps, pd->row, &pd->plan, &scratch);
    if (why_not) return verbose_refuse(dnnl_unimplemented, pd->op->name, "%s", why_not);
    return attr_add_scratchpad(pd, scratch);
}

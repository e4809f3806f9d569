/* SPDX-License-Identifier: Apache-2.0 */
/* The choice among the variants of family "matmul", for matmul and inner product. */
#include <stdio.h>

#include "core/direction.h"
#include "core/status.h"
#include "ops/matmul/matmul.h"
#include "plan/variant.h"

const char *matmul_plan(matmul_t *mm, int variant) {
    if (matmul_batch(mm->dst.md) > UINT32_MAX) return "there are 2^32 or more matrices";
    return variants[variant].plan(&mm->planner, variant);
}

dnnl_status_t matmul_choose(matmul_t *mm, pd_t *pd, plan_fn plan) {
    TRY(plan_best(&mm->planner, pd, "matmul", plan));
    snprintf(pd->impl_name, sizeof(pd->impl_name), "ze:%s:matmul",
            target_name(&variants[pd->variant]));
    if (md_has_zero_dim(pd_md(pd, pd_result(pd)))) planner_restart(&mm->planner);
    return planner_finish(&mm->planner, pd);
}

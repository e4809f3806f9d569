/* SPDX-License-Identifier: Apache-2.0 */
/* Planning with the best variant that can run a problem. */
#include "plan/planner.h"

#include <string.h>

#include "core/util.h"
#include "core/verbose.h"
#include "plan/attributes.h"
#include "plan/op.h"
#include "plan/variant.h"

planner_t planner_of(pd_t *pd, const caps_t *caps) {
    return (planner_t){.pd = pd, .caps = caps, .plan = &pd->plan};
}

uint64_t planner_reserve(planner_t *p, uint64_t bytes) {
    /* Bytes: a multiple of a cache line, so that no two tensors share one, and of what a part of a
     * buffer of OpenCL begins at (CL_DEVICE_MEM_BASE_ADDR_ALIGN: 1024 bits on CPUs). */
    enum { ALIGNMENT = 128 };
    const uint64_t at = (p->scratch + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    p->scratch = at + bytes;
    return at;
}

const md_t *planner_md(const planner_t *p, int slot) {
    return p->mds && p->mds[slot] ? p->mds[slot] : &p->pd->args[slot].md;
}

void planner_restart(planner_t *p) {
    plan_reset(p->plan);
    p->scratch = 0;
    p->reason[0] = 0;
}

dnnl_status_t planner_finish(const planner_t *p, pd_t *pd) {
    if (p->plan->failed) return verbose_error(dnnl_out_of_memory, pd->op->name, "%s", no_memory);
    return attr_add_scratchpad(pd, p->scratch);
}

const char no_memory[] = "there is no memory for the plan";

const char *why_not_of(dnnl_status_t status, const char *why_not) {
    return status == dnnl_success ? NULL : status == dnnl_out_of_memory ? no_memory : why_not;
}

/* One family; plan NULL: the planner of each variant. *to_skip: implementations that are still
 * to be skipped. */
static dnnl_status_t best_of(
        planner_t *p, pd_t *pd, const char *family, plan_fn plan, int *to_skip) {
    const char *kind = pd->op->name;
    const bool further = *to_skip > 0;
    for (int v = 0; v < variant_count; v++) {
        if (strcmp(variants[v].family, family) || !variant_is_wanted(pd, v)) continue;
        const char *why_not = variant_lacks(&variants[v], p->caps);
        if (!why_not) {
            planner_restart(p);
            why_not = plan ? plan(p, v) : variants[v].plan(p, v);
        }
        if (why_not == no_memory || p->plan->failed)
            return verbose_error(dnnl_out_of_memory, kind, "%s", no_memory);
        if (why_not) {
            verbose_refuse(dnnl_unimplemented, kind, "%s: %s", variants[v].id, why_not);
        } else if ((*to_skip)-- == 0) {
            pd->variant = v;
            if (p->reason[0]) verbose_note(kind, "%s: %s", variants[v].id, p->reason);
            return dnnl_success;
        }
    }
    planner_restart(p);
    return verbose_refuse(dnnl_unimplemented, kind, "no %skernel of family %s supports the problem",
            further ? "further " : "", family);
}

dnnl_status_t plan_best(planner_t *p, pd_t *pd, const char *family, plan_fn plan) {
    int to_skip = pd->impl_index;
    return best_of(p, pd, family, plan, &to_skip);
}

dnnl_status_t plan_best_family(planner_t *p, pd_t *pd, const plan_family_t *families, int count) {
    const int forced = pd->request.hints.forced_variant;
    int first = 0, end = count, to_skip = pd->impl_index;
    for (int i = 0; forced >= 0 && i < count; i++) {
        if (strcmp(variants[forced].family, families[i].name)) continue;
        first = i;
        end = i + 1;
    }
    dnnl_status_t status = dnnl_unimplemented;
    for (int i = first; i < end && status == dnnl_unimplemented; i++)
        status = best_of(p, pd, families[i].name, families[i].plan, &to_skip);
    return status;
}

dnnl_status_t plan_with_variants(planner_t *p, pd_t *pd, const char *family) {
    return plan_best(p, pd, family, NULL);
}

const char *plan_none(planner_t *p, int variant) {
    (void)p;
    (void)variant;
    return "the kernel is a step of others";
}

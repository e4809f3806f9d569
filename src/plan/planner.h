/* SPDX-License-Identifier: Apache-2.0 */
/* What every planner works on. A primitive's planner reads: check, resolve, operands, result,
 * steps, finish. */
#ifndef PLAN_PLANNER_H
#define PLAN_PLANNER_H

#include "core/primitive_desc.h"

typedef struct {
    const pd_t *pd;
    const caps_t *caps;
    const md_t *const *mds; /* by slot: what the memories have, for run-time dims; NULL: as in pd */
    plan_t *plan;
    uint64_t scratch; /* bytes of the scratchpad that the steps use */
    char reason[192]; /* for the dispatch log: why the work is divided like this; may be empty */
} planner_t;

/* A planner that writes into the descriptor. */
planner_t planner_of(pd_t *pd, const caps_t *caps);
/* Reserves bytes of the scratchpad; the offset is a multiple of 128. */
uint64_t planner_reserve(planner_t *p, uint64_t bytes);
/* The descriptor of an argument: that of the memory where there is one. */
const md_t *planner_md(const planner_t *p, int slot);
/* Removes all steps and gives back the scratchpad. */
void planner_restart(planner_t *p);
/* The end of init(): the primitive's scratchpad is what was reserved. */
dnnl_status_t planner_finish(const planner_t *p, pd_t *pd);

/* The answer of planners that have no memory, in place of a reason: it is never mistaken for a
 * refusal. */
extern const char no_memory[];
/* For calls that answer a status: NULL, no_memory, or the reason given for any other failure. */
const char *why_not_of(dnnl_status_t status, const char *why_not);

/* Writes the plan of a variant. NULL, or the reason, as a sentence, why the variant cannot run
 * the problem; what was written until then is removed by the caller. */
typedef const char *(*plan_fn)(planner_t *p, int variant);
/* The planner of variants that are only steps in the plans of others. */
const char *plan_none(planner_t *p, int variant);
/* Plans with the variants of a family in order, skipping pd->impl_index that would do, and keeps
 * the first plan that succeeds: sets pd->variant. Every refusal is a sentence in the dispatch
 * log; unimplemented if no variant is left. */
dnnl_status_t plan_best(planner_t *p, pd_t *pd, const char *family, plan_fn plan);
/* The same with the planner that each variant has in variants.def. Families whose planners need
 * more than a planner_t make it the first member of their problem. */
dnnl_status_t plan_with_variants(planner_t *p, pd_t *pd, const char *family);
/* The same with several families, each after the one before it: only the family of the variant
 * that a test forces, if that is one of them. */
typedef struct {
    const char *name;
    plan_fn plan; /* NULL: the planner that each variant has */
} plan_family_t;
dnnl_status_t plan_best_family(planner_t *p, pd_t *pd, const plan_family_t *families, int count);

#endif

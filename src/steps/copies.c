/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a kernel for primitives that are made of elementwise steps. */
#include "steps/copies.h"

#include <stdio.h>

#include "core/verbose.h"
#include "plan/op.h"
#include "plan/variant.h"

static bool takes_row(const copies_t *c) {
    for (int i = 0; i < c->plan->nsteps; i++)
        if (c->plan->steps[i].row == c->row) return true;
    return c->used;
}

bool copies_room(copies_t *c, int steps) {
    if (c->plan->nsteps + steps <= COPIES_STEPS) return true;
    c->used = takes_row(c);
    if (!c->owner) {
        plan_reset(c->plan);
        return true;
    }
    plan_t *next = pd_add_plan(c->owner);
    c->out_of_memory = !next;
    if (next) c->plan = next;
    return next;
}

void copies_restart(copies_t *c) {
    if (c->owner) {
        pd_reset_plans(c->owner);
        c->plan = &c->owner->plan;
    }
    plan_reset(c->plan);
    c->used = false;
    c->scratch = 0;
}

const char *copies_between(
        copies_t *c, ew_tensor_t *t, md_t *md, const md_t *of, dnnl_data_type_t from) {
    dnnl_data_type_t dt = of->data_type;
    if (dt_is_nibble(dt)) dt = from == dnnl_f64 ? dnnl_f64 : dnnl_f32;
    if (md_init_strides(md, of->ndims, of->dims, dt, NULL) != dnnl_success)
        return "the tensor is too large";
    *t = (ew_tensor_t){md, -1, (c->scratch + 63) & ~(size_t)63};
    c->scratch = t->scratch_offset + md_size(md, 0);
    return NULL;
}

static const char *write_steps(const pd_t *pd, const caps_t *caps, copies_t *c) {
    copies_restart(c);
    switch ((int)pd->op->kind) {
    case dnnl_concat: return concat_plan(pd, caps, c);
    case dnnl_sum: return sum_plan(pd, caps, c);
    default: return shuffle_plan(pd, caps, c);
    }
}

/* A row fits if one of the steps takes it. */
static const char *fits(const pd_t *pd, const caps_t *caps, int row) {
    plan_t plan;
    copies_t c = {.plan = &plan, .row = row};
    const char *why_not = write_steps(pd, caps, &c);
    if (why_not) return why_not;
    return takes_row(&c) ? NULL : "it takes none of the steps";
}

dnnl_status_t copies_init(pd_t *pd, const caps_t *caps) {
    if (md_has_zero_dim(pd_md(pd, DNNL_ARG_DST))) return nothing_to_do(pd);
    dnnl_status_t status = select_variant(pd, caps, "elementwise", fits);
    if (status != dnnl_success) return status;
    name_variant(pd);
    copies_t c = {.plan = &pd->plan, .owner = pd, .row = pd->row};
    const char *why_not = write_steps(pd, caps, &c);
    if (c.out_of_memory) return verbose_error(dnnl_out_of_memory, pd->op->name, "%s", why_not);
    if (why_not) return verbose_refuse(dnnl_unimplemented, pd->op->name, "%s", why_not);
    return attr_add_scratchpad(pd, c.scratch);
}

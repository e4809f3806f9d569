/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of plans. */
#include "core/plan.h"

#include <assert.h>
#include <string.h>

/* A count that has gone past the end of its array stays there, for plan_ok(). */
static int take(int *count, int max) {
    assert(*count < max);
    if (*count >= max) {
        *count = max + 1;
        return -1;
    }
    return (*count)++;
}

void plan_reset(plan_t *plan) {
    plan->nsteps = plan->nspecs = plan->nbindings = 0;
    plan->nconsts = 0;
    plan->far = false;
}

void plan_step(plan_t *plan, int row, const uint32_t group_size[3], const uint32_t group_count[3]) {
    int i = take(&plan->nsteps, PLAN_MAX_STEPS);
    if (i < 0) return;
    plan_step_t *step = &plan->steps[i];
    memset(step, 0, sizeof(*step));
    step->row = row;
    memcpy(step->group_size, group_size, sizeof(step->group_size));
    memcpy(step->group_count, group_count, sizeof(step->group_count));
    step->first_spec = (uint16_t)plan->nspecs;
    step->first_binding = (uint16_t)plan->nbindings;
}

void plan_spec(plan_t *plan, uint32_t id, uint32_t value) {
    assert(plan->nsteps > 0);
    int i = take(&plan->nspecs, PLAN_MAX_SPECS);
    if (i < 0 || plan->nsteps > PLAN_MAX_STEPS) return;
    plan->specs[i] = (spec_t){id, value};
    plan->steps[plan->nsteps - 1].nspecs++;
}

static void bind(plan_t *plan, bind_kind_t kind, int slot, uint32_t size, uint64_t offset) {
    assert(plan->nsteps > 0);
    int i = take(&plan->nbindings, PLAN_MAX_BINDINGS);
    if (i < 0 || plan->nsteps > PLAN_MAX_STEPS) return;
    binding_t *b = &plan->bindings[i];
    memset(b, 0, sizeof(*b));
    b->kind = (uint8_t)kind;
    b->slot = (int16_t)slot;
    b->size = size;
    b->offset = offset;
    plan->steps[plan->nsteps - 1].nbindings++;
}

void plan_arg(plan_t *plan, int slot, uint64_t byte_offset) {
    if (slot < 0) bind(plan, BIND_NULL, -1, 0, 0);
    else bind(plan, BIND_ARG, slot, 0, byte_offset);
}

void plan_handle(plan_t *plan, int slot, int handle) {
    plan_arg(plan, slot, 0);
    if (slot >= 0 && plan->nbindings <= PLAN_MAX_BINDINGS)
        plan->bindings[plan->nbindings - 1].handle = (uint8_t)handle;
}

void plan_scratch(plan_t *plan, uint64_t byte_offset) {
    bind(plan, BIND_SCRATCH, -1, 0, byte_offset);
}

void plan_const(plan_t *plan, const void *data, uint32_t size) {
    for (int i = 0; i < plan->nbindings && i < PLAN_MAX_BINDINGS;
            i++) { /* steps often share theirs */
        const binding_t *b = &plan->bindings[i];
        if (b->kind == BIND_CONST && b->size == size &&
                !memcmp(plan->consts + b->offset, data, size)) {
            bind(plan, BIND_CONST, -1, size, b->offset);
            return;
        }
    }
    /* Aligned as the kernel's parameter may be: the bytes can be handed out in place. */
    uint32_t offset = (plan->nconsts + 7) & ~7u;
    assert(offset + size <= PLAN_MAX_CONSTS);
    if (offset + size > PLAN_MAX_CONSTS) {
        plan->nconsts = PLAN_MAX_CONSTS + 1;
        return;
    }
    memset(plan->consts + plan->nconsts, 0, offset - plan->nconsts);
    memcpy(plan->consts + offset, data, size);
    plan->nconsts = offset + size;
    bind(plan, BIND_CONST, -1, size, offset);
}

void plan_local(plan_t *plan, uint32_t size) {
    bind(plan, BIND_LOCAL, -1, size, 0);
}
void plan_scalar_f32(plan_t *plan, int slot) {
    bind(plan, BIND_SCALAR_F32, slot, sizeof(float), 0);
}
void plan_scalar_s32(plan_t *plan, int slot) {
    bind(plan, BIND_SCALAR_S32, slot, sizeof(int32_t), 0);
}
void plan_scalar_half(plan_t *plan, int slot, bool high) {
    bind(plan, high ? BIND_SCALAR_HIGH : BIND_SCALAR_LOW, slot, sizeof(uint32_t), 0);
}

int plan_ok(const plan_t *plan) {
    return plan->nsteps <= PLAN_MAX_STEPS && plan->nspecs <= PLAN_MAX_SPECS &&
           plan->nbindings <= PLAN_MAX_BINDINGS && plan->nconsts <= PLAN_MAX_CONSTS;
}

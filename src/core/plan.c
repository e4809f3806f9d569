/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of plans. */
#include "core/plan.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include "core/alloc.h"

/* ---- memory ---- */

/* The array with room for `count` elements; as it was, with plan->failed set, if it cannot grow. */
static void *grown(plan_t *plan, void *array, int *max, int64_t count, size_t size) {
    if (count <= *max) return array;
    int64_t wanted = *max ? 2 * (int64_t)*max : 16;
    if (wanted < count) wanted = count;
    void *larger = plan->fixed || wanted > INT_MAX / (int64_t)size
                           ? NULL
                           : dz_realloc(array, (size_t)wanted * size);
    if (!larger) {
        plan->failed = true;
        return array;
    }
    *max = (int)wanted;
    return larger;
}

/* The next element of one of the plan's arrays, or NULL. */
#define NEXT(plan, what)                                                                           \
    ((plan)->what = grown(plan, (plan)->what, &(plan)->max_##what, (int64_t)(plan)->n##what + 1,   \
             sizeof(*(plan)->what)),                                                               \
            (plan)->n##what < (plan)->max_##what ? &(plan)->what[(plan)->n##what++] : NULL)

void plan_reset(plan_t *plan) {
    plan->nsteps = plan->nspecs = plan->nbindings = 0;
    plan->nconsts = 0;
    plan->large_offsets = plan->failed = false;
}

/* A sealed plan owns one block, which begins with its steps. */
static bool is_sealed(const plan_t *plan) {
    return plan->fixed && plan->max_steps == 0;
}

void plan_free(plan_t *plan) {
    if (is_sealed(plan)) {
        dz_free(plan->steps);
    } else if (!plan->fixed) {
        dz_free(plan->steps);
        dz_free(plan->specs);
        dz_free(plan->bindings);
        dz_free(plan->consts);
    }
    memset(plan, 0, sizeof(*plan));
}

static void copy(void *to, const void *from, size_t size) {
    if (size) memcpy(to, from, size);
}

/* Fills the arrays of `to`, whose counters are those of `from`. */
static void copy_arrays(plan_t *to, const plan_t *from) {
    copy(to->steps, from->steps, (size_t)from->nsteps * sizeof(*from->steps));
    copy(to->specs, from->specs, (size_t)from->nspecs * sizeof(*from->specs));
    copy(to->bindings, from->bindings, (size_t)from->nbindings * sizeof(*from->bindings));
    copy(to->consts, from->consts, from->nconsts);
}

bool plan_seal(plan_t *plan) {
    if (plan->failed) return false;
    if (plan->fixed) return true;
    /* Constants and bindings first where they would need padding: 8 bytes align all of them. */
    const size_t bindings = (size_t)plan->nbindings * sizeof(*plan->bindings);
    const size_t consts = ((size_t)plan->nconsts + 7) & ~(size_t)7;
    const size_t specs = (size_t)plan->nspecs * sizeof(*plan->specs);
    const size_t steps = ((size_t)plan->nsteps * sizeof(*plan->steps) + 7) & ~(size_t)7;
    uint8_t *block = dz_malloc(steps + bindings + consts + specs + 1);
    if (!block) return false;
    plan_t sealed = *plan;
    sealed.fixed = true;
    sealed.max_steps = sealed.max_specs = sealed.max_bindings = sealed.max_consts = 0;
    sealed.steps = (plan_step_t *)block;
    sealed.bindings = (binding_t *)(block + steps);
    sealed.consts = block + steps + bindings;
    sealed.specs = (spec_t *)(block + steps + bindings + consts);
    copy_arrays(&sealed, plan);
    plan_free(plan);
    *plan = sealed;
    return true;
}

plan_t plan_in_room(plan_room_t *room) {
    return (plan_t){.fixed = true,
            .max_steps = ROOM_STEPS,
            .max_specs = ROOM_SPECS,
            .max_bindings = ROOM_BINDINGS,
            .max_consts = ROOM_CONSTS,
            .steps = room->steps,
            .specs = room->specs,
            .bindings = room->bindings,
            .consts = room->consts};
}

bool plan_fits_room(const plan_t *plan) {
    return plan->nsteps <= ROOM_STEPS && plan->nspecs <= ROOM_SPECS &&
           plan->nbindings <= ROOM_BINDINGS && plan->nconsts <= ROOM_CONSTS;
}

bool plan_copy(plan_t *to, const plan_t *from) {
    if (from->nsteps > to->max_steps || from->nspecs > to->max_specs ||
            from->nbindings > to->max_bindings || (int64_t)from->nconsts > to->max_consts)
        return false;
    to->nsteps = from->nsteps;
    to->nspecs = from->nspecs;
    to->nbindings = from->nbindings;
    to->nconsts = from->nconsts;
    to->large_offsets = from->large_offsets;
    copy_arrays(to, from);
    return true;
}

plan_mark_t plan_mark(const plan_t *plan) {
    return (plan_mark_t){plan->nsteps, plan->nspecs, plan->nbindings, plan->nconsts};
}

void plan_rewind(plan_t *plan, plan_mark_t mark) {
    plan->nsteps = mark.nsteps;
    plan->nspecs = mark.nspecs;
    plan->nbindings = mark.nbindings;
    plan->nconsts = mark.nconsts;
}

/* ---- builders ---- */

void plan_step(
        plan_t *plan, int variant, const uint32_t group_size[3], const uint32_t group_count[3]) {
    plan_step_t *step = NEXT(plan, steps);
    if (!step) return;
    *step = (plan_step_t){.variant = variant,
            .first_spec = (uint32_t)plan->nspecs,
            .first_binding = (uint32_t)plan->nbindings};
    memcpy(step->group_size, group_size, sizeof(step->group_size));
    memcpy(step->group_count, group_count, sizeof(step->group_count));
}

static plan_step_t *last_step(plan_t *plan) {
    assert(plan->nsteps > 0 || plan->failed);
    return plan->failed ? NULL : &plan->steps[plan->nsteps - 1];
}

void plan_spec(plan_t *plan, uint32_t id, uint32_t value) {
    plan_step_t *step = last_step(plan);
    spec_t *spec = step ? NEXT(plan, specs) : NULL;
    if (!spec) return;
    *spec = (spec_t){id, value};
    step->nspecs++;
}

static void bind(plan_t *plan, const binding_t *binding) {
    plan_step_t *step = last_step(plan);
    binding_t *b = step ? NEXT(plan, bindings) : NULL;
    if (!b) return;
    *b = *binding;
    step->nbindings++;
}

void plan_arg(plan_t *plan, int slot, uint64_t byte_offset) {
    if (slot < 0) bind(plan, &(binding_t){.kind = BIND_NULL, .slot = -1});
    else bind(plan, &(binding_t){.kind = BIND_ARG, .slot = (int16_t)slot, .offset = byte_offset});
}

void plan_handle(plan_t *plan, int slot, int handle) {
    bind(plan, &(binding_t){.kind = slot < 0 ? BIND_NULL : BIND_ARG,
                       .slot = (int16_t)slot,
                       .handle = (uint8_t)(slot < 0 ? 0 : handle)});
}

void plan_scratch(plan_t *plan, uint64_t byte_offset) {
    bind(plan, &(binding_t){.kind = BIND_SCRATCH, .slot = -1, .offset = byte_offset});
}

void plan_expect_alignment(plan_t *plan, uint32_t bytes) {
    if (plan->failed || !bytes) return;
    binding_t *last = &plan->bindings[plan->nbindings - 1];
    assert(last->offset % bytes == 0);
    if (last->kind == BIND_ARG || last->kind == BIND_SCRATCH) last->size = bytes;
}

/* Where the same bytes are among the constants of the last bindings, which often share theirs;
 * -1: nowhere. */
static int64_t find_const(const plan_t *plan, const void *data, uint32_t size) {
    enum { LOOK_BACK = 256 /* bindings: a long plan is written in linear time */ };
    const int first = plan->nbindings > LOOK_BACK ? plan->nbindings - LOOK_BACK : 0;
    for (int i = first; i < plan->nbindings; i++) {
        const binding_t *b = &plan->bindings[i];
        if (b->kind == BIND_CONST && b->size == size &&
                !memcmp(plan->consts + b->offset, data, size))
            return (int64_t)b->offset;
    }
    return -1;
}

/* 8 bytes align any parameter of a kernel: drivers are given the bytes in place. */
static int64_t add_const(plan_t *plan, const void *data, uint32_t size) {
    const uint32_t offset = (plan->nconsts + 7) & ~7u;
    plan->consts = grown(plan, plan->consts, &plan->max_consts, (int64_t)offset + size, 1);
    if (plan->failed) return -1;
    memset(plan->consts + plan->nconsts, 0, offset - plan->nconsts);
    memcpy(plan->consts + offset, data, size);
    plan->nconsts = offset + size;
    return offset;
}

void plan_const(plan_t *plan, const void *data, uint32_t size) {
    int64_t offset = find_const(plan, data, size);
    if (offset < 0) offset = add_const(plan, data, size);
    if (offset < 0) return;
    bind(plan,
            &(binding_t){.kind = BIND_CONST, .slot = -1, .size = size, .offset = (uint64_t)offset});
}

void plan_local(plan_t *plan, uint32_t size) {
    bind(plan, &(binding_t){.kind = BIND_LOCAL, .slot = -1, .size = size});
}

static void bind_scalar(plan_t *plan, bind_kind_t kind, int slot) {
    /* Each is a value of 32 bits. */
    bind(plan,
            &(binding_t){.kind = (uint8_t)kind, .slot = (int16_t)slot, .size = sizeof(uint32_t)});
}

void plan_scalar_f32(plan_t *plan, int slot) {
    bind_scalar(plan, BIND_SCALAR_F32, slot);
}

void plan_scalar_s32(plan_t *plan, int slot) {
    bind_scalar(plan, BIND_SCALAR_S32, slot);
}

void plan_scalar_half(plan_t *plan, int slot, bool high) {
    bind_scalar(plan, high ? BIND_SCALAR_HIGH : BIND_SCALAR_LOW, slot);
}

/* ---- plans of plans ---- */

static void append_binding(plan_t *plan, const plan_t *sub, const binding_t *b,
        const plan_place_t *place, uint64_t scratch) {
    binding_t moved = *b;
    if (b->kind == BIND_SCRATCH) {
        moved.offset += scratch;
    } else if (b->kind == BIND_CONST) {
        plan_const(plan, sub->consts + b->offset, b->size);
        return;
    } else if (b->slot >= 0) {
        const plan_place_t *to = &place[b->slot];
        assert(to->kind == PLACE_ARG || b->kind == BIND_ARG);
        moved.slot = (int16_t)(to->kind == PLACE_ARG ? to->slot : -1);
        if (to->kind == PLACE_NULL) moved = (binding_t){.kind = BIND_NULL, .slot = -1};
        if (to->kind == PLACE_SCRATCH) {
            assert(b->size == 0 || to->offset % b->size == 0);
            moved.kind = BIND_SCRATCH;
            moved.offset += to->offset;
        }
    }
    bind(plan, &moved);
}

void plan_append(plan_t *plan, const plan_t *sub, const plan_place_t *place, uint64_t scratch) {
    plan->failed |= sub->failed;
    for (int s = 0; s < sub->nsteps; s++) {
        const plan_step_t *step = &sub->steps[s];
        plan_step(plan, step->variant, step->group_size, step->group_count);
        for (int i = 0; i < step->nspecs; i++) {
            const spec_t *spec = &sub->specs[step->first_spec + (uint32_t)i];
            plan_spec(plan, spec->id, spec->value);
        }
        for (int i = 0; i < step->nbindings; i++)
            append_binding(
                    plan, sub, &sub->bindings[step->first_binding + (uint32_t)i], place, scratch);
    }
}

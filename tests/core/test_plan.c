/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of plans: what each call writes, growing, sealing, going back, plans in plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/plan.h"

static const uint32_t size[3] = {64, 1, 1}, count[3] = {7, 2, 1};

static const double value = 1.5;
static const int32_t small = -7;

static void check_two_steps(const plan_t *plan) {
    assert_int_equal(plan->nsteps, 2);
    const plan_step_t *a = &plan->steps[0], *b = &plan->steps[1];
    assert_int_equal(a->variant, 3);
    assert_memory_equal(a->group_count, count, sizeof(count));
    assert_memory_equal(a->group_size, size, sizeof(size));
    assert_int_equal(a->nspecs, 2);
    assert_int_equal(a->nbindings, 6);
    assert_int_equal(b->first_spec, 2);
    assert_int_equal(b->nspecs, 0);
    assert_int_equal(b->first_binding, 6);
    assert_int_equal(b->nbindings, 2);

    const uint8_t kinds[] = {BIND_ARG, BIND_NULL, BIND_SCRATCH, BIND_CONST, BIND_CONST, BIND_LOCAL,
            BIND_SCALAR_F32, BIND_SCALAR_S32};
    for (int i = 0; i < plan->nbindings; i++) assert_int_equal(plan->bindings[i].kind, kinds[i]);
    assert_int_equal(plan->bindings[0].slot, 5);
    assert_int_equal(plan->bindings[0].offset, 16);
    assert_int_equal(plan->bindings[2].offset, 256);
    assert_int_equal(plan->bindings[5].size, 1024);
    assert_int_equal(plan->bindings[6].slot, 2);
    assert_int_equal(plan->bindings[7].slot, -1);
    assert_memory_equal(plan->consts + plan->bindings[3].offset, &small, sizeof(small));
    assert_memory_equal(plan->consts + plan->bindings[4].offset, &value, sizeof(value));
    assert_int_equal(plan->bindings[4].offset % sizeof(double), 0);
}

static void test_builders(void **state) {
    (void)state;
    plan_t plan = {0};
    plan_step(&plan, 3, size, count);
    plan_spec(&plan, 10, 1);
    plan_spec(&plan, 11, 2);
    plan_arg(&plan, 5, 16);
    plan_arg(&plan, -1, 16);
    plan_scratch(&plan, 256);
    plan_const(&plan, &small, sizeof(small));
    plan_const(&plan, &value, sizeof(value));
    plan_local(&plan, 1024);
    plan_step(&plan, 4, size, count);
    plan_scalar_f32(&plan, 2);
    plan_scalar_s32(&plan, -1);
    assert_false(plan.failed);
    check_two_steps(&plan);
    assert_true(plan_seal(&plan));
    check_two_steps(&plan);
    plan_free(&plan);
    assert_int_equal(plan.nsteps, 0);
}

static void add_step(plan_t *plan, int variant) {
    plan_step(plan, variant, size, count);
    plan_spec(plan, 7, (uint32_t)variant);
    plan_arg(plan, 0, 8);
    plan_const(plan, &variant, sizeof(variant));
}

/* A plan has any number of steps, and each says what it was given. */
static void test_long_plans(void **state) {
    (void)state;
    enum { STEPS = 70000 /* more bindings than 16 bits count */ };
    plan_t plan = {0};
    for (int i = 0; i < STEPS; i++) add_step(&plan, i);
    assert_true(plan_seal(&plan));
    assert_int_equal(plan.nsteps, STEPS);
    for (int i = 0; i < STEPS; i++) {
        const plan_step_t *step = &plan.steps[i];
        assert_int_equal(step->variant, i);
        assert_int_equal(plan.specs[step->first_spec].value, i);
        const binding_t *b = &plan.bindings[step->first_binding + 1];
        assert_memory_equal(plan.consts + b->offset, &i, sizeof(i));
    }
    plan_free(&plan);
}

/* What is rewound leaves no trace. */
static void test_rewind(void **state) {
    (void)state;
    plan_t plan = {0};
    add_step(&plan, 1);
    const plan_mark_t mark = plan_mark(&plan);
    add_step(&plan, 2);
    plan_rewind(&plan, mark);
    assert_int_equal(plan.nsteps, 1);
    add_step(&plan, 3);
    assert_int_equal(plan.steps[1].variant, 3);
    assert_int_equal(plan.specs[plan.steps[1].first_spec].value, 3);
    plan_free(&plan);
}

/* A room that is full fails, and nothing is written beyond it. */
static void test_room(void **state) {
    (void)state;
    static struct {
        plan_room_t room;
        uint8_t behind[64];
    } r;
    memset(r.behind, 0xab, sizeof(r.behind));
    plan_t plan = plan_in_room(&r.room);
    for (int i = 0; i < ROOM_STEPS; i++) plan_step(&plan, i, size, count);
    assert_false(plan.failed);
    assert_true(plan_fits_room(&plan));
    plan_step(&plan, 0, size, count);
    assert_true(plan.failed);
    plan_spec(&plan, 0, 0); /* ignored */

    plan = plan_in_room(&r.room);
    plan_step(&plan, 0, size, count);
    for (int i = 0; i < ROOM_SPECS + 2; i++) plan_spec(&plan, 0, 0);
    assert_true(plan.failed);

    plan = plan_in_room(&r.room);
    plan_step(&plan, 0, size, count);
    static uint8_t big[ROOM_CONSTS];
    plan_const(&plan, big, sizeof(big));
    assert_false(plan.failed);
    big[0] = 1;
    plan_const(&plan, big, 8);
    assert_true(plan.failed);
    assert_false(plan_seal(&plan));
    for (size_t i = 0; i < sizeof(r.behind); i++) assert_int_equal(r.behind[i], 0xab);

    plan_t large = {0};
    for (int i = 0; i <= ROOM_STEPS; i++) add_step(&large, i);
    plan = plan_in_room(&r.room);
    assert_false(plan_fits_room(&large));
    assert_false(plan_copy(&plan, &large));
    plan_free(&large);
}

/* Arguments of an appended plan become others, or lie in the scratchpad; its scratchpad moves. */
static void test_append(void **state) {
    (void)state;
    plan_t sub = {0}, plan = {0};
    plan_step(&sub, 9, size, count);
    plan_spec(&sub, 3, 4);
    plan_arg(&sub, 0, 16);
    plan_arg(&sub, 1, 32);
    plan_arg(&sub, 2, 0);
    plan_handle(&sub, 3, 2);
    plan_scratch(&sub, 64);
    plan_const(&sub, &value, sizeof(value));
    plan_scalar_f32(&sub, 3);
    plan_scalar_f32(&sub, -1);
    assert_true(plan_seal(&sub));
    const plan_place_t place[] = {{.kind = PLACE_ARG, .slot = 5},
            {.kind = PLACE_SCRATCH, .offset = 4096}, {.kind = PLACE_NULL},
            {.kind = PLACE_ARG, .slot = 7}};
    add_step(&plan, 1);
    plan_append(&plan, &sub, place, 1024);
    assert_false(plan.failed);
    assert_int_equal(plan.nsteps, 2);
    const plan_step_t *step = &plan.steps[1];
    assert_int_equal(step->variant, 9);
    assert_int_equal(plan.specs[step->first_spec].id, 3);
    const binding_t *b = &plan.bindings[step->first_binding];
    assert_int_equal(step->nbindings, 8);
    assert_int_equal(b[0].kind, BIND_ARG);
    assert_int_equal(b[0].slot, 5);
    assert_int_equal(b[0].offset, 16);
    assert_int_equal(b[1].kind, BIND_SCRATCH);
    assert_int_equal(b[1].offset, 4096 + 32);
    assert_int_equal(b[2].kind, BIND_NULL);
    assert_int_equal(b[3].slot, 7);
    assert_int_equal(b[3].handle, 2);
    assert_int_equal(b[4].offset, 1024 + 64);
    assert_memory_equal(plan.consts + b[5].offset, &value, sizeof(value));
    assert_int_equal(b[6].kind, BIND_SCALAR_F32);
    assert_int_equal(b[6].slot, 7);
    assert_int_equal(b[7].slot, -1);
    plan_free(&sub);
    plan_free(&plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_builders),
            cmocka_unit_test(test_long_plans),
            cmocka_unit_test(test_rewind),
            cmocka_unit_test(test_room),
            cmocka_unit_test(test_append),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

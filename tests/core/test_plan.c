/* SPDX-License-Identifier: Apache-2.0 */
/* Builders of plans: what each call writes, and that overflow is caught. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/plan.h"

static const uint32_t size[3] = {64, 1, 1}, count[3] = {7, 2, 1};

static void test_builders(void **state) {
    (void)state;
    static plan_t plan;
    memset(&plan, 0xab, sizeof(plan));
    plan_reset(&plan);
    assert_true(plan_ok(&plan));
    plan_step(&plan, 3, size, count);
    plan_spec(&plan, 10, 1);
    plan_spec(&plan, 11, 2);
    plan_arg(&plan, 5, 16);
    plan_arg(&plan, -1, 16);
    plan_scratch(&plan, 256);
    const double value = 1.5;
    const int32_t small = -7;
    plan_const(&plan, &small, sizeof(small));
    plan_const(&plan, &value, sizeof(value));
    plan_local(&plan, 1024);
    plan_step(&plan, 4, size, count);
    plan_scalar_f32(&plan, 2);
    plan_scalar_s32(&plan, -1);
    assert_true(plan_ok(&plan));

    assert_int_equal(plan.nsteps, 2);
    const plan_step_t *a = &plan.steps[0], *b = &plan.steps[1];
    assert_int_equal(a->row, 3);
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
    for (int i = 0; i < plan.nbindings; i++) assert_int_equal(plan.bindings[i].kind, kinds[i]);
    assert_int_equal(plan.bindings[0].slot, 5);
    assert_int_equal(plan.bindings[0].offset, 16);
    assert_int_equal(plan.bindings[2].offset, 256);
    assert_int_equal(plan.bindings[5].size, 1024);
    assert_int_equal(plan.bindings[6].slot, 2);
    assert_int_equal(plan.bindings[7].slot, -1);
    assert_memory_equal(plan.consts + plan.bindings[3].offset, &small, sizeof(small));
    assert_memory_equal(plan.consts + plan.bindings[4].offset, &value, sizeof(value));
    assert_int_equal(plan.bindings[4].offset % sizeof(double), 0);
}

#ifdef NDEBUG /* otherwise an assertion stops the program, as it should */
static void test_overflow(void **state) {
    (void)state;
    static plan_t plan;
    plan_reset(&plan);
    for (int i = 0; i <= PLAN_MAX_STEPS; i++) plan_step(&plan, 0, size, count);
    assert_false(plan_ok(&plan));
    plan_spec(&plan, 0, 0); /* no step to go to: nothing is written beyond the array */
    plan_arg(&plan, 0, 0);

    plan_reset(&plan);
    plan_step(&plan, 0, size, count);
    for (int i = 0; i < PLAN_MAX_SPECS; i++) plan_spec(&plan, 0, 0);
    assert_true(plan_ok(&plan));
    plan_spec(&plan, 0, 0);
    plan_spec(&plan, 0, 0);
    assert_false(plan_ok(&plan));

    plan_reset(&plan);
    plan_step(&plan, 0, size, count);
    for (int i = 0; i <= PLAN_MAX_BINDINGS; i++) plan_arg(&plan, 0, 0);
    assert_false(plan_ok(&plan));

    static uint8_t big[PLAN_MAX_CONSTS];
    plan_reset(&plan);
    plan_step(&plan, 0, size, count);
    plan_const(&plan, big, sizeof(big));
    assert_true(plan_ok(&plan));
    big[0] = 1;
    plan_const(&plan, big, 8);
    assert_false(plan_ok(&plan));
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_builders),
#ifdef NDEBUG
            cmocka_unit_test(test_overflow),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Which variant each product chooses, with the capabilities that Intel's driver reports for it
 * (cases/rules.txt). Nothing is built or executed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "products.h"
#include "test_main.h"
#include "ze/engine.h"

#define OK(call) assert_int_equal(call, dnnl_success)

static const product_t *product;
static int ran;

static const char *product_name(void) {
    return product ? product->name : "no product";
}

static bool has_units(void) {
    return product && product->matrix_subgroup == 16 && product->blocks;
}

static const char *value(const test_case_t *t, const char *key) {
    return batch_value(t->line, t->index, key, "");
}

/* The value for the product: lists have one for matrix units of 16 lanes, one for devices without
 * matrix units, and one for those of 8 lanes. */
static void value_here(const test_case_t *t, const char *key, char *text, size_t size) {
    const int i = has_units() ? 0 : product && product->matrix_subgroup == 8 ? 2 : 1;
    batch_value_part(t->line, t->index, key, i, text, size);
}

static void check_layout(const test_case_t *t, const char *key, const md_t *md) {
    char tag[128];
    md_t wanted;
    value_here(t, key, tag, sizeof(tag));
    if (!tag[0]) return;
    OK(md_init_string_tag(&wanted, md->ndims, md->dims, md->data_type, tag));
    if (!md_equal(&wanted, md)) fail_msg("%s: %s: %s", product_name(), t->text, key);
}

static uint32_t groups_of(const plan_step_t *step) {
    return step->group_count[0] * step->group_count[1] * step->group_count[2];
}

static void check_steps(const test_case_t *t, const plan_t *plan) {
    const char *steps = value(t, "steps");
    const bool counted = value(t, "groups")[0];
    if (steps[0] && plan->nsteps != atoi(steps))
        fail_msg("%s: %s: %d steps", product_name(), t->text, plan->nsteps);
    for (int i = 0; counted && i < plan->nsteps; i++) {
        char text[32];
        batch_value_part(t->line, t->index, "groups", i, text, sizeof(text));
        const uint32_t wanted = (uint32_t)atoi(text), count = groups_of(&plan->steps[i]);
        if (wanted && count != wanted)
            fail_msg("%s: %s: %u work-groups in step %d", product_name(), t->text, count, i);
    }
}

/* What the case says of the descriptor. */
static void check_choice(const test_case_t *t, const pd_t *pd) {
    char wanted[64];
    value_here(t, "chosen", wanted, sizeof(wanted));
    const char *variant = variants[pd->variant].id;
    if (wanted[0] && strcmp(variant, wanted) != 0)
        fail_msg("%s: %s: %s, not %s", product_name(), t->text, variant, wanted);
    check_layout(t, "chosen_src", pd_md(pd, DNNL_ARG_SRC));
    check_layout(t, "chosen_wei", pd_md(pd, DNNL_ARG_WEIGHTS));
    check_steps(t, &pd->plan);
}

static void open_case(case_t *c, const test_case_t *t) {
    caps_t *caps = &harness_engine->core->caps;
    const uint32_t units = caps->compute_units;
    const char *text = value(t, "compute_units");
    problem_t p;
    if (text[0]) caps->compute_units = (uint32_t)atoi(text);
    case_create(&p, t);
    caps->compute_units = units;
    if (p.status != dnnl_success) fail_msg("%s: %s: %d", product_name(), t->text, p.status);
    case_init(c, p.pd);
    check_choice(t, c->pd);
    ran++;
}

static void check(const test_case_t *t) {
    case_t c;
    open_case(&c, t);
    case_fini(&c);
}

/* Each work-group of the last step, the fixup, adds the sums of a block from all shares. */
static void check_fixup(const pd_t *pd) {
    const plan_step_t *fixup = &pd->plan.steps[pd->plan.nsteps - 1],
                      *shares = &pd->plan.steps[pd->plan.nsteps - 2];
    const size_t slot = fixup->group_count[0] * fixup->group_size[0] * sizeof(float);
    assert_int_equal(
            pd->scratchpad_size, slot * (fixup->group_count[1] + shares->group_count[0] - 1));
    assert_non_null(strstr(variants[fixup->variant].id, "fixup"));
    assert_true(shares->group_count[0] > fixup->group_count[1]);
    assert_true(
            shares->group_count[0] * shares->group_size[0] / 16 <= harness_caps()->compute_units);
}

static void check_division(const test_case_t *t) {
    case_t c;
    open_case(&c, t);
    const bool shared = c.pd->plan.nsteps > 1;
    assert_int_equal(c.pd->scratchpad_size > 0, shared);
    if (shared) check_fixup(c.pd);
    case_fini(&c);
}

/* A matmul of m x 256; count: work-groups in its first step. */
static void check_wave(uint32_t m, uint32_t k, const char *steps, uint32_t count) {
    char settings[256];
    snprintf(settings, sizeof(settings), "%ux%u:%ux256 steps=%s groups=%u%s", m, k, k, steps, count,
            strcmp(steps, "1") ? ":0:512" : "");
    cases_each("rules", "waves", settings, check_division);
}

/* Work-groups of 256 x 256, of 32 sub-groups each: the device has room for so many at once. */
static void check_waves(void) {
    const uint32_t room = harness_caps()->compute_units / 2 / 32;
    check_wave(256 * (room + 1), 8192, "3", room); /* a full wave and one more */
    check_wave(256 * room, 8192, "1", room);
    check_wave(256 * (2 * room - 1), 8192, "1", 2 * room - 1); /* a wave that is nearly full */
    check_wave(256 * (room + 1), 512, "1", room + 1); /* too short for another step to pay off */
}

/* Steps beside those of time are fewer than 100, which is the number of time steps. */
static void check_time_steps(const test_case_t *t) {
    enum { TIME_STEPS = 100, MOST = 2 };
    case_t c;
    open_case(&c, t);
    if (c.pd->plan.nsteps >= (MOST + 1) * TIME_STEPS)
        fail_msg("%s: %s: %d steps", product_name(), t->text, c.pd->plan.nsteps);
    case_fini(&c);
}

static void check_product(void) {
    static const char *const sections[] = {"matmul", "convolution", "attention", "norms", "means",
            "reorders", "pooling", "networks", "networks_of_one_launch"};
    for (int i = 0; i < ARRAY_LEN(sections); i++) cases_each("rules", sections[i], "", check);
    cases_each("rules", "division", "", check_division);
    if (!has_units()) return;
    cases_each("rules", "division_of_units", "", check_division);
    check_waves();
}

static void test_products(void **state) {
    (void)state;
    caps_t *caps = &harness_engine->core->caps;
    const caps_t kept = *caps;
    for (product = products; product < products + NPRODUCTS; product++) {
        product_caps(product, caps);
        caps->has_fp64 = false;
        check_product();
        cases_each("rules", "steps_of_networks", "", check_time_steps);
    }
    *caps = kept;
    print_message("%d problems on %d products\n", ran, NPRODUCTS);
}

/* The CPU, and a GPU that has nothing but what every GPU has. */
static void test_others(void **state) {
    (void)state;
    caps_t *caps = &harness_engine->core->caps;
    const caps_t kept = *caps;
    product = NULL;
    cases_each("rules", "steps_of_networks", "", check_time_steps);
    product_caps(&products[0], caps);
    caps->has_fp64 = caps->has_fp16 = false;
    caps->subgroup_sizes = 0;
    cases_each("rules", "steps_of_networks", "", check_time_steps);
    *caps = kept;
}

TEST_MAIN(cmocka_unit_test(test_products), cmocka_unit_test(test_others))

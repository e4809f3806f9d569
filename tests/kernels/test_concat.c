/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenations (cases/concat.txt): with steps of family "elementwise", and with the variants that
 * read many sources at once. */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_data.h"
#include "test_main.h"

static void run_common(void) {
    cases_run("concat", "layouts");
    cases_run("concat", "types");
}

static void run_by_elements(void) {
    run_common();
    cases_run("concat", "scales");
    cases_run("concat", "nibbles");
    cases_run("concat", "many_nibbles");
}

static void run_at_once(void) {
    run_common();
    cases_run("concat", "many");
}

static void test_steps(void **unused) {
    (void)unused;
    for_each_variant("elementwise", run_by_elements);
}

static void test_many(void **unused) {
    (void)unused;
    for_each_variant("concat", run_at_once);
}

/* As many sources as there are numbers for arguments, each with a scale, and one more. */
static void test_very_many(void **unused) {
    (void)unused;
    enum { MOST = DNNL_ARG_MULTIPLE_DST - DNNL_ARG_MULTIPLE_SRC };
    const md_t src = make_md(dnnl_f32, "ab", D(2, 3));
    const_dnnl_memory_desc_t srcs[MOST + 1];
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_attr_t attr;
    for (int i = 0; i <= MOST; i++) srcs[i] = &src;
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal(
            dnnl_concat_primitive_desc_create(&pd, harness_engine, NULL, 640, 1, srcs, attr),
            dnnl_success);
    case_all(pd, dnnl_success, ref_concat, -4, 4);
    for (int i = 0; i < MOST; i++)
        assert_int_equal(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MULTIPLE_SRC + i, 0),
                dnnl_success);
    pd = NULL;
    assert_int_equal(
            dnnl_concat_primitive_desc_create(&pd, harness_engine, NULL, MOST, 1, srcs, attr),
            dnnl_success);
    case_all(pd, dnnl_success, ref_concat, -4, 4);
    pd = NULL;
    assert_int_equal(
            dnnl_concat_primitive_desc_create(&pd, harness_engine, NULL, MOST + 1, 1, srcs, NULL),
            dnnl_unimplemented);
    assert_null(pd);
    dnnl_primitive_attr_destroy(attr);
}

static void test_refusals(void **unused) {
    (void)unused;
    md_t f32 = make_md(dnnl_f32, "ab", D(2, 3)), s8 = make_md(dnnl_s8, "ab", D(2, 3)),
         other = make_md(dnnl_f32, "ab", D(4, 3));
    const_dnnl_memory_desc_t mixed[] = {&f32, &s8}, shapes[] = {&f32, &other},
                             good[] = {&f32, &f32};
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_attr_t attr;
    assert_int_equal(
            dnnl_concat_primitive_desc_create(&pd, harness_engine, NULL, 2, 1, mixed, NULL),
            dnnl_invalid_arguments);
    assert_int_equal(
            dnnl_concat_primitive_desc_create(&pd, harness_engine, NULL, 2, 1, shapes, NULL),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_concat_primitive_desc_create(&pd, harness_engine, NULL, 2, 2, good, NULL),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal(
            dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MULTIPLE_SRC + 1, 2), dnnl_success);
    assert_int_equal(dnnl_concat_primitive_desc_create(&pd, harness_engine, NULL, 2, 1, good, attr),
            dnnl_unimplemented);
    dnnl_primitive_attr_destroy(attr);
    assert_null(pd);
}

TEST_MAIN(cmocka_unit_test(test_steps), cmocka_unit_test(test_many),
        cmocka_unit_test(test_very_many), cmocka_unit_test(test_refusals))

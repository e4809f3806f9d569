/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "elementwise" as shuffle (cases/shuffle.txt): axes, groups, types, and
 * layouts whose blocks divide the axis or do not. */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("shuffle", "layouts");
    cases_run("shuffle", "types");
    cases_run("shuffle", "nibbles");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("elementwise", run_sections);
}

static void test_refusals(void **unused) {
    (void)unused;
    const md_t f32 = make_md(dnnl_f32, "ab", D(2, 12)), s8 = make_md(dnnl_s8, "ab", D(2, 12)),
               small = make_md(dnnl_f32, "ab", D(2, 11));
    dnnl_primitive_desc_t pd = NULL;
#define CREATE(dst, axis, group)                                                                   \
    dnnl_shuffle_forward_primitive_desc_create(                                                    \
            &pd, harness_engine, dnnl_forward_training, &f32, dst, axis, group, NULL)
    assert_int_equal(CREATE(&f32, 1, 5), dnnl_invalid_arguments);
    assert_int_equal(CREATE(&f32, 1, 0), dnnl_invalid_arguments);
    assert_int_equal(CREATE(&f32, 2, 3), dnnl_invalid_arguments);
    assert_int_equal(CREATE(&small, 1, 3), dnnl_invalid_arguments);
    assert_int_equal(CREATE(&s8, 1, 3), dnnl_unimplemented);
    assert_null(pd);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_refusals))

/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "elementwise" as shuffle (cases/shuffle.txt): axes, groups, types, and
 * layouts whose blocks divide the axis or do not. */
#include <string.h>

#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("shuffle", "layouts");
    cases_run("shuffle", "types");
    cases_run("shuffle", "nibbles");
    cases_run("shuffle", "backward");
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

/* Gradients whose layouts are not given follow the forward destination. */
static void test_backward(void **unused) {
    (void)unused;
    const md_t f32 = make_md(dnnl_f32, "aBc8b", D(2, 24, 3)),
               f16 = make_md(dnnl_f16, "aBc8b", D(2, 24, 3)),
               last = make_md(dnnl_f32, "acb", D(2, 24, 3));
    md_t any = f32;
    any.format_kind = dnnl_format_kind_any;
    memset(&any.format_desc, 0, sizeof(any.format_desc));
    dnnl_primitive_desc_t hint = NULL, pd = NULL;
    assert_int_equal(dnnl_shuffle_forward_primitive_desc_create(
                             &hint, harness_engine, dnnl_forward_training, &last, &f32, 1, 3, NULL),
            dnnl_success);
#define BACKWARD(diff_src, diff_dst, group)                                                        \
    dnnl_shuffle_backward_primitive_desc_create(                                                   \
            &pd, harness_engine, diff_src, diff_dst, 1, group, hint, NULL)
    assert_int_equal(BACKWARD(&any, &any, 3), dnnl_success);
    assert_true(md_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_diff_src_md, 0), &f32));
    assert_true(md_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_diff_dst_md, 0), &f32));
    dnnl_primitive_desc_destroy(pd);
    pd = NULL;
    assert_int_equal(BACKWARD(&f32, &f16, 3), dnnl_unimplemented);
    assert_int_equal(BACKWARD(&f32, &last, 3), dnnl_unimplemented);
    assert_int_equal(BACKWARD(&f32, &f32, 5), dnnl_invalid_arguments);
    assert_int_equal(BACKWARD(&f32, &f32, 0), dnnl_invalid_arguments);
    assert_null(pd);
    dnnl_primitive_desc_destroy(hint);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_backward))

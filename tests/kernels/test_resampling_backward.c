/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "resampling_backward" (cases/resampling_backward.txt): algorithms, sizes,
 * layouts, types. */
#include <string.h>

#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("resampling_backward", "shapes");
    cases_run("resampling_backward", "layouts");
    cases_run("resampling_backward", "types");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("resampling_backward", run_sections);
}

static void test_refusals(void **unused) {
    (void)unused;
    const md_t src = make_md(dnnl_f32, "abcd", D(2, 3, 4, 5)),
               dst = make_md(dnnl_f32, "abcd", D(2, 3, 8, 9)),
               other = make_md(dnnl_f32, "abcd", D(2, 4, 8, 9)),
               doubles = make_md(dnnl_f64, "abcd", D(2, 3, 4, 5));
    md_t any = dst;
    any.format_kind = dnnl_format_kind_any;
    memset(&any.format_desc, 0, sizeof(any.format_desc));
    dnnl_primitive_desc_t pd = NULL;
#define CREATE(alg, diff_src, diff_dst)                                                            \
    dnnl_resampling_backward_primitive_desc_create(                                                \
            &pd, harness_engine, alg, NULL, diff_src, diff_dst, NULL, NULL)
    assert_int_equal(CREATE(dnnl_pooling_max, &src, &dst), dnnl_invalid_arguments);
    assert_int_equal(CREATE(dnnl_resampling_linear, &src, &other), dnnl_invalid_arguments);
    assert_int_equal(CREATE(dnnl_resampling_linear, &doubles, &dst), dnnl_unimplemented);
    assert_int_equal(CREATE(dnnl_resampling_linear, &src, &any), dnnl_unimplemented); /* no hint */
    assert_null(pd);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_refusals))

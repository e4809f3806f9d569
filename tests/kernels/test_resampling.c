/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "resampling" (cases/resampling.txt): algorithms, sizes, layouts,
 * types, post-ops. */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("resampling", "shapes");
    cases_run("resampling", "layouts");
    cases_run("resampling", "types");
    cases_run("resampling", "post_ops");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("resampling", run_sections);
}

/* Results of 16 MiB and more, which a CPU writes past its caches: the library's own choice. */
static void test_large(void **unused) {
    (void)unused;
    harness_hints.forced_variant = -1;
    harness_seed(10);
    cases_run("resampling", "large");
}

static void test_factors(void **unused) {
    (void)unused;
    const md_t src = make_md(dnnl_f32, "aBcd16b", D(2, 19, 4, 5));
    const float factors[] = {2, 0.5f};
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(
            dnnl_resampling_forward_primitive_desc_create(&pd, harness_engine,
                    dnnl_forward_training, dnnl_resampling_linear, factors, &src, NULL, NULL),
            dnnl_success);
    const md_t *dst = dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
    assert_int_equal(dst->dims[2], 8);
    assert_int_equal(dst->dims[3], 2);
    assert_true(md_matches_tag(dst, dnnl_aBcd16b));
    dnnl_primitive_desc_destroy(pd);
}

static void test_refusals(void **unused) {
    (void)unused;
    const md_t src = make_md(dnnl_f32, "abcd", D(2, 19, 4, 5)),
               other = make_md(dnnl_f32, "abcd", D(2, 18, 4, 5)),
               f64 = make_md(dnnl_f64, "abcd", D(2, 19, 4, 5)),
               flat = make_md(dnnl_f32, "ab", D(2, 19));
    dnnl_primitive_desc_t pd = NULL;
#define CREATE(alg, src, dst)                                                                      \
    dnnl_resampling_forward_primitive_desc_create(                                                 \
            &pd, harness_engine, dnnl_forward_inference, alg, NULL, src, dst, NULL)
    assert_int_equal(CREATE(dnnl_resampling_linear, &src, &other), dnnl_invalid_arguments);
    assert_int_equal(CREATE(dnnl_resampling_linear, &src, NULL), dnnl_invalid_arguments);
    assert_int_equal(CREATE(dnnl_resampling_linear, &flat, &flat), dnnl_invalid_arguments);
    assert_int_equal(CREATE(dnnl_pooling_max, &src, &src), dnnl_invalid_arguments);
    assert_int_equal(CREATE(dnnl_resampling_linear, &src, &f64), dnnl_unimplemented);
    assert_null(pd);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_large),
        cmocka_unit_test(test_factors), cmocka_unit_test(test_refusals))

/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "reduction" (cases/reduction.txt): algorithms, sets of dimensions,
 * layouts, types, post-ops. */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("reduction", "algorithms");
    cases_run("reduction", "layouts");
    cases_run("reduction", "types");
    cases_run("reduction", "post_ops");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("reduction", run_sections);
}

static void refused(
        dnnl_status_t wanted, dnnl_alg_kind_t alg, float p, const md_t *src, const md_t *dst) {
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(
            dnnl_reduction_primitive_desc_create(&pd, harness_engine, alg, src, dst, p, 0, NULL),
            wanted);
    assert_null(pd);
}

static void test_refusals(void **unused) {
    (void)unused;
    md_t src = make_md(dnnl_f32, "ab", D(3, 5)), dst = make_md(dnnl_f32, "ab", D(3, 1));
    md_t wrong = make_md(dnnl_f32, "ab", D(2, 1)), flat = make_md(dnnl_f32, "a", D(3));
    md_t s8 = make_md(dnnl_s8, "ab", D(3, 5));
    refused(dnnl_invalid_arguments, dnnl_reduction_sum, 0, &src, &src);
    refused(dnnl_invalid_arguments, dnnl_reduction_sum, 0, &src, &wrong);
    refused(dnnl_invalid_arguments, dnnl_reduction_sum, 0, &src, &flat);
    refused(dnnl_invalid_arguments, dnnl_reduction_norm_lp_sum, 0.5f, &src, &dst);
    refused(dnnl_invalid_arguments, dnnl_reduction_norm_lp_sum, 2, &s8, &dst);
    refused(dnnl_invalid_arguments, dnnl_binary_add, 2, &src, &dst);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_refusals))

/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax on its own variants and on those of the reductions (cases/softmax.txt): axes, layouts,
 * types, attributes. */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("softmax", "layouts");
    cases_run("softmax", "types");
    cases_run("softmax", "attributes");
    cases_run("softmax", "whole");
}

static void run_sections_of_any_length(void) {
    run_sections();
    cases_run("softmax", "lengths");
    cases_run("softmax", "columns");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("softmax", run_sections_of_any_length);
}

static void test_reductions(void **unused) {
    (void)unused;
    for_each_variant("reduction", run_sections);
}

static void refused(
        dnnl_status_t wanted, dnnl_alg_kind_t alg, const md_t *src, const md_t *dst, int axis) {
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(dnnl_softmax_forward_primitive_desc_create(&pd, harness_engine,
                             dnnl_forward_inference, alg, src, dst, axis, NULL),
            wanted);
    assert_null(pd);
}

static void test_refusals(void **unused) {
    (void)unused;
    md_t md = make_md(dnnl_f32, "ab", D(3, 5)), other = make_md(dnnl_f32, "ab", D(3, 4)), any = md;
    any.format_kind = dnnl_format_kind_any;
    refused(dnnl_invalid_arguments, dnnl_eltwise_relu, &md, &md, 1);
    refused(dnnl_invalid_arguments, dnnl_softmax_accurate, &md, &md, 2);
    refused(dnnl_invalid_arguments, dnnl_softmax_accurate, &md, &md, -1);
    refused(dnnl_invalid_arguments, dnnl_softmax_accurate, &md, &other, 1);
    refused(dnnl_invalid_arguments, dnnl_softmax_accurate, &any, &md, 1);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_refusals))

/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of softmax on its own variants and on those of the reductions
 * (cases/softmax_backward.txt). */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    if (variants[harness_hints.forced_variant].needs_fp64) cases_run("softmax_backward", "doubles");
    cases_run("softmax_backward", "layouts");
    cases_run("softmax_backward", "types");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("softmax_backward", run_sections);
}

static void test_reductions(void **unused) {
    (void)unused;
    for_each_variant("reduction", run_sections);
}

static void refused(dnnl_status_t wanted, dnnl_alg_kind_t alg, const md_t *diff_src,
        const md_t *diff_dst, const md_t *dst, int axis) {
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(dnnl_softmax_backward_primitive_desc_create(
                             &pd, harness_engine, alg, diff_src, diff_dst, dst, axis, NULL, NULL),
            wanted);
    assert_null(pd);
}

static void test_refusals(void **unused) {
    (void)unused;
    const dnnl_alg_kind_t alg = dnnl_softmax_accurate;
    md_t md = make_md(dnnl_f32, "ab", D(3, 5)), other = make_md(dnnl_f32, "ab", D(3, 4)), any = md,
         narrow = make_md(dnnl_f16, "ab", D(3, 5)), bytes = make_md(dnnl_s8, "ab", D(3, 5));
    any.format_kind = dnnl_format_kind_any;
    refused(dnnl_invalid_arguments, dnnl_eltwise_relu, &md, &md, &md, 1);
    /* That which takes rows of minus infinity as zero is oneDNN's own. */
    refused(dnnl_invalid_arguments, (dnnl_alg_kind_t)(dnnl_softmax_log + 1), &md, &md, &md, 1);
    refused(dnnl_invalid_arguments, alg, &md, &md, &md, 2);
    refused(dnnl_invalid_arguments, alg, &md, &md, &md, -1);
    refused(dnnl_invalid_arguments, alg, &other, &md, &md, 1);
    refused(dnnl_invalid_arguments, alg, &md, &other, &md, 1);
    refused(dnnl_invalid_arguments, alg, &md, &md, &any, 1);
    refused(dnnl_unimplemented, alg, &bytes, &md, &md, 1);
    refused(dnnl_unimplemented, alg, &md, &narrow, &md, 1);
    refused(dnnl_unimplemented, alg, &bytes, &bytes, &bytes, 1);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_refusals))

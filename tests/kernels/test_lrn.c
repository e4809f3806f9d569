/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "lrn" (cases/lrn.txt): algorithms, sizes, layouts, types, workspaces. */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_all(void) {
    cases_run("lrn", "all");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("lrn", run_all);
}

static dnnl_status_t create(dnnl_primitive_desc_t *pd, dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
        const md_t *src, const md_t *dst, dnnl_dim_t size, float beta) {
    return dnnl_lrn_forward_primitive_desc_create(
            pd, harness_engine, prop, alg, src, dst, size, 0.5f, beta, 1.5f, NULL);
}

static void test_refusals(void **unused) {
    (void)unused;
    const md_t f32 = make_md(dnnl_f32, "abcd", D(2, 3, 4, 5)),
               s8 = make_md(dnnl_s8, "abcd", D(2, 3, 4, 5)),
               other = make_md(dnnl_f32, "abcd", D(2, 3, 4, 6)), one = make_md(dnnl_f32, "a", D(7));
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_prop_kind_t prop = dnnl_forward_inference;
    const dnnl_alg_kind_t alg = dnnl_lrn_across_channels;
    assert_int_equal(create(&pd, prop, dnnl_pooling_max, &f32, &f32, 5, 1), dnnl_invalid_arguments);
    assert_int_equal(create(&pd, prop, alg, &f32, &f32, -1, 1), dnnl_invalid_arguments);
    assert_int_equal(create(&pd, prop, alg, &f32, &other, 5, 1), dnnl_invalid_arguments);
    assert_int_equal(create(&pd, prop, alg, &one, &one, 5, 1), dnnl_invalid_arguments);
    assert_int_equal(create(&pd, prop, alg, &s8, &s8, 5, 1), dnnl_unimplemented);
    assert_null(pd);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_refusals))

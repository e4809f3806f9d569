/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "lrn_backward" (cases/lrn_backward.txt): algorithms, sizes, layouts,
 * types. */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_all(void) {
    cases_run("lrn_backward", "all");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("lrn_backward", run_all);
}

static void test_refusals(void **unused) {
    (void)unused;
    const md_t f32 = make_md(dnnl_f32, "abcd", D(2, 3, 4, 5)),
               last = make_md(dnnl_f32, "acdb", D(2, 3, 4, 5)),
               f16 = make_md(dnnl_f16, "abcd", D(2, 3, 4, 5)),
               other = make_md(dnnl_f32, "abcd", D(2, 3, 4, 6));
    const dnnl_prop_kind_t props[] = {dnnl_forward_training, dnnl_forward_inference};
    dnnl_primitive_desc_t hint[2], pd = NULL;
    for (int i = 0; i < 2; i++)
        assert_int_equal(dnnl_lrn_forward_primitive_desc_create(&hint[i], harness_engine, props[i],
                                 dnnl_lrn_across_channels, &f32, &f32, 5, 1, 1, 1, NULL),
                dnnl_success);
#define CREATE(alg, diff_src, diff_dst, size, hint)                                                \
    dnnl_lrn_backward_primitive_desc_create(                                                       \
            &pd, harness_engine, alg, diff_src, diff_dst, &f32, size, 1, 1, 1, hint, NULL)
    const dnnl_alg_kind_t across = dnnl_lrn_across_channels;
    assert_int_equal(CREATE(dnnl_pooling_max, &f32, &f32, 5, hint[0]), dnnl_invalid_arguments);
    assert_int_equal(CREATE(across, &f32, &f32, -1, hint[0]), dnnl_invalid_arguments);
    assert_int_equal(CREATE(across, &other, &other, 5, hint[0]), dnnl_invalid_arguments);
    assert_int_equal(CREATE(across, &f16, &f32, 5, hint[0]), dnnl_unimplemented);
    assert_int_equal(CREATE(across, &last, &f32, 5, hint[0]), dnnl_unimplemented);
    assert_int_equal(CREATE(across, &f32, &f32, 5, NULL), dnnl_unimplemented);
    assert_int_equal(CREATE(across, &f32, &f32, 5, hint[1]), dnnl_unimplemented);
    assert_null(pd);
    for (int i = 0; i < 2; i++) dnnl_primitive_desc_destroy(hint[i]);
}

/* The workspace of a hint with another parameter does not belong to the problem. */
static void test_other_hint(void **unused) {
    (void)unused;
    const md_t md = make_md(dnnl_f32, "abcd", D(2, 3, 4, 5));
    const dnnl_alg_kind_t across = dnnl_lrn_across_channels;
    static const struct {
        dnnl_alg_kind_t alg;
        dnnl_dim_t size;
        float alpha, beta, k;
        dnnl_status_t status;
    } hints[] = {{dnnl_lrn_across_channels, 5, 1, 0.75f, 2, dnnl_success},
            {dnnl_lrn_within_channel, 5, 1, 0.75f, 2, dnnl_unimplemented},
            {dnnl_lrn_across_channels, 3, 1, 0.75f, 2, dnnl_unimplemented},
            {dnnl_lrn_across_channels, 5, 2, 0.75f, 2, dnnl_unimplemented},
            {dnnl_lrn_across_channels, 5, 1, 0.5f, 2, dnnl_unimplemented},
            {dnnl_lrn_across_channels, 5, 1, 0.75f, 1, dnnl_unimplemented}};
    for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
        dnnl_primitive_desc_t hint = NULL, pd = NULL;
        assert_int_equal(dnnl_lrn_forward_primitive_desc_create(&hint, harness_engine,
                                 dnnl_forward_training, hints[i].alg, &md, &md, hints[i].size,
                                 hints[i].alpha, hints[i].beta, hints[i].k, NULL),
                dnnl_success);
        assert_int_equal(dnnl_lrn_backward_primitive_desc_create(&pd, harness_engine, across, &md,
                                 &md, &md, 5, 1, 0.75f, 2, hint, NULL),
                hints[i].status);
        assert_int_equal(pd != NULL, hints[i].status == dnnl_success);
        if (pd) dnnl_primitive_desc_destroy(pd);
        dnnl_primitive_desc_destroy(hint);
    }
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_other_hint))

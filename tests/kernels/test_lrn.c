/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of family "lrn": algorithms, sizes, layouts, types, workspaces. */
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_spatial.h"
#include "test_main.h"

static dnnl_status_t create(dnnl_primitive_desc_t *pd, dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
        const md_t *src, const md_t *dst, dnnl_dim_t size, float beta) {
    return dnnl_lrn_forward_primitive_desc_create(
            pd, harness_engine, prop, alg, src, dst, size, 0.5f, beta, 1.5f, NULL);
}

static void lrn(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, dnnl_data_type_t dt,
        const char *src_tag, const char *dst_tag, int ndims, const dnnl_dim_t *dims,
        dnnl_dim_t size, float beta) {
    const md_t src = make_md(dt, src_tag, ndims, dims), dst = make_md(dt, dst_tag, ndims, dims);
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_status_t status = create(&pd, prop, alg, &src, &dst, size, beta);
    case_t c;
    if (!case_open(&c, pd, status)) return;
    case_fill(&c, NULL);
    case_run(&c);
    case_check(&c, ref_lrn);
    case_close(&c);
}

static void rows(void) {
    static const dnnl_alg_kind_t algs[] = {dnnl_lrn_across_channels, dnnl_lrn_within_channel};
    static const char *const tags[][2] = {{"abcd", "abcd"}, {"acdb", "acdb"},
            {"aBcd16b", "aBcd16b"}, {"acdb", "aBcd16b"}, {"aBcd8b", "abcd"},
            {"ABcd4a4b", "ABcd4a4b"}, {"+acdb", "+acdb"}};
    for (int a = 0; a < 2; a++) {
        for (int i = 0; i < ARRAY_LEN(tags); i++)
            lrn(dnnl_forward_training, algs[a], dnnl_f32, tags[i][0], tags[i][1], D(2, 37, 5, 6), 5,
                    0.75f);
        lrn(dnnl_forward_inference, algs[a], dnnl_f32, "acdb", "acdb", D(1, 50, 3, 4), 4, 1);
        lrn(dnnl_forward_inference, algs[a], dnnl_f32, "acdb", "acdb", D(1, 50, 3, 4), 31, 0.75f);
        lrn(dnnl_forward_inference, algs[a], dnnl_f32, "acdb", "acdb", D(1, 50, 3, 4), 45, 0.75f);
        lrn(dnnl_forward_inference, algs[a], dnnl_f32, "acdb", "acdb", D(1, 50, 3, 4), 1, 0.5f);
        lrn(dnnl_forward_training, algs[a], dnnl_f16, "acdb", "acdb", D(2, 19, 3, 4), 3, 0.75f);
        lrn(dnnl_forward_training, algs[a], dnnl_f64, "abcd", "acdb", D(2, 19, 3, 4), 5, 0.75f);
        lrn(dnnl_forward_inference, algs[a], dnnl_f8_e4m3, "acdb", "acdb", D(2, 19, 3, 4), 3,
                0.75f);
        lrn(dnnl_forward_training, algs[a], dnnl_bf16, "abcd", "abcd", D(2, 19, 3, 4), 3, 0.75f);
        lrn(dnnl_forward_training, algs[a], dnnl_f32, "acdeb", "acdeb", D(1, 19, 3, 4, 5), 3,
                0.75f);
        lrn(dnnl_forward_inference, algs[a], dnnl_f32, "acb", "acb", D(3, 20, 5), 3, 0.75f);
        lrn(dnnl_forward_inference, algs[a], dnnl_f32, "abcd", "abcd", D(0, 20, 5, 2), 3, 0.75f);
    }
    lrn(dnnl_forward_training, dnnl_lrn_across_channels, dnnl_f32, "ab", "ab", D(3, 35), 5, 0.75f);
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("lrn", rows);
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

TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_refusals))

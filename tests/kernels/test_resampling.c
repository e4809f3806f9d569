/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of family "resampling": algorithms, sizes, layouts, types, post-ops. */
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_spatial.h"
#include "test_main.h"

static void resample(
        dnnl_alg_kind_t alg, const md_t *src, const md_t *dst, const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_status_t status = dnnl_resampling_forward_primitive_desc_create(
            &pd, harness_engine, dnnl_forward_inference, alg, NULL, src, dst, attr);
    case_all(pd, status, ref_resampling, -4, 4);
}

static const char *const plain[] = {"abc", "abcd", "abcde"},
                         *const last[] = {"acb", "acdb", "acdeb"},
                         *const blocked[] = {"aBc16b", "aBcd16b", "aBcde16b"};

static void shapes(void) {
    static const struct {
        int ndims;
        dnnl_dims_t in, out;
    } sizes[] = {
            {4, {2, 19, 5, 7}, {2, 19, 10, 14}},
            {4, {1, 35, 9, 40}, {1, 35, 4, 19}},
            {4, {1, 3, 1, 1}, {1, 3, 5, 17}},
            {4, {1, 16, 4, 6}, {1, 16, 4, 6}},
            {4, {2, 4, 3, 700}, {2, 4, 2, 1500}},
            {4, {1, 2, 3, 900}, {1, 2, 3, 40}},
            {4, {1, 2, 3, 900}, {1, 2, 3, 5}},
            {3, {2, 5, 31}, {2, 5, 77}},
            {5, {1, 17, 3, 4, 5}, {1, 17, 5, 7, 18}},
    };
    const dnnl_alg_kind_t algs[] = {dnnl_resampling_nearest, dnnl_resampling_linear};
    const char *const *const tags[] = {plain, last, blocked};
    for (int i = 0; i < ARRAY_LEN(sizes); i++)
        for (int t = 0; t < 3; t++)
            for (int a = 0; a < 2; a++) {
                const char *tag = tags[t][sizes[i].ndims - 3];
                const md_t src = make_md(dnnl_f32, tag, sizes[i].ndims, sizes[i].in),
                           dst = make_md(dnnl_f32, tag, sizes[i].ndims, sizes[i].out);
                resample(algs[a], &src, &dst, NULL);
            }
}

static void layouts(void) {
    static const char *const tags[][2] = {{"abcd", "acdb"}, {"acdb", "abcd"}, {"aBcd16b", "abcd"},
            {"aBcd8b", "acdb"}, {"ABcd4a4b", "ABcd4a4b"}, {"+abcd", "+abcd"}, {"+acdb", "aBcd32b"}};
    for (int i = 0; i < ARRAY_LEN(tags); i++) {
        const md_t src = make_md(dnnl_f32, tags[i][0], D(2, 19, 4, 5)),
                   dst = make_md(dnnl_f32, tags[i][1], D(2, 19, 7, 18));
        resample(dnnl_resampling_linear, &src, &dst, NULL);
    }
    const md_t src = make_md(dnnl_f32, "abcd", D(0, 3, 4, 5)),
               dst = make_md(dnnl_f32, "abcd", D(0, 3, 8, 5));
    resample(dnnl_resampling_nearest, &src, &dst, NULL);
}

static void types(void) {
    static const dnnl_data_type_t dts[][2] = {{dnnl_f16, dnnl_f16}, {dnnl_bf16, dnnl_f32},
            {dnnl_s8, dnnl_s8}, {dnnl_u8, dnnl_s32}, {dnnl_f32, dnnl_u8}, {dnnl_s32, dnnl_bf16}};
    for (int i = 0; i < ARRAY_LEN(dts); i++) {
        if (!sampled(i)) continue;
        for (int t = 0; t < 2; t++) {
            const char *tag = t ? "acdb" : "abcd";
            const md_t src = make_md(dts[i][0], tag, D(2, 19, 4, 5)),
                       dst = make_md(dts[i][1], tag, D(2, 19, 9, 17));
            resample(dnnl_resampling_linear, &src, &dst, NULL);
        }
    }
}

static void post_ops(void) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    const md_t per_channel = make_md(dnnl_f32, "abcd", D(1, 19, 1, 1));
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal(dnnl_post_ops_create(&ops), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_sum(ops, 0.5f, 0, dnnl_data_type_undef), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_binary(ops, dnnl_binary_mul, &per_channel), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0), dnnl_success);
    assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, ops), dnnl_success);
    static const char *const tags[] = {"abcd", "acdb", "aBcd16b"};
    for (int i = 0; i < ARRAY_LEN(tags); i++) {
        const md_t src = make_md(dnnl_f32, tags[i], D(2, 19, 4, 5)),
                   dst = make_md(dnnl_f32, tags[i], D(2, 19, 9, 18));
        resample(dnnl_resampling_linear, &src, &dst, attr);
    }
    dnnl_post_ops_destroy(ops);
    dnnl_primitive_attr_destroy(attr);
}

static void rows(void) {
    shapes();
    layouts();
    types();
    post_ops();
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("resampling", rows);
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

TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_factors),
        cmocka_unit_test(test_refusals))

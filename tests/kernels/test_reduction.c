/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of family "reduction": algorithms, sets of dimensions, layouts, types, post-ops. */
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_norm.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)

static void run(dnnl_alg_kind_t alg, float p, const md_t *src, const md_t *dst,
        const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_reduction_primitive_desc_create(
            &pd, harness_engine, alg, src, dst, p, 0.125f, attr);
    const double range = alg == dnnl_reduction_mul ? 1.5 : 4;
    case_all(pd, status, ref_reduction, -range, range);
}

/* src's dimensions, 1 where the mask has a bit. */
static md_t reduced(dnnl_data_type_t dt, const char *tag, const md_t *src, unsigned mask) {
    dnnl_dims_t dims;
    for (int d = 0; d < src->ndims; d++) dims[d] = mask & 1u << d ? 1 : src->dims[d];
    return make_md(dt, tag, src->ndims, dims);
}

static void algorithms(void) {
    md_t src = make_md(dnnl_f32, "abc", D(3, 21, 37));
    md_t inner = reduced(dnnl_f32, "abc", &src, 4), outer = reduced(dnnl_f32, "abc", &src, 2);
    for (dnnl_alg_kind_t alg = dnnl_reduction_max; alg <= dnnl_reduction_norm_lp_power_p_sum;
            alg++) {
        const bool norm = alg >= dnnl_reduction_norm_lp_max;
        for (int i = 0; i < (norm ? 3 : 1); i++) {
            if (!sampled((int)alg + i)) continue;
            const float p[] = {2, 1, 2.5f};
            run(alg, p[i], &src, &inner, NULL);
            run(alg, p[i], &src, &outer, NULL);
        }
    }
}

static void layouts(void) {
    static const struct {
        const char *src, *dst;
        int ndims;
        unsigned mask;
        dnnl_dim_t dims[5];
    } shapes[] = {
            {"a", "a", 1, 1, {2}},
            {"a", "a", 1, 1, {70001}},
            {"ab", "ab", 2, 3, {301, 257}},
            {"ab", "ab", 2, 1, {1999, 35}},
            {"ab", "ab", 2, 2, {0, 5}},
            {"ab", "ab", 2, 1, {9, 1100}},
            {"ab", "ba", 2, 2, {67, 3}},
            {"+ab", "+ab", 2, 2, {17, 29}},
            {"abcd", "abcd", 4, 12, {3, 5, 7, 11}},
            {"abcd", "acdb", 4, 1, {3, 5, 7, 11}},
            {"abcd", "abcd", 4, 5, {3, 5, 7, 11}},
            {"abcd", "abcd", 4, 13, {6, 5, 17, 101}},
            {"acdb", "acdb", 4, 13, {6, 19, 17, 31}},
            {"aBcd16b", "aBcd16b", 4, 12, {2, 32, 3, 5}},
            {"aBcd16b", "aBcd16b", 4, 12, {2, 19, 3, 5}},
            {"aBcd16b", "abcd", 4, 2, {2, 19, 3, 5}},
            {"abcde", "abcde", 5, 21, {2, 3, 4, 3, 5}},
            {"abcde", "abcde", 5, 21, {1, 3, 4, 1, 5}},
    };
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        md_t src = make_md(dnnl_f32, shapes[i].src, shapes[i].ndims, shapes[i].dims);
        md_t dst = reduced(dnnl_f32, shapes[i].dst, &src, shapes[i].mask);
        run(dnnl_reduction_sum, 0, &src, &dst, NULL);
        run(dnnl_reduction_max, 0, &src, &dst, NULL);
    }
}

static void types(void) {
    static const dnnl_data_type_t dts[][2] = {{dnnl_f16, dnnl_f16}, {dnnl_bf16, dnnl_f32},
            {dnnl_f32, dnnl_bf16}, {dnnl_s8, dnnl_s32}, {dnnl_u8, dnnl_u8}, {dnnl_s8, dnnl_f32},
            {dnnl_f64, dnnl_f64}, {dnnl_f64, dnnl_f32}};
    for (int i = 0; i < ARRAY_LEN(dts); i++) {
        if (!sampled(i)) continue;
        md_t src = make_md(dts[i][0], "ab", D(7, 83)), dst = reduced(dts[i][1], "ab", &src, 2);
        run(dnnl_reduction_mean, 0, &src, &dst, NULL);
        dst = reduced(dts[i][1], "ab", &src, 3);
        run(dnnl_reduction_min, 0, &src, &dst, NULL);
    }
}

static void post_ops(void) {
    md_t src = make_md(dnnl_f32, "abcd", D(2, 19, 3, 5)),
         dst = reduced(dnnl_f32, "aBcd8b", &src, 12);
    md_t channel = reduced(dnnl_f32, "abcd", &dst, 13);
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t po;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_post_ops_create(&po));
    OK(dnnl_post_ops_append_sum(po, 0.5f, 0, dnnl_data_type_undef));
    OK(dnnl_post_ops_append_binary(po, dnnl_binary_mul, &channel));
    OK(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_linear, 2, 5));
    OK(dnnl_primitive_attr_set_post_ops(attr, po));
    run(dnnl_reduction_mean, 0, &src, &dst, attr);
    OK(dnnl_post_ops_destroy(po));
    OK(dnnl_primitive_attr_destroy(attr));
}

static void rows(void) {
    algorithms();
    layouts();
    types();
    post_ops();
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("reduction", rows);
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

TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_refusals))

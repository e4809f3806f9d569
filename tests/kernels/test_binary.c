/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of family "elementwise" as binary: algorithms, mixed types, broadcast, scales. */
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run(dnnl_alg_kind_t alg, const md_t *src0, const md_t *src1, const md_t *dst,
        const_dnnl_primitive_attr_t attr) {
    md_t src2 = *src0; /* the condition has the layout of source 0 */
    src2.data_type = dnnl_s8;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_binary_primitive_desc_create_v2(&pd, harness_engine, alg, src0,
            src1, alg == dnnl_binary_select ? &src2 : NULL, dst, attr);
    case_all(pd, status, ref_binary_fwd, -4, 4);
}

static void algorithms(void) {
    md_t f32 = make_md(dnnl_f32, "ab", D(37, 29));
    for (dnnl_alg_kind_t alg = dnnl_binary_add; alg <= dnnl_binary_select; alg++)
        run(alg, &f32, &f32, &f32, NULL);
    /* Small integers, so that there are equal ones. */
    md_t s8 = make_md(dnnl_s8, "ab", D(37, 290)), u8 = make_md(dnnl_u8, "ab", D(37, 290));
    run(dnnl_binary_eq, &s8, &s8, &u8, NULL);
    run(dnnl_binary_ne, &s8, &u8, &s8, NULL);
    run(dnnl_binary_le, &u8, &s8, &u8, NULL);
}

static void types(void) {
    static const dnnl_data_type_t dts[][3] = {
            {dnnl_f16, dnnl_bf16, dnnl_f32},
            {dnnl_bf16, dnnl_bf16, dnnl_bf16},
            {dnnl_f32, dnnl_f32, dnnl_f16},
            {dnnl_s32, dnnl_f32, dnnl_s8},
            {dnnl_u8, dnnl_s8, dnnl_s32},
            {dnnl_f32, dnnl_s32, dnnl_u8},
            {dnnl_f64, dnnl_f32, dnnl_f64},
    };
    for (int i = 0; i < ARRAY_LEN(dts); i++) {
        if (!sampled(i)) continue;
        md_t src0 = make_md(dts[i][0], "a", D(523)), src1 = make_md(dts[i][1], "a", D(523));
        md_t dst = make_md(dts[i][2], "a", D(523));
        run(dnnl_binary_add, &src0, &src1, &dst, NULL);
    }
}

static void broadcast(void) {
    static const struct {
        const char *tag0, *tag1, *dst;
        int ndims;
        dnnl_dim_t dims0[5], dims1[5], dims[5];
    } shapes[] = {
            {"a", "a", "a", 1, {301}, {1}, {301}},
            {"ab", "ab", "ab", 2, {0, 5}, {1, 5}, {0, 5}},
            {"ab", "ab", "ab", 2, {31, 35}, {1, 35}, {31, 35}},
            {"ab", "ab", "ab", 2, {31, 35}, {31, 1}, {31, 35}},
            {"ab", "ab", "ba", 2, {1, 35}, {31, 1}, {31, 35}},
            {"abcd", "abcd", "abcd", 4, {2, 5, 3, 7}, {1, 5, 1, 1}, {2, 5, 3, 7}},
            {"aBcd16b", "aBcd16b", "aBcd16b", 4, {2, 19, 3, 2}, {2, 19, 3, 2}, {2, 19, 3, 2}},
            {"aBcd16b", "abcd", "aBcd16b", 4, {2, 19, 3, 2}, {1, 19, 1, 1}, {2, 19, 3, 2}},
            {"acdb", "aBcd4b", "+abcd", 4, {2, 6, 3, 2}, {2, 6, 1, 2}, {2, 6, 3, 2}},
            {"abcde", "abcde", "abcde", 5, {2, 1, 3, 1, 5}, {1, 4, 3, 2, 5}, {2, 4, 3, 2, 5}},
    };
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        md_t src0 = make_md(dnnl_f32, shapes[i].tag0, shapes[i].ndims, shapes[i].dims0);
        md_t src1 = make_md(dnnl_f32, shapes[i].tag1, shapes[i].ndims, shapes[i].dims1);
        md_t dst = make_md(dnnl_f32, shapes[i].dst, shapes[i].ndims, shapes[i].dims);
        run(dnnl_binary_sub, &src0, &src1, &dst, NULL);
        run(dnnl_binary_select, &src0, &src1, &dst, NULL);
    }
}

static void scales(void) {
    md_t s8 = make_md(dnnl_s8, "ab", D(13, 41)), f32 = make_md(dnnl_f32, "ab", D(13, 41));
    for (int which = 1; which <= 3; which++) {
        dnnl_primitive_attr_t attr;
        assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
        if (which & 1)
            assert_int_equal(
                    dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC_0, 0), dnnl_success);
        if (which & 2)
            assert_int_equal(
                    dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC_1, 0), dnnl_success);
        run(dnnl_binary_add, &s8, &f32, &s8, attr);
        dnnl_primitive_attr_destroy(attr);
    }
}

static void rows(void) {
    algorithms();
    types();
    broadcast();
    scales();
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("elementwise", rows);
}

TEST_MAIN(cmocka_unit_test(test_rows))

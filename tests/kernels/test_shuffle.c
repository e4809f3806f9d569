/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of family "elementwise" as shuffle: axes, groups, types, layouts whose blocks split with the axis
 * or do not. */
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_data.h"
#include "test_main.h"

static void run(const md_t *src, const md_t *dst, int axis, dnnl_dim_t group) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_shuffle_forward_primitive_desc_create(
            &pd, harness_engine, dnnl_forward_inference, src, dst, axis, group, NULL);
    case_all(pd, status, ref_shuffle, -4, 4);
}

static void layouts(void) {
    static const struct {
        const char *src, *dst;
        int axis;
        dnnl_dim_t group, dims[4];
    } cases[] = {
            {"abcd", "abcd", 1, 3, {2, 12, 5, 7}},
            {"acdb", "acdb", 1, 4, {2, 68, 3, 2}},
            {"abcd", "abcd", 0, 2, {6, 3, 4, 1}},
            {"abcd", "abcd", 3, 5, {2, 3, 4, 35}},
            {"abcd", "abcd", 2, 1, {2, 3, 4, 5}},
            {"abcd", "abcd", 2, 4, {2, 3, 4, 5}},
            {"aBcd16b", "aBcd16b", 1, 4, {2, 64, 3, 5}},
            {"aBcd16b", "aBcd16b", 1, 32, {2, 64, 3, 5}},
            {"aBcd16b", "aBcd16b", 1, 3, {2, 48, 3, 5}},
            {"aBcd16b", "aBcd16b", 1, 3, {2, 18, 3, 5}},
            {"aBcd8b", "abcd", 1, 2, {2, 24, 3, 5}},
            {"aBcd16b", "aBcd16b", 2, 3, {2, 19, 9, 5}},
            {"+abcd", "acdb", 1, 2, {2, 24, 3, 5}},
            {"abcd", "abcd", 1, 2, {2, 4, 0, 5}},
    };
    for (int i = 0; i < ARRAY_LEN(cases); i++) {
        const md_t src = make_md(dnnl_f32, cases[i].src, 4, cases[i].dims),
                   dst = make_md(dnnl_f32, cases[i].dst, 4, cases[i].dims);
        run(&src, &dst, cases[i].axis, cases[i].group);
    }
}

static void types(void) {
    static const dnnl_data_type_t dts[] = {
            dnnl_f16, dnnl_bf16, dnnl_s32, dnnl_s8, dnnl_u8, dnnl_f64};
    for (int i = 0; i < ARRAY_LEN(dts); i++) {
        if (!sampled(i)) continue;
        const md_t md = make_md(dts[i], "abc", D(3, 20, 17));
        run(&md, &md, 1, 5);
    }
}

static void nibbles(void) {
    static const struct {
        dnnl_data_type_t dt;
        const char *tag;
        int axis;
        dnnl_dim_t group, dims[3];
    } cases[] = {
            {dnnl_s4, "abc", 1, 3, {2, 12, 6}},
            {dnnl_u4, "acb", 1, 4, {2, 12, 5}},
            {dnnl_f4_e2m1, "abc", 2, 2, {2, 3, 30}},
            {dnnl_s4, "aBc8b", 1, 4, {2, 24, 5}},
            {dnnl_u4, "aBc8b", 1, 3, {2, 18, 5}},
            {dnnl_s4, "acb", 1, 2, {3, 14, 3}},
    };
    for (int i = 0; i < ARRAY_LEN(cases); i++) {
        if (!sampled(i)) continue;
        const md_t md = make_md(cases[i].dt, cases[i].tag, 3, cases[i].dims);
        run(&md, &md, cases[i].axis, cases[i].group);
    }
}

static void rows(void) {
    layouts();
    types();
    nibbles();
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("elementwise", rows);
}

static void test_refusals(void **unused) {
    (void)unused;
    const md_t f32 = make_md(dnnl_f32, "ab", D(2, 12)), s8 = make_md(dnnl_s8, "ab", D(2, 12)),
               small = make_md(dnnl_f32, "ab", D(2, 11));
    dnnl_primitive_desc_t pd = NULL;
#define CREATE(dst, axis, group)                                                                   \
    dnnl_shuffle_forward_primitive_desc_create(                                                    \
            &pd, harness_engine, dnnl_forward_training, &f32, dst, axis, group, NULL)
    assert_int_equal(CREATE(&f32, 1, 5), dnnl_invalid_arguments);
    assert_int_equal(CREATE(&f32, 1, 0), dnnl_invalid_arguments);
    assert_int_equal(CREATE(&f32, 2, 3), dnnl_invalid_arguments);
    assert_int_equal(CREATE(&small, 1, 3), dnnl_invalid_arguments);
    assert_int_equal(CREATE(&s8, 1, 3), dnnl_unimplemented);
    assert_null(pd);
}

TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_refusals))

/* SPDX-License-Identifier: Apache-2.0 */
/* Concat: through steps of family "elementwise", and through the rows that take many sources at once. */
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_data.h"
#include "test_main.h"

enum { MOST = 40 };

static void run(
        int n, const md_t *src, const md_t *dst, int axis, const_dnnl_primitive_attr_t attr) {
    const_dnnl_memory_desc_t list[MOST];
    for (int i = 0; i < n; i++) list[i] = &src[i];
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status =
            dnnl_concat_primitive_desc_create(&pd, harness_engine, dst, n, axis, list, attr);
    case_all(pd, status, ref_concat, -4, 4);
}

/* n sources of which the sizes on the axis are given; dst NULL: left to the library. */
static void concat(dnnl_data_type_t src_dt, const char *src_tag, dnnl_data_type_t dst_dt,
        const char *dst_tag, int axis, int ndims, const dnnl_dim_t *dims, int n,
        const dnnl_dim_t *sizes) {
    md_t src[MOST], dst;
    dnnl_dims_t d;
    dnnl_dim_t total = 0;
    for (int i = 0; i < ndims; i++) d[i] = dims[i];
    for (int i = 0; i < n; i++) {
        total += d[axis] = sizes[i];
        src[i] = make_md(src_dt, src_tag, ndims, d);
    }
    d[axis] = total;
    if (dst_tag) dst = make_md(dst_dt, dst_tag, ndims, d);
    run(n, src, dst_tag ? &dst : NULL, axis, NULL);
}

static void layouts(void) {
    static const struct {
        const char *src, *dst;
        int axis, n;
        dnnl_dim_t sizes[4];
    } cases[] = {
            {"abcd", "abcd", 0, 2, {1, 2}},
            {"abcd", "abcd", 1, 3, {3, 0, 7}},
            {"abcd", "abcd", 3, 3, {5, 1, 17}},
            {"+abcd", "+abcd", 2, 2, {4, 3}},
            {"acdb", "acdb", 1, 3, {16, 1, 33}},
            {"abcd", "acdb", 1, 2, {19, 2}},
            {"aBcd16b", NULL, 1, 2, {32, 19}},
            {"aBcd16b", "aBcd16b", 1, 3, {19, 13, 5}},
            {"aBcd16b", "abcd", 1, 2, {19, 5}},
            {"abcd", "aBcd8b", 1, 3, {8, 16, 3}},
            {"aBcd4b", "aBcd16b", 2, 2, {3, 4}},
            {"ABcd4a4b", NULL, 1, 2, {4, 7}},
            {"abcd", "abcd", 1, 1, {5}},
            {"abcd", "abcd", 1, 2, {0, 0}},
    };
    const dnnl_dim_t dims[] = {3, 5, 4, 7};
    for (int i = 0; i < ARRAY_LEN(cases); i++)
        concat(dnnl_f32, cases[i].src, dnnl_f32, cases[i].dst, cases[i].axis, 4, dims, cases[i].n,
                cases[i].sizes);
}

static void types(void) {
    static const dnnl_data_type_t dts[][2] = {{dnnl_f16, dnnl_f16}, {dnnl_bf16, dnnl_f32},
            {dnnl_s32, dnnl_s32}, {dnnl_u8, dnnl_s8}, {dnnl_f32, dnnl_u8}, {dnnl_f64, dnnl_f64},
            {dnnl_s8, dnnl_f16}};
    const dnnl_dim_t dims[] = {7, 0, 9}, sizes[] = {3, 20, 1};
    for (int i = 0; i < ARRAY_LEN(dts); i++)
        if (sampled(i)) concat(dts[i][0], "abc", dts[i][1], "abc", 1, 3, dims, 3, sizes);
}

static void scales(void) {
    dnnl_primitive_attr_t attr;
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal(
            dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MULTIPLE_SRC, 0), dnnl_success);
    assert_int_equal(
            dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MULTIPLE_SRC + 2, 0), dnnl_success);
    md_t src[3], dst = make_md(dnnl_f32, "ab", D(5, 33));
    for (int i = 0; i < 3; i++) src[i] = make_md(dnnl_s8, "ab", D(5, 11));
    run(3, src, &dst, 1, attr);
    dnnl_primitive_attr_destroy(attr);
}

/* More sources than a plan has steps, each in a step of its own. */
static void many_scales(void) {
    enum { N = 21 };
    dnnl_primitive_attr_t attr;
    md_t src[N], dst = make_md(dnnl_f32, "ab", D(5, 3 * N));
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    for (int i = 0; i < N; i++) {
        src[i] = make_md(dnnl_s8, "ab", D(5, 3));
        if (i % 3)
            assert_int_equal(
                    dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MULTIPLE_SRC + i, 0),
                    dnnl_success);
    }
    run(N, src, &dst, 1, attr);
    dnnl_primitive_attr_destroy(attr);
}

/* Bytes with elements of two sources, and of two rows. */
static void nibbles(void) {
    static const struct {
        dnnl_data_type_t from, to;
        const char *src, *dst;
        int axis;
        dnnl_dim_t sizes[3];
    } cases[] = {
            {dnnl_s4, dnnl_s4, "abc", "abc", 1, {2, 4, 6}},
            {dnnl_u4, dnnl_u4, "abc", "abc", 1, {3, 1, 2}},
            {dnnl_f4_e2m1, dnnl_f4_e2m1, "cab", "abc", 2, {3, 4, 1}},
            {dnnl_f4_e2m1, dnnl_f32, "abc", "abc", 0, {1, 2, 3}},
            {dnnl_f32, dnnl_s4, "abc", "abc", 2, {5, 3, 6}},
            {dnnl_u4, dnnl_u4, "abc", "aBc8b", 1, {8, 5, 3}},
            {dnnl_s4, dnnl_s8, "aBc4b", "acb", 1, {8, 4, 2}},
            {dnnl_u4, dnnl_u4, "abc", "acb", 1, {1, 2, 5}},
    };
    const dnnl_dim_t dims[] = {4, 6, 6};
    for (int i = 0; i < ARRAY_LEN(cases); i++)
        if (sampled(i))
            concat(cases[i].from, cases[i].src, cases[i].to, cases[i].dst, cases[i].axis, 3, dims,
                    3, cases[i].sizes);
    dnnl_dim_t sizes[20];
    for (int i = 0; i < 20; i++) sizes[i] = 1 + i % 3;
    concat(dnnl_s4, "abc", dnnl_s4, "abc", 1, 3, dims, 20, sizes);
    concat(dnnl_u4, "a", dnnl_u4, "a", 0, 1, dims, 20, sizes);
}

/* More sources than a plan has steps. */
static void many(void) {
    dnnl_dim_t sizes[MOST];
    for (int i = 0; i < MOST; i++) sizes[i] = i % 5;
    const dnnl_dim_t dims[] = {2, 0, 3, 7};
    concat(dnnl_f32, "abcd", dnnl_f32, "abcd", 1, 4, dims, MOST, sizes);
    concat(dnnl_s8, "acdb", dnnl_f32, "acdb", 1, 4, dims, 20, sizes);
    concat(dnnl_f32, "acdb", dnnl_f32, "abcd", 2, 4, (dnnl_dim_t[]){2, 3, 0, 18}, 17, sizes);
    for (int i = 0; i < MOST; i++) sizes[i] = 16;
    sizes[16] = 5;
    concat(dnnl_bf16, "aBcd16b", dnnl_bf16, NULL, 1, 4, dims, 17, sizes);
}

static void by_elements(void) {
    layouts();
    types();
    scales();
    many_scales();
    nibbles();
}

static void at_once(void) {
    layouts();
    types();
    many();
}

static void test_steps(void **unused) {
    (void)unused;
    for_each_variant("elementwise", by_elements);
}

static void test_many(void **unused) {
    (void)unused;
    for_each_variant("concat", at_once);
}

static void test_refusals(void **unused) {
    (void)unused;
    md_t f32 = make_md(dnnl_f32, "ab", D(2, 3)), s8 = make_md(dnnl_s8, "ab", D(2, 3)),
         other = make_md(dnnl_f32, "ab", D(4, 3));
    const_dnnl_memory_desc_t mixed[] = {&f32, &s8}, shapes[] = {&f32, &other},
                             good[] = {&f32, &f32};
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_attr_t attr;
    assert_int_equal(
            dnnl_concat_primitive_desc_create(&pd, harness_engine, NULL, 2, 1, mixed, NULL),
            dnnl_invalid_arguments);
    assert_int_equal(
            dnnl_concat_primitive_desc_create(&pd, harness_engine, NULL, 2, 1, shapes, NULL),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_concat_primitive_desc_create(&pd, harness_engine, NULL, 2, 2, good, NULL),
            dnnl_invalid_arguments);
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal(
            dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_MULTIPLE_SRC + 1, 2), dnnl_success);
    assert_int_equal(dnnl_concat_primitive_desc_create(&pd, harness_engine, NULL, 2, 1, good, attr),
            dnnl_unimplemented);
    dnnl_primitive_attr_destroy(attr);
    assert_null(pd);
}

TEST_MAIN(
        cmocka_unit_test(test_steps), cmocka_unit_test(test_many), cmocka_unit_test(test_refusals))

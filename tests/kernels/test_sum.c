/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of family "elementwise" as sum: numbers of sources, types, layouts, scales. */
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_data.h"
#include "test_main.h"

enum { MOST = 200 };
static const float scales[MOST] = {1, -0.5f, 2, 0.25f, 0, 1, 3, 1, -1, 0.125f, 1, 1};

static dnnl_status_t create(dnnl_primitive_desc_t *pd, int n, const md_t *src, const md_t *dst) {
    const_dnnl_memory_desc_t list[MOST];
    for (int i = 0; i < n; i++) list[i] = &src[i];
    return dnnl_sum_primitive_desc_create(pd, harness_engine, dst, n, scales, list, NULL);
}

static void run(int n, const md_t *src, const md_t *dst) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = create(&pd, n, src, dst);
    case_all(pd, status, ref_sum, -4, 4);
}

static void counts(void) {
    static const int n[] = {1, 2, 9, 10, 17, 34, 65, 66, MOST};
    md_t src[MOST];
    for (int i = 0; i < MOST; i++) src[i] = make_md(dnnl_f32, "ab", D(13, 37));
    for (int i = 0; i < ARRAY_LEN(n); i++) run(n[i], src, NULL);
}

static void types(void) {
    static const dnnl_data_type_t dts[][3] = {{dnnl_f16, dnnl_bf16, dnnl_f32},
            {dnnl_s8, dnnl_u8, dnnl_s8}, {dnnl_bf16, dnnl_bf16, dnnl_bf16},
            {dnnl_s32, dnnl_f32, dnnl_u8}, {dnnl_f64, dnnl_f32, dnnl_f64},
            {dnnl_u8, dnnl_f16, dnnl_f16}};
    for (int i = 0; i < ARRAY_LEN(dts); i++) {
        if (!sampled(i)) continue;
        const md_t src[] = {make_md(dts[i][0], "a", D(511)), make_md(dts[i][1], "a", D(511))},
                   dst = make_md(dts[i][2], "a", D(511));
        run(2, src, &dst);
    }
}

static void layouts(void) {
    static const char *const tags[][3] = {{"abcd", "acdb", "abcd"},
            {"aBcd16b", "aBcd16b", "aBcd16b"}, {"abcd", "aBcd16b", "acdb"},
            {"+abcd", "abcd", "aBcd8b"}, {"abcd", "dcba", "ABcd4a4b"}};
    for (int i = 0; i < ARRAY_LEN(tags); i++) {
        const md_t src[] = {make_md(dnnl_f32, tags[i][0], D(3, 19, 2, 5)),
                make_md(dnnl_f32, tags[i][1], D(3, 19, 2, 5))},
                   dst = make_md(dnnl_f32, tags[i][2], D(3, 19, 2, 5));
        run(2, src, &dst);
    }
    const md_t empty[] = {make_md(dnnl_f32, "ab", D(0, 3)), make_md(dnnl_f32, "ab", D(0, 3))};
    run(2, empty, NULL);
}

static void rows(void) {
    counts();
    types();
    layouts();
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("elementwise", rows);
}

static void test_refusals(void **unused) {
    (void)unused;
    const md_t src[] = {make_md(dnnl_f32, "ab", D(2, 3)), make_md(dnnl_f32, "ab", D(2, 4))};
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(create(&pd, 2, src, NULL), dnnl_invalid_arguments);
    assert_null(pd);
}

TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_refusals))

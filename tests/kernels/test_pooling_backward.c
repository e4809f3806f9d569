/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "pooling_backward" (cases/pooling_backward.txt): algorithms, windows,
 * layouts, types, workspaces. */
#include <string.h>

#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("pooling_backward", "shapes");
    cases_run("pooling_backward", "layouts");
    cases_run("pooling_backward", "types");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("pooling_backward", run_sections);
}

static const dnnl_dims_t kernel = {3, 3}, stride = {2, 2}, dilation = {0, 0}, pad = {1, 1};

static md_t image(dnnl_data_type_t dt, const char *tag) {
    return make_md(dt, tag, D(2, 19, 9, 11));
}

static md_t windows(dnnl_data_type_t dt, const char *tag) {
    return make_md(dt, tag, D(2, 19, 5, 6));
}

static md_t any_of(md_t md) {
    md.format_kind = dnnl_format_kind_any;
    memset(&md.format_desc, 0, sizeof(md.format_desc));
    return md;
}

static dnnl_primitive_desc_t forward(dnnl_prop_kind_t prop, const md_t *src, const md_t *dst) {
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(dnnl_pooling_forward_primitive_desc_create(&pd, harness_engine, prop,
                             dnnl_pooling_max, src, dst, stride, kernel, dilation, pad, pad, NULL),
            dnnl_success);
    return pd;
}

static dnnl_status_t backward(dnnl_primitive_desc_t *pd, dnnl_alg_kind_t alg, const md_t *diff_src,
        const md_t *diff_dst, dnnl_primitive_desc_t hint, const_dnnl_primitive_attr_t attr) {
    return dnnl_pooling_backward_primitive_desc_create(pd, harness_engine, alg, diff_src, diff_dst,
            stride, kernel, dilation, pad, pad, hint, attr);
}

/* Layouts that the library chooses follow the forward source, or are row-major without a hint. */
static void test_any(void **unused) {
    (void)unused;
    const md_t src = image(dnnl_f32, "aBcd16b"), dst = windows(dnnl_f32, "acdb"),
               diff_src = any_of(src), diff_dst = any_of(dst);
    dnnl_primitive_desc_t hint = forward(dnnl_forward_training, &src, &dst), pd = NULL;
    assert_int_equal(
            backward(&pd, dnnl_pooling_max, &diff_src, &diff_dst, hint, NULL), dnnl_success);
#define LAYOUT(what) dnnl_primitive_desc_query_md(pd, dnnl_query_##what##_md, 0)
    assert_true(md_matches_tag(LAYOUT(diff_src), dnnl_aBcd16b));
    assert_true(md_matches_tag(LAYOUT(diff_dst), dnnl_aBcd16b));
    assert_true(md_matches_tag(LAYOUT(workspace), dnnl_acdb));
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_desc_destroy(hint);
    assert_int_equal(
            backward(&pd, dnnl_pooling_avg_include_padding, &diff_src, &diff_dst, NULL, NULL),
            dnnl_success);
    assert_true(md_matches_tag(LAYOUT(diff_src), dnnl_abcd));
    assert_true(md_matches_tag(LAYOUT(diff_dst), dnnl_abcd));
    dnnl_primitive_desc_destroy(pd);
}

static void refuse(dnnl_alg_kind_t alg, const md_t *diff_src, const md_t *diff_dst,
        dnnl_primitive_desc_t hint, dnnl_status_t expected) {
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(backward(&pd, alg, diff_src, diff_dst, hint, NULL), expected);
    assert_null(pd);
}

static void test_refusals(void **unused) {
    (void)unused;
    const md_t src = image(dnnl_f32, "abcd"), dst = windows(dnnl_f32, "abcd"),
               half = image(dnnl_f16, "abcd"), s8_src = image(dnnl_s8, "abcd"),
               s8_dst = windows(dnnl_s8, "abcd"), large = make_md(dnnl_f32, "abcd", D(2, 19, 5, 7));
    const dnnl_alg_kind_t average = dnnl_pooling_avg_exclude_padding;
    refuse(dnnl_pooling_max, &src, &dst, NULL, dnnl_unimplemented); /* no workspace */
    dnnl_primitive_desc_t hint = forward(dnnl_forward_inference, &src, &dst);
    refuse(dnnl_pooling_max, &src, &dst, hint, dnnl_unimplemented);
    dnnl_primitive_desc_destroy(hint);
    refuse(dnnl_eltwise_relu, &src, &dst, NULL, dnnl_invalid_arguments);
    refuse(average, &src, &large, NULL, dnnl_invalid_arguments);
    refuse(average, &half, &dst, NULL, dnnl_unimplemented);
    refuse(average, &s8_src, &s8_dst, NULL, dnnl_unimplemented);
}

/* Indices in a window of more than 255 elements have another type. */
static void test_other_window(void **unused) {
    (void)unused;
    const md_t src = make_md(dnnl_f32, "abcd", D(1, 2, 4, 4)),
               dst = make_md(dnnl_f32, "abcd", D(1, 2, 3, 3));
    const dnnl_dims_t wide = {18, 18}, nine = {9, 9}, two = {2, 2};
    dnnl_primitive_desc_t hint = NULL, pd = NULL;
    assert_int_equal(
            dnnl_pooling_forward_primitive_desc_create(&hint, harness_engine, dnnl_forward_training,
                    dnnl_pooling_max, &src, &dst, stride, wide, dilation, nine, nine, NULL),
            dnnl_success);
    assert_int_equal(
            dnnl_pooling_backward_primitive_desc_create(&pd, harness_engine, dnnl_pooling_max, &src,
                    &dst, stride, kernel, dilation, pad, two, hint, NULL),
            dnnl_unimplemented);
    assert_null(pd);
    dnnl_primitive_desc_destroy(hint);
}

/* Windows of the same number, but with other elements: the workspace belongs to other ones. */
static void test_other_hint(void **unused) {
    (void)unused;
    const md_t src = make_md(dnnl_f32, "abcd", D(1, 2, 7, 7)),
               dst = make_md(dnnl_f32, "abcd", D(1, 2, 3, 3));
    static const struct {
        dnnl_dims_t kernel, stride, dilation, left, right;
        dnnl_status_t status;
    } hints[] = {{{3, 3}, {2, 2}, {0, 0}, {0, 0}, {0, 0}, dnnl_success},
            {{3, 3}, {2, 2}, {0, 0}, {0, 0}, {0, 1}, dnnl_success}, /* no window reaches it */
            {{3, 2}, {2, 2}, {0, 0}, {0, 0}, {0, 0}, dnnl_unimplemented},
            {{3, 3}, {2, 3}, {0, 0}, {0, 0}, {0, 2}, dnnl_unimplemented},
            {{3, 3}, {2, 2}, {0, 1}, {0, 0}, {0, 2}, dnnl_unimplemented},
            {{3, 3}, {2, 2}, {0, 0}, {1, 0}, {0, 0}, dnnl_unimplemented}};
    for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
        dnnl_primitive_desc_t hint = NULL, pd = NULL;
        assert_int_equal(
                dnnl_pooling_forward_primitive_desc_create(&hint, harness_engine,
                        dnnl_forward_training, dnnl_pooling_max, &src, &dst, hints[i].stride,
                        hints[i].kernel, hints[i].dilation, hints[i].left, hints[i].right, NULL),
                dnnl_success);
        assert_int_equal(dnnl_pooling_backward_primitive_desc_create(&pd, harness_engine,
                                 dnnl_pooling_max, &src, &dst, hints[0].stride, hints[0].kernel,
                                 hints[0].dilation, hints[0].left, hints[0].right, hint, NULL),
                hints[i].status);
        assert_int_equal(pd != NULL, hints[i].status == dnnl_success);
        if (pd) dnnl_primitive_desc_destroy(pd);
        dnnl_primitive_desc_destroy(hint);
    }
}

static void test_attributes(void **unused) {
    (void)unused;
    const md_t src = image(dnnl_f32, "abcd"), dst = windows(dnnl_f32, "abcd");
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal(dnnl_post_ops_create(&ops), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0), dnnl_success);
    assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, ops), dnnl_success);
    assert_int_equal(backward(&pd, dnnl_pooling_avg_include_padding, &src, &dst, NULL, attr),
            dnnl_unimplemented);
    assert_null(pd);
    dnnl_post_ops_destroy(ops);
    dnnl_primitive_attr_destroy(attr);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_any),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_other_window),
        cmocka_unit_test(test_other_hint), cmocka_unit_test(test_attributes))

/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax on its own rows and on those of the reductions: axes, layouts, types, attributes. */
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_norm.h"
#include "test_main.h"

#define OK(call) assert_int_equal(call, dnnl_success)

static void run(dnnl_alg_kind_t alg, const md_t *src, const md_t *dst, int axis,
        const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_softmax_forward_primitive_desc_create(
            &pd, harness_engine, dnnl_forward_inference, alg, src, dst, axis, attr);
    case_all(pd, status, ref_softmax, -6, 6);
}

static void layouts(void) {
    static const struct {
        const char *src, *dst;
        int ndims, axis;
        dnnl_dim_t dims[5];
    } shapes[] = {
            {"a", "a", 1, 0, {1}},
            {"a", "a", 1, 0, {531}},
            {"ab", "ab", 2, 1, {5, 1}},
            {"ab", "ab", 2, 1, {0, 3}},
            {"ab", "ab", 2, 1, {3, 0}},
            {"ab", "ab", 2, 1, {7, 67}},
            {"ab", "ab", 2, 1, {2, 1031}},
            {"ab", "ab", 2, 0, {41, 19}},
            {"ab", "ba", 2, 1, {5, 37}},
            {"+ab", "+ab", 2, 1, {5, 37}},
            {"abcd", "abcd", 4, 1, {2, 17, 3, 5}},
            {"acdb", "acdb", 4, 1, {2, 17, 3, 5}},
            {"abcd", "abcd", 4, 3, {2, 3, 4, 35}},
            {"aBcd16b", "aBcd16b", 4, 1, {2, 19, 3, 2}},
            {"aBcd8b", "aBcd8b", 4, 3, {2, 16, 3, 5}},
            {"abcde", "abcde", 5, 0, {9, 2, 3, 2, 5}},
    };
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        md_t src = make_md(dnnl_f32, shapes[i].src, shapes[i].ndims, shapes[i].dims);
        md_t dst = make_md(dnnl_f32, shapes[i].dst, shapes[i].ndims, shapes[i].dims);
        run(dnnl_softmax_accurate, &src, &dst, shapes[i].axis, NULL);
        run(dnnl_softmax_log, &src, &dst, shapes[i].axis, NULL);
    }
}

static void types(void) {
    static const dnnl_data_type_t dts[][2] = {{dnnl_f16, dnnl_f16}, {dnnl_bf16, dnnl_f32},
            {dnnl_f32, dnnl_bf16}, {dnnl_f32, dnnl_u8}, {dnnl_s8, dnnl_s8}, {dnnl_f64, dnnl_f64}};
    for (int i = 0; i < ARRAY_LEN(dts); i++) {
        md_t src = make_md(dts[i][0], "ab", D(3, 83)), dst = make_md(dts[i][1], "ab", D(3, 83));
        if (sampled(i)) run(dnnl_softmax_accurate, &src, &dst, 1, NULL);
        if (sampled(i + 1)) run(dnnl_softmax_log, &src, &dst, 1, NULL);
        /* whole and aligned pieces, one or more for a row */
        src = make_md(dts[i][0], "ab", D(2, 384)), dst = make_md(dts[i][1], "ab", D(2, 384));
        if (sampled(i + 2)) run(dnnl_softmax_accurate, &src, &dst, 1, NULL);
        src = make_md(dts[i][0], "ab", D(2, 1030)), dst = make_md(dts[i][1], "ab", D(2, 1030));
        if (sampled(i)) run(dnnl_softmax_accurate, &src, &dst, 1, NULL);
    }
}

static void attributes(void) {
    md_t src = make_md(dnnl_f32, "ab", D(5, 43)), dst = make_md(dnnl_u8, "ab", D(5, 43));
    md_t row = make_md(dnnl_f32, "ab", D(1, 43));
    for (int scratchpad = 0; scratchpad < 2; scratchpad++) {
        dnnl_primitive_attr_t attr;
        dnnl_post_ops_t po;
        OK(dnnl_primitive_attr_create(&attr));
        OK(dnnl_post_ops_create(&po));
        OK(dnnl_post_ops_append_binary(po, dnnl_binary_add, &row));
        OK(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_linear, 20, 5));
        OK(dnnl_primitive_attr_set_post_ops(attr, po));
        OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
        OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0));
        if (scratchpad)
            OK(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
        run(dnnl_softmax_accurate, &src, &dst, 1, attr);
        OK(dnnl_post_ops_destroy(po));
        OK(dnnl_primitive_attr_destroy(attr));
    }
}

/* Shared by several threads, and too long to be kept by them. */
static void lengths(void) {
    static const dnnl_dim_t dims[][2] = {{9, 384}, {3, 2048}, {1, 8200}};
    for (int i = 0; i < ARRAY_LEN(dims); i++) {
        md_t md = make_md(dnnl_f32, "ab", 2, dims[i]);
        run(dnnl_softmax_accurate, &md, &md, 1, NULL);
        run(dnnl_softmax_log, &md, &md, 1, NULL);
    }
}

/* Beside a contiguous loop: shared by several threads or not, pieces that are whole and aligned or neither,
 * columns that are too long to be kept; operands that lie otherwise. */
static void columns(void) {
    static const struct {
        dnnl_data_type_t src, dst;
        const char *tag;
        dnnl_dim_t dims[3];
        bool operand;
    } cases[] = {{dnnl_f32, dnnl_f32, "abc", {2, 21, 100}, false},
            {dnnl_f16, dnnl_f16, "abc", {2, 21, 96}, true},
            {dnnl_bf16, dnnl_bf16, "abc", {1, 300, 40}, false},
            {dnnl_f16, dnnl_u8, "abc", {1, 70, 33}, true},
            {dnnl_s8, dnnl_s8, "+abc", {2, 9, 64}, false},
            {dnnl_f32, dnnl_f32, "abc", {1, 2100, 16}, false},
            {dnnl_s8, dnnl_f32, "bac", {3, 12, 144}, true}};
    for (int i = 0; i < ARRAY_LEN(cases); i++) {
        md_t src = make_md(cases[i].src, cases[i].tag, 3, cases[i].dims);
        md_t dst = make_md(cases[i].dst, cases[i].tag, 3, cases[i].dims);
        md_t one = make_md(dnnl_f32, "abc", D(1, cases[i].dims[1], 1));
        md_t full = make_md(dnnl_f16, "abc", 3, cases[i].dims);
        dnnl_primitive_attr_t attr = NULL;
        if (cases[i].operand) {
            dnnl_post_ops_t po;
            OK(dnnl_primitive_attr_create(&attr));
            OK(dnnl_post_ops_create(&po));
            OK(dnnl_post_ops_append_binary(po, dnnl_binary_add, &one));
            OK(dnnl_post_ops_append_binary(po, dnnl_binary_mul, &full));
            OK(dnnl_primitive_attr_set_post_ops(attr, po));
            OK(dnnl_post_ops_destroy(po));
        }
        run(i % 3 == 2 ? dnnl_softmax_log : dnnl_softmax_accurate, &src, &dst, 1, attr);
        if (attr) OK(dnnl_primitive_attr_destroy(attr));
    }
}

static void rows(void) {
    layouts();
    types();
    attributes();
}

static void rows_of_any_length(void) {
    rows();
    lengths();
    columns();
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("softmax", rows_of_any_length);
}

static void test_reductions(void **unused) {
    (void)unused;
    for_each_variant("reduction", rows);
}

static void refused(
        dnnl_status_t wanted, dnnl_alg_kind_t alg, const md_t *src, const md_t *dst, int axis) {
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(dnnl_softmax_forward_primitive_desc_create(&pd, harness_engine,
                             dnnl_forward_inference, alg, src, dst, axis, NULL),
            wanted);
    assert_null(pd);
}

static void test_refusals(void **unused) {
    (void)unused;
    md_t md = make_md(dnnl_f32, "ab", D(3, 5)), other = make_md(dnnl_f32, "ab", D(3, 4)), any = md;
    any.format_kind = dnnl_format_kind_any;
    refused(dnnl_invalid_arguments, dnnl_eltwise_relu, &md, &md, 1);
    refused(dnnl_invalid_arguments, dnnl_softmax_accurate, &md, &md, 2);
    refused(dnnl_invalid_arguments, dnnl_softmax_accurate, &md, &md, -1);
    refused(dnnl_invalid_arguments, dnnl_softmax_accurate, &md, &other, 1);
    refused(dnnl_invalid_arguments, dnnl_softmax_accurate, &any, &md, 1);
}

TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_refusals))

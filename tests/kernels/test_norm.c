/* SPDX-License-Identifier: Apache-2.0 */
/* Layer, group and batch normalization: flags, layouts, types, attributes, statistics and workspace. And
 * PReLU. */
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "plan/sub_groups.h"
#include "ref_norm.h"
#include "test_main.h"

#include <stdlib.h>
#include <string.h>

#define OK(call) assert_int_equal(call, dnnl_success)

typedef ref_value_t (*reference_t)(const ref_t *, const dnnl_dim_t *);

static void run(dnnl_primitive_desc_t pd, dnnl_status_t status, reference_t reference) {
    case_t c;
    if (!case_open(&c, pd, status)) return;
    case_fill(&c, NULL);
    case_run(&c);
    case_check(&c, reference);
    case_close(&c);
}

static dnnl_prop_kind_t prop(bool training) {
    return training ? dnnl_forward_training : dnnl_forward_inference;
}

static void layer(const md_t *src, const md_t *dst, const md_t *stat, dnnl_data_type_t weights,
        unsigned flags, bool training, const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_layer_normalization_forward_primitive_desc_create_v2(
            &pd, harness_engine, prop(training), src, dst, stat, weights, 1e-3f, flags, attr);
    run(pd, status, ref_layer_norm);
}

static void group(const md_t *src, const md_t *dst, int64_t groups, unsigned flags, bool training,
        const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_group_normalization_forward_primitive_desc_create(
            &pd, harness_engine, prop(training), src, dst, groups, 1e-3f, flags, attr);
    run(pd, status, ref_group_norm);
}

static void batch(const md_t *src, const md_t *dst, unsigned flags, bool training,
        const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status = dnnl_batch_normalization_forward_primitive_desc_create(
            &pd, harness_engine, prop(training), src, dst, 1e-3f, flags, attr);
    run(pd, status, ref_batch_norm);
}

/* Source scale, two post-ops, destination scale. */
static dnnl_primitive_attr_t attributes(const md_t *operand) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t po;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_post_ops_create(&po));
    OK(dnnl_post_ops_append_binary(po, dnnl_binary_add, operand));
    OK(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_linear, 9, 5));
    OK(dnnl_primitive_attr_set_post_ops(attr, po));
    OK(dnnl_post_ops_destroy(po));
    OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0));
    OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_DST, 0));
    return attr;
}

enum { G = dnnl_use_global_stats, C = dnnl_use_scale, H = dnnl_use_shift, M = dnnl_rms_norm };

static void layer_rows(void) {
    md_t md = make_md(dnnl_f32, "abc", D(3, 5, 77));
    md_t stat = make_md(dnnl_f32, "ab", D(3, 5)), turned = make_md(dnnl_f32, "ba", D(3, 5));
    static const unsigned flags[] = {0, C, H, C | H, G | C | H, M, M | C, M | G | H};
    for (int i = 0; i < ARRAY_LEN(flags); i++) {
        if (!sampled(i)) continue;
        layer(&md, &md, NULL, dnnl_f32, flags[i], false, NULL);
        layer(&md, &md, i & 1 ? &turned : &stat, dnnl_f32, flags[i], true, NULL);
    }
    static const char *const tags[][2] = {
            {"acb", "abc"}, {"+abc", "+abc"}, {"aBc4b", "aBc4b"}, {"bac", "abc"}};
    for (int i = 0; i < ARRAY_LEN(tags); i++) {
        md_t src = make_md(dnnl_f32, tags[i][0], D(3, 6, 35)),
             dst = make_md(dnnl_f32, tags[i][1], D(3, 6, 35));
        layer(&src, &dst, NULL, dnnl_f32, C | H, true, NULL);
    }
    static const dnnl_data_type_t dts[][3] = {{dnnl_f16, dnnl_f16, dnnl_f16},
            {dnnl_bf16, dnnl_bf16, dnnl_f32}, {dnnl_f32, dnnl_s8, dnnl_bf16},
            {dnnl_f64, dnnl_f64, dnnl_f32}};
    for (int i = 0; i < ARRAY_LEN(dts); i++) {
        if (!sampled(i)) continue;
        md_t src = make_md(dts[i][0], "ab", D(4, 83)), dst = make_md(dts[i][1], "ab", D(4, 83));
        layer(&src, &dst, NULL, dts[i][2], C | H, true, NULL);
        src = make_md(dts[i][0], "ab", D(2, 384)), dst = make_md(dts[i][1], "ab", D(2, 384));
        layer(&src, &dst, NULL, dts[i][2], C | H, true, NULL);
    }
    md_t f32 = make_md(dnnl_f32, "ab", D(4, 83)), u8 = make_md(dnnl_u8, "ab", D(4, 83));
    md_t row = make_md(dnnl_f32, "ab", D(1, 83)), none = make_md(dnnl_f32, "ab", D(0, 83));
    dnnl_primitive_attr_t attr = attributes(&row);
    layer(&f32, &u8, NULL, dnnl_f32, C | H, false, attr);
    OK(dnnl_primitive_attr_destroy(attr));
    layer(&none, &none, NULL, dnnl_f32, C, true, NULL);
}

/* Shared by several threads, and too long to be kept by them. */
static void layer_lengths(void) {
    static const dnnl_dim_t lengths[] = {1031, 2048, 8200};
    for (int i = 0; i < ARRAY_LEN(lengths); i++) {
        md_t wide = make_md(dnnl_f32, "ab", D(2, lengths[i])),
             bf16 = make_md(dnnl_bf16, "ab", D(2, lengths[i]));
        layer(&wide, &wide, NULL, dnnl_f32, C | H, true, NULL);
        layer(&wide, &bf16, NULL, dnnl_f32, i & 1 ? C : M, true, NULL);
    }
}

static void group_rows(void) {
    static const struct {
        const char *tag;
        int groups;
        dnnl_dim_t dims[4];
    } shapes[] = {{"abcd", 3, {2, 12, 3, 5}}, {"acdb", 4, {2, 12, 3, 5}},
            {"aBcd8b", 2, {2, 12, 3, 5}}, {"abcd", 12, {2, 12, 7, 1}}, {"abcd", 1, {3, 5, 4, 4}}};
    static const unsigned flags[] = {0, C | H, G | C};
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        md_t md = make_md(dnnl_f32, shapes[i].tag, 4, shapes[i].dims);
        for (int f = 0; f < ARRAY_LEN(flags); f++)
            if (sampled(i + f)) group(&md, &md, shapes[i].groups, flags[f], f != 1, NULL);
    }
    md_t src = make_md(dnnl_bf16, "abcd", D(2, 6, 3, 7)),
         dst = make_md(dnnl_s8, "abcd", D(2, 6, 3, 7));
    md_t channel = make_md(dnnl_f32, "abcd", D(1, 6, 1, 1));
    dnnl_primitive_attr_t attr = attributes(&channel);
    group(&src, &dst, 2, C | H, false, attr);
    OK(dnnl_primitive_attr_destroy(attr));
}

/* Pieces that are whole or not, rows that are shared by several threads, read at once or twice, operands that
 * lie otherwise. */
static void group_pieces(void) {
    static const struct {
        const char *tag;
        dnnl_data_type_t src, dst;
        int groups;
        dnnl_dim_t dims[4];
        unsigned flags;
        bool training, operand;
    } cases[] = {{"abcd", dnnl_f32, dnnl_f32, 2, {2, 6, 16, 16}, C | H, true, false},
            {"abcd", dnnl_f16, dnnl_s8, 4, {2, 8, 9, 11}, C | H, false, true},
            {"acdb", dnnl_f16, dnnl_f16, 2, {2, 64, 6, 5}, C | H, true, true},
            {"acdb", dnnl_bf16, dnnl_f32, 2, {1, 80, 5, 9}, C | H, true, false},
            {"acdb", dnnl_f32, dnnl_f32, 1, {1, 300, 3, 3}, C, false, false},
            {"acdb", dnnl_s8, dnnl_s8, 4, {2, 64, 4, 5}, G | C | H, true, false},
            {"acdb", dnnl_f32, dnnl_f32, 16, {2, 16, 4, 5}, H, true, false},
            {"acdb", dnnl_f16, dnnl_s8, 8, {2, 32, 5, 7}, C | H, true, true},
            {"acdb", dnnl_f32, dnnl_f32, 6, {2, 18, 4, 5}, G | C, true, false},
            {"abcd", dnnl_f16, dnnl_f16, 1, {2, 4, 96, 96}, C | H, true, false},
            {"acdb", dnnl_f32, dnnl_f32, 1, {1, 32, 36, 36}, C | H, true, true}};
    for (int i = 0; i < ARRAY_LEN(cases); i++) {
        md_t src = make_md(cases[i].src, cases[i].tag, 4, cases[i].dims);
        md_t dst = make_md(cases[i].dst, cases[i].tag, 4, cases[i].dims);
        md_t pixel = make_md(dnnl_f32, "abcd", D(1, cases[i].dims[1], cases[i].dims[2], 1));
        dnnl_primitive_attr_t attr = cases[i].operand ? attributes(&pixel) : NULL;
        group(&src, &dst, cases[i].groups, cases[i].flags, cases[i].training, attr);
        if (attr) OK(dnnl_primitive_attr_destroy(attr));
    }
}

static void batch_pieces(void) {
    enum { R = dnnl_fuse_norm_relu, A = dnnl_fuse_norm_add_relu };
    static const struct {
        const char *tag;
        dnnl_data_type_t dt;
        dnnl_dim_t dims[4];
        unsigned flags;
        bool training;
    } cases[] = {{"acdb", dnnl_f16, {2, 64, 4, 5}, C | H | A, true},
            {"acdb", dnnl_f32, {2, 80, 4, 5}, C | H, true},
            {"acdb", dnnl_bf16, {2, 64, 14, 5}, G | C | H | R, false},
            {"abcd", dnnl_f16, {3, 5, 16, 16}, C | H | R, true},
            {"acdb", dnnl_f32, {2, 32, 24, 24}, C | H, true},
            {"abcd", dnnl_f32, {2, 2, 130, 130}, C | H, false}};
    for (int i = 0; i < ARRAY_LEN(cases); i++) {
        md_t md = make_md(cases[i].dt, cases[i].tag, 4, cases[i].dims);
        batch(&md, &md, cases[i].flags, cases[i].training, NULL);
    }
}

static void batch_rows(void) {
    enum { R = dnnl_fuse_norm_relu, A = dnnl_fuse_norm_add_relu };
    static const struct {
        const char *tag;
        int ndims;
        dnnl_dim_t dims[5];
    } shapes[] = {{"abcd", 4, {3, 5, 6, 7}}, {"acdb", 4, {2, 19, 4, 5}},
            {"aBcd16b", 4, {2, 19, 3, 3}}, {"ab", 2, {31, 18}}, {"abcde", 5, {2, 3, 2, 3, 4}},
            {"abcd", 4, {2, 3, 0, 4}}};
    static const unsigned flags[] = {0, C | H, G | C | H, C | H | R, G | A};
    for (int i = 0; i < ARRAY_LEN(shapes); i++) {
        md_t md = make_md(dnnl_f32, shapes[i].tag, shapes[i].ndims, shapes[i].dims);
        for (int f = 0; f < ARRAY_LEN(flags); f++) {
            if (!sampled(i + f)) continue;
            batch(&md, &md, flags[f], true, NULL);
            batch(&md, &md, flags[f], false, NULL);
        }
    }
    static const dnnl_data_type_t dts[] = {dnnl_f16, dnnl_bf16, dnnl_s8};
    for (int i = 0; i < ARRAY_LEN(dts); i++) {
        if (!sampled(i)) continue;
        md_t md = make_md(dts[i], "acdb", D(2, 19, 4, 5));
        batch(&md, &md, dts[i] == dnnl_s8 ? G | C | H | R : C | H, dts[i] != dnnl_s8, NULL);
    }
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t po;
    md_t md = make_md(dnnl_f32, "abcd", D(3, 5, 6, 7));
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_post_ops_create(&po));
    OK(dnnl_post_ops_append_eltwise(po, dnnl_eltwise_relu, 0.25f, 0));
    OK(dnnl_primitive_attr_set_post_ops(attr, po));
    OK(dnnl_post_ops_destroy(po));
    batch(&md, &md, C | H, false, attr);
    OK(dnnl_primitive_attr_destroy(attr));
}

static void rows_and_columns(void) {
    group_rows();
    group_pieces();
    batch_rows();
    batch_pieces();
}

static void test_rows(void **unused) {
    (void)unused;
    for_each_variant("normalization", rows_and_columns);
}

static void test_layer_rows(void **unused) {
    (void)unused;
    for_each_variant("layer_normalization", layer_rows);
    for_each_variant("layer_normalization", layer_lengths);
}

static void test_reductions(void **unused) {
    (void)unused;
    for_each_variant("reduction", layer_rows);
    for_each_variant("reduction", group_rows);
    for_each_variant("reduction", batch_rows);
}

static void prelu_rows(void) {
    static const struct {
        const char *src, *weights, *dst;
        dnnl_dim_t dims[4], weight_dims[4];
    } shapes[] = {{"abcd", "abcd", "abcd", {2, 19, 3, 5}, {1, 19, 1, 1}},
            {"acdb", "abcd", "acdb", {2, 19, 3, 5}, {1, 19, 1, 1}},
            {"aBcd16b", "abcd", "aBcd16b", {2, 19, 3, 5}, {1, 19, 1, 1}},
            {"abcd", "abcd", "acdb", {2, 19, 3, 5}, {2, 19, 3, 5}},
            {"abcd", "abcd", "abcd", {2, 19, 3, 5}, {2, 19, 3, 5}},
            {"abcd", "abcd", "abcd", {2, 19, 3, 5}, {1, 1, 1, 1}},
            {"abcd", "abcd", "abcd", {2, 19, 3, 5}, {2, 1, 3, 1}}};
    static const dnnl_data_type_t dts[] = {dnnl_f32, dnnl_bf16, dnnl_s8, dnnl_f64, dnnl_f16};
    for (int i = 0; i < ARRAY_LEN(shapes); i++)
        for (int t = 0; t < ARRAY_LEN(dts); t++) {
            const bool always = (i == 3 || i == 4) && t == 0; /* every row takes one of these */
            if (!always && (!sampled(i + t) || (t && i % 3 != t % 3))) continue;
            md_t src = make_md(dts[t], shapes[i].src, 4, shapes[i].dims);
            md_t weights = make_md(dnnl_f32, shapes[i].weights, 4, shapes[i].weight_dims);
            md_t dst = make_md(dts[t], shapes[i].dst, 4, shapes[i].dims);
            dnnl_primitive_desc_t pd = NULL;
            dnnl_status_t status = dnnl_prelu_forward_primitive_desc_create(
                    &pd, harness_engine, dnnl_forward_inference, &src, &weights, &dst, NULL);
            case_all(pd, status, ref_prelu, -4, 4);
        }
}

/* Where registers have 32 bytes, as sub-groups of 8 tell, none are left for functions beside a transposition.
 */
static bool takes_functions(int row) {
    return strcmp(variants[row].entry, "turn") != 0 || !has_small_registers(harness_caps());
}

static void test_prelu(void **unused) {
    (void)unused;
    for_each_variant_that(takes_functions, "elementwise", prelu_rows);
}

static void test_refusals(void **unused) {
    (void)unused;
    md_t md = make_md(dnnl_f32, "abcd", D(2, 6, 3, 3)),
         s8 = make_md(dnnl_s8, "abcd", D(2, 6, 3, 3));
    md_t other = make_md(dnnl_f32, "abcd", D(2, 5, 3, 3)),
         stat = make_md(dnnl_f32, "abc", D(2, 6, 4));
    dnnl_primitive_desc_t pd = NULL;
#define REFUSED(status, call) assert_int_equal(call, status), assert_null(pd)
#define LAYER(src, dst, stat, flags)                                                               \
    dnnl_layer_normalization_forward_primitive_desc_create(                                        \
            &pd, harness_engine, dnnl_forward_training, src, dst, stat, 0, flags, NULL)
#define BATCH(src, dst, flags)                                                                     \
    dnnl_batch_normalization_forward_primitive_desc_create(                                        \
            &pd, harness_engine, dnnl_forward_training, src, dst, 0, flags, NULL)
#define GROUP(src, dst, groups, flags)                                                             \
    dnnl_group_normalization_forward_primitive_desc_create(                                        \
            &pd, harness_engine, dnnl_forward_training, src, dst, groups, 0, flags, NULL)
    REFUSED(dnnl_invalid_arguments, LAYER(&md, &other, NULL, 0));
    REFUSED(dnnl_invalid_arguments, LAYER(&md, &md, &stat, 0));
    REFUSED(dnnl_invalid_arguments, LAYER(&md, &md, NULL, dnnl_fuse_norm_relu));
    REFUSED(dnnl_invalid_arguments, BATCH(&md, &md, dnnl_rms_norm));
    REFUSED(dnnl_invalid_arguments, BATCH(&md, &other, 0));
    REFUSED(dnnl_unimplemented, BATCH(&s8, &s8, 0));
    REFUSED(dnnl_invalid_arguments, GROUP(&md, &md, 4, 0));
    REFUSED(dnnl_invalid_arguments, GROUP(&md, &md, 0, 0));
    REFUSED(dnnl_invalid_arguments, GROUP(&md, &md, 2, dnnl_fuse_norm_relu));
    REFUSED(dnnl_invalid_arguments, dnnl_prelu_forward_primitive_desc_create(&pd, harness_engine,
                                            dnnl_forward_inference, &md, &other, &md, NULL));
}

TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_layer_rows),
        cmocka_unit_test(test_reductions), cmocka_unit_test(test_prelu),
        cmocka_unit_test(test_refusals))

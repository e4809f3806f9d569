/* SPDX-License-Identifier: Apache-2.0 */
/* Which variant each product chooses, with the capabilities that Intel's driver reports for it.
 * Nothing is built or executed. */
#include <string.h>

#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "products.h"
#include "test_main.h"
#include "ze/engine.h"

#define OK(call) assert_int_equal(call, dnnl_success)

#define STRICT dnnl_fpmath_mode_strict

/* A matmul and its variant with and without matrix units of 16 lanes. If matrix units of 8 lanes
 * have another variant than devices without matrix units, that variant, too. */
static const struct {
    dnnl_dims_t src, wei;
    dnnl_data_type_t src_dt, wei_dt, dst_dt;
    dnnl_format_tag_t wei_tag;
    const char *chosen; /* layout that matrix units choose */
    const char *with, *without, *chosen_8, *with_8;
    dnnl_fpmath_mode_t math;
} problems[] = {
        {{512, 512}, {512, 512}, dnnl_f16, dnnl_f16, dnnl_f16, dnnl_ab, "ab", "matmul_xmx16_f64x32",
                "matmul_sg16_8x32", "ab", "matmul_xmx8_f128x128", STRICT},
        {{512, 512}, {512, 512}, dnnl_bf16, dnnl_bf16, dnnl_f32, dnnl_format_tag_any,
                "BA2b16a16b2a", "matmul_xmx16_f64x32", "matmul_sg16_8x32", "BA4b16a8b2a",
                "matmul_xmx8_f128x128", STRICT},
        {{512, 512}, {512, 512}, dnnl_u8, dnnl_s8, dnnl_s8, dnnl_format_tag_any, "BA2b16a16b4a",
                "matmul_xmx16_i64x32", "matmul_portable", "BA4b16a8b4a", "matmul_xmx8_i128x128",
                STRICT},
        {{1, 512}, {512, 512}, dnnl_f16, dnnl_f16, dnnl_f16, dnnl_ab, "ab", "matmul_xmx16_f8x32",
                "matmul_sg16_8x32", "ab", "matmul_xmx8_f8x32", STRICT},
        {{8, 512}, {512, 512}, dnnl_s8, dnnl_s8, dnnl_s32, dnnl_ab, "ab", "matmul_xmx16_i8x32",
                "matmul_portable", "ab", "matmul_xmx8_i8x32", STRICT},
        {{9, 512}, {512, 512}, dnnl_f16, dnnl_f16, dnnl_f16, dnnl_ab, "ab", "matmul_xmx16_f16x32",
                "matmul_sg16_8x32", "ab", "matmul_xmx8_f8x32", STRICT},
        {{32, 512}, {512, 512}, dnnl_f16, dnnl_f16, dnnl_f16, dnnl_ab, "ab", "matmul_xmx16_f16x32",
                "matmul_sg16_8x32", "ab", "matmul_xmx8_f8x32", STRICT},
        {{33, 512}, {512, 512}, dnnl_f16, dnnl_f16, dnnl_f16, dnnl_ab, "ab", "matmul_xmx16_f64x32",
                "matmul_sg16_8x32", "ab", "matmul_xmx8_f128x128", STRICT},
        {{1, 512}, {512, 512}, dnnl_f16, dnnl_f16, dnnl_f16, dnnl_ba, "ba", "matmul_xmx16_f8x32",
                "matmul_sg16_8x32", "ba", "matmul_xmx8_f8x32", STRICT},
        {{512, 512}, {512, 512}, dnnl_f16, dnnl_f16, dnnl_f16, dnnl_ba, "ba", "matmul_xmx16_f64x32",
                "matmul_sg16_8x32", "ba", "matmul_xmx8_f128x128", STRICT},
        {{512, 512}, {512, 512}, dnnl_f32, dnnl_f32, dnnl_f32, dnnl_format_tag_any, "ab",
                "matmul_sg16_8x32", "matmul_sg16_8x32", NULL, NULL, STRICT},
        /* f32, and what the math mode allows */
        {{512, 512}, {512, 512}, dnnl_f32, dnnl_f32, dnnl_f32, dnnl_format_tag_any, "BA2b16a16b",
                "matmul_xmx16_t64x32", "matmul_sg16_8x32", NULL, NULL, dnnl_fpmath_mode_tf32},
        {{8, 512}, {512, 512}, dnnl_f32, dnnl_f32, dnnl_f16, dnnl_ab, "ab", "matmul_xmx16_t8x32",
                "matmul_sg16_8x32", NULL, NULL, dnnl_fpmath_mode_bf16},
        {{16, 512}, {512, 512}, dnnl_f32, dnnl_f32, dnnl_f32, dnnl_ba, "ba", "matmul_xmx16_t16x32",
                "matmul_sg16_8x32", NULL, NULL, dnnl_fpmath_mode_f16},
        {{33, 512}, {512, 512}, dnnl_f32, dnnl_f32, dnnl_f32, dnnl_ab, "ab", "matmul_xmx16_t64x32",
                "matmul_sg16_8x32", NULL, NULL, dnnl_fpmath_mode_any},
        {{512, 512}, {512, 512}, dnnl_f16, dnnl_s8, dnnl_f16, dnnl_ab, "ab", "matmul_xmx16_f16x32",
                "matmul_sg16_8x32", NULL, NULL, STRICT},
        {{4, 512}, {512, 512}, dnnl_bf16, dnnl_u4, dnnl_bf16, dnnl_ba, "ba", "matmul_xmx16_f8x32",
                "matmul_sg16_8x32", NULL, NULL, STRICT},
        /* an odd leading dimension of the weights: too few rows for a copy, and enough rows */
        {{8, 512}, {512, 511}, dnnl_f16, dnnl_f16, dnnl_f16, dnnl_ab, "ab", "matmul_sg16_8x32",
                "matmul_sg16_8x32", NULL, NULL, STRICT},
        {{512, 512}, {512, 511}, dnnl_f16, dnnl_f16, dnnl_f16, dnnl_ab, "ab", "matmul_xmx16_f64x32",
                "matmul_sg16_8x32", "ab", "matmul_xmx8_f128x128", STRICT},
        {{512, 512}, {512, 511}, dnnl_f16, dnnl_u8, dnnl_f16, dnnl_ab, "ab", "matmul_sg16_8x32",
                "matmul_sg16_8x32", NULL, NULL, STRICT},
        /* rows longer than block loads support */
        {{64, 1 << 24}, {1 << 24, 64}, dnnl_f16, dnnl_f16, dnnl_f32, dnnl_ab, "ab",
                "matmul_sg16_8x32", "matmul_sg16_8x32", NULL, NULL, STRICT},
};

static void check_problem(size_t i, const char *product, bool units, bool units_8) {
    dnnl_primitive_desc_t handle;
    const dnnl_dims_t dst_dims = {problems[i].src[0], problems[i].wei[1]};
    md_t src = make_md(problems[i].src_dt, "ab", 2, problems[i].src),
         dst = make_md(problems[i].dst_dt, "ab", 2, dst_dims);
    md_t wei;
    OK(md_init_tag(&wei, 2, problems[i].wei, problems[i].wei_dt, problems[i].wei_tag));
    dnnl_primitive_attr_t attr;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_primitive_attr_set_fpmath_mode(attr, problems[i].math));
    OK(dnnl_matmul_primitive_desc_create(&handle, harness_engine, &src, &wei, NULL, &dst, attr));
    OK(dnnl_primitive_attr_destroy(attr));
    case_t c;
    case_init(&c, handle);
    const char *row = variants[c.pd->variant].id,
               *wanted = units ? problems[i].with : problems[i].without,
               *layout = units ? problems[i].chosen : NULL;
    if (units_8 && problems[i].with_8) {
        wanted = problems[i].with_8;
        layout = problems[i].chosen_8;
    }
    if (strcmp(row, wanted)) fail_msg("%s, problem %zu: %s, not %s", product, i, row, wanted);
    if (layout) {
        OK(md_init_string_tag(&wei, 2, problems[i].wei, problems[i].wei_dt, layout));
        if (!md_equal(&wei, pd_md(c.pd, DNNL_ARG_WEIGHTS)))
            fail_msg("%s, problem %zu: the weights' layout", product, i);
    }
    case_fini(&c);
}

/* A convolution with f16, bf16 or u8 x s8 and layouts any, and its variant with matrix units of 16
 * lanes, without matrix units, and with those of 8 lanes. */
static const struct {
    dnnl_dims_t src, wei, dst, strides, padding;
    int groups;
    dnnl_data_type_t src_dt, wei_dt;
    bool few; /* few pixels for the threads of the device */
    const char *chosen, *with, *without, *with_8;
    bool transposed;
} convolutions[] = {
        {{4, 64, 56, 56}, {64, 64, 3, 3}, {4, 64, 56, 56}, {1, 1}, {1, 1}, 0, dnnl_f16, dnnl_f16,
                false, "AcdB2a16b16a2b", "conv_xmx16_f8x4x64", "conv_sg16_8x32",
                "conv_xmx8_f128x64", false},
        {{4, 64, 64, 64}, {64, 64, 3, 3}, {4, 64, 64, 64}, {1, 1}, {1, 1}, 0, dnnl_bf16, dnnl_bf16,
                false, "AcdB2a16b16a2b", "conv_xmx16_f32x64", "conv_sg16_8x32", "conv_xmx8_f128x64",
                false},
        {{4, 64, 56, 56}, {256, 64, 1, 1}, {4, 256, 56, 56}, {1, 1}, {0, 0}, 0, dnnl_f16, dnnl_f16,
                false, "AcdB2a16b16a2b", "conv_xmx16_f32x64", "conv_sg16_8x32",
                "conv_xmx8_f128x128", false},
        /* few channels: those of the taps of a row, or of all taps, are gathered side by side */
        {{4, 3, 224, 224}, {64, 3, 7, 7}, {4, 64, 112, 112}, {2, 2}, {3, 3}, 0, dnnl_u8, dnnl_s8,
                false, "abcd", "conv_xmx16_i8x4x64", "conv_portable", "conv_xmx8_i128x64", false},
        {{4, 3, 224, 224}, {64, 3, 7, 7}, {4, 64, 112, 112}, {2, 2}, {3, 3}, 0, dnnl_f16, dnnl_f16,
                false, "abcd", "conv_xmx16_f8x4x64", "conv_sg16_8x32", "conv_xmx8_f128x64", false},
        {{4, 3, 224, 224}, {64, 3, 3, 3}, {4, 64, 224, 224}, {1, 1}, {1, 1}, 0, dnnl_f16, dnnl_f16,
                false, "abcd", "conv_xmx16_f32x64", "conv_sg16_8x32", "conv_xmx8_f128x64", false},
        {{4, 128, 56, 56}, {256, 128, 1, 1}, {4, 256, 28, 28}, {2, 2}, {0, 0}, 0, dnnl_u8, dnnl_s8,
                false, "AcdB2a16b16a4b", "conv_xmx16_i32x64", "conv_portable", "conv_xmx8_i128x128",
                false},
        {{1, 512, 7, 7}, {512, 512, 3, 3}, {1, 512, 7, 7}, {1, 1}, {1, 1}, 0, dnnl_f16, dnnl_f16,
                true, "AcdB2a16b16a2b", "conv_xmx16_f8x16", "conv_sg16_8x32", "conv_xmx8_f8x32",
                false},
        {{4, 64, 56, 56}, {2, 32, 32, 3, 3}, {4, 64, 56, 56}, {1, 1}, {1, 1}, 2, dnnl_f16, dnnl_f16,
                false, "aBdeC2b16c16b2c", "conv_xmx16_f8x4x64", "conv_sg16_8x32",
                "conv_xmx8_f128x64", false},
        {{4, 64, 56, 56}, {4, 16, 16, 3, 3}, {4, 64, 56, 56}, {1, 1}, {1, 1}, 4, dnnl_f16, dnnl_f16,
                false, "abcde", "conv_xmx16_f8x4x64", "conv_sg16_8x32", "conv_xmx8_f128x64", false},
        {{4, 64, 56, 56}, {64, 1, 1, 3, 3}, {4, 64, 56, 56}, {1, 1}, {1, 1}, 64, dnnl_f16, dnnl_f16,
                false, "abcde", "conv_portable", "conv_portable", "conv_portable", false},
        {{4, 64, 56, 56}, {64, 64, 3, 3}, {4, 64, 56, 56}, {1, 1}, {1, 1}, 0, dnnl_f32, dnnl_f32,
                false, "Acdb32a", "conv_sg16_8x32", "conv_sg16_8x32", "conv_sg16_8x32", false},
        /* deconvolutions */
        {{4, 64, 56, 56}, {64, 64, 3, 3}, {4, 64, 56, 56}, {1, 1}, {1, 1}, 0, dnnl_bf16, dnnl_bf16,
                false, "AcdB2a16b16a2b", "conv_xmx16_f8x4x64", "conv_portable", "conv_xmx8_f128x64",
                true},
        {{4, 64, 64, 64}, {64, 64, 4, 4}, {4, 64, 128, 128}, {2, 2}, {1, 1}, 0, dnnl_u8, dnnl_s8,
                false, "AcdB2a16b16a4b", "conv_xmx16_i32x64", "conv_portable", "conv_xmx8_i128x64",
                true},
};

static void check_convolution(size_t i, const char *product, bool units, bool units_8) {
    dnnl_primitive_desc_t handle;
    const dnnl_dims_t none = {0};
    const int nd_wei = convolutions[i].groups ? 5 : 4;
    md_t src, wei, dst;
    OK(md_init_tag(&src, 4, convolutions[i].src, convolutions[i].src_dt, dnnl_format_tag_any));
    OK(md_init_tag(&wei, nd_wei, convolutions[i].wei, convolutions[i].wei_dt, dnnl_format_tag_any));
    OK(md_init_tag(&dst, 4, convolutions[i].dst, convolutions[i].src_dt, dnnl_format_tag_any));
    const bool back = convolutions[i].transposed;
    OK((back ? dnnl_deconvolution_forward_primitive_desc_create
             : dnnl_convolution_forward_primitive_desc_create)(&handle, harness_engine,
            dnnl_forward_inference, back ? dnnl_deconvolution_direct : dnnl_convolution_direct,
            &src, &wei, NULL, &dst, convolutions[i].strides, none, convolutions[i].padding,
            convolutions[i].padding, NULL));
    case_t c;
    case_init(&c, handle);
    const char *row = variants[c.pd->variant].id, *wanted = units     ? convolutions[i].with
                                                            : units_8 ? convolutions[i].with_8
                                                                      : convolutions[i].without;
    if (strcmp(row, wanted)) fail_msg("%s, convolution %zu: %s, not %s", product, i, row, wanted);
    md_t last;
    OK(md_init_string_tag(&last, 4, convolutions[i].src, convolutions[i].src_dt, "acdb"));
    if (!md_equal(&last, pd_md(c.pd, DNNL_ARG_SRC)))
        fail_msg("%s, convolution %zu: src's layout", product, i);
    if (units || units_8) {
        OK(md_init_string_tag(
                &wei, nd_wei, convolutions[i].wei, convolutions[i].wei_dt, convolutions[i].chosen));
        if (!md_equal(&wei, pd_md(c.pd, DNNL_ARG_WEIGHTS)))
            fail_msg("%s, convolution %zu: the weights' layout", product, i);
    }
    case_fini(&c);
}

/* Attention: sizes of heads and values, the type, the order of the keys' dimensions, and the
 * variant with matrix units. */
static const struct {
    dnnl_dim_t size, width;
    dnnl_data_type_t dt;
    const char *keys, *with;
} attentions[] = {
        {64, 64, dnnl_f16, "acb", "sdpa_xmx16_64"},
        {64, 64, dnnl_bf16, "abc", "sdpa_xmx16_64"},
        {80, 80, dnnl_f16, "acb", "sdpa_xmx16_128"},
        {128, 128, dnnl_bf16, "acb", "sdpa_xmx16_128"},
        {64, 128, dnnl_f16, "acb", "sdpa_xmx16_128"},
        {192, 128, dnnl_f16, "acb", "sdpa_xmx16_256"},
        {256, 256, dnnl_f16, "abc", "sdpa_xmx16_256"},
        {264, 264, dnnl_f16, "acb", "sdpa_portable"},
        {16, 64, dnnl_f16, "acb", "sdpa_portable"}, /* rows are too short for block loads */
        {68, 64, dnnl_f16, "acb", "sdpa_portable"}, /* unsupported row addresses */
        {64, 64, dnnl_f32, "acb", "sdpa_portable"},
};

static void check_attention(size_t i, const char *product, bool units) {
    enum { HEADS = 4, QUERIES = 100, KEYS = 200 };
    const dnnl_data_type_t dt = attentions[i].dt;
    const dnnl_dim_t size = attentions[i].size, width = attentions[i].width;
    dnnl_primitive_desc_t handle;
    md_t q = make_md(dt, "abc", D(HEADS, QUERIES, size)),
         k = make_md(dt, attentions[i].keys, D(HEADS, size, KEYS)),
         v = make_md(dt, "abc", D(HEADS, KEYS, width)),
         dst = make_md(dt, "abc", D(HEADS, QUERIES, width));
    OK(dnnl_ze_sdpa_primitive_desc_create(&handle, harness_engine, &q, &k, &v, &dst, NULL, NULL, 0,
            HEADS, dnnl_ze_attn_mask_top_left, NULL));
    case_t c;
    case_init(&c, handle);
    const char *row = variants[c.pd->variant].id,
               *wanted = units ? attentions[i].with : "sdpa_portable";
    if (strcmp(row, wanted)) fail_msg("%s, attention %zu: %s, not %s", product, i, row, wanted);
    case_fini(&c);
}

/* Rows of contiguous elements, and columns next to them, which the sub-groups of every product
 * support; and layouts that are neither. */
static void check_rows(const char *product) {
    static const struct {
        const char *tag;
        dnnl_data_type_t dt;
        const char *softmax, *layer;
    } cases[] = {{"ab", dnnl_f32, "softmax_sg16", "layer_sg16"},
            {"ab", dnnl_f16, "softmax_sg16", "layer_sg16"},
            {"ab", dnnl_s8, "softmax_sg16", "layer_sg16"},
            {"ba", dnnl_f32, "softmax_columns_sg16", "reduce_sg16"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        md_t md = make_md(cases[i].dt, cases[i].tag, D(64, 768));
        for (int layer = 0; layer < 2; layer++) {
            dnnl_primitive_desc_t handle;
            if (layer)
                OK(dnnl_layer_normalization_forward_primitive_desc_create(&handle, harness_engine,
                        dnnl_forward_inference, &md, &md, NULL, 1e-5f, 0, NULL));
            else
                OK(dnnl_softmax_forward_primitive_desc_create(&handle, harness_engine,
                        dnnl_forward_inference, dnnl_softmax_accurate, &md, &md, 1, NULL));
            case_t c;
            case_init(&c, handle);
            const char *row = variants[c.pd->variant].id,
                       *wanted = layer ? cases[i].layer : cases[i].softmax;
            if (strcmp(row, wanted)) fail_msg("%s, rows %zu: %s, not %s", product, i, row, wanted);
            case_fini(&c);
        }
    }
}

/* Group and batch normalization: means over the contiguous loop, one mean per position of it, and
 * means over short pieces of it; the steps of a plan. */
static void check_means(const char *product) {
    static const struct {
        const char *tag;
        dnnl_dims_t dims;
        int groups, steps;
        unsigned flags;
        const char *row;
    } cases[] = {{"abcd", {2, 64, 16, 16}, 32, 1, 0, "norm_sg16"},
            {"acdb", {2, 320, 16, 16}, 32, 1, 0, "norm_sg16"},
            {"acdb", {1, 512, 128, 128}, 32, 3, 0, "norm_sg16"},
            {"acdb", {1, 512, 128, 128}, 32, 1, dnnl_use_global_stats, "norm_sg16"},
            {"abcd", {512, 512, 64, 64}, 4, 1, 0, "norm_sg16"}, /* enough rows for all threads */
            {"acdb", {2, 32, 16, 16}, 32, 1, 0, "norm_columns_sg16"},
            {"acdb", {2, 64, 16, 16}, 32, 3, 0,
                    "norm_columns_sg16"}, /* groups of 2 channels, as columns */
            {"acdb", {2, 64, 16, 16}, 32, 1, dnnl_use_global_stats, "norm_columns_sg16"},
            {"acdb", {1, 320, 128, 128}, 32, 3, 0, "norm_columns_sg16"},
            {"abcd", {2, 64, 7, 1}, 64, -1, 0, "reduce_sg16"},
            {"abcd", {4, 64, 7, 7}, 0, 1, 0, "norm_sg16"},
            {"acdb", {4, 64, 7, 7}, 0, 1, 0, "norm_columns_sg16"},
            {"acdb", {32, 64, 56, 56}, 0, 3, 0, "norm_columns_sg16"},
            {"abcd", {32, 64, 56, 56}, 0, 3, 0, "norm_sg16"},
            {"acdb", {32, 64, 56, 56}, 0, 1, dnnl_use_global_stats, "norm_columns_sg16"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        dnnl_primitive_desc_t handle;
        md_t md = make_md(dnnl_f16, cases[i].tag, 4, cases[i].dims);
        if (cases[i].groups)
            OK(dnnl_group_normalization_forward_primitive_desc_create(&handle, harness_engine,
                    dnnl_forward_inference, &md, &md, cases[i].groups, 1e-5f, cases[i].flags,
                    NULL));
        else
            OK(dnnl_batch_normalization_forward_primitive_desc_create(&handle, harness_engine,
                    dnnl_forward_inference, &md, &md, 1e-5f, cases[i].flags, NULL));
        case_t c;
        case_init(&c, handle);
        const char *row = variants[c.pd->variant].id;
        if (strcmp(row, cases[i].row))
            fail_msg("%s, means %zu: %s, not %s", product, i, row, cases[i].row);
        if (cases[i].steps >= 0 && c.pd->plan.nsteps != cases[i].steps)
            fail_msg("%s, means %zu: %d steps, not %d", product, i, c.pd->plan.nsteps,
                    cases[i].steps);
        case_fini(&c);
    }
}

/* Reorders that the sub-groups of every product support because a loop is long, and reorders that
 * they do not. */
static void check_reorders(const char *product) {
    static const struct {
        const char *src, *dst;
        int ndims;
        dnnl_dims_t dims;
        dnnl_data_type_t src_dt, dst_dt;
        const char *row;
    } cases[] = {
            {"ab", "ab", 2, {64, 768}, dnnl_f32, dnnl_f16, "contiguous_sg16"},
            {"ab", "+ab", 2, {64, 768}, dnnl_f32, dnnl_f16, "contiguous_sg16"},
            {"ab", "ba", 2, {64, 768}, dnnl_f32, dnnl_f32, "transpose_sg16"},
            {"abcd", "acdb", 4, {2, 64, 56, 56}, dnnl_f32, dnnl_s8, "transpose_sg16"},
            {"acdb", "abcd", 4, {2, 3, 224, 224}, dnnl_u8, dnnl_f16, "transpose_sg16"},
            {"abc", "acb", 3, {12, 128, 64}, dnnl_bf16, dnnl_bf16, "transpose_sg16"},
            {"abcd", "aBcd16b", 4, {2, 37, 14, 14}, dnnl_f16, dnnl_f16, "transpose_sg16"},
            {"aBcd16b", "abcd", 4, {2, 37, 14, 14}, dnnl_s8, dnnl_s8, "transpose_sg16"},
            {"ab", "BA2b16a16b2a", 2, {768, 768}, dnnl_f16, dnnl_f16, "transpose_sg16"},
            {"ba", "BA2b16a16b4a", 2, {768, 768}, dnnl_s8, dnnl_s8, "transpose_sg16"},
            {"abcd", "AcdB2a16b16a2b", 4, {64, 64, 3, 3}, dnnl_bf16, dnnl_bf16, "transpose_sg16"},
            {"ab", "ba", 2, {5, 7}, dnnl_f32, dnnl_f32, "strided_portable"},
            {"ab", "ba", 2, {64, 64}, dnnl_u4, dnnl_u4, "strided_portable"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const md_t src = make_md(cases[i].src_dt, cases[i].src, cases[i].ndims, cases[i].dims),
                   dst = make_md(cases[i].dst_dt, cases[i].dst, cases[i].ndims, cases[i].dims);
        dnnl_primitive_desc_t handle;
        OK(dnnl_reorder_primitive_desc_create(
                &handle, &src, harness_engine, &dst, harness_engine, NULL));
        case_t c;
        case_init(&c, handle);
        const char *row = variants[c.pd->variant].id;
        if (strcmp(row, cases[i].row))
            fail_msg("%s, reorder %zu: %s, not %s", product, i, row, cases[i].row);
        case_fini(&c);
    }
}

/* A matmul of f16 or f32 and its division: the steps of its plan, and the work-groups of
 * each step. */
static void check_division(const char *product, dnnl_dim_t m, dnnl_dim_t n, dnnl_dim_t k,
        dnnl_data_type_t dt, const uint32_t *groups, int steps) {
    dnnl_primitive_desc_t handle;
    const dnnl_dims_t src_dims = {m, k}, wei_dims = {k, n}, dst_dims = {m, n};
    const md_t src = make_md(dt, "ab", 2, src_dims), wei = make_md(dt, "ab", 2, wei_dims),
               dst = make_md(dt, "ab", 2, dst_dims);
    OK(dnnl_matmul_primitive_desc_create(&handle, harness_engine, &src, &wei, NULL, &dst, NULL));
    case_t c;
    case_init(&c, handle);
    const plan_t *plan = &c.pd->plan;
    if (plan->nsteps != steps)
        fail_msg("%s, %lldx%lldx%lld: %d steps, not %d", product, (long long)m, (long long)n,
                (long long)k, plan->nsteps, steps);
    for (int i = 0; i < steps; i++) {
        const plan_step_t *step = &plan->steps[i];
        const uint32_t count = step->group_count[0] * step->group_count[1] * step->group_count[2];
        if (groups[i] && count != groups[i])
            fail_msg("%s, %lldx%lldx%lld: %u work-groups in step %d, not %u", product, (long long)m,
                    (long long)n, (long long)k, count, i, groups[i]);
    }
    const bool shared = steps > 1;
    assert_int_equal(c.pd->scratchpad_size > 0, shared);
    if (shared) {
        /* Each work-group of the last step, the fixup, adds the sums of a block from all shares. */
        const plan_step_t *fixup = &plan->steps[steps - 1], *shares = &plan->steps[steps - 2];
        const size_t slot = fixup->group_count[0] * fixup->group_size[0] * sizeof(float);
        assert_int_equal(
                c.pd->scratchpad_size, slot * (fixup->group_count[1] + shares->group_count[0] - 1));
        assert_non_null(strstr(variants[fixup->variant].id, "fixup"));
        assert_true(shares->group_count[0] > fixup->group_count[1]);
        assert_true(shares->group_count[0] * shares->group_size[0] / 16 <=
                    harness_caps()->compute_units);
    }
    case_fini(&c);
}

static void check_divisions(const product_t *p, bool units) {
    const caps_t *caps = harness_caps();
    const uint32_t room = caps->compute_units / 2 / 32; /* work-groups of 32 sub-groups */
    /* f32, one tile of 8 x 32: 64 shares of 8192 steps on any device */
    check_division(p->name, 8, 32, 65536, dnnl_f32, (const uint32_t[]){64, 2}, 2);
    check_division(p->name, 8, 32, 64, dnnl_f32, (const uint32_t[]){1}, 1);
    if (!units) return;
    /* two tiles, and as many shares of each as pay off */
    check_division(p->name, 64, 64, 65536, dnnl_f16, (const uint32_t[]){128, 2 * 16}, 2);
    /* with few steps, the sub-groups of a work-group divide k */
    check_division(p->name, 64, 64, 2048, dnnl_f16, (const uint32_t[]){2}, 1);
    /* work-groups of 256 x 256: a full wave and one more, a full wave, and a wave that is
     * nearly full */
    check_division(p->name, 256 * (room + 1), 256, 8192, dnnl_f16,
            (const uint32_t[]){room, 0, 32 * 16}, 3);
    check_division(p->name, 256 * room, 256, 8192, dnnl_f16, (const uint32_t[]){room}, 1);
    check_division(p->name, 256 * (2 * room - 1), 256, 8192, dnnl_f16,
            (const uint32_t[]){2 * room - 1}, 1);
    /* too short for another step to pay off */
    check_division(p->name, 256 * (room + 1), 256, 512, dnnl_f16, (const uint32_t[]){room + 1}, 1);
}

/* Pooling of images in which channels or rows are contiguous. */
static void check_pooling(const char *product) {
    static const struct {
        const char *src, *dst;
        dnnl_data_type_t dt;
        dnnl_alg_kind_t alg;
        const char *row;
    } cases[] = {
            {"acdb", "acdb", dnnl_f16, dnnl_pooling_max, "pool_sg16_channels"},
            {"acdb", "acdb", dnnl_u8, dnnl_pooling_avg_exclude_padding, "pool_sg16_channels"},
            {"aBcd16b", "aBcd16b", dnnl_f32, dnnl_pooling_max, "pool_sg16_channels"},
            {"abcd", "abcd", dnnl_bf16, dnnl_pooling_avg_include_padding, "pool_sg16_rows"},
            {"abcd", "acdb", dnnl_f32, dnnl_pooling_max, "pool_sg16_rows"},
            {"cdab", "cdab", dnnl_f32, dnnl_pooling_max, "pool_sg16_channels"},
            {"bcda", "bcda", dnnl_f32, dnnl_pooling_max, "pool_portable"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const md_t src = make_md(cases[i].dt, cases[i].src, D(2, 64, 56, 56)),
                   dst = make_md(cases[i].dt, cases[i].dst, D(2, 64, 28, 28));
        const dnnl_dims_t two = {2, 2}, none = {0, 0};
        dnnl_primitive_desc_t handle;
        OK(dnnl_pooling_forward_primitive_desc_create(&handle, harness_engine,
                dnnl_forward_inference, cases[i].alg, &src, &dst, two, two, none, none, none,
                NULL));
        case_t c;
        case_init(&c, handle);
        const char *row = variants[c.pd->variant].id;
        if (strcmp(row, cases[i].row))
            fail_msg("%s, pooling %zu: %s, not %s", product, i, row, cases[i].row);
        case_fini(&c);
    }
}

static void test_products(void **state) {
    (void)state;
    caps_t *caps = &harness_engine->core->caps;
    const caps_t kept = *caps;
    for (size_t p = 0; p < ARRAY_LEN(products); p++) {
        product_caps(&products[p], caps);
        caps->has_fp64 = false;
        const bool units = products[p].matrix_subgroup == 16 && products[p].blocks;
        for (size_t i = 0; i < ARRAY_LEN(problems); i++)
            check_problem(i, products[p].name, units, products[p].matrix_subgroup == 8);
        check_divisions(&products[p], units);
        for (size_t i = 0; i < ARRAY_LEN(convolutions); i++) {
            caps->compute_units = convolutions[i].few ? 4096 : 64;
            check_convolution(i, products[p].name, units, products[p].matrix_subgroup == 8);
        }
        caps->compute_units = kept.compute_units;
        for (size_t i = 0; i < ARRAY_LEN(attentions); i++)
            check_attention(i, products[p].name, units);
        check_rows(products[p].name);
        caps->compute_units = 4096;
        check_means(products[p].name);
        check_reorders(products[p].name);
        check_pooling(products[p].name);
    }
    *caps = kept;
}

TEST_MAIN(cmocka_unit_test(test_products))

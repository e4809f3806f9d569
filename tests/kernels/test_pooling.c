/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of family "pooling": algorithms, windows, layouts, types, workspaces, post-ops. */
#include <string.h>

#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_spatial.h"
#include "test_main.h"

typedef struct {
    int nd; /* spatial dimensions */
    dnnl_dim_t n, c;
    dnnl_dims_t in, kernel, stride, dilation, left, right;
} window_t;

static const window_t windows[] = {
        {2, 2, 19, {9, 41}, {3, 3}, {2, 2}, {0, 0}, {1, 1}, {1, 1}},
        {2, 1, 64, {7, 7}, {7, 7}, {1, 1}, {0, 0}, {0, 0}, {0, 0}},
        {2, 1, 17, {5, 40}, {2, 3}, {1, 1}, {1, 2}, {1, 2}, {0, 3}},
        {2, 1, 80, {6, 5}, {3, 2}, {3, 1}, {0, 0}, {2, 0}, {1, 1}},
        {1, 3, 5, {53}, {4}, {3}, {0}, {2}, {1}},
        {3, 1, 33, {4, 5, 19}, {2, 3, 2}, {2, 1, 1}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}},
        {2, 2, 3, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, {0, 0}},
};

static md_t destination(const window_t *w, dnnl_data_type_t dt, const char *tag) {
    dnnl_dims_t dims = {w->n, w->c};
    for (int d = 0; d < w->nd; d++)
        dims[2 + d] = (w->in[d] - 1 - (w->kernel[d] - 1) * (w->dilation[d] + 1) + w->left[d] +
                              w->right[d]) /
                              w->stride[d] +
                      1;
    return make_md(dt, tag, w->nd + 2, dims);
}

static md_t source(const window_t *w, dnnl_data_type_t dt, const char *tag) {
    dnnl_dims_t dims = {w->n, w->c};
    for (int d = 0; d < w->nd; d++) dims[2 + d] = w->in[d];
    return make_md(dt, tag, w->nd + 2, dims);
}

static dnnl_status_t create(dnnl_primitive_desc_t *pd, dnnl_prop_kind_t prop, dnnl_alg_kind_t alg,
        const window_t *w, const md_t *src, const md_t *dst, const_dnnl_primitive_attr_t attr) {
    return dnnl_pooling_forward_primitive_desc_create(pd, harness_engine, prop, alg, src, dst,
            w->stride, w->kernel, w->dilation, w->left, w->right, attr);
}

static void pool(dnnl_prop_kind_t prop, dnnl_alg_kind_t alg, const window_t *w,
        dnnl_data_type_t src_dt, const char *src_tag, dnnl_data_type_t dst_dt, const char *dst_tag,
        const_dnnl_primitive_attr_t attr) {
    const md_t src = source(w, src_dt, src_tag), dst = destination(w, dst_dt, dst_tag);
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_status_t status = create(&pd, prop, alg, w, &src, &dst, attr);
    case_t c;
    if (!case_open(&c, pd, status)) return;
    case_fill(&c, NULL);
    case_run(&c);
    case_check(&c, ref_pooling);
    case_close(&c);
}

static const dnnl_alg_kind_t algs[] = {
        dnnl_pooling_max, dnnl_pooling_avg_include_padding, dnnl_pooling_avg_exclude_padding};
static const char *const plain[] = {"abc", "abcd", "abcde"},
                         *const last[] = {"acb", "acdb", "acdeb"},
                         *const blocked[] = {"aBc16b", "aBcd16b", "aBcde16b"};

static void shapes(void) {
    for (int i = 0; i < ARRAY_LEN(windows); i++) {
        const window_t *w = &windows[i];
        for (int a = 0; a < ARRAY_LEN(algs); a++) {
            const char *const *const tags[] = {plain, last, blocked};
            for (int t = 0; t < 3; t++) {
                const char *tag = tags[t][w->nd - 1];
                pool(dnnl_forward_training, algs[a], w, dnnl_f32, tag, dnnl_f32, tag, NULL);
            }
        }
    }
}

static void layouts(void) {
    static const char *const tags[][2] = {{"abcd", "acdb"}, {"acdb", "abcd"}, {"aBcd16b", "acdb"},
            {"aBcd8b", "aBcd8b"}, {"acdb", "aBcd16b"}, {"ABcd4a4b", "ABcd4a4b"}, {"+abcd", "+abcd"},
            {"+acdb", "aBcd32b"}, {"abcd", "aBcd4b"}};
    for (int i = 0; i < ARRAY_LEN(tags); i++) {
        pool(dnnl_forward_training, dnnl_pooling_max, &windows[0], dnnl_f32, tags[i][0], dnnl_f32,
                tags[i][1], NULL);
        pool(dnnl_forward_inference, dnnl_pooling_avg_exclude_padding, &windows[2], dnnl_f32,
                tags[i][0], dnnl_f32, tags[i][1], NULL);
    }
    window_t empty = windows[0];
    empty.n = 0;
    pool(dnnl_forward_training, dnnl_pooling_max, &empty, dnnl_f32, "abcd", dnnl_f32, "abcd", NULL);
    /* Windows that see nothing, and windows of more than 255 elements. */
    const window_t outside = {2, 1, 17, {3, 20}, {2, 2}, {2, 2}, {0, 0}, {4, 0}, {0, 6}},
                   large = {2, 1, 17, {20, 20}, {17, 16}, {3, 2}, {0, 0}, {0, 1}, {0, 0}},
                   corner = {2, 1, 17, {3, 20}, {2, 2}, {2, 2}, {0, 0}, {4, 1}, {0, 5}};
    for (int t = 0; t < 2; t++) {
        const char *tag = t ? "acdb" : "abcd";
        pool(dnnl_forward_inference, dnnl_pooling_max, &outside, dnnl_f32, tag, dnnl_f32, tag,
                NULL);
        pool(dnnl_forward_training, dnnl_pooling_max, &corner, dnnl_f32, tag, dnnl_f32, tag, NULL);
        pool(dnnl_forward_training, dnnl_pooling_max, &large, dnnl_f32, tag, dnnl_f32, tag, NULL);
    }
}

static void types(void) {
    static const dnnl_data_type_t dts[][2] = {{dnnl_f16, dnnl_f16}, {dnnl_bf16, dnnl_bf16},
            {dnnl_s8, dnnl_s8}, {dnnl_u8, dnnl_u8}, {dnnl_s32, dnnl_s32}, {dnnl_f64, dnnl_f64},
            {dnnl_s8, dnnl_f32}, {dnnl_f32, dnnl_u8}, {dnnl_u8, dnnl_f16}, {dnnl_f16, dnnl_s8}};
    for (int i = 0; i < ARRAY_LEN(dts); i++) {
        if (!sampled(i)) continue;
        const char *tag = i & 1 ? "abcd" : "acdb";
        const dnnl_prop_kind_t prop =
                dts[i][0] == dts[i][1] ? dnnl_forward_training : dnnl_forward_inference;
        pool(prop, dnnl_pooling_max, &windows[0], dts[i][0], tag, dts[i][1], tag, NULL);
        pool(prop, dnnl_pooling_avg_include_padding, &windows[0], dts[i][0], "acdb", dts[i][1],
                "acdb", NULL);
        pool(prop, dnnl_pooling_avg_exclude_padding, &windows[2], dts[i][0], "abcd", dts[i][1],
                "abcd", NULL);
    }
}

static void post_ops(void) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    const md_t per_channel = make_md(dnnl_f32, "abcd", D(1, 19, 1, 1)),
               whole = make_md(dnnl_f32, "acdb", D(2, 19, 5, 21)),
               row = make_md(dnnl_f32, "abcd", D(1, 1, 1, 21));
    assert_int_equal(dnnl_primitive_attr_create(&attr), dnnl_success);
    assert_int_equal(dnnl_post_ops_create(&ops), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_binary(ops, dnnl_binary_mul, &per_channel), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0.5f, 0), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_binary(ops, dnnl_binary_add, &whole), dnnl_success);
    assert_int_equal(dnnl_post_ops_append_binary(ops, dnnl_binary_sub, &row), dnnl_success);
    assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, ops), dnnl_success);
    static const char *const tags[] = {"abcd", "acdb", "aBcd16b"};
    for (int i = 0; i < ARRAY_LEN(tags); i++) {
        pool(dnnl_forward_inference, dnnl_pooling_max, &windows[0], dnnl_f32, tags[i], dnnl_f32,
                tags[i], attr);
        pool(dnnl_forward_inference, dnnl_pooling_avg_include_padding, &windows[0], dnnl_f32,
                tags[i], dnnl_f32, "ABcd4a4b", attr);
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
    for_each_variant("pooling", rows);
}

static void refuse(window_t w, dnnl_alg_kind_t alg, dnnl_data_type_t src_dt,
        dnnl_data_type_t dst_dt, dnnl_dim_t more, dnnl_status_t expected) {
    const md_t src = source(&windows[0], src_dt, "abcd");
    md_t dst = destination(&windows[0], dst_dt, "abcd");
    dst.dims[3] += more;
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(create(&pd, dnnl_forward_training, alg, &w, &src, &dst, NULL), expected);
    assert_null(pd);
}

static void test_refusals(void **unused) {
    (void)unused;
    window_t w = windows[0];
    refuse(w, dnnl_pooling_max, dnnl_f32, dnnl_f32, 1, dnnl_invalid_arguments);
    refuse(w, dnnl_eltwise_relu, dnnl_f32, dnnl_f32, 0, dnnl_invalid_arguments);
    refuse(w, dnnl_pooling_max, dnnl_f32, dnnl_s8, 0, dnnl_unimplemented); /* training */
    refuse(w, dnnl_pooling_max, dnnl_bf16, dnnl_f32, 0, dnnl_unimplemented);
    w.stride[0] = 0;
    refuse(w, dnnl_pooling_max, dnnl_f32, dnnl_f32, 0, dnnl_invalid_arguments);
    w = windows[0];
    w.dilation[1] = -1;
    refuse(w, dnnl_pooling_max, dnnl_f32, dnnl_f32, 0, dnnl_invalid_arguments);
    w = windows[0];
    w.left[1] = w.right[1] = 3; /* the average of nothing */
    refuse(w, dnnl_pooling_avg_exclude_padding, dnnl_f32, dnnl_f32, 2, dnnl_invalid_arguments);
}

static void test_any(void **unused) {
    (void)unused;
    const md_t src = source(&windows[0], dnnl_f32, "aBcd16b");
    md_t dst = destination(&windows[0], dnnl_f32, "abcd"), any;
    any = dst;
    any.format_kind = dnnl_format_kind_any;
    memset(&any.format_desc, 0, sizeof(any.format_desc));
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(
            create(&pd, dnnl_forward_training, dnnl_pooling_max, &windows[0], &src, &any, NULL),
            dnnl_success);
    assert_true(
            md_matches_tag(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0), dnnl_aBcd16b));
    const md_t *ws = dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0);
    assert_non_null(ws);
    assert_int_equal(ws->data_type, dnnl_u8);
    assert_true(md_matches_tag(ws, dnnl_aBcd16b));
    dnnl_primitive_desc_destroy(pd);
}

TEST_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_refusals), cmocka_unit_test(test_any))

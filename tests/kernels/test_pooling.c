/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "pooling" (cases/pooling.txt): algorithms, windows, layouts, types,
 * workspaces, post-ops. */
#include <string.h>

#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("pooling", "shapes");
    cases_run("pooling", "known");
    cases_run("pooling", "layouts");
    cases_run("pooling", "types");
    cases_run("pooling", "post_ops");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("pooling", run_sections);
}

/* The library's own choice. */
static void test_large(void **unused) {
    (void)unused;
    harness_hints.forced_variant = -1;
    harness_seed(9);
    cases_run("pooling", "large");
}

/* ---- cases that a line cannot describe ---- */

typedef struct {
    int nd; /* spatial dimensions */
    dnnl_dim_t n, c;
    dnnl_dims_t in, kernel, stride, dilation, left, right;
} window_t;

static const window_t window = {2, 2, 19, {9, 41}, {3, 3}, {2, 2}, {0, 0}, {1, 1}, {1, 1}};

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

static void refuse(window_t w, dnnl_alg_kind_t alg, dnnl_data_type_t src_dt,
        dnnl_data_type_t dst_dt, dnnl_dim_t more, dnnl_status_t expected) {
    const md_t src = source(&window, src_dt, "abcd");
    md_t dst = destination(&window, dst_dt, "abcd");
    dst.dims[3] += more;
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(create(&pd, dnnl_forward_training, alg, &w, &src, &dst, NULL), expected);
    assert_null(pd);
}

static void test_refusals(void **unused) {
    (void)unused;
    window_t w = window;
    refuse(w, dnnl_pooling_max, dnnl_f32, dnnl_f32, 1, dnnl_invalid_arguments);
    refuse(w, dnnl_eltwise_relu, dnnl_f32, dnnl_f32, 0, dnnl_invalid_arguments);
    refuse(w, dnnl_pooling_max, dnnl_f32, dnnl_s8, 0, dnnl_unimplemented); /* training */
    refuse(w, dnnl_pooling_max, dnnl_bf16, dnnl_f32, 0, dnnl_unimplemented);
    w.stride[0] = 0;
    refuse(w, dnnl_pooling_max, dnnl_f32, dnnl_f32, 0, dnnl_invalid_arguments);
    w = window;
    w.dilation[1] = -1;
    refuse(w, dnnl_pooling_max, dnnl_f32, dnnl_f32, 0, dnnl_invalid_arguments);
    w = window;
    w.left[1] = w.right[1] = 3; /* the average of an empty window */
    refuse(w, dnnl_pooling_avg_exclude_padding, dnnl_f32, dnnl_f32, 2, dnnl_invalid_arguments);
    w.left[1] = 1;
    w.right[1] = 7;
    refuse(w, dnnl_pooling_avg_exclude_padding, dnnl_f32, dnnl_f32, 3, dnnl_invalid_arguments);
}

static void test_any(void **unused) {
    (void)unused;
    const md_t src = source(&window, dnnl_f32, "aBcd16b");
    md_t dst = destination(&window, dnnl_f32, "abcd"), any;
    any = dst;
    any.format_kind = dnnl_format_kind_any;
    memset(&any.format_desc, 0, sizeof(any.format_desc));
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(
            create(&pd, dnnl_forward_training, dnnl_pooling_max, &window, &src, &any, NULL),
            dnnl_success);
    assert_true(
            md_matches_tag(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0), dnnl_aBcd16b));
    const md_t *ws = dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0);
    assert_non_null(ws);
    assert_int_equal(ws->data_type, dnnl_u8);
    assert_true(md_matches_tag(ws, dnnl_aBcd16b));
    dnnl_primitive_desc_destroy(pd);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_large),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_any))

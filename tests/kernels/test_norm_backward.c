/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of the normalizations on variants of their own and of the reductions
 * (cases/norm_backward.txt). */
#include <math.h>

#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_table.h"
#include "test_main.h"

static bool has_doubles(void) {
    return variants[harness_hints.forced_variant].needs_fp64;
}

static void run_rows(void) {
    cases_run("norm_backward", "layer_flags");
    cases_run("norm_backward", "layer_layouts");
    cases_run("norm_backward", "layer_types");
}

static void run_layer(void) {
    if (has_doubles()) cases_run("norm_backward", "layer_doubles");
    run_rows();
}

static void run_batch(void) {
    if (has_doubles()) cases_run("norm_backward", "batch_doubles");
    cases_run("norm_backward", "batch_flags");
    cases_run("norm_backward", "batch_layouts");
    cases_run("norm_backward", "batch_types");
}

static void run_group(void) {
    if (has_doubles()) cases_run("norm_backward", "group_doubles");
    cases_run("norm_backward", "group_flags");
    cases_run("norm_backward", "group_layouts");
    cases_run("norm_backward", "group_types");
}

static void test_layer(void **unused) {
    (void)unused;
    for_each_variant("layer_normalization_backward", run_rows);
    for_each_variant("reduction", run_layer);
}

static void test_batch(void **unused) {
    (void)unused;
    for_each_variant("reduction", run_batch);
}

static void test_group(void **unused) {
    (void)unused;
    for_each_variant("reduction", run_group);
}

/* ---- infinities ---- */

/* The gradient is infinite wherever relu let nothing pass. */
static int64_t plant_infinities(case_t *c) {
    const int diff = pd_find_arg(c->pd, DNNL_ARG_DIFF_DST),
              ws = pd_find_arg(c->pd, DNNL_ARG_WORKSPACE);
    const md_t *md = &c->md[diff];
    int64_t planted = 0;
    dnnl_dims_t pos = {0};
    do {
        const int64_t at = md_offset(md, pos);
        if (c->data[ws][at]) continue;
        ref_store(md->data_type, c->data[diff], at, INFINITY);
        planted++;
    } while (ref_next(md->dims, md->ndims, pos));
    return planted;
}

static void check_infinities(const test_case_t *t) {
    problem_t p;
    case_t c;
    case_create(&p, t);
    if (!case_open_problem(&c, &p)) return;
    case_fill(&c, NULL);
    assert_true(plant_infinities(&c) > 0);
    case_run(&c);
    case_check(&c, ref_find(c.pd)->outputs->reference);
    case_close(&c);
}

static void test_infinities(void **unused) {
    (void)unused;
    cases_each("norm_backward", "batch_infinities", "", check_infinities);
}

/* ---- refusals ---- */

static void refused_layer(dnnl_status_t wanted, const md_t *diff_src, const md_t *diff_dst,
        const md_t *src, const md_t *stat, dnnl_data_type_t diff_dt, dnnl_data_type_t dt,
        unsigned flags) {
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(dnnl_layer_normalization_backward_primitive_desc_create_v2(&pd, harness_engine,
                             dnnl_backward, diff_src, diff_dst, src, stat, diff_dt, dt, 0.1f, flags,
                             NULL, NULL),
            wanted);
    assert_null(pd);
}

static void test_layer_refusals(void **unused) {
    (void)unused;
    const dnnl_data_type_t f32 = dnnl_f32;
    const dnnl_status_t invalid = dnnl_invalid_arguments, refused = dnnl_unimplemented;
    md_t md = make_md(f32, "ab", D(3, 5)), other = make_md(f32, "ab", D(3, 4)), any = md,
         bytes = make_md(dnnl_s8, "ab", D(3, 5)), stat = make_md(f32, "a", D(3)),
         long_stat = make_md(f32, "a", D(5)), half_stat = make_md(dnnl_f16, "a", D(3));
    any.format_kind = dnnl_format_kind_any;
    refused_layer(invalid, &md, &md, &any, &stat, f32, f32, 0);
    refused_layer(invalid, &other, &md, &md, &stat, f32, f32, 0);
    refused_layer(invalid, &md, &other, &md, &stat, f32, f32, 0);
    refused_layer(invalid, &md, &md, &md, &long_stat, f32, f32, 0);
    refused_layer(invalid, &md, &md, &md, &stat, f32, f32, dnnl_fuse_norm_relu);
    refused_layer(refused, &md, &md, &md, &half_stat, f32, f32, 0);
    refused_layer(refused, &md, &md, &bytes, &stat, f32, f32, 0);
    refused_layer(refused, &md, &bytes, &md, &stat, f32, f32, 0);
    refused_layer(refused, &bytes, &md, &md, &stat, f32, f32, 0);
    refused_layer(refused, &md, &md, &md, &stat, dnnl_f64, f32, dnnl_use_scale);
    refused_layer(refused, &md, &md, &md, &stat, f32, dnnl_s8, dnnl_use_shift);
}

static dnnl_status_t make_batch(dnnl_primitive_desc_t *pd, const md_t *diff_src,
        const md_t *diff_dst, const md_t *src, unsigned flags, const_dnnl_primitive_desc_t hint) {
    return dnnl_batch_normalization_backward_primitive_desc_create(
            pd, harness_engine, dnnl_backward, diff_src, diff_dst, src, 0.1f, flags, hint, NULL);
}

static void refused_batch(dnnl_status_t wanted, const md_t *diff_src, const md_t *diff_dst,
        const md_t *src, unsigned flags, const_dnnl_primitive_desc_t hint) {
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(make_batch(&pd, diff_src, diff_dst, src, flags, hint), wanted);
    assert_null(pd);
}

static dnnl_primitive_desc_t forward_batch(const md_t *md, dnnl_prop_kind_t prop, unsigned flags) {
    dnnl_primitive_desc_t pd;
    assert_int_equal(dnnl_batch_normalization_forward_primitive_desc_create(
                             &pd, harness_engine, prop, md, md, 0.1f, flags, NULL),
            dnnl_success);
    return pd;
}

static void test_batch_refusals(void **unused) {
    (void)unused;
    const dnnl_status_t invalid = dnnl_invalid_arguments, refused = dnnl_unimplemented;
    const unsigned relu = dnnl_fuse_norm_relu;
    md_t md = make_md(dnnl_f32, "abcd", D(3, 5, 2, 2)), any = md,
         other = make_md(dnnl_f32, "abcd", D(3, 4, 2, 2)),
         bytes = make_md(dnnl_s8, "abcd", D(3, 5, 2, 2)), one = make_md(dnnl_f32, "a", D(3));
    md_t open = md;
    open.dims[0] = open.padded_dims[0] = DNNL_RUNTIME_DIM_VAL;
    any.format_kind = dnnl_format_kind_any;
    refused_batch(refused, &open, &open, &open, 0, NULL);
    refused_batch(invalid, &md, &md, &any, 0, NULL);
    refused_batch(invalid, &other, &md, &md, 0, NULL);
    refused_batch(invalid, &md, &other, &md, 0, NULL);
    refused_batch(invalid, &one, &one, &one, 0, NULL);
    refused_batch(invalid, &md, &md, &md, dnnl_rms_norm, NULL);
    refused_batch(refused, &md, &md, &bytes, 0, NULL);
    refused_batch(refused, &md, &bytes, &md, 0, NULL);
    refused_batch(refused, &bytes, &md, &md, 0, NULL);
    /* Without the workspace nobody knows what relu let pass. */
    dnnl_primitive_desc_t inference = forward_batch(&md, dnnl_forward_inference, relu),
                          plain = forward_batch(&md, dnnl_forward_training, 0),
                          shape = forward_batch(&other, dnnl_forward_training, relu);
    refused_batch(refused, &md, &md, &md, relu, NULL);
    refused_batch(refused, &md, &md, &md, relu, inference);
    refused_batch(refused, &md, &md, &md, dnnl_fuse_norm_add_relu, plain);
    refused_batch(invalid, &md, &md, &md, relu, shape);
    dnnl_primitive_desc_destroy(inference);
    dnnl_primitive_desc_destroy(plain);
    dnnl_primitive_desc_destroy(shape);
}

static void refused_group(dnnl_status_t wanted, const md_t *diff_src, const md_t *diff_dst,
        const md_t *src, dnnl_dim_t groups, unsigned flags) {
    dnnl_primitive_desc_t pd = NULL;
    assert_int_equal(
            dnnl_group_normalization_backward_primitive_desc_create(&pd, harness_engine,
                    dnnl_backward, diff_src, diff_dst, src, groups, 0.1f, flags, NULL, NULL),
            wanted);
    assert_null(pd);
}

static void test_group_refusals(void **unused) {
    (void)unused;
    const dnnl_status_t invalid = dnnl_invalid_arguments, refused = dnnl_unimplemented;
    md_t md = make_md(dnnl_f32, "abcd", D(3, 6, 2, 2)), any = md,
         other = make_md(dnnl_f32, "abcd", D(3, 4, 2, 2)),
         bytes = make_md(dnnl_s8, "abcd", D(3, 6, 2, 2));
    any.format_kind = dnnl_format_kind_any;
    refused_group(invalid, &md, &md, &any, 2, 0);
    refused_group(invalid, &other, &md, &md, 2, 0);
    refused_group(invalid, &md, &other, &md, 2, 0);
    refused_group(invalid, &md, &md, &md, 4, 0);
    refused_group(invalid, &md, &md, &md, 0, 0);
    refused_group(invalid, &md, &md, &md, 2, dnnl_fuse_norm_relu);
    refused_group(refused, &md, &md, &bytes, 2, 0);
    refused_group(refused, &md, &bytes, &md, 2, 0);
    refused_group(refused, &bytes, &md, &md, 2, 0);
}

/* ---- what a descriptor answers ---- */

static const md_t *queried(const_dnnl_primitive_desc_t pd, int arg) {
    return dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
}

/* DIFF_SCALE and DIFF_SHIFT are there for both kinds of propagation, as in oneDNN. */
static void test_batch_arguments(void **unused) {
    (void)unused;
    const unsigned flags = dnnl_use_scale | dnnl_use_shift | dnnl_fuse_norm_add_relu;
    md_t md = make_md(dnnl_f32, "acdb", D(3, 5, 2, 2)), any = md,
         channels = make_md(dnnl_f32, "a", D(5));
    any.format_kind = dnnl_format_kind_any;
    dnnl_primitive_desc_t hint = forward_batch(&md, dnnl_forward_training, flags), pd;
    const dnnl_prop_kind_t props[] = {dnnl_backward, dnnl_backward_data};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
                dnnl_batch_normalization_backward_primitive_desc_create(
                        &pd, harness_engine, props[i], &any, &any, &md, 0.1f, flags, hint, NULL),
                dnnl_success);
        assert_int_equal(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_inputs_s32, 0), 6);
        assert_int_equal(dnnl_primitive_desc_query_s32(pd, dnnl_query_num_of_outputs_s32, 0), 4);
        const int tensors[] = {
                DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SRC_1};
        const int values[] = {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE, DNNL_ARG_DIFF_SCALE,
                DNNL_ARG_DIFF_SHIFT};
        for (int k = 0; k < 4; k++) assert_true(md_equal(queried(pd, tensors[k]), &md));
        for (int k = 0; k < 5; k++) assert_true(md_equal(queried(pd, values[k]), &channels));
        assert_true(md_is_zero(queried(pd, DNNL_ARG_SHIFT)));
        assert_true(md_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_workspace_md, 0),
                dnnl_primitive_desc_query_md(hint, dnnl_query_workspace_md, 0)));
        dnnl_primitive_desc_destroy(pd);
    }
    dnnl_primitive_desc_destroy(hint);
}

TEST_MAIN(cmocka_unit_test(test_layer), cmocka_unit_test(test_batch), cmocka_unit_test(test_group),
        cmocka_unit_test(test_infinities), cmocka_unit_test(test_layer_refusals),
        cmocka_unit_test(test_batch_refusals), cmocka_unit_test(test_group_refusals),
        cmocka_unit_test(test_batch_arguments))

/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of layer normalization on its own variants and on those of the reductions
 * (cases/norm_backward.txt). */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_rows(void) {
    cases_run("norm_backward", "layer_flags");
    cases_run("norm_backward", "layer_layouts");
    cases_run("norm_backward", "layer_types");
}

static void run_layer(void) {
    if (variants[harness_hints.forced_variant].needs_fp64)
        cases_run("norm_backward", "layer_doubles");
    run_rows();
}

static void test_layer(void **unused) {
    (void)unused;
    for_each_variant("layer_normalization_backward", run_rows);
    for_each_variant("reduction", run_layer);
}

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

TEST_MAIN(cmocka_unit_test(test_layer), cmocka_unit_test(test_layer_refusals))

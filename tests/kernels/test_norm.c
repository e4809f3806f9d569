/* SPDX-License-Identifier: Apache-2.0 */
/* Layer, group and batch normalization (cases/norm.txt): flags, layouts, types, attributes,
 * statistics and workspace. And PReLU. */
#include <string.h>

#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "plan/device.h"
#include "test_main.h"

static void run_layers(void) {
    cases_run("norm", "layer_flags");
    cases_run("norm", "layer_layouts");
    cases_run("norm", "layer_types");
    cases_run("norm", "layer_attributes");
}

static void run_long_layers(void) {
    cases_run("norm", "layer_lengths");
    cases_run("norm", "layer_whole");
}

static void run_groups(void) {
    cases_run("norm", "group_shapes");
    cases_run("norm", "group_attributes");
}

static void run_batches(void) {
    cases_run("norm", "batch_shapes");
    cases_run("norm", "batch_types");
    cases_run("norm", "batch_attributes");
}

static void run_groups_and_batches(void) {
    run_groups();
    cases_run("norm", "group_pieces");
    run_batches();
    cases_run("norm", "batch_pieces");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("normalization", run_groups_and_batches);
}

static void test_layers(void **unused) {
    (void)unused;
    for_each_variant("layer_normalization", run_layers);
    for_each_variant("layer_normalization", run_long_layers);
}

static void test_reductions(void **unused) {
    (void)unused;
    for_each_variant("reduction", run_layers);
    for_each_variant("reduction", run_groups);
    for_each_variant("reduction", run_batches);
}

static void run_prelu(void) {
    cases_run("norm", "prelu");
    cases_run("norm", "prelu_types");
}

/* With registers of 32 bytes, which sub-groups of 8 indicate, a transposition leaves no registers
 * for functions. */
static bool supports_functions(int variant) {
    return strcmp(variants[variant].entry, "turn") != 0 || !has_small_registers(harness_caps());
}

static void test_prelu(void **unused) {
    (void)unused;
    for_each_variant_that(supports_functions, "elementwise", run_prelu);
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

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_layers),
        cmocka_unit_test(test_reductions), cmocka_unit_test(test_prelu),
        cmocka_unit_test(test_refusals))

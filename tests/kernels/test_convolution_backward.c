/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of convolution and deconvolution (cases/convolution_backward.txt): shapes, layouts,
 * types, with every variant of family "convolution" that needs no lanes, and of families
 * "matmul" and "conv_diff_weights". */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_data(void) {
    cases_run("convolution_backward", "convolution data");
    cases_run("convolution_backward", "deconvolution data");
}

static void run_weights(void) {
    cases_run("convolution_backward", "convolution weights");
    cases_run("convolution_backward", "deconvolution weights");
}

/* Those with lanes are compared as forward primitives: the steps are the same. Bytes have no
 * gradients. */
static bool has_no_lanes(int variant) {
    return !variant_has_lanes(&variants[variant]) &&
           !variant_has_matrix_units(&variants[variant]) && variants[variant].geometry.dots != 4;
}

static bool multiplies_floats(int variant) {
    return variants[variant].geometry.dots != 4;
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant_that(has_no_lanes, "convolution", run_data);
    for_each_variant_that(multiplies_floats, "matmul", run_weights);
    for_each_variant("conv_diff_weights", run_weights);
}

static void test_choice(void **unused) {
    (void)unused;
    if (harness_caps()->matrix_subgroup == 8)
        skip(); /* test_rules.c: what is not theirs runs elsewhere */
    harness_hints.forced_variant = -1;
    harness_seed(79);
    run_data();
    run_weights();
    cases_check_refusals("convolution_backward", "refused");
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_choice))

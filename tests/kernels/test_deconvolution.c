/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "convolution" as deconvolution (cases/deconvolution.txt): shapes,
 * layouts, types, attributes. */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_all(void) {
    cases_run("deconvolution", "all");
}

/* Variants for lanes have their cases in cases/convolution_units.txt. */
static bool has_no_lanes(int variant) {
    return !variant_has_lanes(&variants[variant]) && !variant_has_matrix_units(&variants[variant]);
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant_that(has_no_lanes, "convolution", run_all);
}

static void test_choice(void **unused) {
    (void)unused;
    harness_hints.forced_variant = -1;
    harness_seed(77);
    run_all();
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_choice))

/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "matmul" as backward propagation of inner product
 * (cases/inner_product_backward.txt): shapes, layouts, types. */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_all(void) {
    cases_run("inner_product_backward", "data");
    cases_run("inner_product_backward", "weights");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("matmul", run_all);
}

static void test_choice(void **unused) {
    (void)unused;
    if (harness_caps()->matrix_subgroup == 8)
        skip(); /* test_rules.c: what is not theirs runs elsewhere */
    harness_hints.forced_variant = -1;
    harness_seed(78);
    run_all();
    cases_check_refusals("inner_product_backward", "refused");
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_choice))

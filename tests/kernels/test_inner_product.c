/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "matmul" as inner product (cases/inner_product.txt): shapes, layouts,
 * types, attributes. */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_all(void) {
    cases_run("inner_product", "all");
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
    harness_seed(77);
    run_all();
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_choice))

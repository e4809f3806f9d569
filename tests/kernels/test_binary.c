/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "elementwise" as binary (cases/binary.txt): algorithms, mixed types,
 * broadcast, scales. */
#include "cases.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    cases_run("binary", "algorithms");
    cases_run("binary", "types");
    cases_run("binary", "broadcast");
    cases_run("binary", "scales");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("elementwise", run_sections);
}

TEST_MAIN(cmocka_unit_test(test_variants))

/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "elementwise" as eltwise (cases/eltwise.txt): algorithms, types,
 * layouts. */
#include <stdio.h>

#include "cases.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "test_main.h"

static void run_sections(void) {
    static bool first = true;
    static const char *const types[] = {"dt=f16", "dt=bf16", "dt=s32", "dt=s8", "dt=u8"};
    /* All algorithms in all narrow types, once: on the variant that the device prefers. */
    for (int i = 0; i < ARRAY_LEN(types) && first; i++) {
        char settings[64];
        snprintf(settings, sizeof(settings), "%s sampled=0 3x67", types[i]);
        cases_run_with("eltwise", "algorithms", settings);
    }
    first = false;
    const bool doubles = variants[harness_hints.forced_variant].needs_fp64;
    cases_run_with("eltwise", "algorithms", doubles ? "dt=f64 7x53" : "");
    cases_run("eltwise", "types");
    cases_run("eltwise", "layouts");
    cases_run("eltwise", "whole");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("elementwise", run_sections);
}

TEST_MAIN(cmocka_unit_test(test_variants))

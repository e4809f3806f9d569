/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of a kernel test: a group of cmocka tests on an open engine. */
#ifndef TESTS_KERNELS_TEST_MAIN_H
#define TESTS_KERNELS_TEST_MAIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oneapi/dnnl/dnnl.h"

static int setup(void **unused) {
    (void)unused;
    const char *runtime = getenv("ONEDNN_GPU_RUNTIME");
    if (runtime && !dnnl_engine_get_count(dnnl_gpu)) {
        print_message("the machine has no device of the runtime %s\n", runtime);
        exit(77);
    }
    if (!harness_open()) return -1;
    const caps_t *caps = harness_caps();
    if (runtime && !caps->is_cpu && !caps->subgroup_sizes && !getenv("HARNESS_PORTABLE")) {
        print_message("the device runs portable kernels only\n");
        exit(77);
    }
    if (getenv("ZE_CPU_EMULATE") && caps->is_cpu) {
        print_message("the CPU driver emulates nothing where PoCL has no sub-groups\n");
        exit(77);
    }
    return 0;
}

static int teardown(void **unused) {
    (void)unused;
    harness_close();
    return 0;
}

/* An argument, if there is one, is the pattern of the tests to run: "*recurrent". */
#define TEST_MAIN(...)                                                                             \
    int main(int argc, char **argv) {                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        if (argc > 1) cmocka_set_test_filter(argv[1]);                                             \
        return cmocka_run_group_tests(tests, setup, teardown);                                     \
    }

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of a kernel test: a group of cmocka tests on an open engine. */
#ifndef TESTS_KERNELS_TEST_MAIN_H
#define TESTS_KERNELS_TEST_MAIN_H

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static int setup(void **unused) {
    (void)unused;
    return harness_open() ? 0 : -1;
}

static int teardown(void **unused) {
    (void)unused;
    harness_close();
    return 0;
}

#define TEST_MAIN(...)                                                                                       \
    int main(void) {                                                                                         \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                                     \
        return cmocka_run_group_tests(tests, setup, teardown);                                               \
    }

#endif

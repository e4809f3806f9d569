/* SPDX-License-Identifier: Apache-2.0 */
/* The library exports nothing but dnnl_*, needs nothing but the C library, and has the SONAME
 * that programs are linked with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf_file.h"

/* Parts of the C library, all of them in libc.so.6 since glibc 2.34, and the dynamic linker. */
static const char *const allowed[] = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0",
        "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"};

static elf_file_t elf;

static void test_exports(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < elf.nexports; i++) {
        if (strncmp(elf.exports[i], "dnnl_", 5) == 0) continue;
        print_error("%s is exported\n", elf.exports[i]);
        wrong++;
    }
    assert_true(elf.nexports > 0);
    assert_int_equal(wrong, 0);
}

static void test_needed(void **state) {
    (void)state;
    if (getenv("DNNL_ZE_TEST_SANITIZED")) skip(); /* a sanitizer brings its run time */
    int wrong = 0;
    for (size_t i = 0; i < elf.nneeded; i++) {
        if (elf_count(allowed, sizeof(allowed) / sizeof(allowed[0]), elf.needed[i]) > 0) continue;
        print_error("%s is needed\n", elf.needed[i]);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void test_soname(void **state) {
    assert_non_null(elf.soname);
    assert_string_equal(elf.soname, *state);
}

int main(int argc, char **argv) {
    if (argc != 3 || elf_file_open(&elf, argv[1]) != 0) return 1;
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_exports),
            cmocka_unit_test(test_needed),
            cmocka_unit_test_prestate(test_soname, argv[2]),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    elf_file_close(&elf);
    return failed;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A shared library is built with what the build says that the compiler has: FORTIFY, stack
 * protector, RELRO, BIND_NOW. Folders of code come from secure_getenv(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "elf_file.h"

static elf_file_t elf;

static size_t imports(const char *name) {
    return elf_count(elf.imports, elf.nimports, name);
}

/* Has it functions of the C library that check the size of a buffer: __memcpy_chk and others? */
static void test_fortify(void **state) {
    size_t n = 0;
    if (!strstr(*state, "fortify")) skip();
    for (size_t i = 0; i < elf.nimports; i++) {
        const size_t length = strlen(elf.imports[i]);
        n += length > 4 && !strcmp(elf.imports[i] + length - 4, "_chk");
    }
    assert_true(n > 0);
}

static void test_stack_protector(void **state) {
    if (!strstr(*state, "stack")) skip();
    assert_int_equal(imports("__stack_chk_fail"), 1);
}

static void test_tables(void **state) {
    if (!strstr(*state, "relro")) skip();
    assert_true(elf.has_relro);
    assert_true(elf.binds_now);
}

static void test_stack_without_code(void **state) {
    (void)state;
    assert_false(elf.stack_codes);
}

static void test_environment(void **state) {
    (void)state;
    assert_int_equal(imports("secure_getenv"), 1);
}

int main(int argc, char **argv) {
    if (argc != 3 || elf_file_open(&elf, argv[1]) != 0) return 1;
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(test_fortify, argv[2]),
            cmocka_unit_test_prestate(test_stack_protector, argv[2]),
            cmocka_unit_test_prestate(test_tables, argv[2]),
            cmocka_unit_test(test_stack_without_code),
            cmocka_unit_test(test_environment),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    elf_file_close(&elf);
    return failed;
}

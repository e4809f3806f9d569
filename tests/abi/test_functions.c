/* SPDX-License-Identifier: Apache-2.0 */
/* Headers declare every function of the table with its type, and the library exports it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dnnl_debug.h"
#include "dnnl_ze.h"
#include "elf_file.h"

/* A second declaration of another type does not compile; taking the type of one that is not in the headers
 * does not either. */
#define F(ret, name, params)                                                                                 \
    extern __typeof__(name) name;                                                                            \
    ret name params;
#include "functions.def"
#undef F

static const char *const names[] = {
#define F(ret, name, params) #name,
#include "functions.def"
#undef F
};
enum { nnames = sizeof(names) / sizeof(names[0]) };

static void test_table(void **state) {
    (void)state;
    assert_int_equal(nnames, 207);
    for (size_t i = 0; i < nnames; i++) assert_int_equal(elf_count(names, nnames, names[i]), 1);
}

static void test_exports(void **state) {
    elf_file_t elf;
    assert_int_equal(elf_file_open(&elf, *state), 0);
    int missing = 0;
    for (size_t i = 0; i < nnames; i++) {
        if (elf_count(elf.exports, elf.nexports, names[i]) > 0) continue;
        print_error("%s is not exported\n", names[i]);
        missing++;
    }
    elf_file_close(&elf);
    assert_int_equal(missing, 0);
}

int main(int argc, char **argv) {
    if (argc != 2) return 1;
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_table),
            cmocka_unit_test_prestate(test_exports, argv[1]),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

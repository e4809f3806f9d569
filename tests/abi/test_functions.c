/* SPDX-License-Identifier: Apache-2.0 */
/* Headers declare every function of the tables with its type, and the library exports these and
 * no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ocl/opencl.h"

#include "dnnl_debug.h"
#include "dnnl_graph_ocl.h"
#include "dnnl_graph_ze.h"
#include "dnnl_ocl.h"
#include "dnnl_ze.h"
#include "dnnl_ze_cache.h"
#include "dnnl_ze_layer.h"
#include "dnnl_ze_recording.h"
#include "dnnl_ze_sdpa.h"
#include "elf_file.h"

/* A second declaration of another type does not compile; taking the type of one that is not in
 * the headers does not either. */
#define F(ret, name, params)                                                                       \
    extern __typeof__(name) name;                                                                  \
    ret name params;
#include "functions.def"
#include "graph_functions.def"
#include "ocl_functions.def"
#include "own_functions.def"
#include "own_graph_functions.def"
#undef F

/* oneDNN's first, then this library's own. The tests declare the types of OpenCL as the library
 * does, so that they can be built without its headers. */
static const char *const names[] = {
#define F(ret, name, params) #name,
#include "functions.def"
#include "graph_functions.def"
#include "ocl_functions.def"
#include "own_functions.def"
#include "own_graph_functions.def"
#undef F
};
enum { nnames = sizeof(names) / sizeof(names[0]) };
enum {
    nown = 0
#define F(ret, name, params) +1
#include "ocl_functions.def"
#include "own_functions.def"
#include "own_graph_functions.def"
#undef F
};

/* oneDNN exports it for its own tests, and no header of either library declares it. */
static const char *const undeclared[] = {"dnnl_memory_desc_create_with_string_tag"};

static void test_table(void **state) {
    (void)state;
    assert_int_equal(nnames - nown, 269);
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
    int unknown = 0;
    for (size_t i = 0; i < elf.nexports; i++) {
        if (elf_count(names, nnames, elf.exports[i]) + elf_count(undeclared, 1, elf.exports[i]) > 0)
            continue;
        print_error("%s is exported, but in no table\n", elf.exports[i]);
        unknown++;
    }
    elf_file_close(&elf);
    assert_int_equal(missing, 0);
    assert_int_equal(unknown, 0);
}

int main(int argc, char **argv) {
    if (argc != 2) return 1;
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_table),
            cmocka_unit_test_prestate(test_exports, argv[1]),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

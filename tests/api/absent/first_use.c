/* SPDX-License-Identifier: Apache-2.0 */
/* What fails at the first use of the library is tried again at the next: no file descriptors, no
 * memory. The program does not link the loader, so that the library opens it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "core/verbose.h"
#include "oneapi/dnnl/dnnl.h"

/* Takes the place of libc's, which says so if there is no memory. */
static int failing_regcomps;
__attribute__((visibility("default"))) int regcomp(regex_t *regex, const char *pattern, int flags) {
    int (*original)(regex_t *, const char *, int);
    if (failing_regcomps-- > 0) return REG_ESPACE;
    *(void **)&original = dlsym(RTLD_NEXT, "regcomp");
    return original(regex, pattern, flags);
}

static void the_filter_is_read_again(void **state) {
    (void)state;
    setenv("ONEDNN_VERBOSE", "none,filter=matmul", 1);
    verbose_reset();
    failing_regcomps = 1;
    assert_false(verbose_on(VERBOSE_ERROR));
    assert_int_equal(verbose_settings, VERBOSE_UNSET);
    assert_false(verbose_on(VERBOSE_ERROR));
    assert_int_equal(verbose_settings, 0);
}

static void the_loader_is_opened_again(void **state) {
    (void)state;
    struct rlimit limit, none;
    dnnl_engine_t engine = NULL;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = 0; /* what is open stays open */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const size_t count = dnnl_engine_get_count(dnnl_gpu);
    const dnnl_status_t status = dnnl_engine_create(&engine, dnnl_gpu, 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(count, 0);
    assert_int_equal(status, dnnl_runtime_error);
    assert_null(engine);
}

static void the_devices_are_listed_again(void **state) {
    (void)state;
    dnnl_engine_t engine = NULL;
    dnnl_status_t status = dnnl_out_of_memory;
    int failures = 0;
    for (long n = 1; status != dnnl_success; n++) {
        dz_alloc_fail_after = n;
        status = dnnl_engine_create(&engine, dnnl_gpu, 0);
        dz_alloc_fail_after = 0;
        if (status == dnnl_success) break;
        assert_int_equal(status, dnnl_out_of_memory);
        failures++;
    }
    assert_true(failures > 0);
    assert_true(dnnl_engine_get_count(dnnl_gpu) > 0);
    assert_int_equal(dnnl_engine_destroy(engine), dnnl_success);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_filter_is_read_again),
            cmocka_unit_test(the_loader_is_opened_again),
            cmocka_unit_test(the_devices_are_listed_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

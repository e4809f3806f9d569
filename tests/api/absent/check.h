/* SPDX-License-Identifier: Apache-2.0 */
/* What every function that needs a device answers where there is none, and what the log says. */
#ifndef TESTS_API_ABSENT_CHECK_H
#define TESTS_API_ABSENT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze.h"

static void nothing_is_there(void **state) {
    (void)state;
    int on_stack[64] = {0};
    void *handle = on_stack; /* there is no driver that could have made one */
    dnnl_engine_t engine = NULL;
    size_t size = 0;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(dnnl_engine_get_count(dnnl_gpu), 0);
        assert_int_equal(dnnl_engine_create(&engine, dnnl_gpu, 0), dnnl_runtime_error);
    }
    const dnnl_status_t status = dnnl_ze_interop_engine_create(&engine, handle, handle, handle);
    assert_true(status == dnnl_invalid_arguments || status == dnnl_runtime_error);
    assert_int_equal(dnnl_ze_interop_engine_get_cache_blob_id(handle, handle, &size, NULL), status);
    assert_null(engine);
    /* Host scalars need no engine. */
    dnnl_memory_desc_t desc;
    dnnl_memory_t memory;
    float value = 1;
    assert_int_equal(dnnl_memory_desc_create_host_scalar(&desc, dnnl_f32), dnnl_success);
    assert_int_equal(dnnl_memory_create_host_scalar(&memory, desc, &value), dnnl_success);
    assert_int_equal(dnnl_memory_destroy(memory), dnnl_success);
    assert_int_equal(dnnl_memory_desc_destroy(desc), dnnl_success);
}

static const char *const *words; /* that the sentence has; NULL after the last */

static void the_log_says_why(void **state) {
    (void)state;
    char text[8192];
    dnnl_engine_t engine = NULL;
    FILE *kept = tmpfile();
    fflush(stdout);
    const int terminal = dup(STDOUT_FILENO);
    assert_true(kept && terminal >= 0 && dup2(fileno(kept), STDOUT_FILENO) >= 0);
    const dnnl_status_t status = dnnl_engine_create(&engine, dnnl_gpu, 0);
    fflush(stdout);
    assert_true(dup2(terminal, STDOUT_FILENO) >= 0);
    close(terminal);
    rewind(kept);
    text[fread(text, 1, sizeof text - 1, kept)] = 0;
    fclose(kept);
    assert_int_equal(status, dnnl_runtime_error);
    for (const char *const *word = words; *word; word++)
        if (!strstr(text, *word)) fail_msg("the log does not say %s: %s", *word, text);
}

/* said: words of the sentence; NULL after the last. */
static inline int check_sentence(const char *const *said) {
    words = said;
    const struct CMUnitTest absent[] = {cmocka_unit_test(the_log_says_why)};
    return cmocka_run_group_tests(absent, NULL, NULL);
}

static inline int check_absent(const char *const *said) {
    words = said;
    const struct CMUnitTest absent[] = {
            cmocka_unit_test(nothing_is_there), cmocka_unit_test(the_log_says_why)};
    return cmocka_run_group_tests(absent, NULL, NULL);
}

#endif

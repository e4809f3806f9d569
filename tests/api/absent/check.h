/* SPDX-License-Identifier: Apache-2.0 */
/* What every function that needs a device answers where there is none. */
#ifndef TESTS_API_ABSENT_CHECK_H
#define TESTS_API_ABSENT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

static inline int check_absent(void) {
    const struct CMUnitTest absent[] = {cmocka_unit_test(nothing_is_there)};
    return cmocka_run_group_tests(absent, NULL, NULL);
}

#endif

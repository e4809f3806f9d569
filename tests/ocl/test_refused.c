/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that do not support SPIR-V: they have no engines, and dnnl_engine_create() does not list
 * them. */
#include "app.h"

#include <stdlib.h>

static void no_spirv(void **state) {
    (void)state;
    cl_device_id devices[8];
    const int n = find_devices(false, devices, COUNT_OF(devices));
    if (!n) skip();
    for (int i = 0; i < n; i++) {
        cl_int result;
        dnnl_engine_t engine = NULL;
        cl_context context = clCreateContext(NULL, 1, &devices[i], NULL, NULL, &result);
        assert_cl(result);
        assert_status(dnnl_ocl_interop_engine_create(&engine, devices[i], context), unimplemented);
        assert_null(engine);
        assert_cl(clReleaseContext(context));
    }
}

static void engines_by_index(void **state) {
    (void)state;
    cl_device_id devices[16];
    const size_t n = (size_t)find_devices(true, devices, COUNT_OF(devices));
    dnnl_engine_t engine = NULL, again = NULL;
    cl_context context, other;
    assert_int_equal(dnnl_engine_get_count(dnnl_gpu), n);
    assert_int_equal(dnnl_engine_create(&engine, dnnl_gpu, n),
            n ? dnnl_invalid_arguments : dnnl_runtime_error);
    if (!n) return;
    assert_ok(dnnl_engine_create(&engine, dnnl_gpu, 0));
    assert_ok(dnnl_engine_create(&again, dnnl_gpu, 0));
    assert_ok(dnnl_ocl_interop_engine_get_context(engine, &context));
    assert_ok(dnnl_ocl_interop_engine_get_context(again, &other));
    assert_ptr_equal(context, other); /* one for each device, so that memory can be shared */
    assert_ok(dnnl_engine_destroy(engine));
    assert_ok(dnnl_engine_destroy(again));
}

int main(void) {
    setenv("ONEDNN_GPU_RUNTIME", "ocl", 1);
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(no_spirv), cmocka_unit_test(engines_by_index)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

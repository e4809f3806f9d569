/* SPDX-License-Identifier: Apache-2.0 */
/* First creations of primitives where the library has native code for the device: nothing is compiled. Prints
 * how long each takes. Ends with 77 where the library was built without (DNNL_ZE_AOT_DEVICES). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/verbose.h"
#include "oneapi/dnnl/dnnl.h"
#include "ze/embedded.h"
#include "ze/loader.h"
#include "ze/runtime.h"

#define OK(call) assert_int_equal(call, dnnl_success)

static dnnl_engine_t engine;
static int compiled, loaded;
static double in_driver; /* ms in zeModuleCreate */
static __typeof__(ze.ModuleCreate) real_create;

static ze_result_t ZE_APICALL count_modules(ze_context_handle_t context, ze_device_handle_t device,
        const ze_module_desc_t *desc, ze_module_handle_t *module,
        ze_module_build_log_handle_t *log) {
    const double start = verbose_now_ms();
    const ze_result_t result = real_create(context, device, desc, module, log);
    in_driver += verbose_now_ms() - start;
    if (result == ZE_RESULT_SUCCESS)
        *(desc->format == ZE_MODULE_FORMAT_IL_SPIRV ? &compiled : &loaded) += 1;
    return result;
}

static dnnl_memory_desc_t md(
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t type, dnnl_format_tag_t tag) {
    dnnl_memory_desc_t made;
    OK(dnnl_memory_desc_create_with_tag(&made, ndims, dims, type, tag));
    return made;
}

static dnnl_primitive_attr_t relu_after(void) {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    OK(dnnl_primitive_attr_create(&attr));
    OK(dnnl_post_ops_create(&ops));
    OK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_relu, 0, 0));
    OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    OK(dnnl_post_ops_destroy(ops));
    return attr;
}

static void matmul(dnnl_primitive_desc_t *pd) {
    const dnnl_dims_t src_dims = {128, 768}, wei_dims = {768, 768}, bias_dims = {1, 768};
    dnnl_memory_desc_t src = md(2, src_dims, dnnl_f16, dnnl_ab),
                       wei = md(2, wei_dims, dnnl_f16, dnnl_ab),
                       bias = md(2, bias_dims, dnnl_f32, dnnl_ab);
    OK(dnnl_matmul_primitive_desc_create(pd, engine, src, wei, bias, src, NULL));
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(wei);
    dnnl_memory_desc_destroy(bias);
}

static void convolution(dnnl_primitive_desc_t *pd) {
    const dnnl_dims_t data_dims = {1, 64, 56, 56}, wei_dims = {64, 64, 3, 3}, bias_dims = {64},
                      one = {1, 1}, none = {0, 0};
    dnnl_memory_desc_t data = md(4, data_dims, dnnl_f16, dnnl_acdb),
                       wei = md(4, wei_dims, dnnl_f16, dnnl_format_tag_any),
                       bias = md(1, bias_dims, dnnl_f32, dnnl_a);
    dnnl_primitive_attr_t attr = relu_after();
    OK(dnnl_convolution_forward_primitive_desc_create(pd, engine, dnnl_forward_inference,
            dnnl_convolution_direct, data, wei, bias, data, one, none, one, one, attr));
    dnnl_primitive_attr_destroy(attr);
    dnnl_memory_desc_destroy(data);
    dnnl_memory_desc_destroy(wei);
    dnnl_memory_desc_destroy(bias);
}

static const dnnl_dims_t rows = {128, 768};

static void relu(dnnl_primitive_desc_t *pd) {
    dnnl_memory_desc_t data = md(2, rows, dnnl_f16, dnnl_ab);
    OK(dnnl_eltwise_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_eltwise_relu, data, data, 0, 0, NULL));
    dnnl_memory_desc_destroy(data);
}

static void softmax(dnnl_primitive_desc_t *pd) {
    dnnl_memory_desc_t data = md(2, rows, dnnl_f16, dnnl_ab);
    OK(dnnl_softmax_forward_primitive_desc_create(
            pd, engine, dnnl_forward_inference, dnnl_softmax_accurate, data, data, 1, NULL));
    dnnl_memory_desc_destroy(data);
}

static void layer_norm(dnnl_primitive_desc_t *pd) {
    dnnl_memory_desc_t data = md(2, rows, dnnl_f16, dnnl_ab);
    OK(dnnl_layer_normalization_forward_primitive_desc_create(pd, engine, dnnl_forward_inference,
            data, data, NULL, 1e-5f, dnnl_use_scale | dnnl_use_shift, NULL));
    dnnl_memory_desc_destroy(data);
}

static const struct {
    const char *name;
    void (*create)(dnnl_primitive_desc_t *pd);
} kinds[] = {{"matmul 128x768:768x768 f16, bias", matmul},
        {"convolution 64 to 64, 3x3, f16, relu", convolution}, {"eltwise relu f16", relu},
        {"softmax f16", softmax}, {"layer norm f16", layer_norm}};

static void nothing_is_compiled(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        dnnl_primitive_desc_t pd;
        dnnl_primitive_t primitive;
        loaded = 0;
        in_driver = 0;
        const double start = verbose_now_ms();
        kinds[i].create(&pd);
        const double described = verbose_now_ms();
        OK(dnnl_primitive_create(&primitive, pd));
        const double end = verbose_now_ms();
        printf("%-40s %.3f ms: descriptor %.3f, primitive %.3f, of which zeModuleCreate %.3f for "
               "%d "
               "modules\n",
                kinds[i].name, end - start, described - start, end - described, in_driver, loaded);
        assert_true(loaded > 0);
        OK(dnnl_primitive_destroy(primitive));
        OK(dnnl_primitive_desc_destroy(pd));
    }
    assert_int_equal(compiled, 0);
}

int main(void) {
    int for_device = 0;
    if (dnnl_engine_create(&engine, dnnl_gpu, 0) != dnnl_success) return 1;
    for (int i = 0; i < embedded_code_count; i++)
        for_device += embedded_codes[i].ip_version >> 14 == engine_caps(engine)->ip_version >> 14;
    printf("%d modules are embedded, %d of them for this device\n", embedded_code_count,
            for_device);
    real_create = ze.ModuleCreate;
    ze.ModuleCreate = count_modules;
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_compiled)};
    const int failed = for_device ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
    dnnl_engine_destroy(engine);
    return failed;
}

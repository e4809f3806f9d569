/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisation, enumeration, versions, extensions, contexts; what is missing says so. */
#include "ze_test.h"

static void init_again(void **state) {
    (void)state;
    assert_ok(zeInit(0));
    assert_ok(zeInit(0));
    uint32_t n = 0;
    assert_ok(zeDriverGet(&n, NULL));
    assert_true(n >= 1);
    ze_driver_handle_t drivers[8] = {0};
    uint32_t some = COUNT_OF(drivers);
    assert_ok(zeDriverGet(&some, drivers));
    assert_int_equal(some, n < COUNT_OF(drivers) ? n : COUNT_OF(drivers));
    assert_ptr_equal(drivers[0], zt.driver);
}

static void init_drivers_agrees_with_init(void **state) {
    (void)state;
    typedef ze_result_t (*init_drivers_t)(uint32_t *, ze_driver_handle_t *, void *);
    bool from_driver;
    init_drivers_t init_drivers = (init_drivers_t)newer_function("zeInitDrivers", &from_driver);
    skip_unless(init_drivers && !from_driver, "the loader has no zeInitDrivers");
    struct {
        uint32_t stype;
        const void *next;
        uint32_t flags;
    } desc = {.stype = 0x00020021, .flags = UINT32_MAX};
    uint32_t n = 0, n_old = 0;
    ze_driver_handle_t drivers[8] = {0};
    assert_ok(zeDriverGet(&n_old, NULL));
    assert_ok(init_drivers(&n, NULL, &desc));
    assert_int_equal(n, n_old);
    n = COUNT_OF(drivers);
    assert_ok(init_drivers(&n, drivers, &desc));
    assert_ptr_equal(drivers[0], zt.driver);
}

static void devices_are_the_same_each_time(void **state) {
    (void)state;
    uint32_t n = 0;
    assert_ok(zeDeviceGet(zt.driver, &n, NULL));
    assert_true(n >= 1);
    for (int i = 0; i < 3; i++) {
        ze_device_handle_t devices[32] = {0};
        uint32_t more = COUNT_OF(devices); /* more than there are: the count is corrected */
        assert_ok(zeDeviceGet(zt.driver, &more, devices));
        assert_int_equal(more, n);
        assert_ptr_equal(devices[0], zt.device);
        for (uint32_t d = 0; d < n; d++) assert_non_null(devices[d]);
        assert_null(devices[n]);
    }
}

static void sub_devices_are_counted(void **state) {
    (void)state;
    uint32_t n = 0;
    assert_ok(zeDeviceGetSubDevices(zt.device, &n, NULL));
    if (zt.is_cpu && !getenv("ZE_CPU_SUB_DEVICES")) assert_int_equal(n, 0);
    ze_device_handle_t sub[32] = {0};
    uint32_t again = COUNT_OF(sub);
    assert_ok(zeDeviceGetSubDevices(zt.device, &again, sub));
    assert_int_equal(again, n);
}

static void versions_are_plausible(void **state) {
    (void)state;
    ze_api_version_t version = 0;
    assert_ok(zeDriverGetApiVersion(zt.driver, &version));
    assert_int_equal(ZE_MAJOR_VERSION(version), 1);
    assert_true(ZE_MINOR_VERSION(version) <= 30);

    ze_driver_properties_t a = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES}, b = a;
    assert_ok(zeDriverGetProperties(zt.driver, &a));
    assert_ok(zeDriverGetProperties(zt.driver, &b));
    assert_int_equal(a.stype, ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES);
    assert_null(a.pNext);
    assert_true(a.driverVersion != 0);
    assert_int_equal(a.driverVersion, b.driverVersion);
    assert_memory_equal(&a.uuid, &b.uuid, sizeof a.uuid);
    static const ze_driver_uuid_t none;
    assert_memory_not_equal(&a.uuid, &none, sizeof none);
}

static void extensions_are_listed(void **state) {
    (void)state;
    uint32_t n = 0;
    assert_ok(zeDriverGetExtensionProperties(zt.driver, &n, NULL));
    assert_true(n < 200);
    if (n == 0) return;
    ze_driver_extension_properties_t *list = calloc(n, sizeof *list);
    assert_non_null(list);
    assert_ok(zeDriverGetExtensionProperties(zt.driver, &n, list));
    for (uint32_t i = 0; i < n; i++) {
        assert_true(memchr(list[i].name, 0, sizeof list[i].name) != NULL);
        assert_true(strncmp(list[i].name, "ZE", 2) == 0);
        assert_true(list[i].version >= ZE_MAKE_VERSION(0, 1));
        for (uint32_t j = 0; j < i; j++) assert_string_not_equal(list[i].name, list[j].name);
    }
    free(list);
}

static void unknown_extension_functions_are_refused(void **state) {
    (void)state;
    void *address = NULL;
    assert_refused(zeDriverGetExtensionFunctionAddress(zt.driver, "zeNoSuchFunctionExp", &address));
    assert_null(address);
    assert_refused(zeDriverGetExtensionFunctionAddress(zt.driver, "", &address));
    assert_null(address);
}

static void ipc_properties_match_behaviour(void **state) {
    (void)state;
    ze_driver_ipc_properties_t ipc = {
            .stype = ZE_STRUCTURE_TYPE_DRIVER_IPC_PROPERTIES, .flags = 0x70};
    assert_ok(zeDriverGetIpcProperties(zt.driver, &ipc));
    assert_int_equal(
            ipc.flags & ~(ZE_IPC_PROPERTY_FLAG_MEMORY | ZE_IPC_PROPERTY_FLAG_EVENT_POOL), 0);
    void *pointer = usm(USM_DEVICE, 4096);
    ze_ipc_mem_handle_t handle;
    ze_result_t result = zeMemGetIpcHandle(zt.context, pointer, &handle);
    if (ipc.flags & ZE_IPC_PROPERTY_FLAG_MEMORY) assert_int_equal(result, ZE_RESULT_SUCCESS);
    else assert_int_equal(result, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    usm_free(pointer);
}

static void contexts_are_independent(void **state) {
    (void)state;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t a = NULL, b = NULL;
    assert_ok(zeContextCreate(zt.driver, &desc, &a));
    assert_ok(zeContextCreateEx(zt.driver, &desc, 1, &zt.device, &b));
    assert_ptr_not_equal(a, b);
    assert_ok(zeContextGetStatus(a));
    assert_ok(zeContextDestroy(a));
    assert_ok(zeContextGetStatus(b));
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer = NULL;
    assert_ok(zeMemAllocHost(b, &host, 100, 0, &pointer));
    memset(pointer, 1, 100);
    assert_ok(zeMemFree(b, pointer));
    assert_ok(zeContextDestroy(b));
    assert_ok(zeContextGetStatus(zt.context));
}

static void context_of_a_thousand(void **state) {
    (void)state;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    for (int i = 0; i < 1000; i++) {
        ze_context_handle_t context = NULL;
        assert_ok(zeContextCreate(zt.driver, &desc, &context));
        assert_ok(zeContextDestroy(context));
    }
}

static void bad_context_descriptions_are_refused(void **state) {
    (void)state;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context = NULL;
    skip_unless(zt.is_cpu || zt.layers, "needs checked arguments");
    assert_result(zeContextCreate(zt.driver, NULL, &context), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeContextCreate(zt.driver, &desc, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    desc.flags = 0x10;
    assert_result(zeContextCreate(zt.driver, &desc, &context), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_null(context);
}

static void residency_and_system_barrier(void **state) {
    (void)state;
    void *pointer = usm(USM_SHARED, 10000);
    assert_ok(zeContextMakeMemoryResident(zt.context, zt.device, pointer, 10000));
    assert_ok(zeContextEvictMemory(zt.context, zt.device, pointer, 10000));
    usm_free(pointer);
    ze_result_t barrier = zeContextSystemBarrier(zt.context, zt.device);
    assert_true(barrier == ZE_RESULT_SUCCESS || barrier == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

static void missing_features_say_so(void **state) {
    (void)state;
    skip_unless(zt.is_cpu, "only the CPU driver is known to lack them");
    ze_image_desc_t image_desc = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
            .type = ZE_IMAGE_TYPE_2D,
            .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_32, .type = ZE_IMAGE_FORMAT_TYPE_FLOAT},
            .width = 4,
            .height = 4,
            .depth = 1};
    ze_image_handle_t image = NULL;
    assert_result(zeImageCreate(zt.context, zt.device, &image_desc, &image),
            ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_null(image);
    ze_image_properties_t image_properties = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES};
    assert_result(zeImageGetProperties(zt.device, &image_desc, &image_properties),
            ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);

    ze_sampler_desc_t sampler_desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC};
    ze_sampler_handle_t sampler = NULL;
    assert_result(zeSamplerCreate(zt.context, zt.device, &sampler_desc, &sampler),
            ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_null(sampler);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(init_again),
            TEST(init_drivers_agrees_with_init),
            TEST(devices_are_the_same_each_time),
            TEST(sub_devices_are_counted),
            TEST(versions_are_plausible),
            TEST(extensions_are_listed),
            TEST(unknown_extension_functions_are_refused),
            TEST(ipc_properties_match_behaviour),
            TEST(contexts_are_independent),
            TEST(context_of_a_thousand),
            TEST(bad_context_descriptions_are_refused),
            TEST(residency_and_system_barrier),
            TEST(missing_features_say_so),
    };
    return RUN_TESTS(tests);
}

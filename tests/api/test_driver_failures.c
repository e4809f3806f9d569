/* SPDX-License-Identifier: Apache-2.0 */
/* Makes each call of the driver fail in turn, and counts the driver's objects. */
#include "walk.h"

#include "ze/loader.h"

static ze_table_t real;
static ze_result_t answer;
static long objects;

/* Replaces an entry point: a call that fails has done nothing; one that succeeds has made so
 * many objects. What ends an object does so on a lost device, too. */
#define CALL(made, name, params, args)                                                             \
    static ze_result_t fake_##name params {                                                        \
        if (call_fails()) return answer;                                                           \
        const ze_result_t result = real.name args;                                                 \
        if (result == ZE_RESULT_SUCCESS) objects += made;                                          \
        return result;                                                                             \
    }
#define DESTROY(name, type)                                                                        \
    static ze_result_t fake_##name(type handle) {                                                  \
        const ze_result_t result = real.name(handle);                                              \
        objects--;                                                                                 \
        return is_lost() ? answer : result;                                                        \
    }
#define CALLS(X)                                                                                   \
    X(1, ContextCreate,                                                                            \
            (ze_driver_handle_t a, const ze_context_desc_t *b, ze_context_handle_t *c), (a, b, c)) \
    X(1, CommandListCreateImmediate,                                                               \
            (ze_context_handle_t a, ze_device_handle_t b, const ze_command_queue_desc_t *c,        \
                    ze_command_list_handle_t *d),                                                  \
            (a, b, c, d))                                                                          \
    X(0, CommandListAppendBarrier,                                                                 \
            (ze_command_list_handle_t a, ze_event_handle_t b, uint32_t c, ze_event_handle_t *d),   \
            (a, b, c, d))                                                                          \
    X(0, CommandListAppendLaunchKernel,                                                            \
            (ze_command_list_handle_t a, ze_kernel_handle_t b, const ze_group_count_t *c,          \
                    ze_event_handle_t d, uint32_t e, ze_event_handle_t *f),                        \
            (a, b, c, d, e, f))                                                                    \
    X(0, CommandListAppendMemoryCopy,                                                              \
            (ze_command_list_handle_t a, void *b, const void *c, size_t d, ze_event_handle_t e,    \
                    uint32_t f, ze_event_handle_t *g),                                             \
            (a, b, c, d, e, f, g))                                                                 \
    X(1, EventPoolCreate,                                                                          \
            (ze_context_handle_t a, const ze_event_pool_desc_t *b, uint32_t c,                     \
                    ze_device_handle_t *d, ze_event_pool_handle_t *e),                             \
            (a, b, c, d, e))                                                                       \
    X(1, EventCreate, (ze_event_pool_handle_t a, const ze_event_desc_t *b, ze_event_handle_t *c),  \
            (a, b, c))                                                                             \
    X(0, EventHostSynchronize, (ze_event_handle_t a, uint64_t b), (a, b))                          \
    X(0, EventHostReset, (ze_event_handle_t a), (a))                                               \
    X(1, KernelCreate, (ze_module_handle_t a, const ze_kernel_desc_t *b, ze_kernel_handle_t *c),   \
            (a, b, c))                                                                             \
    X(0, KernelSetArgumentValue, (ze_kernel_handle_t a, uint32_t b, size_t c, const void *d),      \
            (a, b, c, d))                                                                          \
    X(0, KernelSetGroupSize, (ze_kernel_handle_t a, uint32_t b, uint32_t c, uint32_t d),           \
            (a, b, c, d))                                                                          \
    X(1, MemAllocDevice,                                                                           \
            (ze_context_handle_t a, const ze_device_mem_alloc_desc_t *b, size_t c, size_t d,       \
                    ze_device_handle_t e, void **f),                                               \
            (a, b, c, d, e, f))                                                                    \
    X(1, MemAllocHost,                                                                             \
            (ze_context_handle_t a, const ze_host_mem_alloc_desc_t *b, size_t c, size_t d,         \
                    void **e),                                                                     \
            (a, b, c, d, e))                                                                       \
    X(1, ModuleCreate,                                                                             \
            (ze_context_handle_t a, ze_device_handle_t b, const ze_module_desc_t *c,               \
                    ze_module_handle_t *d, ze_module_build_log_handle_t *e),                       \
            (a, b, c, d, e))                                                                       \
    X(0, ModuleGetNativeBinary, (ze_module_handle_t a, size_t *b, uint8_t *c), (a, b, c))          \
    X(0, ModuleGetKernelNames, (ze_module_handle_t a, uint32_t *b, const char **c), (a, b, c))     \
    X(0, DeviceGetProperties, (ze_device_handle_t a, ze_device_properties_t * b), (a, b))          \
    X(0, DeviceGetComputeProperties, (ze_device_handle_t a, ze_device_compute_properties_t * b),   \
            (a, b))                                                                                \
    X(0, DeviceGetModuleProperties, (ze_device_handle_t a, ze_device_module_properties_t * b),     \
            (a, b))                                                                                \
    X(0, DeviceGetMemoryAccessProperties,                                                          \
            (ze_device_handle_t a, ze_device_memory_access_properties_t * b), (a, b))              \
    X(0, DeviceGetMemoryProperties,                                                                \
            (ze_device_handle_t a, uint32_t *b, ze_device_memory_properties_t *c), (a, b, c))      \
    X(0, DeviceGetCommandQueueGroupProperties,                                                     \
            (ze_device_handle_t a, uint32_t *b, ze_command_queue_group_properties_t *c),           \
            (a, b, c))                                                                             \
    X(0, MemGetAllocProperties,                                                                    \
            (ze_context_handle_t a, const void *b, ze_memory_allocation_properties_t *c,           \
                    ze_device_handle_t *d),                                                        \
            (a, b, c, d))                                                                          \
    X(0, ContextGetStatus, (ze_context_handle_t a), (a))                                           \
    X(0, EventQueryKernelTimestamp, (ze_event_handle_t a, ze_kernel_timestamp_result_t * b),       \
            (a, b))                                                                                \
    X(0, DriverGetApiVersion, (ze_driver_handle_t a, ze_api_version_t * b), (a, b))
#define DESTROYS(X)                                                                                \
    X(ContextDestroy, ze_context_handle_t)                                                         \
    X(CommandListDestroy, ze_command_list_handle_t)                                                \
    X(EventPoolDestroy, ze_event_pool_handle_t)                                                    \
    X(EventDestroy, ze_event_handle_t)                                                             \
    X(KernelDestroy, ze_kernel_handle_t)                                                           \
    X(ModuleDestroy, ze_module_handle_t)

CALLS(CALL)
DESTROYS(DESTROY)

static ze_result_t fake_MemFree(ze_context_handle_t context, void *ptr) {
    const ze_result_t result = real.MemFree(context, ptr);
    objects--;
    return is_lost() ? answer : result;
}

static ze_result_t fake_MemFreeExt(
        ze_context_handle_t context, const ze_memory_free_ext_desc_t *desc, void *ptr) {
    const ze_result_t result = real.MemFreeExt(context, desc, ptr);
    objects--;
    return is_lost() ? answer : result;
}

static long live(void) {
    return objects + atomic_load(&dz_alloc_live);
}

/* Nothing goes past the entry points that are replaced. */
static ze_result_t no_entry_point(ze_driver_handle_t driver, const char *name, void **entry) {
    (void)driver, (void)name, (void)entry;
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

static void walk_with(const fault_t *fault, ze_result_t result) {
    answer = result;
    real = ze;
#define REPLACE(made, name, params, args) ze.name = fake_##name;
#define REPLACE_DESTROY(name, type) ze.name = fake_##name;
    CALLS(REPLACE)
    DESTROYS(REPLACE_DESTROY)
    ze.MemFree = fake_MemFree;
    ze.MemFreeExt = fake_MemFreeExt;
    ze.DriverGetExtensionFunctionAddress = no_entry_point;
    ze.CommandListAppendLaunchKernelWithArguments = NULL;
    walk(fault);
    ze = real;
    assert_int_equal(objects, 0);
}

static void each_fails_once(void **state) {
    (void)state;
    const fault_t no_memory = {dnnl_out_of_memory, false, arm_calls, disarm_calls, live};
    walk_with(&no_memory, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
}

static void each_loses_the_device_for_once(void **state) {
    (void)state;
    const fault_t lost = {dnnl_runtime_error, false, arm_calls, disarm_calls, live};
    walk_with(&lost, ZE_RESULT_ERROR_DEVICE_LOST);
}

static void all_fail_from_each_on(void **state) {
    (void)state;
    const fault_t lost = {dnnl_runtime_error, true, arm_calls, disarm_calls, live};
    walk_with(&lost, ZE_RESULT_ERROR_DEVICE_LOST);
}

/* As with a loader that cannot wait for a command list: waiting goes by events. */
static void without_newer_calls(void **state) {
    (void)state;
    real = ze;
    ze.CommandListHostSynchronize = NULL;
    ze.CommandListIsImmediate = NULL;
    ze.CommandListGetContextHandle = NULL;
    bench_t b = bench_begin(dnnl_stream_in_order);
    const affine_t affine = {.n = N, .steps = 3, .factor = 2, .addend = 1, .spin = 1000};
    dnnl_primitive_t primitive = new_primitive(b.engine, &affine);
    long before = 0;
    for (int i = 0; i < 100; i++) {
        assert_ok(dnnl_primitive_execute(primitive, b.stream, 2, b.args));
        assert_ok(dnnl_stream_wait(b.stream));
        bench_check(&b, &affine, N);
        memset(b.dst, 0, N * sizeof *b.dst);
        if (i == 0) before = atomic_load(&dz_alloc_live);
    }
    assert_int_equal(atomic_load(&dz_alloc_live), before);
    assert_ok(dnnl_primitive_destroy(primitive));
    bench_end(&b);
    ze = real;
}

#define REASON "calls of Level Zero; api_opencl_failures has those of OpenCL"

int main(void) {
    const struct CMUnitTest failures[] = {LEVEL_ZERO_TEST(each_fails_once, REASON),
            LEVEL_ZERO_TEST(each_loses_the_device_for_once, REASON),
            LEVEL_ZERO_TEST(all_fail_from_each_on, REASON),
            LEVEL_ZERO_TEST(without_newer_calls, REASON)};
    return RUN_TESTS(failures);
}

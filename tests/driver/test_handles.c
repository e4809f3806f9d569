/* SPDX-License-Identifier: Apache-2.0 */
/* Handles that are NULL, destroyed, of another kind or no handles at all, and pointers that are
 * NULL. */
#include "ze_test.h"

typedef struct {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    ze_fence_handle_t fence;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    ze_module_handle_t module;
    ze_module_build_log_handle_t log;
    ze_kernel_handle_t kernel;
} handles_t;

static handles_t good;
static uint32_t *x;

static void create_all(handles_t *h) {
    ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    h->driver = zt.driver;
    h->device = zt.device;
    assert_ok(zeContextCreate(zt.driver, &context_desc, &h->context));
    h->queue = queue(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    h->list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_ok(zeFenceCreate(h->queue, &fence_desc, &h->fence));
    h->pool = event_pool(1, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    h->event = event(h->pool, 0);
    blob_t spirv = read_spirv("basic");
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .inputSize = spirv.size,
            .pInputModule = spirv.bytes};
    assert_ok(zeModuleCreate(zt.context, zt.device, &desc, &h->module, &h->log));
    free(spirv.bytes);
    h->kernel = get_kernel(h->module, "increment");
    set_pointer(h->kernel, 0, x);
}

static void destroy_all(handles_t *h) {
    assert_ok(zeKernelDestroy(h->kernel));
    assert_ok(zeModuleBuildLogDestroy(h->log));
    assert_ok(zeModuleDestroy(h->module));
    assert_ok(zeEventDestroy(h->event));
    assert_ok(zeEventPoolDestroy(h->pool));
    assert_ok(zeFenceDestroy(h->fence));
    assert_ok(zeCommandListDestroy(h->list));
    assert_ok(zeCommandQueueDestroy(h->queue));
    assert_ok(zeContextDestroy(h->context));
}

static int setup(void **state) {
    (void)state;
    x = usm(USM_SHARED, 64);
    create_all(&good);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    destroy_all(&good);
    usm_free(x);
    return 0;
}

static void check_bad(ze_result_t got, const void *handle, const char *call, int line) {
    if (handle) check_refused(got, call, __FILE__, line);
    else check_result(got, ZE_RESULT_ERROR_INVALID_NULL_HANDLE, call, __FILE__, line);
}
#define BAD(handle, call) check_bad((call), (handle), #call, __LINE__)

/* Everything but the handle in question is good. */
static void driver_and_device(const handles_t *h) {
    uint32_t n = 0;
    uint64_t t[2];
    ze_bool_t peer;
    void *address;
    ze_api_version_t version;
    ze_driver_properties_t driver = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    ze_device_properties_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    ze_device_memory_access_properties_t access = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context;
    BAD(h->driver, zeDriverGetApiVersion(h->driver, &version));
    BAD(h->driver, zeDriverGetProperties(h->driver, &driver));
    BAD(h->driver, zeDriverGetExtensionProperties(h->driver, &n, NULL));
    BAD(h->driver, zeDriverGetExtensionFunctionAddress(h->driver, "zeInit", &address));
    BAD(h->driver, zeDeviceGet(h->driver, &n, NULL));
    BAD(h->driver, zeContextCreate(h->driver, &desc, &context));
    BAD(h->device, zeDeviceGetSubDevices(h->device, &n, NULL));
    BAD(h->device, zeDeviceGetProperties(h->device, &device));
    BAD(h->device, zeDeviceGetComputeProperties(h->device, &compute));
    BAD(h->device, zeDeviceGetModuleProperties(h->device, &module));
    BAD(h->device, zeDeviceGetCommandQueueGroupProperties(h->device, &n, NULL));
    BAD(h->device, zeDeviceGetMemoryProperties(h->device, &n, NULL));
    BAD(h->device, zeDeviceGetMemoryAccessProperties(h->device, &access));
    BAD(h->device, zeDeviceGetCacheProperties(h->device, &n, NULL));
    BAD(h->device, zeDeviceGetGlobalTimestamps(h->device, &t[0], &t[1]));
    BAD(h->device, zeDeviceGetStatus(h->device));
    BAD(h->device, zeDeviceCanAccessPeer(h->device, good.device, &peer));
    BAD(h->device, zeDeviceCanAccessPeer(good.device, h->device, &peer));
}

static void context_and_memory(const handles_t *h) {
    void *p = NULL;
    size_t size;
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_memory_allocation_properties_t properties = {
            .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    BAD(h->context, zeContextDestroy(h->context));
    BAD(h->context, zeContextGetStatus(h->context));
    BAD(h->context, zeMemAllocHost(h->context, &host, 64, 0, &p));
    BAD(h->context, zeMemAllocDevice(h->context, &device, 64, 0, good.device, &p));
    BAD(h->device, zeMemAllocDevice(good.context, &device, 64, 0, h->device, &p));
    BAD(h->context, zeMemAllocShared(h->context, &device, &host, 64, 0, good.device, &p));
    BAD(h->context, zeMemFree(h->context, x));
    BAD(h->context, zeMemGetAllocProperties(h->context, x, &properties, NULL));
    BAD(h->context, zeMemGetAddressRange(h->context, x, &p, &size));
    BAD(h->context, zeContextMakeMemoryResident(h->context, good.device, x, 64));
    BAD(h->device, zeContextMakeMemoryResident(good.context, h->device, x, 64));
}

static void queues_and_lists(const handles_t *h) {
    ze_command_queue_desc_t queue_desc = {
            .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = zt.ordinal};
    ze_command_list_desc_t list_desc = {
            .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .commandQueueGroupOrdinal = zt.ordinal};
    ze_fence_desc_t fence_desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_command_queue_handle_t q;
    ze_command_list_handle_t list, closed = regular_list();
    ze_fence_handle_t fence;
    assert_ok(zeCommandListClose(closed));
    BAD(h->context, zeCommandQueueCreate(h->context, good.device, &queue_desc, &q));
    BAD(h->device, zeCommandQueueCreate(good.context, h->device, &queue_desc, &q));
    BAD(h->context, zeCommandListCreate(h->context, good.device, &list_desc, &list));
    BAD(h->device, zeCommandListCreate(good.context, h->device, &list_desc, &list));
    BAD(h->context, zeCommandListCreateImmediate(h->context, good.device, &queue_desc, &list));
    BAD(h->device, zeCommandListCreateImmediate(good.context, h->device, &queue_desc, &list));
    BAD(h->queue, zeCommandQueueDestroy(h->queue));
    BAD(h->queue, zeCommandQueueSynchronize(h->queue, 0));
    BAD(h->queue, zeCommandQueueExecuteCommandLists(h->queue, 1, &closed, NULL));
    BAD(h->queue, zeFenceCreate(h->queue, &fence_desc, &fence));
    BAD(h->fence, zeFenceDestroy(h->fence));
    BAD(h->fence, zeFenceHostSynchronize(h->fence, 0));
    BAD(h->fence, zeFenceQueryStatus(h->fence));
    BAD(h->fence, zeFenceReset(h->fence));
    BAD(h->list, zeCommandListDestroy(h->list));
    BAD(h->list, zeCommandListClose(h->list));
    BAD(h->list, zeCommandListReset(h->list));
    if (h->list && !zt.layers)
        assert_refused(zeCommandQueueExecuteCommandLists(
                good.queue, 1, (ze_command_list_handle_t *)&h->list, NULL));
    if (h->fence)
        assert_refused(zeCommandQueueExecuteCommandLists(good.queue, 1, &closed, h->fence));
    assert_ok(zeCommandListDestroy(closed));
}

static void appends(const handles_t *h) {
    const uint32_t one = 1;
    const size_t size = 4;
    const void *range = x;
    ze_group_count_t count = {1, 1, 1};
    ze_copy_region_t region = {0, 0, 0, 1, 1, 1};
    ze_event_handle_t e = h->event;
    BAD(h->list, zeCommandListAppendBarrier(h->list, NULL, 0, NULL));
    BAD(h->list, zeCommandListAppendMemoryRangesBarrier(h->list, 1, &size, &range, NULL, 0, NULL));
    BAD(h->list, zeCommandListAppendMemoryCopy(h->list, x, x + 4, 4, NULL, 0, NULL));
    BAD(h->list, zeCommandListAppendMemoryFill(h->list, x, &one, 4, 4, NULL, 0, NULL));
    BAD(h->list, zeCommandListAppendMemoryCopyRegion(
                         h->list, x, &region, 1, 1, x + 4, &region, 1, 1, NULL, 0, NULL));
    BAD(h->list, zeCommandListAppendMemoryPrefetch(h->list, x, 4));
    BAD(h->list, zeCommandListAppendMemAdvise(
                         h->list, good.device, x, 4, ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
    BAD(h->list, zeCommandListAppendWriteGlobalTimestamp(h->list, (uint64_t *)x, NULL, 0, NULL));
    BAD(h->list, zeCommandListAppendLaunchKernel(h->list, good.kernel, &count, NULL, 0, NULL));
    BAD(h->kernel, zeCommandListAppendLaunchKernel(good.list, h->kernel, &count, NULL, 0, NULL));
    BAD(h->kernel,
            zeCommandListAppendLaunchKernelIndirect(good.list, h->kernel, &count, NULL, 0, NULL));
    BAD(h->list, zeCommandListAppendSignalEvent(h->list, good.event));
    BAD(h->event, zeCommandListAppendSignalEvent(good.list, h->event));
    BAD(h->event, zeCommandListAppendEventReset(good.list, h->event));
    BAD(h->list, zeCommandListAppendWaitOnEvents(h->list, 1, &good.event));
    if (!e) return; /* no event is a good event, where events are optional */
    assert_refused(zeCommandListAppendBarrier(good.list, e, 0, NULL));
    assert_refused(zeCommandListAppendMemoryCopy(good.list, x, x + 4, 4, e, 0, NULL));
    assert_refused(zeCommandListAppendLaunchKernel(good.list, good.kernel, &count, e, 0, NULL));
    ze_event_handle_t waits[] = {good.event, e};
    assert_refused(zeCommandListAppendLaunchKernel(good.list, good.kernel, &count, NULL, 2, waits));
    assert_refused(zeCommandListAppendMemoryFill(good.list, x, &one, 4, 4, NULL, 2, waits));
    assert_refused(zeCommandListAppendWaitOnEvents(good.list, 2, waits));
}

static void events_and_kernels(const handles_t *h) {
    size_t size = 0;
    uint32_t n = 0, s[3];
    void *p = x;
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    ze_event_pool_handle_t pool;
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_handle_t e;
    ze_kernel_timestamp_result_t t;
    ze_kernel_desc_t kernel_desc = {
            .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "increment"};
    ze_kernel_handle_t kernel;
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    ze_module_properties_t module_properties = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES};
    BAD(h->context, zeEventPoolCreate(h->context, &pool_desc, 0, NULL, &pool));
    BAD(h->pool, zeEventPoolDestroy(h->pool));
    BAD(h->pool, zeEventCreate(h->pool, &event_desc, &e));
    BAD(h->event, zeEventDestroy(h->event));
    BAD(h->event, zeEventHostSignal(h->event));
    BAD(h->event, zeEventHostReset(h->event));
    BAD(h->event, zeEventQueryStatus(h->event));
    BAD(h->event, zeEventHostSynchronize(h->event, 0));
    BAD(h->event, zeEventQueryKernelTimestamp(h->event, &t));
    BAD(h->module, zeModuleDestroy(h->module));
    BAD(h->module, zeModuleGetKernelNames(h->module, &n, NULL));
    BAD(h->module, zeModuleGetNativeBinary(h->module, &size, NULL));
    BAD(h->module, zeModuleGetProperties(h->module, &module_properties));
    BAD(h->module, zeKernelCreate(h->module, &kernel_desc, &kernel));
    BAD(h->log, zeModuleBuildLogDestroy(h->log));
    BAD(h->log, zeModuleBuildLogGetString(h->log, &size, NULL));
    BAD(h->kernel, zeKernelDestroy(h->kernel));
    BAD(h->kernel, zeKernelSetGroupSize(h->kernel, 1, 1, 1));
    BAD(h->kernel, zeKernelSuggestGroupSize(h->kernel, 1, 1, 1, &s[0], &s[1], &s[2]));
    BAD(h->kernel, zeKernelSetArgumentValue(h->kernel, 0, sizeof p, &p));
    BAD(h->kernel, zeKernelGetProperties(h->kernel, &properties));
    BAD(h->kernel, zeKernelGetName(h->kernel, &size, NULL));
    BAD(h->kernel, zeKernelSetIndirectAccess(h->kernel, 0));
}

static void try_all(const handles_t *h) {
    driver_and_device(h);
    context_and_memory(h);
    queues_and_lists(h);
    appends(h);
    events_and_kernels(h);
    /* Nothing was changed by all that. */
    x[0] = 0;
    launch(good.list, good.kernel, 1, NULL, 0, NULL);
    finish(good.list);
    assert_int_equal(x[0], 1);
    assert_event(good.event, false);
}

static void null_handles(void **state) {
    (void)state;
    skip_unless(!zt.intercept, "the loader reads through the handle before a driver can check it");
    skip_unless(zt.is_cpu || zt.layers, "needs checked arguments");
    try_all(&(handles_t){0});
}

static void what_is_no_handle(void **state) {
    (void)state;
    skip_unless_checked();
    static _Alignas(64) char zeros[4096], ones[4096];
    memset(ones, 0xff, sizeof ones);
    char *const nothings[] = {zeros, ones, (char *)&good};
    for (size_t i = 0; i < COUNT_OF(nothings); i++) {
        handles_t h;
        void *p = nothings[i];
        for (size_t j = 0; j < sizeof h / sizeof p; j++)
            memcpy((char *)&h + j * sizeof p, &p, sizeof p);
        try_all(&h);
    }
}

static void handles_of_another_kind(void **state) {
    (void)state;
    skip_unless_checked();
    handles_t h;
    for (size_t shift = 1; shift < sizeof h / sizeof(void *); shift += 3) {
        size_t at = shift * sizeof(void *);
        memcpy(&h, (char *)&good + at, sizeof h - at);
        memcpy((char *)&h + sizeof h - at, &good, at);
        try_all(&h);
    }
}

static void destroyed_handles(void **state) {
    (void)state;
    skip_unless_checked();
    handles_t h;
    create_all(&h);
    destroy_all(&h);
    h.driver = NULL; /* these live as long as the process */
    h.device = NULL;
    try_all(&h);
}

#define NULL_POINTER(call) assert_result(call, ZE_RESULT_ERROR_INVALID_NULL_POINTER)

static void null_pointers(void **state) {
    (void)state;
    skip_unless(zt.is_cpu || zt.layers, "needs checked arguments");
    const uint32_t one = 1;
    uint32_t s[2];
    size_t size = 4;
    void *p;
    ze_copy_region_t region = {0, 0, 0, 1, 1, 1};
    ze_command_queue_desc_t queue_desc = {
            .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = zt.ordinal};
    ze_kernel_desc_t no_name = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC};
    ze_kernel_handle_t kernel;
    ze_event_handle_t e;
    if (!zt.intercept) NULL_POINTER(zeDriverGet(NULL, NULL)); /* it is the loader that counts */
    NULL_POINTER(zeDriverGetApiVersion(zt.driver, NULL));
    NULL_POINTER(zeDriverGetProperties(zt.driver, NULL));
    NULL_POINTER(zeDriverGetExtensionProperties(zt.driver, NULL, NULL));
    NULL_POINTER(zeDriverGetExtensionFunctionAddress(zt.driver, NULL, &p));
    NULL_POINTER(zeDriverGetExtensionFunctionAddress(zt.driver, "zeInit", NULL));
    NULL_POINTER(zeDeviceGet(zt.driver, NULL, NULL));
    NULL_POINTER(zeDeviceGetProperties(zt.device, NULL));
    NULL_POINTER(zeDeviceGetComputeProperties(zt.device, NULL));
    NULL_POINTER(zeDeviceGetModuleProperties(zt.device, NULL));
    NULL_POINTER(zeDeviceGetCommandQueueGroupProperties(zt.device, NULL, NULL));
    NULL_POINTER(zeDeviceGetMemoryProperties(zt.device, NULL, NULL));
    NULL_POINTER(zeDeviceGetMemoryAccessProperties(zt.device, NULL));
    NULL_POINTER(zeDeviceGetGlobalTimestamps(zt.device, NULL, NULL));
    NULL_POINTER(zeMemGetAllocProperties(zt.context, x, NULL, NULL));
    NULL_POINTER(zeMemGetAddressRange(zt.context, NULL, &p, &size));
    NULL_POINTER(zeCommandQueueCreate(zt.context, zt.device, NULL, &good.queue));
    NULL_POINTER(zeCommandQueueCreate(zt.context, zt.device, &queue_desc, NULL));
    NULL_POINTER(zeCommandListCreate(zt.context, zt.device, NULL, &good.list));
    NULL_POINTER(zeCommandListCreateImmediate(zt.context, zt.device, NULL, &good.list));
    NULL_POINTER(zeCommandListCreateImmediate(zt.context, zt.device, &queue_desc, NULL));
    NULL_POINTER(zeFenceCreate(good.queue, NULL, &good.fence));
    NULL_POINTER(zeEventCreate(good.pool, NULL, &e));
    NULL_POINTER(zeEventQueryKernelTimestamp(good.event, NULL));
    NULL_POINTER(zeKernelCreate(good.module, NULL, &kernel));
    NULL_POINTER(zeKernelCreate(good.module, &no_name, &kernel));
    no_name.pKernelName = "increment";
    NULL_POINTER(zeKernelCreate(good.module, &no_name, NULL));
    NULL_POINTER(zeModuleGetKernelNames(good.module, NULL, NULL));
    NULL_POINTER(zeModuleGetNativeBinary(good.module, NULL, NULL));
    NULL_POINTER(zeModuleGetProperties(good.module, NULL));
    NULL_POINTER(zeModuleBuildLogGetString(good.log, NULL, NULL));
    NULL_POINTER(zeKernelSuggestGroupSize(good.kernel, 1, 1, 1, NULL, &s[0], &s[1]));
    NULL_POINTER(zeKernelGetProperties(good.kernel, NULL));
    NULL_POINTER(zeKernelGetName(good.kernel, NULL, NULL));
    NULL_POINTER(zeCommandListAppendLaunchKernel(good.list, good.kernel, NULL, NULL, 0, NULL));
    NULL_POINTER(zeCommandListAppendMemoryCopy(good.list, NULL, x, 4, NULL, 0, NULL));
    NULL_POINTER(zeCommandListAppendMemoryCopy(good.list, x, NULL, 4, NULL, 0, NULL));
    NULL_POINTER(zeCommandListAppendMemoryFill(good.list, NULL, &one, 4, 4, NULL, 0, NULL));
    NULL_POINTER(zeCommandListAppendMemoryFill(good.list, x, NULL, 4, 4, NULL, 0, NULL));
    NULL_POINTER(zeCommandListAppendMemoryCopyRegion(
            good.list, NULL, &region, 1, 1, x, &region, 1, 1, NULL, 0, NULL));
    NULL_POINTER(zeCommandListAppendMemoryCopyRegion(
            good.list, x + 4, NULL, 1, 1, x, &region, 1, 1, NULL, 0, NULL));
    NULL_POINTER(zeCommandListAppendMemoryCopyRegion(
            good.list, x + 4, &region, 1, 1, x, NULL, 1, 1, NULL, 0, NULL));
    NULL_POINTER(zeCommandListAppendWriteGlobalTimestamp(good.list, NULL, NULL, 0, NULL));
    if (!zt.intercept) NULL_POINTER(zeCommandQueueExecuteCommandLists(good.queue, 1, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(null_handles),
            TEST(what_is_no_handle),
            TEST(handles_of_another_kind),
            TEST(destroyed_handles),
            TEST(null_pointers),
    };
    return RUN_TESTS_WITH(tests, setup, teardown);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the conformance tests of a Level Zero driver share. */
#include "ze_test.h"

#include <dlfcn.h>
#include <time.h>

test_device_t zt;

static bool environment_says(const char *name) {
    const char *value = getenv(name);
    return value && strcmp(value, "1") == 0;
}

const char *result_name(ze_result_t result) {
#define NAME(r)                                                                                    \
    case ZE_RESULT_##r: return #r
    switch (result) {
        NAME(SUCCESS);
        NAME(NOT_READY);
        NAME(ERROR_DEVICE_LOST);
        NAME(ERROR_OUT_OF_HOST_MEMORY);
        NAME(ERROR_OUT_OF_DEVICE_MEMORY);
        NAME(ERROR_MODULE_BUILD_FAILURE);
        NAME(ERROR_MODULE_LINK_FAILURE);
        NAME(ERROR_UNINITIALIZED);
        NAME(ERROR_DEPENDENCY_UNAVAILABLE);
        NAME(ERROR_UNSUPPORTED_VERSION);
        NAME(ERROR_UNSUPPORTED_FEATURE);
        NAME(ERROR_INVALID_ARGUMENT);
        NAME(ERROR_INVALID_NULL_HANDLE);
        NAME(ERROR_HANDLE_OBJECT_IN_USE);
        NAME(ERROR_INVALID_NULL_POINTER);
        NAME(ERROR_INVALID_SIZE);
        NAME(ERROR_UNSUPPORTED_SIZE);
        NAME(ERROR_UNSUPPORTED_ALIGNMENT);
        NAME(ERROR_INVALID_SYNCHRONIZATION_OBJECT);
        NAME(ERROR_INVALID_ENUMERATION);
        NAME(ERROR_UNSUPPORTED_ENUMERATION);
        NAME(ERROR_INVALID_NATIVE_BINARY);
        NAME(ERROR_INVALID_GLOBAL_NAME);
        NAME(ERROR_INVALID_KERNEL_NAME);
        NAME(ERROR_INVALID_FUNCTION_NAME);
        NAME(ERROR_INVALID_GROUP_SIZE_DIMENSION);
        NAME(ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
        NAME(ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
        NAME(ERROR_INVALID_MODULE_UNLINKED);
        NAME(ERROR_INVALID_COMMAND_LIST_TYPE);
        NAME(ERROR_OVERLAPPING_REGIONS);
        NAME(ERROR_UNKNOWN);
    default: return "another result";
    }
#undef NAME
}

typedef int get_platforms_t(unsigned n, void **platforms, unsigned *found);
typedef int get_platform_info_t(
        void *platform, unsigned what, size_t size, void *value, size_t *found);

bool is_pocl(const char *version) {
    enum { PLATFORM_VERSION = 0x0901 };
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW), *platform = NULL;
    if (!library) return false;
    char text[256] = "", wanted[32];
    snprintf(wanted, sizeof wanted, "PoCL %s", version);
    union {
        void *address;
        get_platforms_t *call;
    } platforms = {dlsym(library, "clGetPlatformIDs")};
    union {
        void *address;
        get_platform_info_t *call;
    } info = {dlsym(library, "clGetPlatformInfo")};
    const bool found = platforms.call(1, &platform, NULL) == 0 &&
                       info.call(platform, PLATFORM_VERSION, sizeof text - 1, text, NULL) == 0;
    dlclose(library);
    return found && strstr(text, wanted);
}

void check_result(
        ze_result_t got, ze_result_t expected, const char *call, const char *file, int line) {
    if (got == expected) return;
    print_error("%s\n    gave %s (0x%x), expected %s\n", call, result_name(got), (unsigned)got,
            result_name(expected));
    _fail(file, line);
}

void check_refused(ze_result_t got, const char *call, const char *file, int line) {
    if (got != ZE_RESULT_SUCCESS && got != ZE_RESULT_NOT_READY) return;
    print_error("%s\n    gave %s, expected an error\n", call, result_name(got));
    _fail(file, line);
}

/* Takes the first device of the first driver. */
bool open_device(void) {
    uint32_t n = 1;
    if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&n, &zt.driver) != ZE_RESULT_SUCCESS ||
            n == 0)
        return false;
    n = 1;
    if (zeDeviceGet(zt.driver, &n, &zt.device) != ZE_RESULT_SUCCESS || n == 0) return false;
    zt.properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    zt.compute.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
    if (zeDeviceGetProperties(zt.device, &zt.properties) ||
            zeDeviceGetComputeProperties(zt.device, &zt.compute))
        return false;

    ze_command_queue_group_properties_t groups[16];
    n = COUNT_OF(groups);
    memset(groups, 0, sizeof groups);
    for (uint32_t i = 0; i < n; i++)
        groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    if (zeDeviceGetCommandQueueGroupProperties(zt.device, &n, groups)) return false;
    while (zt.ordinal < n &&
            !(groups[zt.ordinal].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE))
        zt.ordinal++;
    if (zt.ordinal == n) return false;
    zt.group = groups[zt.ordinal];

    zt.is_cpu = zt.properties.type == ZE_DEVICE_TYPE_CPU;
    zt.intercept = environment_says("ZE_ENABLE_LOADER_INTERCEPT");
    zt.layers = environment_says("ZE_ENABLE_VALIDATION_LAYER");
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    return zeContextCreate(zt.driver, &desc, &zt.context) == ZE_RESULT_SUCCESS;
}

int run_driver_tests(const char *name, const struct CMUnitTest *tests, size_t count,
        CMFixtureFunction setup, CMFixtureFunction teardown) {
    if (!open_device()) {
        fprintf(stderr, "no usable Level Zero device\n");
        return getenv("ZE_ENABLE_ALT_DRIVERS") ? 1 : 77;
    }
    int failed = _cmocka_run_group_tests(name, tests, count, setup, teardown);
    if (zeContextDestroy(zt.context) != ZE_RESULT_SUCCESS) failed++;
    return failed;
}

function_t newer_function(const char *name, bool *from_driver) {
    void *address = dlsym(RTLD_DEFAULT, name);
    *from_driver = false;
    if (!address) {
        if (zeDriverGetExtensionFunctionAddress(zt.driver, name, &address) != ZE_RESULT_SUCCESS)
            address = NULL;
        *from_driver = address != NULL;
    }
    function_t function;
    memcpy(&function, &address, sizeof function);
    return function;
}

void *raw_handle(zel_handle_type_t kind, void *handle) {
    void *raw = NULL;
    assert_ok(zelLoaderTranslateHandle(kind, handle, &raw));
    return raw;
}

uint64_t setting(const char *name, uint64_t otherwise) {
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 0) : otherwise;
}

uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

uint64_t random_u64(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

ze_result_t usm_try(usm_kind_t kind, size_t size, size_t alignment, void **pointer) {
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    switch (kind) {
    case USM_HOST: return zeMemAllocHost(zt.context, &host, size, alignment, pointer);
    case USM_DEVICE:
        return zeMemAllocDevice(zt.context, &device, size, alignment, zt.device, pointer);
    default:
        return zeMemAllocShared(zt.context, &device, &host, size, alignment, zt.device, pointer);
    }
}

void *usm(usm_kind_t kind, size_t size) {
    void *pointer = NULL;
    assert_ok(usm_try(kind, size, 64, &pointer));
    assert_non_null(pointer);
    return pointer;
}

void usm_free(void *pointer) {
    assert_ok(zeMemFree(zt.context, pointer));
}

blob_t read_spirv(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.spv", TEST_SPIRV_DIR, name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    blob_t blob = {.size = (size_t)ftell(file)};
    rewind(file);
    blob.bytes = malloc(blob.size);
    assert_non_null(blob.bytes);
    assert_int_equal(fread(blob.bytes, 1, blob.size, file), blob.size);
    fclose(file);
    return blob;
}

ze_result_t module_try(ze_module_format_t format, const void *bytes, size_t size,
        const ze_module_constants_t *constants, ze_module_handle_t *module, char *log,
        size_t log_size) {
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .format = format,
            .inputSize = size,
            .pInputModule = bytes,
            .pConstants = constants};
    ze_module_build_log_handle_t build_log = NULL;
    *module = NULL;
    if (log) *log = 0;
    ze_result_t result =
            zeModuleCreate(zt.context, zt.device, &desc, module, log ? &build_log : NULL);
    /* Loader 1.8 does not wrap the log of a failed build, and cannot take the driver's own
     * handle. */
    if (build_log && !(zt.intercept && result != ZE_RESULT_SUCCESS)) {
        size_t length = 0;
        assert_ok(zeModuleBuildLogGetString(build_log, &length, NULL));
        char *text = calloc(length + 1, 1);
        assert_non_null(text);
        assert_ok(zeModuleBuildLogGetString(build_log, &length, text));
        snprintf(log, log_size, "%s", text);
        free(text);
        assert_ok(zeModuleBuildLogDestroy(build_log));
    }
    return result;
}

ze_module_handle_t load_module(const char *name) {
    blob_t spirv = read_spirv(name);
    ze_module_handle_t module;
    char log[2000];
    ze_result_t result = module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, NULL, &module, log, sizeof log);
    free(spirv.bytes);
    if (result) print_error("%s: %s\n", name, log);
    assert_ok(result);
    return module;
}

ze_kernel_handle_t get_kernel(ze_module_handle_t module, const char *name) {
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel = NULL;
    assert_ok(zeKernelCreate(module, &desc, &kernel));
    assert_ok(zeKernelSetGroupSize(kernel, 1, 1, 1));
    return kernel;
}

void set_pointer(ze_kernel_handle_t kernel, uint32_t index, const void *pointer) {
    assert_ok(zeKernelSetArgumentValue(kernel, index, sizeof pointer, &pointer));
}

static ze_command_queue_desc_t queue_desc(
        ze_command_queue_flags_t flags, ze_command_queue_mode_t mode) {
    return (ze_command_queue_desc_t){.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .ordinal = zt.ordinal,
            .flags = flags,
            .mode = mode};
}

ze_command_list_handle_t immediate_list(
        ze_command_queue_flags_t flags, ze_command_queue_mode_t mode) {
    ze_command_queue_desc_t desc = queue_desc(flags, mode);
    ze_command_list_handle_t list = NULL;
    assert_ok(zeCommandListCreateImmediate(zt.context, zt.device, &desc, &list));
    return list;
}

ze_command_list_handle_t in_order_list(void) {
    ze_command_queue_desc_t desc =
            queue_desc(QUEUE_FLAG_IN_ORDER, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    ze_command_list_handle_t list = NULL;
    ze_result_t result = zeCommandListCreateImmediate(zt.context, zt.device, &desc, &list);
    /* The flag is of version 1.9: older validation layers refuse it themselves. */
    skip_unless(!(zt.layers && result == ZE_RESULT_ERROR_INVALID_ENUMERATION),
            "the validation layer does not know in-order lists");
    assert_ok(result);
    return list;
}

ze_command_list_handle_t regular_list(void) {
    ze_command_list_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .commandQueueGroupOrdinal = zt.ordinal};
    ze_command_list_handle_t list = NULL;
    assert_ok(zeCommandListCreate(zt.context, zt.device, &desc, &list));
    return list;
}

ze_command_queue_handle_t queue(ze_command_queue_mode_t mode) {
    ze_command_queue_desc_t desc = queue_desc(0, mode);
    ze_command_queue_handle_t q = NULL;
    assert_ok(zeCommandQueueCreate(zt.context, zt.device, &desc, &q));
    return q;
}

void finish(ze_command_list_handle_t immediate) {
    ze_event_pool_handle_t pool = event_pool(1, 0);
    ze_event_handle_t done = event(pool, 0);
    assert_ok(zeCommandListAppendBarrier(immediate, done, 0, NULL));
    await(done);
    assert_ok(zeEventDestroy(done));
    assert_ok(zeEventPoolDestroy(pool));
}

void launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel, uint32_t groups,
        ze_event_handle_t signal, uint32_t n_waits, ze_event_handle_t *waits) {
    ze_group_count_t count = {groups, 1, 1};
    assert_ok(zeCommandListAppendLaunchKernel(list, kernel, &count, signal, n_waits, waits));
}

ze_event_pool_handle_t event_pool(uint32_t count, ze_event_pool_flags_t flags) {
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
            .flags = flags | ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
            .count = count};
    ze_event_pool_handle_t pool = NULL;
    assert_ok(zeEventPoolCreate(zt.context, &desc, 1, &zt.device, &pool));
    return pool;
}

ze_event_handle_t event(ze_event_pool_handle_t pool, uint32_t index) {
    ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
            .index = index,
            .signal = ZE_EVENT_SCOPE_FLAG_HOST,
            .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t e = NULL;
    assert_ok(zeEventCreate(pool, &desc, &e));
    return e;
}

void assert_event(ze_event_handle_t e, bool signalled) {
    assert_result(zeEventQueryStatus(e), signalled ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY);
}

void await(ze_event_handle_t e) {
    assert_ok(zeEventHostSynchronize(e, 60 * SECOND));
}

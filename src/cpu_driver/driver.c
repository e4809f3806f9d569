/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisation, and the properties of the driver. */
#include "device.h"
#include "dots.h"
#include "emulate.h"
#include "newer.h"
#include "say.h"

#include <string.h>

enum { INIT_FLAGS_ALL = 0x3, INIT_DRIVER_FLAG_GPU = 0x1, INIT_DRIVER_FLAGS_ALL = UINT32_MAX };

/* The flags ask for kinds of devices: GPUs or NPUs. A CPU is neither. A program that asks for GPUs
 * gets this driver, because it wants to compute and must check the type of each device anyway. A
 * program that asks for NPUs only does not get it. */
ze_result_t zeInit(ze_init_flags_t flags) {
    CHECK_PROCESS();
    strict_start();
    CHECK((flags & ~(uint32_t)INIT_FLAGS_ALL) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK(flags == 0 || (flags & ZE_INIT_FLAG_GPU_ONLY), ZE_RESULT_ERROR_UNINITIALIZED);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGet(uint32_t *count, ze_driver_handle_t *drivers) {
    CHECK_PROCESS();
    CHECK_POINTER(count);
    if (answer_count(count, 1, drivers)) drivers[0] = &cpu_driver;
    return ZE_RESULT_SUCCESS;
}

ze_result_t cpu_init_drivers(uint32_t *count, ze_driver_handle_t *drivers, const void *desc) {
    struct {
        ze_structure_type_t stype;
        void *next;
        uint32_t flags;
    } read;
    CHECK_PROCESS();
    strict_start();
    CHECK_POINTER(count);
    CHECK_POINTER(desc);
    memcpy(&read, desc, sizeof read);
    CHECK(read.flags != 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    if (!(read.flags & INIT_DRIVER_FLAG_GPU)) {
        *count = 0;
        return ZE_RESULT_SUCCESS;
    }
    return zeDriverGet(count, drivers);
}

ze_result_t zeDriverGetApiVersion(ze_driver_handle_t driver, ze_api_version_t *version) {
    CHECK_HANDLE(driver, OBJECT_DRIVER);
    CHECK_POINTER(version);
    *version = (ze_api_version_t)ZE_MAKE_VERSION(1, CPU_DRIVER_API_MINOR);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetProperties(ze_driver_handle_t driver, ze_driver_properties_t *out) {
    CHECK_HANDLE(driver, OBJECT_DRIVER);
    CHECK_POINTER(out);
    static const char name[8] = "ze_cpu";
    uint32_t version = CPU_DRIVER_VERSION;
    memset(&out->uuid, 0, sizeof out->uuid);
    memcpy(out->uuid.id, name, sizeof name);
    memcpy(out->uuid.id + sizeof name, &version, sizeof version);
    out->driverVersion = version;
    for (cpu_chain_t *more = out->pNext; more; more = (cpu_chain_t *)(uintptr_t)more->next)
        if (more->stype == ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES)
            ((ze_driver_memory_free_ext_properties_t *)(void *)more)->freePolicies =
                    ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE |
                    ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetIpcProperties(ze_driver_handle_t driver, ze_driver_ipc_properties_t *out) {
    CHECK_HANDLE(driver, OBJECT_DRIVER);
    CHECK_POINTER(out);
    out->flags = 0;
    return ZE_RESULT_SUCCESS;
}

static const ze_driver_extension_properties_t extensions[] = {
        {"ZE_experimental_event_pool_counter_based", ZE_MAKE_VERSION(1, 0)},
        {"ZE_experimental_mutable_command_list", ZE_MAKE_VERSION(1, 1)},
        {"ZE_experimental_immediate_command_list_append", ZE_MAKE_VERSION(1, 0)},
        {ZE_MODULE_PROGRAM_EXP_NAME, ZE_MODULE_PROGRAM_EXP_VERSION_1_0},
        {ZE_GLOBAL_OFFSET_EXP_NAME, ZE_GLOBAL_OFFSET_EXP_VERSION_1_0},
        {ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME, ZE_RELAXED_ALLOCATION_LIMITS_EXP_VERSION_1_0},
        {ZE_MEMORY_FREE_POLICIES_EXT_NAME, ZE_MEMORY_FREE_POLICIES_EXT_VERSION_1_0},
        {CPU_DOTS_NAME, ZE_MAKE_VERSION(1, 0)},
        {ZE_EVENT_QUERY_TIMESTAMPS_EXP_NAME, ZE_EVENT_QUERY_TIMESTAMPS_EXP_VERSION_1_0},
        /* only of an emulated GPU */
        {"ZE_cpu_emulated_device", ZE_MAKE_VERSION(1, 0)},
        {"ZE_intel_experimental_device_block_array_properties", ZE_MAKE_VERSION(1, 0)},
        {"ZE_intel_experimental_device_module_dp_properties", ZE_MAKE_VERSION(1, 0)},
};
enum { ONLY_EMULATED = 3 }; /* the last entries of the table */

ze_result_t zeDriverGetExtensionProperties(
        ze_driver_handle_t driver, uint32_t *count, ze_driver_extension_properties_t *out) {
    CHECK_HANDLE(driver, OBJECT_DRIVER);
    CHECK_POINTER(count);
    const uint32_t known = COUNT_OF(extensions) - (emulated_architecture() ? 0 : ONLY_EMULATED);
    uint32_t n = answer_count(count, known, out);
    if (n) memcpy(out, extensions, n * sizeof *out);
    return ZE_RESULT_SUCCESS;
}

/* Extensions, and functions that an old loader does not know. Callers pass handles of the driver,
 * not of the loader. */
#define FUNCTION(name) {#name, (void (*)(void))name}
static const struct {
    const char *name;
    void (*function)(void);
} functions[] = {
        FUNCTION(zeKernelSetGlobalOffsetExp),
        FUNCTION(zeEventQueryTimestampsExp),
        FUNCTION(zeDriverGetLastErrorDescription),
        FUNCTION(zeCommandListHostSynchronize),
        FUNCTION(zeCommandListImmediateAppendCommandListsExp),
        FUNCTION(zeDeviceGetRootDevice),
        FUNCTION(zeCommandListGetDeviceHandle),
        FUNCTION(zeCommandListGetContextHandle),
        FUNCTION(zeCommandListGetOrdinal),
        FUNCTION(zeCommandListImmediateGetIndex),
        FUNCTION(zeCommandListIsImmediate),
        FUNCTION(zeCommandListImmediateGetFlags),
        {"zeCommandListAppendLaunchKernelWithArguments", (void (*)(void))cpu_launch_with_arguments},
        {"zeEventCounterBasedCreate", (void (*)(void))cpu_counted_event_create},
        {"zeCommandListGetNextCommandIdExp", (void (*)(void))cpu_next_command_id},
        {"zeCommandListUpdateMutableCommandsExp", (void (*)(void))cpu_update_commands},
        {"zeCommandListIsMutableExp", (void (*)(void))cpu_list_is_mutable},
        FUNCTION(zeCommandQueueGetOrdinal),
        FUNCTION(zeCommandQueueGetIndex),
        FUNCTION(zeEventGetEventPool),
        FUNCTION(zeEventGetSignalScope),
        FUNCTION(zeEventGetWaitScope),
        FUNCTION(zeEventPoolGetContextHandle),
        FUNCTION(zeEventPoolGetFlags),
};

ze_result_t zeDriverGetExtensionFunctionAddress(
        ze_driver_handle_t driver, const char *name, void **out) {
    CHECK_HANDLE(driver, OBJECT_DRIVER);
    CHECK_POINTER(name);
    CHECK_POINTER(out);
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        if (strcmp(functions[i].name, name) == 0) {
            memcpy(out, &functions[i].function, sizeof *out);
            return ZE_RESULT_SUCCESS;
        }
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

/* Answers after fork() as well. */
ze_result_t zeDriverGetLastErrorDescription(ze_driver_handle_t driver, const char **text) {
    CHECK(driver, ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK(driver == &cpu_driver, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_POINTER(text);
    *text = said();
    return ZE_RESULT_SUCCESS;
}

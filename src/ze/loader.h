/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points of the Level Zero loader. The library does not link the loader, but opens it
 * when the first engine is created. */
#ifndef ZE_LOADER_H
#define ZE_LOADER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <level_zero/ze_api.h>

#include "core/util.h"
#include "oneapi/dnnl/dnnl_types.h"

/* Entry points of every loader since version 1.0. */
#define ZE_ENTRY_POINTS(X)                                                                         \
    X(Init)                                                                                        \
    X(DriverGet)                                                                                   \
    X(DriverGetApiVersion)                                                                         \
    X(DriverGetProperties)                                                                         \
    X(DriverGetExtensionFunctionAddress)                                                           \
    X(DriverGetExtensionProperties)                                                                \
    X(DeviceGet)                                                                                   \
    X(DeviceGetSubDevices)                                                                         \
    X(DeviceCanAccessPeer)                                                                         \
    X(DeviceGetProperties)                                                                         \
    X(DeviceGetComputeProperties)                                                                  \
    X(DeviceGetModuleProperties)                                                                   \
    X(DeviceGetMemoryProperties)                                                                   \
    X(DeviceGetMemoryAccessProperties)                                                             \
    X(DeviceGetCommandQueueGroupProperties)                                                        \
    X(ContextCreate)                                                                               \
    X(ContextDestroy)                                                                              \
    X(ContextGetStatus)                                                                            \
    X(CommandListCreateImmediate)                                                                  \
    X(CommandListDestroy)                                                                          \
    X(CommandListAppendBarrier)                                                                    \
    X(CommandListAppendEventReset)                                                                 \
    X(CommandListAppendLaunchKernel)                                                               \
    X(CommandListAppendMemoryCopy)                                                                 \
    X(EventPoolCreate)                                                                             \
    X(EventPoolDestroy)                                                                            \
    X(EventCreate)                                                                                 \
    X(EventDestroy)                                                                                \
    X(EventHostReset)                                                                              \
    X(EventHostSynchronize)                                                                        \
    X(EventQueryStatus)                                                                            \
    X(EventQueryKernelTimestamp)                                                                   \
    X(KernelCreate)                                                                                \
    X(KernelDestroy)                                                                               \
    X(KernelGetProperties)                                                                         \
    X(KernelSetArgumentValue)                                                                      \
    X(KernelSetGroupSize)                                                                          \
    X(MemAllocDevice)                                                                              \
    X(MemAllocHost)                                                                                \
    X(MemFree)                                                                                     \
    X(MemGetAddressRange)                                                                          \
    X(MemGetAllocProperties)                                                                       \
    X(ModuleBuildLogDestroy)                                                                       \
    X(ModuleBuildLogGetString)                                                                     \
    X(ModuleCreate)                                                                                \
    X(ModuleDestroy)                                                                               \
    X(ModuleGetKernelNames)                                                                        \
    X(ModuleGetNativeBinary)

/* The oldest supported headers do not declare these types. */
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t flags;
} ze_init_desc_t;
typedef struct {
    uint32_t x, y, z;
} ze_group_dims_t;
/* Counter-based events: created by a call of API 1.15, or from a pool with the second
 * descriptor. */
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t flags;
    ze_event_scope_flags_t signal, wait;
} ze_counted_event_desc_t;
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t flags;
} ze_counted_pool_desc_t;
/* Structures of ZE_experimental_mutable_command_list: the first has the members of
 * ze_mutable_command_id_exp_desc_t and ze_mutable_commands_exp_desc_t, the second is chained to the
 * latter. */
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t flags;
} ze_mutable_desc_t;
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint64_t command;
    uint32_t index;
    size_t size;
    const void *value;
} ze_mutable_argument_t;
enum {
    ZE_STYPE_INIT_DESC = 0x00020021,
    ZE_STYPE_IP_VERSION = 0x1000f,
    ZE_STYPE_COUNTED_POOL = 0x00020014,
    ZE_STYPE_COUNTED_EVENT = 0x0002003a,
    ZE_STYPE_MUTABLE_ID = 0x00020017,
    ZE_STYPE_MUTABLE_COMMANDS = 0x00020018,
    ZE_STYPE_MUTABLE_ARGUMENT = 0x00020019,
};
enum { /* ze_event_counter_based_flags_t; pools support only the first flag */
    ZE_COUNTED_IMMEDIATE = 1,
    ZE_COUNTED_HOST_VISIBLE = 4,
    ZE_COUNTED_TIMESTAMP = 16,
};
enum { ZE_INIT_GPU = 1 };
enum { ZE_QUEUE_IN_ORDER = 2 }; /* ze_command_queue_flags_t, immediate lists only; API 1.6 */

enum { ZE_MUTABLE_ARGUMENTS = 1 }; /* ze_mutable_command_exp_flags_t */

/* Entry points that are NULL in the table if the loader does not have them. */
#define ZE_OPTIONAL_ENTRY_POINTS(X)                                                                \
    X(InitDrivers, (uint32_t *, ze_driver_handle_t *, ze_init_desc_t *))                           \
    X(CommandListHostSynchronize, (ze_command_list_handle_t, uint64_t))                            \
    X(CommandListIsImmediate, (ze_command_list_handle_t, ze_bool_t *))                             \
    X(CommandListGetContextHandle, (ze_command_list_handle_t, ze_context_handle_t *))              \
    X(CommandListGetDeviceHandle, (ze_command_list_handle_t, ze_device_handle_t *))                \
    X(CommandListImmediateGetFlags, (ze_command_list_handle_t, ze_command_queue_flags_t *))        \
    X(CommandListGetNextCommandIdExp,                                                              \
            (ze_command_list_handle_t, const ze_mutable_desc_t *, uint64_t *))                     \
    X(CommandListUpdateMutableCommandsExp, (ze_command_list_handle_t, const ze_mutable_desc_t *))  \
    X(CommandListIsMutableExp, (ze_command_list_handle_t, ze_bool_t *))                            \
    X(MemFreeExt, (ze_context_handle_t, const ze_memory_free_ext_desc_t *, void *))                \
    X(EventCounterBasedCreate, (ze_context_handle_t, ze_device_handle_t,                           \
                                       const ze_counted_event_desc_t *, ze_event_handle_t *))      \
    X(CommandListAppendLaunchKernelWithArguments,                                                  \
            (ze_command_list_handle_t, ze_kernel_handle_t, ze_group_count_t, ze_group_dims_t,      \
                    void **, const void *, ze_event_handle_t, uint32_t, ze_event_handle_t *))

typedef struct {
#define X(name) __typeof__(&ze##name) name;
    ZE_ENTRY_POINTS(X)
#undef X
#define X(name, params) ze_result_t(ZE_APICALL *name) params;
    ZE_OPTIONAL_ENTRY_POINTS(X)
#undef X
    /* May be NULL as well. `kind` is a zel_handle_type_t. */
    ze_result_t(ZE_APICALL *loader_translate_handle)(int kind, void *handle, void **driver_handle);
} ze_table_t;

/* ze_load() writes it, and it is constant once ze_load() has succeeded. It is valid while an
 * engine exists. */
extern ze_table_t ze HIDDEN;

/* Loads the loader. If that fails, it logs a message and returns runtime_error; the next call tries
 * again. */
dnnl_status_t ze_load(void);

/* Has the process's exit and forks noted, as ze_load() does: for other runtimes. */
dnnl_status_t ze_watch_process(void);

/* Whether the loader wraps the handles of drivers in objects of its own. It does so if there are
 * several drivers. */
bool ze_wraps_handles(ze_context_handle_t context);

/* The status and the name of a result. */
dnnl_status_t ze_status(ze_result_t result);
const char *ze_result_name(ze_result_t result);
/* Whether a result means that the driver refuses the arguments, and not that it failed to do the
 * work. */
bool ze_is_refusal(ze_result_t result);
/* Logs a failed call and returns its status. */
dnnl_status_t ze_report(ze_result_t result, const char *call);

/* Set when the process exits. Loader and drivers are then torn down in an unknown order, so that
 * objects that are destroyed later must not call them. */
extern atomic_bool ze_is_over HIDDEN;

/* Calls an entry point, logs a failure, and returns a status. */
#define ZE_CALL(name, ...)                                                                         \
    (ze_is_over ? dnnl_runtime_error : ze_check(ze.name(__VA_ARGS__), "ze" #name))
static inline dnnl_status_t ze_check(ze_result_t result, const char *call) {
    return result == ZE_RESULT_SUCCESS ? dnnl_success : ze_report(result, call);
}

#endif

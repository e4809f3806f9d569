/* SPDX-License-Identifier: Apache-2.0 */
/* The tables through which the loader calls the driver. The library exports only their
 * functions. */
#include "common.h"
#include "newer.h"
#include "sysman.h"

#include <level_zero/ze_ddi.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_ddi.h>

#include <string.h>

typedef void (*function_t)(void);

/* One field of a table, and the minor version of the specification that added it. The loader passes
 * its version; its table has no room for newer fields. */
typedef struct {
    function_t function;
    uint32_t minor;
} field_t;

/* Fills every field that has no implementation. It ignores its arguments. */
static ze_result_t unsupported(void) {
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

static ze_result_t fill(ze_api_version_t version, void *table, const field_t *fields, size_t n) {
    CHECK_POINTER(table);
    CHECK(ZE_MAJOR_VERSION(version) == 1, ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
    for (size_t i = 0; i < n && fields[i].minor <= ZE_MINOR_VERSION(version); i++)
        memcpy((char *)table + i * sizeof(function_t), &fields[i].function, sizeof(function_t));
    return ZE_RESULT_SUCCESS;
}

#define HAS(function) {(function_t)function, 0}
#define HAS_SINCE(minor, function) {(function_t)function, minor}
#define NO {(function_t)unsupported, 0}
#define NO_SINCE(minor) {(function_t)unsupported, minor}

/* The declaration is needed for groups that old headers lack. */
#define TABLE_OF(prefix, Group, type, ...)                                                         \
    ZE_DLLEXPORT ze_result_t ZE_APICALL prefix##Get##Group##ProcAddrTable(                         \
            ze_api_version_t version, type *table);                                                \
    ZE_DLLEXPORT ze_result_t ZE_APICALL prefix##Get##Group##ProcAddrTable(                         \
            ze_api_version_t version, type *table) {                                               \
        static const field_t fields[] = {__VA_ARGS__};                                             \
        return fill(version, table, fields, COUNT_OF(fields));                                     \
    }
#define TABLE(Group, type, ...) TABLE_OF(ze, Group, type, __VA_ARGS__)

/* The fields of each table are in the order of the specification. The names of missing functions
 * are comments. */
TABLE(Global, ze_global_dditable_t, HAS(zeInit), HAS_SINCE(10, cpu_init_drivers))

TABLE(Driver, ze_driver_dditable_t, HAS(zeDriverGet), HAS(zeDriverGetApiVersion),
        HAS(zeDriverGetProperties), HAS(zeDriverGetIpcProperties),
        HAS(zeDriverGetExtensionProperties), HAS(zeDriverGetExtensionFunctionAddress),
        HAS_SINCE(6, zeDriverGetLastErrorDescription), NO_SINCE(13), NO_SINCE(14))

TABLE(Device, ze_device_dditable_t, HAS(zeDeviceGet), HAS(zeDeviceGetSubDevices),
        HAS(zeDeviceGetProperties), HAS(zeDeviceGetComputeProperties),
        HAS(zeDeviceGetModuleProperties), HAS(zeDeviceGetCommandQueueGroupProperties),
        HAS(zeDeviceGetMemoryProperties), HAS(zeDeviceGetMemoryAccessProperties),
        HAS(zeDeviceGetCacheProperties), HAS(zeDeviceGetImageProperties),
        HAS(zeDeviceGetExternalMemoryProperties), HAS(zeDeviceGetP2PProperties),
        HAS(zeDeviceCanAccessPeer), HAS(zeDeviceGetStatus), HAS(zeDeviceGetGlobalTimestamps),
        /* ReserveCacheExt */ NO_SINCE(2),
        /* SetCacheAdviceExt */ NO_SINCE(2), /* PciGetPropertiesExt */ NO_SINCE(3),
        HAS_SINCE(7, zeDeviceGetRootDevice), /* external semaphores */ NO_SINCE(12), NO_SINCE(12),
        /* GetVectorWidthPropertiesExt */ NO_SINCE(13), /* Synchronize */ NO_SINCE(14))

TABLE(DeviceExp, ze_device_exp_dditable_t, NO_SINCE(4))

TABLE(Context, ze_context_dditable_t, HAS(zeContextCreate), HAS(zeContextDestroy),
        HAS(zeContextGetStatus), HAS(zeContextSystemBarrier), HAS(zeContextMakeMemoryResident),
        HAS(zeContextEvictMemory),
        /* images */ NO, NO, HAS_SINCE(1, zeContextCreateEx))

TABLE(CommandQueue, ze_command_queue_dditable_t, HAS(zeCommandQueueCreate),
        HAS(zeCommandQueueDestroy), HAS(zeCommandQueueExecuteCommandLists),
        HAS(zeCommandQueueSynchronize), HAS_SINCE(9, zeCommandQueueGetOrdinal),
        HAS_SINCE(9, zeCommandQueueGetIndex))

TABLE(CommandList, ze_command_list_dditable_t, HAS(zeCommandListCreate),
        HAS(zeCommandListCreateImmediate), HAS(zeCommandListDestroy), HAS(zeCommandListClose),
        HAS(zeCommandListReset), HAS(zeCommandListAppendWriteGlobalTimestamp),
        HAS(zeCommandListAppendBarrier), HAS(zeCommandListAppendMemoryRangesBarrier),
        HAS(zeCommandListAppendMemoryCopy), HAS(zeCommandListAppendMemoryFill),
        HAS(zeCommandListAppendMemoryCopyRegion), HAS(zeCommandListAppendMemoryCopyFromContext),
        /* four image copies */ NO, NO, NO, NO, HAS(zeCommandListAppendMemoryPrefetch),
        HAS(zeCommandListAppendMemAdvise), HAS(zeCommandListAppendSignalEvent),
        HAS(zeCommandListAppendWaitOnEvents), HAS(zeCommandListAppendEventReset),
        HAS(zeCommandListAppendQueryKernelTimestamps), HAS(zeCommandListAppendLaunchKernel),
        HAS(zeCommandListAppendLaunchCooperativeKernel),
        HAS(zeCommandListAppendLaunchKernelIndirect), /* LaunchMultipleKernelsIndirect */ NO,
        /* two image copies */ NO_SINCE(3), NO_SINCE(3), HAS_SINCE(6, zeCommandListHostSynchronize),
        HAS_SINCE(9, zeCommandListGetDeviceHandle), HAS_SINCE(9, zeCommandListGetContextHandle),
        HAS_SINCE(9, zeCommandListGetOrdinal), HAS_SINCE(9, zeCommandListImmediateGetIndex),
        HAS_SINCE(9, zeCommandListIsImmediate), /* external semaphores */ NO_SINCE(12),
        NO_SINCE(12),
        /* AppendLaunchKernelWithParameters */ NO_SINCE(14),
        HAS_SINCE(14, cpu_launch_with_arguments))

/* Older headers lack this type. */
struct _ze_command_list_exp_dditable_t;
TABLE(CommandListExp, struct _ze_command_list_exp_dditable_t, /* CreateCloneExp */ NO_SINCE(9),
        HAS_SINCE(9, zeCommandListImmediateAppendCommandListsExp),
        HAS_SINCE(9, cpu_next_command_id), HAS_SINCE(9, cpu_update_commands),
        /* events, kernels */ NO_SINCE(9), NO_SINCE(9), NO_SINCE(10), NO_SINCE(10),
        HAS_SINCE(17, cpu_list_is_mutable))

TABLE(Event, ze_event_dditable_t, HAS(zeEventCreate), HAS(zeEventDestroy), HAS(zeEventHostSignal),
        HAS(zeEventHostSynchronize), HAS(zeEventQueryStatus), HAS(zeEventHostReset),
        HAS(zeEventQueryKernelTimestamp),
        /* QueryKernelTimestampsExt */ NO_SINCE(6), HAS_SINCE(9, zeEventGetEventPool),
        HAS_SINCE(9, zeEventGetSignalScope), HAS_SINCE(9, zeEventGetWaitScope),
        HAS_SINCE(15, cpu_counted_event_create), /* sharing, addresses, flags */ NO_SINCE(15),
        NO_SINCE(15), NO_SINCE(15), NO_SINCE(17))

TABLE(EventExp, ze_event_exp_dditable_t, HAS_SINCE(2, zeEventQueryTimestampsExp))

TABLE(EventPool, ze_event_pool_dditable_t, HAS(zeEventPoolCreate), HAS(zeEventPoolDestroy),
        /* sharing */ NO, NO, NO, NO_SINCE(6), HAS_SINCE(9, zeEventPoolGetContextHandle),
        HAS_SINCE(9, zeEventPoolGetFlags))

TABLE(Fence, ze_fence_dditable_t, HAS(zeFenceCreate), HAS(zeFenceDestroy),
        HAS(zeFenceHostSynchronize), HAS(zeFenceQueryStatus), HAS(zeFenceReset))

TABLE(Image, ze_image_dditable_t, NO, NO, NO, NO_SINCE(3), NO_SINCE(5))

TABLE(ImageExp, ze_image_exp_dditable_t, NO_SINCE(2), NO_SINCE(2), NO_SINCE(9))

TABLE(Kernel, ze_kernel_dditable_t, HAS(zeKernelCreate), HAS(zeKernelDestroy),
        HAS(zeKernelSetCacheConfig), HAS(zeKernelSetGroupSize), HAS(zeKernelSuggestGroupSize),
        HAS(zeKernelSuggestMaxCooperativeGroupCount), HAS(zeKernelSetArgumentValue),
        HAS(zeKernelSetIndirectAccess), HAS(zeKernelGetIndirectAccess),
        HAS(zeKernelGetSourceAttributes), HAS(zeKernelGetProperties), HAS(zeKernelGetName))

TABLE(KernelExp, ze_kernel_exp_dditable_t, HAS_SINCE(1, zeKernelSetGlobalOffsetExp),
        /* SchedulingHintExp */ NO_SINCE(2),
        /* GetBinaryExp */ NO_SINCE(11), NO_SINCE(14))

TABLE(Mem, ze_mem_dditable_t, HAS(zeMemAllocShared), HAS(zeMemAllocDevice), HAS(zeMemAllocHost),
        HAS(zeMemFree), HAS(zeMemGetAllocProperties), HAS(zeMemGetAddressRange), /* sharing */ NO,
        NO, NO, HAS_SINCE(3, zeMemFreeExt), NO_SINCE(6), /* GetPitchFor2dImage */ NO_SINCE(9))

TABLE(Module, ze_module_dditable_t, HAS(zeModuleCreate), HAS(zeModuleDestroy),
        HAS(zeModuleDynamicLink), HAS(zeModuleGetNativeBinary), /* GetGlobalPointer */ NO,
        HAS(zeModuleGetKernelNames), HAS(zeModuleGetProperties), /* GetFunctionPointer */ NO,
        /* InspectLinkageExt */ NO_SINCE(3))

TABLE(ModuleBuildLog, ze_module_build_log_dditable_t, HAS(zeModuleBuildLogDestroy),
        HAS(zeModuleBuildLogGetString))

TABLE(PhysicalMem, ze_physical_mem_dditable_t, HAS(zePhysicalMemCreate), HAS(zePhysicalMemDestroy))

TABLE(Sampler, ze_sampler_dditable_t, NO, NO)

TABLE(VirtualMem, ze_virtual_mem_dditable_t, HAS(zeVirtualMemReserve), HAS(zeVirtualMemFree),
        HAS(zeVirtualMemQueryPageSize), HAS(zeVirtualMemMap), HAS(zeVirtualMemUnmap),
        HAS(zeVirtualMemSetAccessAttribute), HAS(zeVirtualMemGetAccessAttribute))

/* Loaders up to 1.20 accept a driver only if it has the tables of the tools and sysman interfaces.
 * Their fields stay empty, so that the loader returns "unsupported". */
#define EMPTY_TABLE(Group, type)                                                                   \
    ZE_DLLEXPORT ze_result_t ZE_APICALL Group##ProcAddrTable(                                      \
            ze_api_version_t version, type *table) {                                               \
        return fill(version, table, NULL, 0);                                                      \
    }

EMPTY_TABLE(zetGetDevice, zet_device_dditable_t)
EMPTY_TABLE(zetGetContext, zet_context_dditable_t)
EMPTY_TABLE(zetGetCommandList, zet_command_list_dditable_t)
EMPTY_TABLE(zetGetModule, zet_module_dditable_t)
EMPTY_TABLE(zetGetKernel, zet_kernel_dditable_t)
EMPTY_TABLE(zetGetMetricGroup, zet_metric_group_dditable_t)
EMPTY_TABLE(zetGetMetricGroupExp, zet_metric_group_exp_dditable_t)
EMPTY_TABLE(zetGetMetric, zet_metric_dditable_t)
EMPTY_TABLE(zetGetMetricStreamer, zet_metric_streamer_dditable_t)
EMPTY_TABLE(zetGetMetricQueryPool, zet_metric_query_pool_dditable_t)
EMPTY_TABLE(zetGetMetricQuery, zet_metric_query_dditable_t)
EMPTY_TABLE(zetGetTracerExp, zet_tracer_exp_dditable_t)
EMPTY_TABLE(zetGetDebug, zet_debug_dditable_t)

/* Lists of devices and their properties. Fields after the last one stay empty. */
struct _zes_global_dditable_t;
struct _zes_driver_exp_dditable_t;
TABLE_OF(zes, Global, struct _zes_global_dditable_t, HAS_SINCE(5, cpu_sysman_init))
TABLE_OF(zes, Driver, zes_driver_dditable_t, /* EventListen */ NO, /* EventListenEx */ NO_SINCE(1),
        HAS_SINCE(5, cpu_sysman_drivers))
TABLE_OF(zes, DriverExp, struct _zes_driver_exp_dditable_t, HAS_SINCE(9, cpu_sysman_find))
TABLE_OF(zes, Device, zes_device_dditable_t, HAS(zesDeviceGetProperties),
        /* state, reset, processes */ NO, NO, NO, /* PCI */ NO, NO, NO, NO,
        /* tests, engines, events */ NO, NO, NO, HAS(zesDeviceEnumFabricPorts),
        /* fans, firmware, frequencies, lights */ NO, NO, NO, NO, HAS(zesDeviceEnumMemoryModules),
        /* factors, power, card, supplies, errors, schedulers, standby, temperatures */ NO, NO, NO,
        NO, NO, NO, NO, NO, /* error correction */ NO_SINCE(4), NO_SINCE(4), NO_SINCE(4),
        NO_SINCE(4), HAS_SINCE(5, cpu_sysman_devices))
EMPTY_TABLE(zesGetScheduler, zes_scheduler_dditable_t)
EMPTY_TABLE(zesGetPerformanceFactor, zes_performance_factor_dditable_t)
EMPTY_TABLE(zesGetPower, zes_power_dditable_t)
EMPTY_TABLE(zesGetFrequency, zes_frequency_dditable_t)
EMPTY_TABLE(zesGetEngine, zes_engine_dditable_t)
EMPTY_TABLE(zesGetStandby, zes_standby_dditable_t)
EMPTY_TABLE(zesGetFirmware, zes_firmware_dditable_t)
EMPTY_TABLE(zesGetMemory, zes_memory_dditable_t)
EMPTY_TABLE(zesGetFabricPort, zes_fabric_port_dditable_t)
EMPTY_TABLE(zesGetTemperature, zes_temperature_dditable_t)
EMPTY_TABLE(zesGetPsu, zes_psu_dditable_t)
EMPTY_TABLE(zesGetFan, zes_fan_dditable_t)
EMPTY_TABLE(zesGetLed, zes_led_dditable_t)
EMPTY_TABLE(zesGetRas, zes_ras_dditable_t)
EMPTY_TABLE(zesGetDiagnostics, zes_diagnostics_dditable_t)

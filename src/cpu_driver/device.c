/* SPDX-License-Identifier: Apache-2.0 */
/* The properties of devices. */
#define _GNU_SOURCE
#include "device.h"
#include "dots.h"
#include "emulate.h"
#include "host.h"
#include "newer.h"
#include "ocl.h"
#include "svm.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS_SIZE = 1 << 16, ALL_ACCESS = 0xf };

/* The part of a quantity that belongs to a device, if its root device divides the quantity among
 * sub-devices. */
static uint64_t share(ze_device_handle_t device, uint64_t whole) {
    const uint64_t part = whole / device_parts(device);
    return part ? part : 1;
}

/* For tests of programs that distinguish GPUs from CPUs. */
static bool poses_as_gpu(void) {
    const char *type = getenv("ZE_CPU_TYPE");
    return type && !strcmp(type, "gpu");
}

/* What is chained to the structure. One without its type comes from a program that has not
 * initialised it, such as hwloc: its chain is no chain. */
static void *chain_of(const ze_device_properties_t *properties) {
    const bool is_whole = properties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES ||
                          properties->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    return is_whole ? properties->pNext : NULL;
}

/* Programs for GPUs take 16 of these for a core, and divide by the number of cores. */
static uint32_t execution_units(ze_device_handle_t device, const host_t *host) {
    const long units = env_long("ZE_CPU_UNITS", 0);
    const bool is_valid = units > 0 && units <= UINT16_MAX;
    return (uint32_t)share(device, is_valid ? (uint64_t)units : host->cores);
}

ze_result_t zeDeviceGetProperties(ze_device_handle_t device, ze_device_properties_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(out);
    const host_t *host;
    TRY(host_get(&host));
    const architecture_t *emulated = emulated_architecture();
    const bool is_gpu = emulated || poses_as_gpu() || ocl_wants_gpu();
    out->type = is_gpu ? ZE_DEVICE_TYPE_GPU : ZE_DEVICE_TYPE_CPU;
    out->vendorId = host->vendor_id;
    out->deviceId = host->device_id;
    out->flags = ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING;
    if (!ocl_wants_gpu()) out->flags |= ZE_DEVICE_PROPERTY_FLAG_INTEGRATED;
    if (device->root) out->flags |= ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE;
    out->subdeviceId = device->root ? device_part(device) - 1 : 0;
    out->coreClockRate = host->clock_mhz;
    out->maxMemAllocSize = share(device, host->max_allocation);
    out->maxHardwareContexts = 65536;
    out->maxCommandQueuePriority = 0;
    out->numThreadsPerEU = host->threads_per_core;
    out->physicalEUSimdWidth = emulated ? emulated->simd_width : host->simd_width;
    out->numEUsPerSubslice = execution_units(device, host);
    out->numSubslicesPerSlice = 1;
    out->numSlices = 1;
    /* The timer counts nanoseconds: one cycle takes 1 ns. Version 1.2 of the structure asks for
     * cycles per second instead. */
    out->timerResolution = out->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 ? 1000000000u : 1;
    out->timestampValidBits = 64;
    out->kernelTimestampValidBits = 64;
    uint64_t id[2];
    id[0] = hash_bytes(0x7a655f637075, host->name, strlen(host->name));
    id[1] = hash_bytes(id[0], &host->device_id, sizeof host->device_id) + device->id;
    memcpy(out->uuid.id, id, sizeof out->uuid.id);
    memset(out->name, 0, sizeof out->name);
    memcpy(out->name, host->name, strnlen(host->name, sizeof out->name - 1));
    emulated_device_properties(chain_of(out));
    for (const cpu_chain_t *more = chain_of(out); more; more = more->next)
        if ((unsigned)more->stype == CPU_STYPE_MUTABLE_PROPERTIES) {
            cpu_mutable_properties_t *lists = (cpu_mutable_properties_t *)(uintptr_t)more;
            lists->list_flags = 0;
            lists->command_flags = CPU_MUTABLE_ARGUMENTS | CPU_MUTABLE_GROUPS;
        }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetComputeProperties(
        ze_device_handle_t device, ze_device_compute_properties_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(out);
    const ocl_t *ocl;
    TRY(ocl_open(&ocl));
    out->maxTotalGroupSize = ocl->max_group_size;
    out->maxGroupSizeX = ocl->max_group_dim[0];
    out->maxGroupSizeY = ocl->max_group_dim[1];
    out->maxGroupSizeZ = ocl->max_group_dim[2];
    out->maxGroupCountX = out->maxGroupCountY = out->maxGroupCountZ = UINT32_MAX;
    if (ocl->is_gpu) {
        out->maxGroupCountX = INT32_MAX;
        out->maxGroupCountY = out->maxGroupCountZ = SVM_MAX_GROUPS_YZ;
    }
    out->maxSharedLocalMemory = (uint32_t)ocl->local_memory;
    out->numSubGroupSizes = ocl->n_subgroup_sizes;
    memset(out->subGroupSizes, 0, sizeof out->subGroupSizes);
    memcpy(out->subGroupSizes, ocl->subgroup_sizes,
            ocl->n_subgroup_sizes * sizeof *out->subGroupSizes);
    const architecture_t *emulated = emulated_architecture();
    if (emulated && ocl->n_subgroup_sizes) {
        const uint32_t *sizes = emulated->subgroup_sizes;
        memset(out->subGroupSizes, 0, sizeof out->subGroupSizes);
        for (out->numSubGroupSizes = 0; sizes[out->numSubGroupSizes]; out->numSubGroupSizes++)
            out->subGroupSizes[out->numSubGroupSizes] = sizes[out->numSubGroupSizes];
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetModuleProperties(
        ze_device_handle_t device, ze_device_module_properties_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(out);
    const ocl_t *ocl;
    TRY(ocl_open(&ocl));
    const ze_device_fp_flags_t ieee = ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN |
                                      ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST |
                                      ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO |
                                      ZE_DEVICE_FP_FLAG_ROUND_TO_INF | ZE_DEVICE_FP_FLAG_FMA |
                                      ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT;
    out->spirvVersionSupported = ZE_MAKE_VERSION(1, 2);
    out->flags = (ocl->fp16 ? ZE_DEVICE_MODULE_FLAG_FP16 : 0u) |
                 (ocl->fp64 ? ZE_DEVICE_MODULE_FLAG_FP64 : 0u) |
                 (ocl->int64_atomics ? ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS : 0u) |
                 (poses_as_gpu() ? 0u : dots_module_flags());
    out->fp16flags = ocl->fp16 ? ZE_DEVICE_FP_FLAG_INF_NAN | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST : 0;
    out->fp32flags = ieee;
    out->fp64flags = ocl->fp64 ? ieee : 0;
    out->maxArgumentsSize = ocl->is_gpu ? ocl->max_arguments : MAX_ARGUMENTS_SIZE;
    out->printfBufferSize = ocl->printf_buffer;
    memset(&out->nativeKernelSupported, 0, sizeof out->nativeKernelSupported);
    memcpy(out->nativeKernelSupported.id, &ocl->identity, sizeof ocl->identity);
    emulated_module_properties(out->pNext);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetCommandQueueGroupProperties(
        ze_device_handle_t device, uint32_t *count, ze_command_queue_group_properties_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(count);
    uint32_t n = answer_count(count, QUEUE_GROUPS, out);
    for (uint32_t i = 0; i < n; i++) {
        out[i].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
                       ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
        out[i].maxMemoryFillPatternSize = SIZE_MAX;
        out[i].numQueues = QUEUES_IN_GROUP;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetMemoryProperties(
        ze_device_handle_t device, uint32_t *count, ze_device_memory_properties_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(count);
    const host_t *host;
    TRY(host_get(&host));
    if (!answer_count(count, 1, out)) return ZE_RESULT_SUCCESS;
    out->flags = 0;
    out->maxClockRate = 0; /* unknown: reading it needs privileges */
    out->maxBusWidth = 64;
    out->totalSize = share(device, host->memory);
    memset(out->name, 0, sizeof out->name);
    strcpy(out->name, ocl_wants_gpu() ? "device memory" : "system memory");
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetMemoryAccessProperties(
        ze_device_handle_t device, ze_device_memory_access_properties_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(out);
    out->hostAllocCapabilities = ALL_ACCESS;
    out->deviceAllocCapabilities = ALL_ACCESS;
    out->sharedSingleDeviceAllocCapabilities = ALL_ACCESS;
    out->sharedCrossDeviceAllocCapabilities = ALL_ACCESS;
    /* The device reads memory of malloc(), unless the environment asks for a device that cannot. */
    const ocl_t *ocl;
    TRY(ocl_open(&ocl));
    out->sharedSystemAllocCapabilities =
            ocl->memory == MEMORY_OF_PROCESS && env_long("ZE_CPU_SYSTEM_USM", 1) ? ALL_ACCESS : 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetCacheProperties(
        ze_device_handle_t device, uint32_t *count, ze_device_cache_properties_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(count);
    const host_t *host;
    TRY(host_get(&host));
    uint32_t n = answer_count(count, host->n_caches, out);
    for (uint32_t i = 0; i < n; i++) {
        out[i].flags = 0;
        out[i].cacheSize = host->caches[i];
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetImageProperties(
        ze_device_handle_t device, ze_device_image_properties_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(out);
    size_t head = offsetof(ze_device_image_properties_t, maxImageDims1D);
    memset((char *)out + head, 0, sizeof *out - head); /* no images: all limits are 0 */
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetExternalMemoryProperties(
        ze_device_handle_t device, ze_device_external_memory_properties_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(out);
    out->memoryAllocationImportTypes = out->memoryAllocationExportTypes = 0;
    out->imageImportTypes = out->imageExportTypes = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetP2PProperties(
        ze_device_handle_t device, ze_device_handle_t peer, ze_device_p2p_properties_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_HANDLE(peer, OBJECT_DEVICE);
    CHECK_POINTER(out);
    out->flags = device_reaches(device, peer)
                         ? ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS
                         : 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceCanAccessPeer(
        ze_device_handle_t device, ze_device_handle_t peer, ze_bool_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_HANDLE(peer, OBJECT_DEVICE);
    CHECK_POINTER(out);
    *out = device_reaches(device, peer);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetStatus(ze_device_handle_t device) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetGlobalTimestamps(ze_device_handle_t device, uint64_t *host, uint64_t *own) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(host);
    CHECK_POINTER(own);
    *host = *own = clock_ns();
    return ZE_RESULT_SUCCESS;
}

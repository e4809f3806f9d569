/* SPDX-License-Identifier: Apache-2.0 */
/* What a device can do, asked of Level Zero. */
#include <string.h>

#include "core/alloc.h"
#include "core/verbose.h"
#include "ze/drivers.h"

typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t version;
} ip_version_t;

static dnnl_status_t has_extension(ze_driver_handle_t driver, const char *name, bool *has) {
    *has = false;
    uint32_t count = 0;
    if (ze.DriverGetExtensionProperties(driver, &count, NULL) != ZE_RESULT_SUCCESS || !count)
        return dnnl_success;
    ze_driver_extension_properties_t *list = dz_calloc(count, sizeof *list);
    if (!list) return verbose_error(dnnl_out_of_memory, "engine", "no memory for the driver's extensions");
    if (ze.DriverGetExtensionProperties(driver, &count, list) == ZE_RESULT_SUCCESS)
        for (uint32_t i = 0; i < count && !*has; i++) *has = !strcmp(list[i].name, name);
    dz_free(list);
    return dnnl_success;
}

static dnnl_status_t get_properties(ze_driver_handle_t driver, ze_device_handle_t device,
        ze_device_properties_t *properties, uint32_t *ip_version) {
    bool has;
    dnnl_status_t status = has_extension(driver, "ZE_extension_device_ip_version", &has);
    if (status != dnnl_success) return status;
    ip_version_t ip = {(ze_structure_type_t)ZE_STYPE_IP_VERSION, NULL, 0};
    *properties =
            (ze_device_properties_t){.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = has ? &ip : NULL};
    status = ZE_CALL(DeviceGetProperties, device, properties);
    *ip_version = ip.version;
    return status;
}

static dnnl_status_t total_memory(ze_device_handle_t device, uint64_t *total) {
    enum { MAX = 16 };
    ze_device_memory_properties_t memory[MAX];
    uint32_t count = MAX;
    for (int i = 0; i < MAX; i++)
        memory[i] = (ze_device_memory_properties_t){.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    const dnnl_status_t status = ZE_CALL(DeviceGetMemoryProperties, device, &count, memory);
    *total = 0;
    for (uint32_t i = 0; i < count && status == dnnl_success; i++) *total += memory[i].totalSize;
    return status;
}

dnnl_status_t device_caps(ze_driver_handle_t driver, ze_device_handle_t device, caps_t *caps) {
    ze_device_properties_t general;
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    ze_device_memory_access_properties_t access = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    memset(caps, 0, sizeof *caps);
    dnnl_status_t status = get_properties(driver, device, &general, &caps->ip_version);
    if (status == dnnl_success) status = ZE_CALL(DeviceGetComputeProperties, device, &compute);
    if (status == dnnl_success) status = ZE_CALL(DeviceGetModuleProperties, device, &module);
    if (status == dnnl_success) status = ZE_CALL(DeviceGetMemoryAccessProperties, device, &access);
    if (status == dnnl_success) status = total_memory(device, &caps->total_mem_size);
    if (status != dnnl_success) return status;

    caps->is_cpu = general.type == ZE_DEVICE_TYPE_CPU;
    caps->has_fp64 = module.flags & ZE_DEVICE_MODULE_FLAG_FP64;
    caps->has_fp16 = module.flags & ZE_DEVICE_MODULE_FLAG_FP16;
    caps->has_int64_atomics = module.flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
    caps->has_system_usm = access.sharedSystemAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW;
    for (uint32_t i = 0; i < compute.numSubGroupSizes && i < ZE_SUBGROUPSIZE_COUNT; i++)
        if (compute.subGroupSizes[i] < 64) caps->subgroup_sizes |= UINT64_C(1) << compute.subGroupSizes[i];
    caps->max_group_size = compute.maxTotalGroupSize;
    caps->max_group_size_xyz[0] = compute.maxGroupSizeX;
    caps->max_group_size_xyz[1] = compute.maxGroupSizeY;
    caps->max_group_size_xyz[2] = compute.maxGroupSizeZ;
    caps->max_arg_size = module.maxArgumentsSize;
    caps->local_mem_size = compute.maxSharedLocalMemory;
    caps->compute_units = general.numSlices * general.numSubslicesPerSlice * general.numEUsPerSubslice *
                          general.numThreadsPerEU;
    if (!caps->compute_units) caps->compute_units = 1;
    caps->simd_width = general.physicalEUSimdWidth;
    caps->max_alloc_size = general.maxMemAllocSize;
    return dnnl_success;
}

dnnl_status_t device_compute_ordinal(ze_device_handle_t device, uint32_t *ordinal) {
    enum { MAX = 16 };
    ze_command_queue_group_properties_t groups[MAX];
    uint32_t count = MAX;
    for (int i = 0; i < MAX; i++)
        groups[i] = (ze_command_queue_group_properties_t){
                .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES};
    const dnnl_status_t status = ZE_CALL(DeviceGetCommandQueueGroupProperties, device, &count, groups);
    if (status != dnnl_success) return status;
    for (*ordinal = 0; *ordinal < count; ++*ordinal)
        if (groups[*ordinal].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) return dnnl_success;
    return verbose_error(dnnl_runtime_error, "engine", "the device has no command queue that runs kernels");
}

dnnl_status_t device_id(ze_driver_handle_t driver, ze_device_handle_t device, device_id_t *id) {
    ze_device_properties_t properties;
    ze_driver_properties_t version = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    memset(id, 0, sizeof *id);
    dnnl_status_t status = get_properties(driver, device, &properties, &id->ip_version);
    if (status == dnnl_success) status = ZE_CALL(DriverGetProperties, driver, &version);
    if (status != dnnl_success) return status;
    id->vendor = properties.vendorId;
    id->device = properties.deviceId;
    id->driver_version = version.driverVersion;
    /* A copy by characters: what follows the end of the name in the driver's buffer is not part of the
     * identity. */
    for (size_t i = 0; i + 1 < sizeof id->name && properties.name[i]; i++) id->name[i] = properties.name[i];
    return dnnl_success;
}

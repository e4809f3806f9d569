/* SPDX-License-Identifier: Apache-2.0 */
/* Queries the capabilities of a device; core/caps.h says where they are documented. */
#include <string.h>

#include "core/alloc.h"
#include "core/verbose.h"
#include "ze/drivers.h"

/* ---- extensions ----
 *
 * These structures are missing in the oldest supported headers, or only Intel's driver declares
 * them. */

/* Three structures have these members:
 * - ze_device_ip_version_ext_t of ZE_extension_device_ip_version (specification 1.5), chained to
 *   ze_device_properties_t;
 * - ze_intel_device_block_array_exp_properties_t of
 *   ZE_intel_experimental_device_block_array_properties, chained to ze_device_properties_t;
 * - ze_intel_device_module_dp_exp_properties_t of
 *   ZE_intel_experimental_device_module_dp_properties, chained to ze_device_module_properties_t. */
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t value;
} word_property_t;

enum { STYPE_BLOCK_ARRAY = 0x00030007, BLOCK_STORE = 1, BLOCK_LOAD = 2 };
enum { STYPE_MODULE_DP = 0x00030013, MODULE_DPAS = 2 };

/* zex_device_module_register_file_exp_t, chained to ze_device_module_properties_t. It belongs to no
 * named extension. */
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t count;
    uint32_t *sizes; /* NULL: only the count is asked for */
} register_files_t;

enum { STYPE_REGISTER_FILES = 0x00030010, MAX_REGISTER_FILES = 32 };

/* ze_mutable_command_list_exp_properties_t of ZE_experimental_mutable_command_list (specification
 * 1.9), chained to ze_device_properties_t. */
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t list_flags, command_flags;
} mutable_lists_t;

enum { STYPE_MUTABLE_LISTS = 0x00020015, MUTABLE_ARGUMENTS = 1 };

/* Flags of ze_device_module_properties_t that ZE_cpu_device_dots adds */
enum { DOTS_BYTES = 1 << 28, DOTS_BF16 = 1 << 29, DOTS_TILES = 1 << 30 };

/* ZE_experimental_event_pool_counter_based belongs to specification 1.8. */
typedef enum {
    EXT_IP_VERSION,
    EXT_BLOCK_ARRAY,
    EXT_MODULE_DP,
    EXT_COUNTED_POOLS,
    EXT_FREE_POLICIES,
    EXT_MUTABLE_LISTS,
    EXT_EMULATED,
    EXT_DOTS,
    NEXTENSIONS
} extension_t;
static const char *const extension_names[NEXTENSIONS] = {
        [EXT_IP_VERSION] = "ZE_extension_device_ip_version",
        [EXT_BLOCK_ARRAY] = "ZE_intel_experimental_device_block_array_properties",
        [EXT_MODULE_DP] = "ZE_intel_experimental_device_module_dp_properties",
        [EXT_COUNTED_POOLS] = "ZE_experimental_event_pool_counter_based",
        [EXT_FREE_POLICIES] = ZE_MEMORY_FREE_POLICIES_EXT_NAME,
        [EXT_MUTABLE_LISTS] = "ZE_experimental_mutable_command_list",
        [EXT_EMULATED] = "ZE_cpu_emulated_device",
        [EXT_DOTS] = "ZE_cpu_device_dots",
};

static dnnl_status_t find_extensions(ze_driver_handle_t driver, bool has[NEXTENSIONS]) {
    memset(has, 0, NEXTENSIONS * sizeof *has);
    uint32_t count = 0;
    if (ze.DriverGetExtensionProperties(driver, &count, NULL) != ZE_RESULT_SUCCESS || !count)
        return dnnl_success;
    ze_driver_extension_properties_t *list = dz_calloc(count, sizeof *list);
    if (!list)
        return verbose_error(dnnl_out_of_memory, "engine", "no memory for the driver's extensions");
    if (ze.DriverGetExtensionProperties(driver, &count, list) == ZE_RESULT_SUCCESS)
        for (uint32_t i = 0; i < count; i++)
            for (int e = 0; e < NEXTENSIONS; e++)
                if (!strcmp(list[i].name, extension_names[e])) has[e] = true;
    dz_free(list);
    return dnnl_success;
}

/* ---- queries ---- */

typedef struct {
    ze_device_properties_t general;
    uint32_t ip_version, block_array, mutable_commands;
} general_t;

static dnnl_status_t get_general(
        ze_device_handle_t device, const bool has[NEXTENSIONS], general_t *properties) {
    word_property_t ip = {(ze_structure_type_t)ZE_STYPE_IP_VERSION, NULL, 0};
    word_property_t block = {(ze_structure_type_t)STYPE_BLOCK_ARRAY, NULL, 0};
    mutable_lists_t lists = {(ze_structure_type_t)STYPE_MUTABLE_LISTS, NULL, 0, 0};
    void *chain = NULL;
    if (has[EXT_IP_VERSION]) chain = &ip;
    if (has[EXT_MUTABLE_LISTS]) {
        lists.next = chain;
        chain = &lists;
    }
    if (has[EXT_BLOCK_ARRAY]) {
        block.next = chain;
        chain = &block;
    }
    properties->general =
            (ze_device_properties_t){.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = chain};
    const dnnl_status_t status = ZE_CALL(DeviceGetProperties, device, &properties->general);
    properties->general.pNext = NULL;
    properties->ip_version = ip.value;
    properties->block_array = block.value;
    properties->mutable_commands = lists.command_flags;
    return status;
}

typedef struct {
    ze_device_module_properties_t module;
    uint32_t dot_products, most_registers;
} modules_t;

static dnnl_status_t get_modules(
        ze_device_handle_t device, const bool has[NEXTENSIONS], modules_t *properties) {
    uint32_t sizes[MAX_REGISTER_FILES] = {0};
    register_files_t files = {(ze_structure_type_t)STYPE_REGISTER_FILES, NULL, 0, NULL};
    word_property_t dot = {(ze_structure_type_t)STYPE_MODULE_DP, &files, 0};
    properties->most_registers = 0;
    properties->module =
            (ze_device_module_properties_t){.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES,
                    .pNext = has[EXT_MODULE_DP] ? &dot : NULL};
    dnnl_status_t status = ZE_CALL(DeviceGetModuleProperties, device, &properties->module);
    if (status == dnnl_success && files.count && files.count <= MAX_REGISTER_FILES) {
        files.sizes = sizes;
        status = ZE_CALL(DeviceGetModuleProperties, device, &properties->module);
    }
    for (int i = 0; i < MAX_REGISTER_FILES; i++)
        if (sizes[i] > properties->most_registers) properties->most_registers = sizes[i];
    properties->module.pNext = NULL;
    properties->dot_products = dot.value;
    return status;
}

static dnnl_status_t total_memory(ze_device_handle_t device, uint64_t *total) {
    enum { MAX = 16 };
    ze_device_memory_properties_t memory[MAX];
    uint32_t count = MAX;
    for (int i = 0; i < MAX; i++)
        memory[i] = (ze_device_memory_properties_t){
                .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    const dnnl_status_t status = ZE_CALL(DeviceGetMemoryProperties, device, &count, memory);
    *total = 0;
    for (uint32_t i = 0; i < count && status == dnnl_success; i++) *total += memory[i].totalSize;
    return status;
}

/* Level Zero has no query for tf32. All matrix units of 16 lanes support it, except on steppings
 * before revision 5 of the first product that has such units. */
static bool has_tf32(const caps_t *caps) {
    enum { FIRST = 12u << 22 | 60u << 14, REVISION = 5 };
    const bool lacks = caps->ip_version >= FIRST && caps->ip_version < FIRST + REVISION;
    return caps->matrix_subgroup == 16 && !lacks;
}

/* Without the answer, the library frees memory itself when it is unused. */
static bool has_deferred_free(ze_driver_handle_t driver, const bool has[NEXTENSIONS]) {
    ze_driver_memory_free_ext_properties_t policies = {
            .stype = ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES};
    ze_driver_properties_t properties = {
            .stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES, .pNext = &policies};
    return has[EXT_FREE_POLICIES] && ze.MemFreeExt &&
           ze.DriverGetProperties(driver, &properties) == ZE_RESULT_SUCCESS &&
           (policies.freePolicies & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE);
}

dnnl_status_t device_caps(ze_driver_handle_t driver, ze_device_handle_t device, caps_t *caps) {
    bool has[NEXTENSIONS];
    general_t properties;
    modules_t modules;
    ze_device_compute_properties_t compute = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    ze_device_memory_access_properties_t access = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    memset(caps, 0, sizeof *caps);
    dnnl_status_t status = find_extensions(driver, has);
    if (status == dnnl_success) status = get_general(device, has, &properties);
    if (status == dnnl_success) status = ZE_CALL(DeviceGetComputeProperties, device, &compute);
    if (status == dnnl_success) status = get_modules(device, has, &modules);
    if (status == dnnl_success) status = ZE_CALL(DeviceGetMemoryAccessProperties, device, &access);
    if (status == dnnl_success) status = total_memory(device, &caps->total_mem_size);
    if (status != dnnl_success) return status;

    /* ze_device_properties_t and what is chained to it */
    const ze_device_properties_t *general = &properties.general;
    caps->is_cpu = general->type == ZE_DEVICE_TYPE_CPU;
    caps->simd_width = general->physicalEUSimdWidth;
    caps->threads_per_eu = general->numThreadsPerEU;
    caps->compute_units = general->numSlices * general->numSubslicesPerSlice *
                          general->numEUsPerSubslice * general->numThreadsPerEU;
    if (!caps->compute_units) caps->compute_units = 1;
    caps->max_alloc_size = general->maxMemAllocSize;
    caps->ip_version = properties.ip_version;
    caps->has_2d_block_load = properties.block_array & BLOCK_LOAD;
    caps->has_2d_block_store = properties.block_array & BLOCK_STORE;
    caps->has_mutable_arguments = properties.mutable_commands & MUTABLE_ARGUMENTS;
    caps->has_deferred_free = has_deferred_free(driver, has);
    caps->has_counted_pools = has[EXT_COUNTED_POOLS];
    caps->is_emulated = has[EXT_EMULATED];

    /* ze_device_compute_properties_t */
    for (uint32_t i = 0; i < compute.numSubGroupSizes && i < ZE_SUBGROUPSIZE_COUNT; i++)
        if (compute.subGroupSizes[i] < 64)
            caps->subgroup_sizes |= UINT64_C(1) << compute.subGroupSizes[i];
    caps->max_group_size = compute.maxTotalGroupSize;
    caps->max_group_size_xyz[0] = compute.maxGroupSizeX;
    caps->max_group_size_xyz[1] = compute.maxGroupSizeY;
    caps->max_group_size_xyz[2] = compute.maxGroupSizeZ;
    caps->local_mem_size = compute.maxSharedLocalMemory;

    /* ze_device_module_properties_t and what is chained to it */
    caps->has_fp64 = modules.module.flags & ZE_DEVICE_MODULE_FLAG_FP64;
    caps->has_fp16 = modules.module.flags & ZE_DEVICE_MODULE_FLAG_FP16;
    caps->has_int64_atomics = modules.module.flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
    caps->has_dp4a = modules.module.flags & ZE_DEVICE_MODULE_FLAG_DP4A;
    caps->has_dot_bytes = has[EXT_DOTS] && (modules.module.flags & DOTS_BYTES);
    caps->has_dot_tiles = has[EXT_DOTS] && (modules.module.flags & DOTS_TILES);
    caps->has_dot_bf16 = has[EXT_DOTS] && (modules.module.flags & (DOTS_BF16 | DOTS_TILES));
    caps->max_arg_size = modules.module.maxArgumentsSize;
    caps->max_registers = modules.most_registers;
    /* The systolic array has as many lanes as the smallest sub-group. */
    if (modules.dot_products & MODULE_DPAS)
        caps->matrix_subgroup = caps->subgroup_sizes & (1u << 8) ? 8 : 16;
    caps->has_tf32 = has_tf32(caps);

    /* ze_device_memory_access_properties_t */
    caps->has_system_usm = access.sharedSystemAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW;
    return dnnl_success;
}

dnnl_status_t device_compute_ordinal(ze_device_handle_t device, uint32_t *ordinal) {
    enum { MAX = 16 };
    ze_command_queue_group_properties_t groups[MAX];
    uint32_t count = MAX;
    for (int i = 0; i < MAX; i++)
        groups[i] = (ze_command_queue_group_properties_t){
                .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES};
    const dnnl_status_t status =
            ZE_CALL(DeviceGetCommandQueueGroupProperties, device, &count, groups);
    if (status != dnnl_success) return status;
    for (*ordinal = 0; *ordinal < count; ++*ordinal)
        if (groups[*ordinal].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE)
            return dnnl_success;
    return verbose_error(
            dnnl_runtime_error, "engine", "the device has no command queue that runs kernels");
}

dnnl_status_t device_id(ze_driver_handle_t driver, ze_device_handle_t device, device_id_t *id) {
    bool has[NEXTENSIONS];
    general_t properties;
    ze_driver_properties_t version = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    memset(id, 0, sizeof *id);
    dnnl_status_t status = find_extensions(driver, has);
    if (status == dnnl_success) status = get_general(device, has, &properties);
    if (status == dnnl_success) status = ZE_CALL(DriverGetProperties, driver, &version);
    if (status != dnnl_success) return status;
    id->vendor = properties.general.vendorId;
    id->device = properties.general.deviceId;
    id->ip_version = properties.ip_version;
    id->driver_version = version.driverVersion;
    /* Copies single characters, because bytes after the end of the name are not part of the
     * identity. */
    for (size_t i = 0; i + 1 < sizeof id->name && properties.general.name[i]; i++)
        id->name[i] = properties.general.name[i];
    return dnnl_success;
}

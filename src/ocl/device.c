/* SPDX-License-Identifier: Apache-2.0 */
/* Queries what an OpenCL device can do; core/caps.h says what the answers mean. */
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/status.h"
#include "core/verbose.h"
#include "ocl/core.h"
#include "oneapi/dnnl/dnnl_version.h"
#include "oneapi/dnnl/dnnl_version_hash.h"

cl_ulong ocl_device_number(cl_device_id device, cl_uint what) {
    union {
        uint32_t u32;
        uint64_t u64;
    } value = {.u64 = 0};
    size_t size = 0;
    if (ocl.GetDeviceInfo(device, what, sizeof value, &value, &size) != CL_SUCCESS) return 0;
    return size == sizeof value.u32 ? value.u32 : value.u64;
}

/* An answer that is longer than the room is not an answer. */
static void get_text(cl_device_id device, cl_uint what, char *text, size_t size) {
    memset(text, 0, size);
    if (ocl.GetDeviceInfo(device, what, size - 1, text, NULL) != CL_SUCCESS) *text = 0;
}

int ocl_device_version(cl_device_id device) {
    char text[256];
    int major = 1, minor = 0;
    get_text(device, CL_DEVICE_VERSION, text, sizeof text);
    return sscanf(text, "OpenCL %d.%d", &major, &minor) == 2 ? 100 * major + minor : 100;
}

bool ocl_device_has(cl_device_id device, const char *extension) {
    char text[16384];
    const size_t length = strlen(extension);
    get_text(device, CL_DEVICE_EXTENSIONS, text, sizeof text);
    for (const char *at = text; (at = strstr(at, extension)) != NULL; at += length)
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

bool ocl_device_has_spirv(cl_device_id device) {
    char text[1024];
    if (ocl_device_version(device) < 201 && !ocl_device_has(device, "cl_khr_il_program"))
        return false;
    get_text(device, CL_DEVICE_IL_VERSION, text, sizeof text);
    return strstr(text, "SPIR-V") != NULL;
}

/* Kernels for sub-groups ask for a size of their own, and for Intel's block loads. */
static uint64_t subgroup_sizes(cl_device_id device) {
    size_t sizes[32], bytes = 0;
    uint64_t bits = 0;
    if (!ocl_device_has(device, "cl_intel_required_subgroup_size") ||
            !ocl_device_has(device, "cl_intel_subgroups") ||
            !ocl_device_has(device, "cl_intel_subgroups_short"))
        return 0;
    if (ocl.GetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes) !=
            CL_SUCCESS)
        return 0;
    for (size_t i = 0; i < bytes / sizeof *sizes; i++)
        if (sizes[i] < 64) bits |= UINT64_C(1) << sizes[i];
    return bits;
}

/* OpenCL does not tell how many registers a thread can have. Each thread of Intel's GPUs has 128,
 * and from release 12.50 on it can have twice as many. */
static uint32_t most_registers(uint32_t ip_version) {
    enum { LARGE_FILE = 12u << 22 | 50u << 14 };
    if (!ip_version) return 0;
    return ip_version < LARGE_FILE ? 128 : 256;
}

/* Of Intel's GPUs. */
static void gpu_caps(cl_device_id device, caps_t *caps) {
    const cl_ulong features = ocl_device_number(device, CL_DEVICE_FEATURE_CAPABILITIES_INTEL);
    const bool has_units = ocl_device_has(device, "cl_intel_subgroup_matrix_multiply_accumulate");
    caps->subgroup_sizes = subgroup_sizes(device);
    caps->ip_version = (uint32_t)ocl_device_number(device, CL_DEVICE_IP_VERSION_INTEL);
    caps->max_registers = most_registers(caps->ip_version);
    caps->threads_per_eu = (uint32_t)ocl_device_number(device, CL_DEVICE_NUM_THREADS_PER_EU_INTEL);
    if (caps->threads_per_eu) caps->compute_units *= caps->threads_per_eu;
    caps->has_dp4a = features & CL_DEVICE_FEATURE_DP4A_INTEL;
    if (has_units && features & CL_DEVICE_FEATURE_DPAS_INTEL)
        caps->matrix_subgroup = caps->subgroup_sizes & (1u << 8) ? 8 : 16;
    caps->has_tf32 = caps->matrix_subgroup == 16 &&
                     ocl_device_has(device, "cl_intel_subgroup_matrix_multiply_accumulate_tf32");
    caps->has_2d_block_load = caps->has_2d_block_store =
            ocl_device_has(device, "cl_intel_subgroup_2d_block_io");
    for (uint32_t width = 8; width <= 32 && !caps->simd_width; width *= 2)
        if (caps->subgroup_sizes & UINT64_C(1) << width) caps->simd_width = width;
}

/* PoCL passes vectors that do not fit a register wrongly to its own functions, in programs from
 * SPIR-V: kernels for CPUs use such vectors, and would compute wrong numbers. */
static bool breaks_wide_vectors(cl_device_id device) {
    char version[256];
    get_text(device, CL_DEVICE_VERSION, version, sizeof version);
    return strstr(version, "PoCL") || strstr(version, "pocl");
}

static bool has_system_memory(cl_device_id device) {
    if (ocl_device_has(device, "cl_intel_unified_shared_memory"))
        return ocl_device_number(device, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL) & 1;
    return ocl_device_number(device, CL_DEVICE_SVM_CAPABILITIES) & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
}

dnnl_status_t ocl_device_caps(cl_device_id device, caps_t *caps) {
    char name[256];
    size_t items[8] = {0};
    cl_ulong type = 0;
    memset(caps, 0, sizeof *caps);
    TRY(OCL_CALL(GetDeviceInfo, device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    get_text(device, CL_DEVICE_NAME, name, sizeof name);
    if (!ocl_device_has_spirv(device))
        return verbose_refuse(dnnl_unimplemented, "engine",
                "the OpenCL device %s does not support programs in SPIR-V, which all kernels are",
                name);
    caps->is_cpu = (type & CL_DEVICE_TYPE_CPU) && !breaks_wide_vectors(device);
    caps->has_fp64 = ocl_device_has(device, "cl_khr_fp64");
    caps->has_fp16 = ocl_device_has(device, "cl_khr_fp16");
    caps->has_int64_atomics = ocl_device_has(device, "cl_khr_int64_base_atomics");
    caps->has_system_usm = has_system_memory(device);
    caps->max_group_size = (uint32_t)ocl_device_number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    TRY(OCL_CALL(GetDeviceInfo, device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL));
    for (int i = 0; i < 3; i++)
        caps->max_group_size_xyz[i] = items[i] < UINT32_MAX ? (uint32_t)items[i] : UINT32_MAX;
    caps->max_arg_size = (uint32_t)ocl_device_number(device, CL_DEVICE_MAX_PARAMETER_SIZE);
    caps->local_mem_size = (uint32_t)ocl_device_number(device, CL_DEVICE_LOCAL_MEM_SIZE);
    caps->compute_units = (uint32_t)ocl_device_number(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    if (!caps->compute_units) caps->compute_units = 1;
    caps->max_alloc_size = ocl_device_number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    caps->total_mem_size = ocl_device_number(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    if (type & CL_DEVICE_TYPE_CPU)
        caps->simd_width = (uint32_t)ocl_device_number(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    else gpu_caps(device, caps);
    return dnnl_success;
}

dnnl_status_t ocl_device_identity(cl_device_id device, identity_t *id) {
    static const char hash[] = DNNL_VERSION_HASH;
    char text[1024];
    memset(id, 0, sizeof *id);
    id->version[0] = DNNL_VERSION_MAJOR;
    id->version[1] = DNNL_VERSION_MINOR;
    id->version[2] = DNNL_VERSION_PATCH;
    memcpy(id->hash, hash, sizeof hash < sizeof id->hash ? sizeof hash : sizeof id->hash - 1);
    id->device.vendor = (uint32_t)ocl_device_number(device, CL_DEVICE_VENDOR_ID);
    /* OpenCL has texts where Level Zero has numbers. The first number also tells the runtimes
     * apart, whose code may differ. */
    get_text(device, CL_DEVICE_VERSION, text, sizeof text);
    id->device.device = (uint32_t)hash_bytes(text, strlen(text), CL_DEVICE_VERSION);
    get_text(device, CL_DRIVER_VERSION, text, sizeof text);
    id->device.driver_version = (uint32_t)hash_bytes(text, strlen(text), CL_DRIVER_VERSION);
    get_text(device, CL_DEVICE_NAME, text, sizeof text);
    memcpy(id->device.name, text, sizeof id->device.name - 1);
    return dnnl_success;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Finds PoCL, or the OpenCL platform that ZE_CPU_PLATFORM names, and queries its properties. */
#include "ocl.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cache_dir.h"

/* The headers of OpenCL 3.0 before 2022 lack this number. */
#define CPU_DEVICE_SUBGROUP_SIZES 0x4108 /* CL_DEVICE_SUB_GROUP_SIZES_INTEL */

static ocl_t ocl;
static bool available;

static cl_platform_id find_platform(void) {
    const char *chosen = getenv("ZE_CPU_PLATFORM");
    const char *wanted = chosen && *chosen ? chosen : "Portable Computing Language";
    cl_platform_id platforms[16];
    cl_uint n = 0;
    if (clGetPlatformIDs(COUNT_OF(platforms), platforms, &n) != CL_SUCCESS) return NULL;
    if (n > COUNT_OF(platforms)) n = COUNT_OF(platforms);
    for (cl_uint i = 0; i < n; i++) {
        char name[128] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (strstr(name, wanted)) {
            clGetPlatformInfo(
                    platforms[i], CL_PLATFORM_VERSION, sizeof ocl.version - 1, ocl.version, NULL);
            return platforms[i];
        }
    }
    return NULL;
}

static uint64_t get_u64(cl_device_info what) {
    union {
        uint32_t u32;
        uint64_t u64;
    } value = {.u64 = 0};
    size_t size = 0;
    if (clGetDeviceInfo(ocl.device, what, sizeof value, &value, &size) != CL_SUCCESS) return 0;
    return size == 4 ? value.u32 : value.u64;
}

static void query_subgroups(const char *extensions) {
    ocl.max_subgroups = (uint32_t)get_u64(CL_DEVICE_MAX_NUM_SUB_GROUPS);
    if (ocl.max_subgroups == 0 || !strstr(extensions, "cl_khr_subgroup")) return;
    size_t sizes[8], bytes = 0;
    if (clGetDeviceInfo(ocl.device, CPU_DEVICE_SUBGROUP_SIZES, sizeof sizes, sizes, &bytes) ==
            CL_SUCCESS)
        for (size_t i = 0; i < bytes / sizeof *sizes && i < COUNT_OF(sizes); i++)
            if (sizes[i]) ocl.subgroup_sizes[ocl.n_subgroup_sizes++] = (uint32_t)sizes[i];
    /* PoCL supports every sub-group size that a kernel requires; these are the usual ones. */
    if (ocl.n_subgroup_sizes == 0) {
        static const uint32_t usual[] = {8, 16, 32};
        memcpy(ocl.subgroup_sizes, usual, sizeof usual);
        ocl.n_subgroup_sizes = COUNT_OF(usual);
    }
}

static void start(void) {
    cache_dir_for_pocl();
    cl_platform_id platform = find_platform();
    if (!platform) return;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &ocl.device, NULL) != CL_SUCCESS) return;
    cl_int status;
    ocl.context = clCreateContext(NULL, 1, &ocl.device, NULL, NULL, &status);
    if (status != CL_SUCCESS) return;

    char name[256] = "", il[256] = "";
    static char extensions[8192];
    clGetDeviceInfo(ocl.device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    clGetDeviceInfo(ocl.device, CL_DEVICE_IL_VERSION, sizeof il - 1, il, NULL);
    clGetDeviceInfo(ocl.device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL);
    ocl.takes_spirv = strstr(il, "SPIR-V") != NULL && env_long("ZE_CPU_BITCODE", 0) == 0;
    ocl.reads_host = get_u64(CL_DEVICE_SVM_CAPABILITIES) != 0;
    ocl.fp16 = strstr(extensions, "cl_khr_fp16") != NULL;
    ocl.fp64 = strstr(extensions, "cl_khr_fp64") != NULL;
    ocl.int64_atomics = strstr(extensions, "cl_khr_int64_base_atomics") != NULL;
    ocl.max_group_size = (uint32_t)get_u64(CL_DEVICE_MAX_WORK_GROUP_SIZE);
    size_t dims[3] = {0};
    clGetDeviceInfo(ocl.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof dims, dims, NULL);
    for (int i = 0; i < 3; i++) ocl.max_group_dim[i] = (uint32_t)dims[i];
    ocl.local_memory = get_u64(CL_DEVICE_LOCAL_MEM_SIZE);
    ocl.printf_buffer = (uint32_t)get_u64(CL_DEVICE_PRINTF_BUFFER_SIZE);
    query_subgroups(extensions);
    ocl.identity = hash_bytes(CPU_DRIVER_VERSION, ocl.version, strlen(ocl.version));
    ocl.identity = hash_bytes(ocl.identity, name, strlen(name));
    available = true;
}

const ocl_t *ocl_get(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    return available ? &ocl : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Finds PoCL, or the OpenCL platform that ZE_CPU_PLATFORM names, and queries its properties. */
#include "ocl.h"
#include "host.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache_dir.h"
#include "fork.h"
#include "needs.h"
#include "say.h"

/* The headers of OpenCL 3.0 before 2022 lack this number. */
#define CPU_DEVICE_SUBGROUP_SIZES 0x4108 /* CL_DEVICE_SUB_GROUP_SIZES_INTEL */

enum { USUAL_SUBGROUP = 16 }; /* all emulated devices have it */

static ocl_t ocl;
static _Atomic bool available; /* `ocl` is constant from then on */

/* Finds the platform whose name contains `wanted`; NULL: there is none. `others` gets the names of
 * the platforms, and *n their number. */
static cl_platform_id find_platform(
        const char *wanted, char *others, size_t others_size, cl_uint *n) {
    cl_platform_id platforms[16];
    *n = 0;
    if (icd.GetPlatformIDs(COUNT_OF(platforms), platforms, n) != CL_SUCCESS) return NULL;
    if (*n > COUNT_OF(platforms)) *n = COUNT_OF(platforms);
    for (cl_uint i = 0; i < *n; i++) {
        char name[128] = "";
        icd.GetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (strstr(name, wanted)) {
            icd.GetPlatformInfo(
                    platforms[i], CL_PLATFORM_VERSION, sizeof ocl.version - 1, ocl.version, NULL);
            return platforms[i];
        }
        const size_t used = strlen(others);
        snprintf(others + used, others_size - used, "%s%s", i ? ", " : "", name);
    }
    return NULL;
}

static cl_platform_id choose_platform(void) {
    static const char pocl[] = "Portable Computing Language";
    const char *chosen = getenv("ZE_CPU_PLATFORM"), *vendors = getenv("OCL_ICD_VENDORS");
    const char *wanted = chosen && *chosen ? chosen : pocl;
    char others[512] = "";
    cl_uint n;
    cl_platform_id platform = find_platform(wanted, others, sizeof others, &n);
    ocl.is_pocl = wanted == pocl;
    if (platform) return platform;
    if (n == 0) icd_close();
    say("no OpenCL platform \"%s\" was found%s: the OpenCL loader has looked in %s, and found %s. "
        "PoCL may be missing (Debian: apt install pocl-opencl-icd), or there was no memory to load "
        "it",
            wanted, chosen && *chosen ? " (ZE_CPU_PLATFORM)" : "",
            vendors ? vendors : "/etc/OpenCL/vendors", n ? others : "no platform");
    return NULL;
}

/* ZE_CPU_OPENCL_TYPE: gpu, or cpu-as-gpu for tests where no GPU is. */
static bool wants(const char *type) {
    const char *chosen = getenv("ZE_CPU_OPENCL_TYPE");
    return chosen && !strcmp(chosen, type);
}

bool ocl_wants_gpu(void) {
    return wants("gpu") || wants("cpu-as-gpu");
}

static uint64_t get_u64(cl_device_info what) {
    union {
        uint32_t u32;
        uint64_t u64;
    } value = {.u64 = 0};
    size_t size = 0;
    if (icd.GetDeviceInfo(ocl.device, what, sizeof value, &value, &size) != CL_SUCCESS) return 0;
    return size == 4 ? value.u32 : value.u64;
}

static void query_subgroups(const char *extensions) {
    ocl.max_subgroups = (uint32_t)get_u64(CL_DEVICE_MAX_NUM_SUB_GROUPS);
    if (ocl.max_subgroups == 0 || !strstr(extensions, "cl_khr_subgroup")) return;
    size_t sizes[16], bytes = 0;
    if (icd.GetDeviceInfo(ocl.device, CPU_DEVICE_SUBGROUP_SIZES, sizeof sizes, sizes, &bytes) !=
            CL_SUCCESS)
        bytes = 0;
    /* PoCL lists ten sizes, from 1 on: those of GPUs are shown. */
    for (size_t i = 0; i < bytes / sizeof *sizes; i++)
        if (sizes[i] >= 4 && sizes[i] <= 64 && ocl.n_subgroup_sizes < COUNT_OF(ocl.subgroup_sizes))
            ocl.subgroup_sizes[ocl.n_subgroup_sizes++] = (uint32_t)sizes[i];
    /* A device that has sub-groups and lists none supports every size that a kernel requires; these
     * are the usual ones. */
    if (ocl.n_subgroup_sizes == 0) {
        static const uint32_t usual[] = {8, 16, 32};
        memcpy(ocl.subgroup_sizes, usual, sizeof usual);
        ocl.n_subgroup_sizes = COUNT_OF(usual);
    }
    for (uint32_t i = 0; !ocl.is_gpu && i < ocl.n_subgroup_sizes; i++)
        if (ocl.subgroup_sizes[i] == USUAL_SUBGROUP) ocl.subgroup = USUAL_SUBGROUP;
}

static ocl_memory_t choose_memory(void) {
    const uint64_t svm = get_u64(CL_DEVICE_SVM_CAPABILITIES);
    if (!svm) return MEMORY_COPIED;
    if (!ocl.is_gpu) return MEMORY_OF_PROCESS;
    const bool is_fine = svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER && env_long("ZE_CPU_FINE_SVM", 1);
    return is_fine ? MEMORY_SVM : MEMORY_SVM_MAPPED;
}

/* What Level Zero asks of a GPU, as far as OpenCL tells it. */
static void query_gpu(const char *extensions) {
    ocl.vendor_id = (uint32_t)get_u64(CL_DEVICE_VENDOR_ID);
    ocl.clock_mhz = (uint32_t)get_u64(CL_DEVICE_MAX_CLOCK_FREQUENCY);
    ocl.total_memory = get_u64(CL_DEVICE_GLOBAL_MEM_SIZE);
    ocl.max_allocation = get_u64(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    ocl.cache = get_u64(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    ocl.max_arguments = (uint32_t)get_u64(CL_DEVICE_MAX_PARAMETER_SIZE);
    ocl.simd_width = (uint32_t)get_u64(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
    /* Kernels say which sub-groups they need. Without this extension they do not get them. */
    if (!strstr(extensions, "cl_intel_required_subgroup_size")) ocl.n_subgroup_sizes = 0;
    const uint64_t limit = (uint64_t)env_long("ZE_CPU_MEMORY", 0) << 20;
    if (limit && limit < ocl.total_memory) ocl.total_memory = limit;
    if (ocl.max_allocation > ocl.total_memory) ocl.max_allocation = ocl.total_memory;
}

static bool is_intel(cl_platform_id platform) {
    char name[128] = "";
    icd.GetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    return strstr(name, "Intel") != NULL;
}

/* PoCL counts the CPUs of the machine, unless its variables say how many threads it starts. The
 * process may be confined to some of them (taskset, cpusets of containers). More threads than that
 * would take turns. */
static uint32_t usable_units(uint32_t units) {
    const bool is_chosen =
            env_long("POCL_MAX_PTHREAD_COUNT", 0) > 0 || env_long("POCL_CPU_MAX_CU_COUNT", 0) > 0;
    const uint32_t usable = host_threads();
    return ocl.is_gpu || is_chosen || units < usable ? units : usable;
}

static void query_device(cl_platform_id platform) {
    char name[256] = "", il[256] = "";
    static char extensions[8192];
    icd.GetDeviceInfo(ocl.device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    snprintf(ocl.name, sizeof ocl.name, "%s", name);
    icd.GetDeviceInfo(ocl.device, CL_DEVICE_IL_VERSION, sizeof il - 1, il, NULL);
    icd.GetDeviceInfo(ocl.device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions, NULL);
    ocl.supports_spirv = strstr(il, "SPIR-V") != NULL && env_long("ZE_CPU_BITCODE", 0) == 0;
    ocl.memory = choose_memory();
    ocl.fp16 = strstr(extensions, "cl_khr_fp16") != NULL;
    ocl.fp64 = strstr(extensions, "cl_khr_fp64") != NULL && env_long("ZE_CPU_FP64", 1) != 0;
    ocl.int64_atomics = strstr(extensions, "cl_khr_int64_base_atomics") != NULL;
    ocl.units = usable_units((uint32_t)get_u64(CL_DEVICE_MAX_COMPUTE_UNITS));
    ocl.max_group_size = (uint32_t)get_u64(CL_DEVICE_MAX_WORK_GROUP_SIZE);
    size_t dims[3] = {0};
    icd.GetDeviceInfo(ocl.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof dims, dims, NULL);
    for (int i = 0; i < 3; i++) ocl.max_group_dim[i] = (uint32_t)dims[i];
    ocl.local_memory = get_u64(CL_DEVICE_LOCAL_MEM_SIZE);
    ocl.printf_buffer = (uint32_t)get_u64(CL_DEVICE_PRINTF_BUFFER_SIZE);
    query_subgroups(extensions);
    ocl.breaks_vectors = !ocl.is_gpu && is_intel(platform);
    if (ocl.is_gpu) query_gpu(extensions);
    ocl.identity = hash_bytes(CPU_DRIVER_VERSION, ocl.version, strlen(ocl.version));
    ocl.identity = hash_bytes(ocl.identity, name, strlen(name));
}

/* Finds the device and creates a context for it. */
static ze_result_t find_device(cl_platform_id *out) {
    cl_platform_id platform = choose_platform();
    *out = platform;
    if (!platform) return ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE;
    const char *call = "clGetDeviceIDs";
    const cl_device_type type = wants("gpu") ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
    cl_int status = icd.GetDeviceIDs(platform, type, 1, &ocl.device, NULL);
    if (status == CL_SUCCESS) {
        call = "clCreateContext";
        ocl.context = icd.CreateContext(NULL, 1, &ocl.device, NULL, NULL, &status);
    }
    if (status == CL_SUCCESS) return ZE_RESULT_SUCCESS;
    say("the OpenCL platform %s has no usable %s: %s answers %d", ocl.version,
            wants("gpu") ? "GPU" : "CPU", call, status);
    return status == CL_OUT_OF_HOST_MEMORY ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                           : ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE;
}

static ze_result_t start(void) {
    memset(&ocl, 0, sizeof ocl); /* an earlier try may have left something */
    TRY(needs_files());
    TRY(needs_threads());
    cache_dir_for_pocl();
    CHECK(icd_open(), ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    fork_note_use();
    ocl.is_gpu = ocl_wants_gpu();
    cl_platform_id platform;
    TRY(find_device(&platform));
    query_device(platform);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ocl_open(const ocl_t **out) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (!atomic_load_explicit(&available, memory_order_acquire)) {
        pthread_mutex_lock(&lock);
        if (!available) result = start();
        if (result == ZE_RESULT_SUCCESS) atomic_store(&available, true);
        pthread_mutex_unlock(&lock);
    }
    *out = result == ZE_RESULT_SUCCESS ? &ocl : NULL;
    return result;
}

const ocl_t *ocl_get(void) {
    return atomic_load_explicit(&available, memory_order_acquire) ? &ocl : NULL;
}

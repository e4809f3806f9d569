/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL device that the driver computes on. */
#ifndef ZE_CPU_OCL_H
#define ZE_CPU_OCL_H

#include "common.h"
#include "icd.h"

typedef enum {
    MEMORY_OF_PROCESS, /* kernels can use any address of the process */
    MEMORY_SVM,        /* clSVMAlloc(), which host and device may use at any time */
    MEMORY_SVM_MAPPED, /* the same, but the host may use it only while no kernel does */
    MEMORY_COPIED,     /* buffers that are copied around each launch (mirror.c) */
} ocl_memory_t;

typedef struct {
    cl_device_id device;
    cl_context context;
    bool is_pocl;        /* and not another platform that ZE_CPU_PLATFORM names */
    bool supports_spirv; /* clCreateProgramWithIL() works; otherwise programs are LLVM bitcode */
    ocl_memory_t memory;
    bool is_gpu;    /* everything is done as for a GPU, even if a CPU poses as one */
    uint32_t units; /* of a CPU, the threads that run kernels */
    uint32_t vendor_id, clock_mhz, simd_width;    /* of a GPU */
    uint64_t total_memory, max_allocation, cache; /* of a GPU, in bytes */
    uint32_t max_arguments;                       /* bytes of the arguments of a kernel */
    bool fp16, fp64, int64_atomics;
    uint32_t max_group_size, max_group_dim[3];
    uint64_t local_memory;
    uint32_t n_subgroup_sizes, subgroup_sizes[8];
    bool breaks_vectors; /* its compiler crashes on some kernels with wide vectors of their own */
    uint32_t subgroup;   /* the size in kernels that require none; 0: the device chooses */
    uint32_t max_subgroups;
    uint32_t printf_buffer;
    uint64_t identity; /* hash of the versions of PoCL and the driver, and of the device's name */
    char name[256], version[256];
} ocl_t;

/* Writes the device, which the first successful call looks for. Otherwise says what is missing, and
 * returns OUT_OF_HOST_MEMORY or DEPENDENCY_UNAVAILABLE; the next call looks again. Thread-safe. */
ze_result_t ocl_open(const ocl_t **out);
/* Whether ZE_CPU_OPENCL_TYPE asks for a GPU. */
bool ocl_wants_gpu(void);
/* The device; NULL before ocl_open() has succeeded. */
const ocl_t *ocl_get(void);

#endif

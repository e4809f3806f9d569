/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL device that the driver computes on. */
#ifndef ZE_CPU_OCL_H
#define ZE_CPU_OCL_H

#include "common.h"
#include "icd.h"

typedef struct {
    cl_device_id device;
    cl_context context;
    bool is_pocl;        /* and not another platform that ZE_CPU_PLATFORM names */
    bool supports_spirv; /* clCreateProgramWithIL() works; otherwise programs are LLVM bitcode */
    bool reads_host; /* kernels can use any address of the process; otherwise buffers (mirror.c) */
    bool fp16, fp64, int64_atomics;
    uint32_t max_group_size, max_group_dim[3];
    uint64_t local_memory;
    uint32_t n_subgroup_sizes, subgroup_sizes[8];
    uint32_t max_subgroups;
    uint32_t printf_buffer;
    uint64_t identity; /* hash of the versions of PoCL and the driver, and of the device's name */
    char version[256];
} ocl_t;

/* Writes the device, which the first successful call looks for. Otherwise says what is missing, and
 * returns OUT_OF_HOST_MEMORY or DEPENDENCY_UNAVAILABLE; the next call looks again. Thread-safe. */
ze_result_t ocl_open(const ocl_t **out);
/* The device; NULL before ocl_open() has succeeded. */
const ocl_t *ocl_get(void);

#endif

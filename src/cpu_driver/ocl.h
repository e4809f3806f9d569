/* SPDX-License-Identifier: Apache-2.0 */
/* The one OpenCL device that the driver computes on, found at first need. */
#ifndef ZE_CPU_OCL_H
#define ZE_CPU_OCL_H

#include "common.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

typedef struct {
    cl_device_id device;
    cl_context context;
    bool takes_spirv; /* clCreateProgramWithIL works; otherwise LLVM bitcode is given */
    bool reads_host; /* kernels can be given any address of the process; otherwise buffers are (mirror.c) */
    bool fp16, fp64, int64_atomics;
    uint32_t max_group_size, max_group_dim[3];
    uint64_t local_memory;
    uint32_t n_subgroup_sizes, subgroup_sizes[8];
    uint32_t max_subgroups;
    uint32_t printf_buffer;
    uint64_t
            identity; /* hash of what makes a program binary fit: PoCL's version, device name, driver version
                        */
    char version[256];
} ocl_t;

/* The device, or NULL when there is no PoCL on this machine (ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE).
 * Thread-safe. */
const ocl_t *ocl_get(void);

#endif

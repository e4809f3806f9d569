/* SPDX-License-Identifier: Apache-2.0 */
/* The part of OpenCL that the library uses. It declares the types itself, in the same way as the
 * headers of OpenCL, so that the library can be built without them: only programs that include
 * dnnl_ocl.h need those. */
#ifndef OCL_OPENCL_H
#define OCL_OPENCL_H

#include <stddef.h>
#include <stdint.h>

typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;

#define DNNL_ZE_OWN_OPENCL /* dnnl_ocl.h does not include the headers of OpenCL then */

/* Numbers of the specification of OpenCL 3.0, and of the extensions whose names they end with. */
enum {
    CL_SUCCESS = 0,
    CL_DEVICE_NOT_FOUND = -1,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_PROFILING_INFO_NOT_AVAILABLE = -7,
    CL_MISALIGNED_SUB_BUFFER_OFFSET = -13,

    CL_PLATFORM_NAME = 0x0902,

    CL_DEVICE_TYPE_CPU = 1 << 1,
    CL_DEVICE_TYPE_GPU = 1 << 2,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_VENDOR_ID = 0x1001,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    CL_DEVICE_MAX_PARAMETER_SIZE = 0x1017,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    CL_DEVICE_NAME = 0x102B,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_EXTENSIONS = 0x1030,
    CL_DEVICE_PLATFORM = 0x1031,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT = 0x103A,
    CL_DEVICE_SVM_CAPABILITIES = 0x1053,
    CL_DEVICE_IL_VERSION = 0x105B,
    CL_DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108,
    CL_DEVICE_IP_VERSION_INTEL = 0x4250,
    CL_DEVICE_NUM_THREADS_PER_EU_INTEL = 0x4255,
    CL_DEVICE_FEATURE_CAPABILITIES_INTEL = 0x4256,
    CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL = 0x4194,

    CL_DEVICE_SVM_COARSE_GRAIN_BUFFER = 1 << 0,
    CL_DEVICE_SVM_FINE_GRAIN_SYSTEM = 1 << 2,
    CL_DEVICE_FEATURE_DP4A_INTEL = 1 << 0,
    CL_DEVICE_FEATURE_DPAS_INTEL = 1 << 1,

    CL_CONTEXT_DEVICES = 0x1081,

    CL_QUEUE_CONTEXT = 0x1090,
    CL_QUEUE_DEVICE = 0x1091,
    CL_QUEUE_PROPERTIES = 0x1093,
    CL_QUEUE_OUT_OF_ORDER = 1 << 0,
    CL_QUEUE_PROFILING = 1 << 1,

    CL_MEM_READ_WRITE = 1 << 0,
    CL_MEM_SIZE = 0x1102,
    CL_MEM_CONTEXT = 0x1106,
    CL_MEM_ASSOCIATED_MEMOBJECT = 0x1107,
    CL_MEM_OFFSET = 0x1108,
    CL_BUFFER_CREATE_TYPE_REGION = 0x1220,
    CL_MEM_ALLOC_TYPE_INTEL = 0x419A,
    CL_MEM_ALLOC_BASE_PTR_INTEL = 0x419B,
    CL_MEM_ALLOC_SIZE_INTEL = 0x419C,
    CL_MEM_TYPE_HOST_INTEL = 0x4197,
    CL_MEM_TYPE_DEVICE_INTEL = 0x4198,
    CL_MEM_TYPE_SHARED_INTEL = 0x4199,

    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_KERNEL_NAMES = 0x1168,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_BUILD_LOG = 0x1183,

    CL_KERNEL_SPILL_MEM_SIZE_INTEL = 0x4109,

    CL_PROFILING_COMMAND_START = 0x1282,
    CL_PROFILING_COMMAND_END = 0x1283,
};

typedef struct {
    size_t origin, size;
} cl_region_t; /* cl_buffer_region */

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points of the OpenCL loader. The library does not link it, but opens it when the first
 * engine of OpenCL is created. */
#ifndef OCL_LOADER_H
#define OCL_LOADER_H

#include "core/util.h"
#include "ocl/opencl.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "ze/loader.h"

#define OCL_ENTRY_POINTS(X)                                                                        \
    X(GetPlatformIDs, cl_int, (cl_uint, cl_platform_id *, cl_uint *))                              \
    X(GetPlatformInfo, cl_int, (cl_platform_id, cl_uint, size_t, void *, size_t *))                \
    X(GetExtensionFunctionAddressForPlatform, void *, (cl_platform_id, const char *))              \
    X(GetDeviceIDs, cl_int, (cl_platform_id, cl_ulong, cl_uint, cl_device_id *, cl_uint *))        \
    X(GetDeviceInfo, cl_int, (cl_device_id, cl_uint, size_t, void *, size_t *))                    \
    X(CreateContext, cl_context,                                                                   \
            (const intptr_t *, cl_uint, const cl_device_id *, void *, void *, cl_int *))           \
    X(RetainContext, cl_int, (cl_context))                                                         \
    X(ReleaseContext, cl_int, (cl_context))                                                        \
    X(GetContextInfo, cl_int, (cl_context, cl_uint, size_t, void *, size_t *))                     \
    X(CreateCommandQueue, cl_command_queue, (cl_context, cl_device_id, cl_ulong, cl_int *))        \
    X(RetainCommandQueue, cl_int, (cl_command_queue))                                              \
    X(ReleaseCommandQueue, cl_int, (cl_command_queue))                                             \
    X(GetCommandQueueInfo, cl_int, (cl_command_queue, cl_uint, size_t, void *, size_t *))          \
    X(Finish, cl_int, (cl_command_queue))                                                          \
    X(Flush, cl_int, (cl_command_queue))                                                           \
    X(CreateBuffer, cl_mem, (cl_context, cl_ulong, size_t, void *, cl_int *))                      \
    X(CreateSubBuffer, cl_mem, (cl_mem, cl_ulong, cl_uint, const void *, cl_int *))                \
    X(RetainMemObject, cl_int, (cl_mem))                                                           \
    X(ReleaseMemObject, cl_int, (cl_mem))                                                          \
    X(GetMemObjectInfo, cl_int, (cl_mem, cl_uint, size_t, void *, size_t *))                       \
    X(EnqueueReadBuffer, cl_int,                                                                   \
            (cl_command_queue, cl_mem, cl_uint, size_t, size_t, void *, cl_uint, const cl_event *, \
                    cl_event *))                                                                   \
    X(EnqueueWriteBuffer, cl_int,                                                                  \
            (cl_command_queue, cl_mem, cl_uint, size_t, size_t, const void *, cl_uint,             \
                    const cl_event *, cl_event *))                                                 \
    X(CreateProgramWithBinary, cl_program,                                                         \
            (cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **,    \
                    cl_int *, cl_int *))                                                           \
    X(BuildProgram, cl_int,                                                                        \
            (cl_program, cl_uint, const cl_device_id *, const char *, void *, void *))             \
    X(ReleaseProgram, cl_int, (cl_program))                                                        \
    X(GetProgramInfo, cl_int, (cl_program, cl_uint, size_t, void *, size_t *))                     \
    X(GetProgramBuildInfo, cl_int, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *))  \
    X(CreateKernel, cl_kernel, (cl_program, const char *, cl_int *))                               \
    X(ReleaseKernel, cl_int, (cl_kernel))                                                          \
    X(GetKernelWorkGroupInfo, cl_int,                                                              \
            (cl_kernel, cl_device_id, cl_uint, size_t, void *, size_t *))                          \
    X(SetKernelArg, cl_int, (cl_kernel, cl_uint, size_t, const void *))                            \
    X(EnqueueNDRangeKernel, cl_int,                                                                \
            (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, \
                    cl_uint, const cl_event *, cl_event *))                                        \
    X(EnqueueMarkerWithWaitList, cl_int,                                                           \
            (cl_command_queue, cl_uint, const cl_event *, cl_event *))                             \
    X(WaitForEvents, cl_int, (cl_uint, const cl_event *))                                          \
    X(RetainEvent, cl_int, (cl_event))                                                             \
    X(ReleaseEvent, cl_int, (cl_event))                                                            \
    X(SetEventCallback, cl_int, (cl_event, cl_int, void (*)(cl_event, cl_int, void *), void *))    \
    X(GetEventProfilingInfo, cl_int, (cl_event, cl_uint, size_t, void *, size_t *))

/* Of OpenCL 2.0 and 2.1; NULL if the loader is older. */
#define OCL_OPTIONAL_ENTRY_POINTS(X)                                                               \
    X(CreateProgramWithIL, cl_program, (cl_context, const void *, size_t, cl_int *))               \
    X(SVMAlloc, void *, (cl_context, cl_ulong, size_t, cl_uint))                                   \
    X(SVMFree, void, (cl_context, void *))                                                         \
    X(SetKernelArgSVMPointer, cl_int, (cl_kernel, cl_uint, const void *))                          \
    X(EnqueueSVMMemcpy, cl_int,                                                                    \
            (cl_command_queue, cl_uint, void *, const void *, size_t, cl_uint, const cl_event *,   \
                    cl_event *))

typedef struct {
#define X(name, type, params) type(*name) params;
    OCL_ENTRY_POINTS(X)
    OCL_OPTIONAL_ENTRY_POINTS(X)
#undef X
} ocl_table_t;

/* ocl_load() writes it, and it is constant once ocl_load() has succeeded. */
extern ocl_table_t ocl HIDDEN;

/* Loads the loader. If that fails, it logs a message and returns runtime_error; the next call tries
 * again. */
dnnl_status_t ocl_load(void);

/* The status that a result means. */
dnnl_status_t ocl_status(cl_int result);
/* Logs a failed call and returns its status. */
dnnl_status_t ocl_report(cl_int result, const char *call);
static inline dnnl_status_t ocl_check(cl_int result, const char *call) {
    return LIKELY(result == CL_SUCCESS) ? dnnl_success : ocl_report(result, call);
}

/* Calls an entry point, logs a failure, and returns a status. At the end of the process nothing is
 * called any more. */
#define OCL_CALL(name, ...)                                                                        \
    (ze_is_over ? dnnl_runtime_error : ocl_check(ocl.name(__VA_ARGS__), "cl" #name))

#endif

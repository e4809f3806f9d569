/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points of the OpenCL loader. The driver does not link the loader, so that it can say
 * what to install where there is none. */
#ifndef ZE_CPU_ICD_H
#define ZE_CPU_ICD_H

#include <stdbool.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#define ICD_CALLS(X)                                                                               \
    X(BuildProgram)                                                                                \
    X(CompileProgram)                                                                              \
    X(CreateBuffer)                                                                                \
    X(CreateCommandQueueWithProperties)                                                            \
    X(CreateContext)                                                                               \
    X(CreateKernel)                                                                                \
    X(CreateProgramWithBinary)                                                                     \
    X(CreateProgramWithIL)                                                                         \
    X(CreateSubBuffer)                                                                             \
    X(EnqueueNDRangeKernel)                                                                        \
    X(EnqueueReadBuffer)                                                                           \
    X(EnqueueSVMMap)                                                                               \
    X(EnqueueSVMMemFill)                                                                           \
    X(EnqueueSVMMemcpy)                                                                            \
    X(EnqueueSVMUnmap)                                                                             \
    X(EnqueueWriteBuffer)                                                                          \
    X(Finish)                                                                                      \
    X(Flush)                                                                                       \
    X(GetDeviceIDs)                                                                                \
    X(GetDeviceInfo)                                                                               \
    X(GetKernelWorkGroupInfo)                                                                      \
    X(GetPlatformIDs)                                                                              \
    X(GetPlatformInfo)                                                                             \
    X(GetProgramBuildInfo)                                                                         \
    X(GetProgramInfo)                                                                              \
    X(LinkProgram)                                                                                 \
    X(ReleaseCommandQueue)                                                                         \
    X(ReleaseContext)                                                                              \
    X(ReleaseEvent)                                                                                \
    X(ReleaseKernel)                                                                               \
    X(ReleaseMemObject)                                                                            \
    X(ReleaseProgram)                                                                              \
    X(SVMAlloc)                                                                                    \
    X(SVMFree)                                                                                     \
    X(SetKernelArg)                                                                                \
    X(SetKernelArgSVMPointer)                                                                      \
    X(SetKernelExecInfo)                                                                           \
    X(WaitForEvents)

typedef struct {
#define X(name) __typeof__(&cl##name) name;
    ICD_CALLS(X)
#undef X
} icd_t;

/* Constant once ocl_open() has succeeded. */
extern icd_t icd;

/* Loads the loader and looks up all entry points. False: says why. */
bool icd_open(void);
/* Unloads the loader. It looks for platforms only once, so that a loader that has found none must
 * go before the next try. */
void icd_close(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the interoperation with OpenCL. */
#ifndef ONEAPI_DNNL_DNNL_OCL_TYPES_H
#define ONEAPI_DNNL_DNNL_OCL_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

/// Where the tensors of a memory object are.
typedef enum {
    /// Behind pointers: Intel's unified shared memory or, where that is missing, shared virtual
    /// memory.
    dnnl_ocl_interop_usm,
    /// In buffers (`cl_mem`). The kind that dnnl_memory_create() makes.
    dnnl_ocl_interop_buffer,
} dnnl_ocl_interop_memory_kind_t;

#ifdef __cplusplus
}
#endif

#endif

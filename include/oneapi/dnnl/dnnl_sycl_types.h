/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the interoperation with SYCL. */
#ifndef ONEAPI_DNNL_DNNL_SYCL_TYPES_H
#define ONEAPI_DNNL_DNNL_SYCL_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

/// Where the tensors of a memory object are.
typedef enum {
    /// Behind pointers of unified shared memory. The kind that dnnl_memory_create() makes.
    dnnl_sycl_interop_usm,
    /// In buffers: `sycl::buffer<uint8_t, 1>`.
    dnnl_sycl_interop_buffer,
} dnnl_sycl_interop_memory_kind_t;

#ifdef __cplusplus
}
#endif

#endif

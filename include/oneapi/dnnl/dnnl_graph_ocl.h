/* SPDX-License-Identifier: Apache-2.0 */
/* Interoperation of the Graph API with OpenCL. */
#ifndef ONEAPI_DNNL_DNNL_GRAPH_OCL_H
#define ONEAPI_DNNL_DNNL_GRAPH_OCL_H

#include "oneapi/dnnl/dnnl_graph.h"

#ifndef DNNL_ZE_OWN_OPENCL // the library itself is built without the headers of OpenCL
#include <CL/cl.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// Names and arguments are oneDNN's.
///
/// ## Who owns what, and when it is freed
///
/// - Device, context, command queue, and the memory of tensors stay the program's, as dnnl_ocl.h
///   says. Tensors have pointers: USM, or SVM on a device without USM.
/// - The library allocates memory in three cases only: for a tensor with #DNNL_MEMORY_ALLOCATE, for
///   the scratchpad of an execution without one of the program, and for constants that their cache
///   keeps. All come from the allocator of the engine.
/// - An engine without an allocator of the program frees a scratchpad when the execution is done;
///   nothing waits for that. It waits for all streams of the engine before it frees other memory.
/// - The deallocation function of a program is called while the device may still work. It gets an
///   event, which is complete when the execution that used the memory is; NULL: no work of the
///   library uses the memory. The library releases the event after the call: the function waits for
///   it, or retains it and frees the memory later.

/// Allocates memory that the device can access.
///
/// @param size Bytes.
/// @param alignment Alignment in bytes; 0: the library needs none.
/// @param device Device of the engine.
/// @param context Context of the engine.
/// @returns A pointer of USM, or of SVM on a device without USM; NULL if there is no memory.
typedef void *(*dnnl_graph_ocl_allocate_f)(
        size_t size, size_t alignment, cl_device_id device, cl_context context);

/// Frees what a ::dnnl_graph_ocl_allocate_f allocated.
///
/// @param ptr Memory, never NULL.
/// @param device Device of the engine.
/// @param context Context of the engine.
/// @param event Event of the last work that uses the memory, or NULL.
typedef void (*dnnl_graph_ocl_deallocate_f)(
        void *ptr, cl_device_id device, cl_context context, cl_event event);

/// Creates an allocator.
///
/// @param allocator Receives the allocator; free it with dnnl_graph_allocator_destroy().
/// @param ocl_malloc Function that allocates.
/// @param ocl_free Function that frees. If either is NULL, the allocator is that of an engine
///     without one.
DNNL_API dnnl_status_t dnnl_graph_ocl_interop_allocator_create(dnnl_graph_allocator_t *allocator,
        dnnl_graph_ocl_allocate_f ocl_malloc, dnnl_graph_ocl_deallocate_f ocl_free);

/// Creates an engine as dnnl_ocl_interop_engine_create() does, with a copy of an allocator.
///
/// @param engine Receives the engine; free it with dnnl_engine_destroy().
/// @param device Device.
/// @param context Context that was created for the device.
/// @param alloc Allocator.
/// @returns As dnnl_ocl_interop_engine_create(); ::dnnl_unimplemented for an allocator of Level
///     Zero.
DNNL_API dnnl_status_t dnnl_graph_ocl_interop_make_engine_with_allocator(dnnl_engine_t *engine,
        cl_device_id device, cl_context context, const_dnnl_graph_allocator_t alloc);

/// Creates an engine as dnnl_ocl_interop_engine_create_from_cache_blob() does, with a copy of an
/// allocator.
///
/// @param engine Receives the engine; free it with dnnl_engine_destroy().
/// @param device Device the blob was written for.
/// @param context Context that was created for the device.
/// @param alloc Allocator.
/// @param size Size of the blob in bytes.
/// @param cache_blob Blob; copied.
DNNL_API dnnl_status_t dnnl_graph_ocl_interop_make_engine_from_cache_blob_with_allocator(
        dnnl_engine_t *engine, cl_device_id device, cl_context context,
        const_dnnl_graph_allocator_t alloc, size_t size, const uint8_t *cache_blob);

/// Executes a compiled partition, with events before and after it.
///
/// @param compiled_partition Compiled partition.
/// @param stream Stream.
/// @param num_inputs Number of inputs.
/// @param inputs Inputs, as for dnnl_graph_compiled_partition_execute().
/// @param num_outputs Number of outputs.
/// @param outputs Outputs.
/// @param deps Events to wait for; NULL if there are none.
/// @param ndeps Number of events.
/// @param return_event Receives an event that is complete when all is done, which the program
///     releases. May be NULL.
DNNL_API dnnl_status_t dnnl_graph_ocl_interop_compiled_partition_execute(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const cl_event *deps, int ndeps,
        cl_event *return_event);

/// The same with a scratchpad of the program.
///
/// @param compiled_partition Compiled partition.
/// @param stream Stream.
/// @param num_inputs Number of inputs.
/// @param inputs Inputs.
/// @param num_outputs Number of outputs.
/// @param outputs Outputs.
/// @param scratchpad Scratchpad, as for dnnl_graph_compiled_partition_execute_v2().
/// @param deps Events to wait for; NULL if there are none.
/// @param ndeps Number of events.
/// @param return_event Receives an event that is complete when all is done, which the program
///     releases. May be NULL.
DNNL_API dnnl_status_t dnnl_graph_ocl_interop_compiled_partition_execute_v2(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad,
        const cl_event *deps, int ndeps, cl_event *return_event);

#ifdef __cplusplus
}
#endif

#endif

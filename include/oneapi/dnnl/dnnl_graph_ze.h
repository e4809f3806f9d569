/* SPDX-License-Identifier: Apache-2.0 */
/* Interoperation of the Graph API with Level Zero. */
#ifndef ONEAPI_DNNL_DNNL_GRAPH_ZE_H
#define ONEAPI_DNNL_DNNL_GRAPH_ZE_H

#include "oneapi/dnnl/dnnl_graph.h"

#include <level_zero/ze_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// oneDNN has such functions for OpenCL and SYCL. These have the same arguments, in the same order.
///
/// ## Who owns what, and when it is freed
///
/// - Driver, device, context, command list, and the memory of tensors stay the program's, as
///   dnnl_ze.h says.
/// - The library allocates memory in three cases only: for a tensor with #DNNL_MEMORY_ALLOCATE, for
///   the scratchpad of an execution without one of the program, and for constants that their cache
///   keeps. All come from the allocator of the engine.
/// - An engine without an allocator of the program frees memory when the device is done with all
///   work that was submitted before.
/// - The deallocation function of a program is called while the device may still work. It gets an
///   event, which is signalled when the execution that used the memory is done; NULL: no work of
///   the library uses the memory. The event belongs to the stream and lives as long as the stream
///   does. The function may wait for it, or free the memory later; it must not destroy or reset the
///   event.
/// - A stream that records runs its commands again and again. An execution on it needs a scratchpad
///   of the program, which has to live as long as the recording.

/// Allocates memory that the device can access.
///
/// @param size Bytes.
/// @param alignment Alignment in bytes; 0: the library needs none.
/// @param device Device of the engine.
/// @param context Context of the engine.
/// @returns NULL if there is no memory.
typedef void *(*dnnl_graph_ze_allocate_f)(
        size_t size, size_t alignment, ze_device_handle_t device, ze_context_handle_t context);

/// Frees what a ::dnnl_graph_ze_allocate_f allocated.
///
/// @param ptr Memory, never NULL.
/// @param device Device of the engine.
/// @param context Context of the engine.
/// @param event Event of the last work that uses the memory, or NULL.
typedef void (*dnnl_graph_ze_deallocate_f)(
        void *ptr, ze_device_handle_t device, ze_context_handle_t context, ze_event_handle_t event);

/// Creates an allocator.
///
/// @param allocator Receives the allocator; free it with dnnl_graph_allocator_destroy().
/// @param ze_malloc Function that allocates.
/// @param ze_free Function that frees. If either is NULL, the allocator is that of an engine
///     without one.
DNNL_API dnnl_status_t dnnl_graph_ze_interop_allocator_create(dnnl_graph_allocator_t *allocator,
        dnnl_graph_ze_allocate_f ze_malloc, dnnl_graph_ze_deallocate_f ze_free);

/// Creates an engine as dnnl_ze_interop_engine_create() does, with a copy of an allocator.
///
/// @param engine Receives the engine; free it with dnnl_engine_destroy().
/// @param driver Driver that owns the device.
/// @param device Device, or a sub-device.
/// @param context Context of the driver.
/// @param alloc Allocator.
DNNL_API dnnl_status_t dnnl_graph_ze_interop_make_engine_with_allocator(dnnl_engine_t *engine,
        ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context,
        const_dnnl_graph_allocator_t alloc);

/// Creates an engine as dnnl_ze_interop_engine_create_from_cache_blob() does, with a copy of an
/// allocator.
///
/// @param engine Receives the engine; free it with dnnl_engine_destroy().
/// @param driver Driver that owns the device.
/// @param device Device the blob was written for.
/// @param context Context of the driver.
/// @param alloc Allocator.
/// @param size Size of the blob in bytes.
/// @param cache_blob Blob; copied.
DNNL_API dnnl_status_t dnnl_graph_ze_interop_make_engine_from_cache_blob_with_allocator(
        dnnl_engine_t *engine, ze_driver_handle_t driver, ze_device_handle_t device,
        ze_context_handle_t context, const_dnnl_graph_allocator_t alloc, size_t size,
        const uint8_t *cache_blob);

/// Executes a compiled partition, with events before and after it.
///
/// Note the order of the last arguments: dnnl_ze_interop_primitive_execute() has the number of
/// events before the events.
///
/// @param compiled_partition Compiled partition.
/// @param stream Stream.
/// @param num_inputs Number of inputs.
/// @param inputs Inputs, as for dnnl_graph_compiled_partition_execute().
/// @param num_outputs Number of outputs.
/// @param outputs Outputs.
/// @param deps Events to wait for; NULL if there are none.
/// @param ndeps Number of events.
/// @param return_event Receives an event that is signalled when all is done. It belongs to the
///     stream, as those of dnnl_ze_interop_primitive_execute(). May be NULL.
DNNL_API dnnl_status_t dnnl_graph_ze_interop_compiled_partition_execute(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const ze_event_handle_t *deps, int ndeps,
        ze_event_handle_t *return_event);

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
/// @param return_event Receives an event that is signalled when all is done. May be NULL.
DNNL_API dnnl_status_t dnnl_graph_ze_interop_compiled_partition_execute_v2(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad,
        const ze_event_handle_t *deps, int ndeps, ze_event_handle_t *return_event);

#ifdef __cplusplus
}
#endif

#endif

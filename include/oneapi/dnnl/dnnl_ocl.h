/* SPDX-License-Identifier: Apache-2.0 */
/* Interoperation with OpenCL: engines, streams, memory and execution on the application's own
 * objects. */
#ifndef ONEAPI_DNNL_DNNL_OCL_H
#define ONEAPI_DNNL_DNNL_OCL_H

#include "oneapi/dnnl/dnnl.h"

#include "oneapi/dnnl/dnnl_ocl_types.h"

#ifndef DNNL_ZE_OWN_OPENCL // the library itself is built without the headers of OpenCL
#include <CL/cl.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// The application owns its OpenCL device, context, command queue and memory; this library enqueues
/// its kernels between the application's own commands.
///
/// @code
/// dnnl_ocl_interop_engine_create(&engine, device, context);
/// dnnl_ocl_interop_stream_create(&stream, engine, queue);
/// dnnl_ocl_interop_memory_create(&mem, md, engine, dnnl_ocl_interop_buffer, buffer);
/// // ... create a primitive with the functions of dnnl.h ...
/// dnnl_ocl_interop_primitive_execute(primitive, stream, nargs, args, NULL, 0, NULL);
/// clEnqueueNDRangeKernel(queue, my_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
/// clFinish(queue);
/// @endcode
///
/// The device needs programs in SPIR-V (OpenCL 2.1 with an IL version, or `cl_khr_il_program`).
///
/// ## Who owns what
///
/// The library retains the context, the command queue and the buffers that it is given, and
/// releases them with its own objects. It uses pointers (USM or SVM) and never frees them. Objects
/// that the getters return are not retained for the application. A returned event is: the
/// application releases it with clReleaseEvent().
///
/// ## Order of work
///
/// - A stream on an in-order queue runs what is enqueued, by the library or by the application, one
///   after another.
/// - A stream on an out-of-order queue promises nothing about the order of two primitives unless
///   `deps` and `return_event` connect them. The steps of one primitive are ordered by the library.
/// - The library takes a lock of the stream while it enqueues. Nothing waits for the device unless
///   it is said; a pointer that the library allocated is freed when the device is done with it.
///
/// Engines of OpenCL and of Level Zero can be used side by side. Their objects do not mix: a
/// function that gets an object of the other runtime answers ::dnnl_invalid_arguments.

/// @name Engines
/// @{

/// Creates an engine on the application's device and context.
///
/// @param engine Receives the engine; free it with dnnl_engine_destroy().
/// @param device Device.
/// @param context Context that was created for the device, perhaps among others.
/// @returns ::dnnl_invalid_arguments for NULL, and for a context of other devices;
///     ::dnnl_unimplemented for a device that does not support SPIR-V.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_create(
        dnnl_engine_t *engine, cl_device_id device, cl_context context);

/// Creates an engine from what dnnl_ocl_interop_engine_get_cache_blob() wrote in an earlier run.
///
/// @param engine Receives the engine.
/// @param device Device that the blob was made for.
/// @param context Context that was created for the device.
/// @param size Size of the blob in bytes.
/// @param cache_blob Blob. Not needed after the call.
/// @returns As dnnl_ocl_interop_engine_create(); ::dnnl_invalid_arguments for a blob that is
///     damaged, or made by another device, driver or library version.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_create_from_cache_blob(dnnl_engine_t *engine,
        cl_device_id device, cl_context context, size_t size, const uint8_t *cache_blob);

/// Returns an identifier of device, driver and library version: a key for a persistent cache of
/// blobs.
///
/// @param device Device.
/// @param size Receives the size in bytes if @p cache_blob_id is NULL; else it has to be that size.
/// @param cache_blob_id Receives the identifier, or NULL.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob_id(
        cl_device_id device, size_t *size, uint8_t *cache_blob_id);

/// Returns a blob for dnnl_ocl_interop_engine_create_from_cache_blob().
///
/// @param engine Engine of OpenCL.
/// @param size Receives the size in bytes if @p cache_blob is NULL; else it has to be that size.
/// @param cache_blob Receives the blob, or NULL.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob(
        dnnl_engine_t engine, size_t *size, uint8_t *cache_blob);

/// Returns the context of an engine, not retained.
///
/// @param engine Engine of OpenCL.
/// @param context Receives the context.
DNNL_API dnnl_status_t dnnl_ocl_interop_engine_get_context(
        dnnl_engine_t engine, cl_context *context);

/// Returns the device of an engine.
///
/// @param engine Engine of OpenCL.
/// @param device Receives the device.
DNNL_API dnnl_status_t dnnl_ocl_interop_get_device(dnnl_engine_t engine, cl_device_id *device);
/// @}

/// @name Streams
/// @{

/// Creates a stream on the application's command queue.
///
/// The properties of the queue say whether the stream is in-order, and whether it profiles
/// (`CL_QUEUE_PROFILING_ENABLE`).
///
/// @param stream Receives the stream. dnnl_stream_destroy() waits for the queue.
/// @param engine Engine with the context and device of the queue.
/// @param queue Command queue. The application may enqueue to it as well.
/// @returns ::dnnl_invalid_arguments for NULL, and for a queue of another context or device.
DNNL_API dnnl_status_t dnnl_ocl_interop_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, cl_command_queue queue);

/// Returns the command queue of a stream, not retained.
///
/// @param stream Stream of an OpenCL engine.
/// @param queue Receives the queue.
DNNL_API dnnl_status_t dnnl_ocl_interop_stream_get_command_queue(
        dnnl_stream_t stream, cl_command_queue *queue);
/// @}

/// @name Memory
/// @{

/// Creates a memory object with one tensor behind a pointer or in a buffer.
///
/// @param memory Receives the memory object; free it with dnnl_memory_destroy().
/// @param memory_desc Descriptor with a known layout and known dimensions.
/// @param engine Engine of OpenCL.
/// @param memory_kind Kind of @p handle.
/// @param handle Pointer or `cl_mem`. #DNNL_MEMORY_NONE leaves it to
///     dnnl_memory_set_data_handle() or dnnl_ocl_interop_memory_set_mem_object();
///     #DNNL_MEMORY_ALLOCATE has the library allocate memory, which the memory object owns.
/// @returns ::dnnl_invalid_arguments for NULL, a descriptor of format `any`, with run-time
///     dimensions or of a host scalar, a pointer that the device cannot use, a buffer of another
///     context, and an allocation that ends before the tensor; ::dnnl_unimplemented for an
///     allocation of the USM kind on a device that has neither USM nor SVM.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        dnnl_ocl_interop_memory_kind_t memory_kind, void *handle);

/// Creates a memory object with several buffers, as sparse descriptors have.
///
/// @param memory Receives the memory object.
/// @param memory_desc Descriptor.
/// @param engine Engine of OpenCL.
/// @param memory_kind Kind of all handles.
/// @param nhandles Number of buffers; see ::dnnl_query_num_handles_s32.
/// @param handles A handle for each buffer.
/// @returns As dnnl_ocl_interop_memory_create(), and ::dnnl_invalid_arguments for another number of
///     buffers than the descriptor has.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_create_v2(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        dnnl_ocl_interop_memory_kind_t memory_kind, int nhandles, void **handles);

/// Returns the kind of a memory object.
///
/// @param memory Memory object of an OpenCL engine.
/// @param memory_kind Receives the kind.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_get_memory_kind(
        const_dnnl_memory_t memory, dnnl_ocl_interop_memory_kind_t *memory_kind);

/// Returns the first buffer of a memory object, not retained.
///
/// @param memory Memory object of kind ::dnnl_ocl_interop_buffer; NULL answers a NULL buffer.
/// @param mem_object Receives the buffer.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_get_mem_object(
        const_dnnl_memory_t memory, cl_mem *mem_object);

/// Replaces the first buffer of a memory object, and retains the new one.
///
/// @param memory Memory object of kind ::dnnl_ocl_interop_buffer.
/// @param mem_object Buffer of the engine's context that has room for the tensor, or NULL.
DNNL_API dnnl_status_t dnnl_ocl_interop_memory_set_mem_object(
        dnnl_memory_t memory, cl_mem mem_object);
/// @}

/// @name Execution
/// @{

/// Submits a primitive to a stream, with events before and after it.
///
/// The primitive begins when all of `deps` are complete and, on an in-order queue, what was
/// enqueued before is done. The call does not wait, unless executions are logged: then it waits for
/// the primitive, and logs its time.
///
/// @param primitive Primitive of the stream's engine.
/// @param stream Stream.
/// @param nargs Number of arguments.
/// @param args Arguments; see dnnl_primitive_execute(). Not needed after the call.
/// @param deps Events to wait for; NULL if @p ndeps is 0.
/// @param ndeps Number of events to wait for.
/// @param return_event Receives an event that is complete when the whole primitive is, which the
///     application releases; or NULL. Untouched when the call fails.
/// @returns As dnnl_primitive_execute(); also ::dnnl_invalid_arguments for a negative @p ndeps,
///     NULL @p deps where there are any, and a NULL event among them; ::dnnl_unimplemented for a
///     tensor that begins inside of its buffer where the device's buffers cannot begin.
DNNL_API dnnl_status_t dnnl_ocl_interop_primitive_execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args, const cl_event *deps,
        int ndeps, cl_event *return_event);
/// @}

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Interoperation with Level Zero: engines, streams, memory and execution on the application's
 * own objects. */
#ifndef ONEAPI_DNNL_DNNL_ZE_H
#define ONEAPI_DNNL_DNNL_ZE_H

#include "oneapi/dnnl/dnnl.h"

#include <level_zero/ze_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// The application owns its Level Zero driver, device, context, command list and memory; this
/// library submits its kernels to them between the application's own commands.
///
/// @code
/// dnnl_ze_interop_engine_create(&engine, driver, device, context);
/// dnnl_ze_interop_stream_create(&stream, engine, list, 0);
/// dnnl_ze_interop_memory_create(&mem, md, engine, 1, &usm_pointer);
/// // ... create a primitive with the functions of dnnl.h ...
/// dnnl_ze_interop_primitive_execute(primitive, stream, nargs, args, 0, NULL, NULL);
/// zeCommandListAppendLaunchKernel(list, my_kernel, &groups, NULL, 0, NULL);
/// dnnl_stream_wait(stream);
/// @endcode
///
/// ## Who owns what
///
/// Handles that come from the application (driver, device, context, command list, USM pointers,
/// events to wait for) are stored and used, never destroyed, reset or closed by the library.
///
/// | handle | has to live until |
/// | --- | --- |
/// | driver, device, context | the engine and all objects made with it are destroyed |
/// | command list | the stream is destroyed |
/// | USM pointer | the memory object lets go of it, and executions that use it have finished |
/// | event in `deps` | the execution that waits for it has finished |
///
/// Handles that the library hands out (`return_event`, and the getters of an engine's or a stream's
/// handles) belong to the library or to whoever created them. The application must not destroy
/// them.
///
/// Library objects may be destroyed in any order. Memory objects and primitives may also be
/// destroyed while the device works with them: buffers that the library allocated, scratchpads and
/// code live until the device is done. Buffers of the application are its own. A stream on a list
/// of the application must not be destroyed before the list is done; a stream of the library waits.
///
/// ## Processes
///
/// Level Zero's drivers do not survive fork(). In the child of a process that had used the library
/// (asked for engines, or created one), functions that need the device return ::dnnl_runtime_error
/// with a sentence in the log, and functions that destroy objects do nothing and return success.
/// Fork before the first engine, or call exec() in the child.
///
/// ## Order of work
///
/// - A stream on an in-order list runs everything appended to that list, by the library or by the
///   application, one after another. No events are needed between primitives, nor between
///   primitives and the application's own kernels.
/// - A stream on a list that is not in-order promises nothing about the order of two primitives
///   unless `deps` and `return_event` connect them. The steps of one primitive are ordered by the
///   library in either case.
/// - A stream on a regular list, one that is not immediate, records: primitives execute in the
///   order in which they were submitted, each time the application runs the list. See below.
/// - Work on different lists is ordered by events only. Put the event of one in the `deps` of the
///   other.
/// - The library takes a lock of the stream while it appends. An application that appends to the
///   same list from another thread at the same time has to keep the two apart, since Level Zero
///   command lists are not thread-safe.
/// - The functions of this header submit work and return; they wait for the device only where it is
///   said.
///
/// ## Recording
///
/// On a regular command list the functions that execute primitives append them, and nothing runs
/// until the application closes the list and gives it to a command queue, as often as it likes:
///
/// @code
/// dnnl_ze_interop_stream_create(&stream, engine, regular_list, 0);
/// dnnl_primitive_execute(primitive, stream, nargs, args); // ... the whole net ...
/// zeCommandListClose(regular_list);
/// for (;;) {
///     // new data in the same buffers
///     zeCommandQueueExecuteCommandLists(queue, 1, &regular_list, NULL);
///     zeCommandQueueSynchronize(queue, UINT64_MAX);
/// }
/// @endcode
///
/// - The order is that of the calls, whether the list is in-order or not; the library appends
///   barriers.
/// - Buffers, host scalars, run-time dimensions and the events in `deps` are recorded as they are
///   at the call. Every run waits for those events; to signal and reset them is the application's
///   task.
/// - A `return_event` is reset by each run before its primitive begins and signalled when that has
///   finished.
/// - The stream, the primitives, buffers and events have to live until the list has run for the
///   last time or is reset. Until then the list must not run twice at the same time: both runs
///   would use the same buffers and the stream's one scratchpad.
/// - dnnl_stream_wait() answers ::dnnl_invalid_arguments: synchronize with the queue. Profiling
///   reports times of the last run, which has to have finished; call dnnl_reset_profiling() after
///   zeCommandListReset() only.
/// - Loaders before 1.9 cannot tell a regular list from an immediate one. Under them, record into
///   an in-order list, do not wait for the stream, count on a `return_event` in the first run only,
///   and leave execution out of ONEDNN_VERBOSE and profiling off.
///
/// ## Differences from oneDNN
///
/// Programs written for oneDNN's Level Zero runtime run unchanged. On top of that, here:
///
/// | point | oneDNN | this library |
/// | --- | --- | --- |
/// | loader | needs zeInitDrivers | uses zeInitDrivers where the loader has it, zeInit otherwise |
/// | driver | Intel's, with an OpenCL device of the same UUID | any Level Zero driver |
/// | engine | takes a driver or context that does not fit the device | invalid_arguments |
/// | stream on a regular list | treated as an immediate one | records, where the loader can tell |
/// | flag out_of_order | the list is in-order all the same | the list is out of order |
/// | `return_event` | NULL on in-order streams | an event on every stream |
/// | number of events | 16384 in a stream's life | no limit |
///
/// ## Environment
///
/// The Level Zero loader is found at run time. On a machine without it, or without a driver,
/// dnnl_engine_get_count() answers 0 and constructors of engines answer ::dnnl_runtime_error with a
/// sentence in the verbose log.

/// @name Engines
/// @{

/// Creates an engine on the application's device and context.
///
/// @param engine Receives the engine; free it with dnnl_engine_destroy().
/// @param driver Driver that owns the device.
/// @param device Device, or a sub-device.
/// @param context Context of the driver, in which the library creates its modules, events and
///     memory.
/// @returns ::dnnl_invalid_arguments for NULL, for a device that is not the driver's, and for a
///     context that does not work with them; ::dnnl_runtime_error if the loader is missing or the
///     driver fails.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_create(dnnl_engine_t *engine,
        ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context);

/// Returns the context of an engine, the application's or the one that dnnl_engine_create() made.
///
/// @param engine Engine.
/// @param context Receives the context, which stays owned by whoever owned it.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_context(
        dnnl_engine_t engine, ze_context_handle_t *context);

/// Returns the device of an engine.
///
/// @param engine Engine.
/// @param device Receives the device.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_device(
        dnnl_engine_t engine, ze_device_handle_t *device);

/// Returns the driver of an engine.
///
/// @param engine Engine.
/// @param driver Receives the driver.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_driver(
        dnnl_engine_t engine, ze_driver_handle_t *driver);
/// @}

/// @name Engine cache
/// An engine blob holds what the library found out about a device, so that a later run need not.
/// The identifier says which device, driver and library version a blob is for: use it as a key or
/// file name, and compare nothing else. Both are byte strings without meaning to the application,
/// the same in every run on the same machine.
/// @{

/// Returns the identifier that engine blobs of a device have.
///
/// @param driver Driver that owns the device.
/// @param device Device.
/// @param size With a NULL @p cache_blob_id, receives the size in bytes; otherwise, the size of
///     the buffer.
/// @param cache_blob_id Buffer that receives the identifier, or NULL to ask for the size.
/// @returns ::dnnl_invalid_arguments for a device that is not the driver's or a buffer of the
///     wrong size.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_cache_blob_id(
        ze_driver_handle_t driver, ze_device_handle_t device, size_t *size, uint8_t *cache_blob_id);

/// Writes the blob of an engine.
///
/// @param engine Engine.
/// @param size With a NULL @p cache_blob, receives the size in bytes; otherwise, the size of
///     the buffer.
/// @param cache_blob Buffer that receives the blob, or NULL to ask for the size.
/// @returns ::dnnl_invalid_arguments for a buffer of the wrong size.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_cache_blob(
        dnnl_engine_t engine, size_t *size, uint8_t *cache_blob);

/// Creates an engine as dnnl_ze_interop_engine_create() does, from a blob of an earlier run.
///
/// @param engine Receives the engine; free it with dnnl_engine_destroy().
/// @param driver Driver that owns the device.
/// @param device Device the blob was written for.
/// @param context Context of the driver.
/// @param size Size of the blob in bytes.
/// @param cache_blob Blob; copied.
/// @returns ::dnnl_invalid_arguments as for dnnl_ze_interop_engine_create(), and for a blob
///     that is damaged, cut short, or made by another device, driver or library version.
DNNL_API dnnl_status_t dnnl_ze_interop_engine_create_from_cache_blob(dnnl_engine_t *engine,
        ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context,
        size_t size, const uint8_t *cache_blob);
/// @}

/// @name Streams
/// @{

/// Creates a stream that submits to the application's command list.
///
/// The stream is in-order when the list is. Where neither loader nor driver can tell whether it is,
/// the library counts on no order but the one between the steps of a primitive, which it makes sure
/// of by events. A stream on a regular list records what is executed on it. Whether a list is
/// immediate is asked of loaders that can tell (1.9 and newer).
///
/// @param stream Receives the stream; free it with dnnl_stream_destroy(), which leaves the list
///     as it is.
/// @param engine Engine with the context and device that the list was made for.
/// @param list Immediate command list, or a regular one that is not closed. The application may
///     append to it as well.
/// @param profiling Not 0: the library records kernel times, which dnnl_query_profiling_data()
///     reports. 0: it does not, and pays nothing for it.
/// @returns ::dnnl_invalid_arguments for NULL, and for a list that is known to be of another
///     context.
DNNL_API dnnl_status_t dnnl_ze_interop_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, ze_command_list_handle_t list, int profiling);

/// Returns the command list of a stream, the application's or the one that dnnl_stream_create()
/// made.
///
/// Commands appended to it take their place among the primitives of the stream.
///
/// @param stream Stream.
/// @param list Receives the list, which stays owned by whoever owned it.
DNNL_API dnnl_status_t dnnl_ze_interop_stream_get_list(
        dnnl_stream_t stream, ze_command_list_handle_t *list);
/// @}

/// @name Memory
/// @{

/// Creates a memory object on USM buffers of the application.
///
/// Every buffer is device, host or shared memory of the engine's context and at least as large as
/// dnnl_memory_desc_get_size_v2() says, and larger by the offset of a descriptor that has one. The
/// library compares with the allocation that the driver knows, here and in
/// dnnl_memory_set_data_handle_v2(), but not again when the application frees the allocation.
/// Pointers that no Level Zero allocation holds are accepted only where the device reads system
/// memory, that is, where its sharedSystemAllocCapabilities are not 0. Pointers into the middle of
/// an allocation are fine.
///
/// @param memory Receives the memory object; free it with dnnl_memory_destroy(), which does not
///     free the buffers.
/// @param memory_desc Descriptor with a known layout and known dimensions. NULL stands for an
///     empty one.
/// @param engine Engine.
/// @param nhandles Number of buffers: 1, or more for sparse descriptors; see
///     ::dnnl_query_num_handles_s32.
/// @param handles One pointer for each buffer. #DNNL_MEMORY_NONE leaves a buffer to
///     dnnl_memory_set_data_handle(); #DNNL_MEMORY_ALLOCATE has the library allocate device memory,
///     which the memory object owns.
/// @returns ::dnnl_invalid_arguments for a wrong number of buffers, a descriptor of format
///     `any`, one with runtime dimensions, one of a host scalar, a pointer that the device
///     cannot use, and an allocation that ends before the tensor; ::dnnl_out_of_memory if an
///     allocation fails.
DNNL_API dnnl_status_t dnnl_ze_interop_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine, int nhandles, void **handles);
/// @}

/// @name Execution
/// @{

/// Submits a primitive to a stream, with events before and after it.
///
/// The primitive begins when all of `deps` are signalled and, on an in-order stream, what was
/// appended to the list before is done. The call returns without waiting for either.
///
/// `*return_event` receives an event that is signalled when the whole primitive is done, on
/// in-order streams too. It belongs to the stream and is valid until dnnl_stream_destroy(): it can
/// be waited for on any list of the same context and on the host (zeEventHostSynchronize), queried,
/// and passed in other calls' `deps`, any number of times; it must not be destroyed, reset or
/// signalled by the application. A stream may return any number of events. Each costs a little
/// memory until the stream is gone, so ask for those that are needed: with a NULL `return_event` no
/// event is created.
///
/// A primitive with nothing to do (a dimension is 0) also waits for `deps` and signals its event.
///
/// @param primitive Primitive of the stream's engine.
/// @param stream Stream.
/// @param nargs Number of arguments.
/// @param args Arguments; see dnnl_primitive_execute(). Not needed after the call.
/// @param ndeps Number of events to wait for.
/// @param deps Events to wait for, of the application or returned by a stream; NULL if @p ndeps
///     is 0. Not needed after the call, but the events themselves are, until they were waited for.
/// @param return_event Receives the event, or NULL if none is wanted. Untouched when the call
///     fails.
/// @returns As dnnl_primitive_execute(); also ::dnnl_invalid_arguments for a negative @p ndeps,
///     NULL @p deps where there are any, and a NULL event among them.
DNNL_API dnnl_status_t dnnl_ze_interop_primitive_execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args, int ndeps,
        const ze_event_handle_t *deps, ze_event_handle_t *return_event);
/// @}

#ifdef __cplusplus
}
#endif

#endif

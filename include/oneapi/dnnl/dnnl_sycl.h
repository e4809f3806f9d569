/* SPDX-License-Identifier: Apache-2.0 */
/* Interoperation with SYCL: engines, streams, memory and execution on the application's own
 * objects. */
#ifndef ONEAPI_DNNL_DNNL_SYCL_H
#define ONEAPI_DNNL_DNNL_SYCL_H

#include "oneapi/dnnl/dnnl.h"

#include "oneapi/dnnl/dnnl_sycl_types.h"

/// @file
/// Names and arguments are oneDNN's. Objects of SYCL are passed as pointers to `sycl::device`,
/// `sycl::context`, `sycl::queue`, `sycl::buffer<uint8_t, 1>`, `sycl::event`, and
/// `std::vector<sycl::event>`.
///
/// The functions are inline functions of this header, compiled into the program, so that the
/// library itself does not depend on SYCL. They exist in C++17 and where `sycl/sycl.hpp` is found;
/// in C and without SYCL, the header has the types only. dnnl_sycl.hpp has the same in C++.
///
/// ## Who owns what
///
/// An engine has copies of its device and context, a stream one of its queue, and a memory object
/// one of its buffer: SYCL counts references. They live and end with the object of the library.
/// What the getters return points to these copies. Pointers of unified shared memory stay the
/// application's. dnnl_stream_destroy() waits for the queue.
///
/// ## Order of work
///
/// - A primitive is a command of the stream's queue, as a kernel that the application submits. On
///   an in-order queue it runs after all that was submitted before, and before all that is
///   submitted later: kernels, copies, host tasks and primitives.
/// - On an out-of-order queue events connect primitives: `deps` and `return_event`. Buffers do so
///   without events, as they do for the application's own commands.
/// - `queue::wait()` and dnnl_stream_wait() wait for primitives.
/// - Threads may execute on one stream at the same time, and use its queue. One exception: where an
///   in-order queue has an in-order command list of Level Zero, primitives are appended to that
///   list, which is not thread-safe. Then one thread at a time submits to the queue.
/// - Primitives whose arguments have buffers, and those that wait for a host task, are executed by
///   a host task. Such a primitive needs the memory objects whose buffers the library allocated
///   until it is done, and a failure is reported by the queue's asynchronous handler. A graph's
///   partition waits for such host tasks in the call.

#if defined(__cplusplus) && defined(__has_include)
#if __cplusplus >= 201703L && __has_include(<sycl/sycl.hpp>)
#include "oneapi/dnnl/dnnl_sycl_layer.hpp"

extern "C" {

/// @name Engines
/// @{

/// Creates an engine on the application's device and context.
///
/// @param engine Receives the engine; free it with dnnl_engine_destroy().
/// @param device Pointer to a `sycl::device` of Level Zero or OpenCL.
/// @param context Pointer to a `sycl::context` of the device.
/// @returns ::dnnl_invalid_arguments for NULL and for a context of other devices;
///     ::dnnl_unimplemented for devices of other backends, and as
///     dnnl_ocl_interop_engine_create(); ::dnnl_runtime_error if SYCL fails.
inline dnnl_status_t dnnl_sycl_interop_engine_create(
        dnnl_engine_t *engine, const void *device, const void *context) {
    return dnnl::sycl_layer::guarded([&] {
        using namespace dnnl::sycl_layer;
        check_pointer(engine, "the place of the engine is NULL");
        check_pointer(device, "the SYCL device is NULL");
        check_pointer(context, "the SYCL context is NULL");
        create_engine(engine, *static_cast<const ::sycl::device *>(device),
                *static_cast<const ::sycl::context *>(context));
    });
}

/// Returns the context of an engine.
///
/// @param engine Any engine. One that was not made from SYCL's objects gets such objects, which
///     refer to its native ones.
/// @param context Receives a pointer to a `sycl::context` that lives as long as the engine.
inline dnnl_status_t dnnl_sycl_interop_engine_get_context(dnnl_engine_t engine, void **context) {
    return dnnl::sycl_layer::guarded([&] {
        dnnl::sycl_layer::check_pointer(context, "the place of the SYCL context is NULL");
        *context = &dnnl::sycl_layer::data_of(engine).context;
    });
}

/// Returns the device of an engine.
///
/// @param engine Any engine.
/// @param device Receives a pointer to a `sycl::device` that lives as long as the engine.
inline dnnl_status_t dnnl_sycl_interop_engine_get_device(dnnl_engine_t engine, void **device) {
    return dnnl::sycl_layer::guarded([&] {
        dnnl::sycl_layer::check_pointer(device, "the place of the SYCL device is NULL");
        *device = &dnnl::sycl_layer::data_of(engine).device;
    });
}
/// @}

/// @name Streams
/// @{

/// Creates a stream on the application's queue.
///
/// The properties of the queue say whether the stream is in-order and whether it profiles.
///
/// @param stream Receives the stream; free it with dnnl_stream_destroy().
/// @param engine Engine of the queue's device and context.
/// @param queue Pointer to a `sycl::queue`.
/// @returns ::dnnl_invalid_arguments for NULL and for a queue of another device or context.
inline dnnl_status_t dnnl_sycl_interop_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, void *queue) {
    return dnnl::sycl_layer::guarded([&] {
        dnnl::sycl_layer::check_pointer(stream, "the place of the stream is NULL");
        dnnl::sycl_layer::check_pointer(queue, "the SYCL queue is NULL");
        dnnl::sycl_layer::create_stream(stream, engine, *static_cast<const ::sycl::queue *>(queue));
    });
}

/// Returns the queue of a stream.
///
/// @param stream Any stream. One that was not made from a queue gets an in-order one, once: the
///     call waits for the stream, and no other thread may use it in the meantime.
/// @param queue Receives a pointer to a `sycl::queue` that lives as long as the stream.
inline dnnl_status_t dnnl_sycl_interop_stream_get_queue(dnnl_stream_t stream, void **queue) {
    return dnnl::sycl_layer::guarded([&] {
        dnnl::sycl_layer::check_pointer(queue, "the place of the SYCL queue is NULL");
        *queue = &dnnl::sycl_layer::data_of(stream).queue();
    });
}
/// @}

/// @name Memory
/// @{

/// Creates a memory object.
///
/// @param memory Receives the memory object; free it with dnnl_memory_destroy().
/// @param memory_desc Descriptor with a known layout and known dimensions.
/// @param engine Engine.
/// @param memory_kind Kind of the handles.
/// @param nhandles Number of handles: 1, or more for sparse descriptors with pointers.
/// @param handles Pointers, or pointers to `sycl::buffer<uint8_t, 1>`. #DNNL_MEMORY_ALLOCATE has
///     the library allocate; #DNNL_MEMORY_NONE leaves it for later.
/// @returns As dnnl_ze_interop_memory_create(); ::dnnl_invalid_arguments for a buffer that is
///     smaller than the descriptor; ::dnnl_unimplemented for several buffers.
inline dnnl_status_t dnnl_sycl_interop_memory_create_v2(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        dnnl_sycl_interop_memory_kind_t memory_kind, int nhandles, void **handles) {
    return dnnl::sycl_layer::guarded([&] {
        dnnl::sycl_layer::create_memory(
                memory, memory_desc, engine, memory_kind, nhandles, handles);
    });
}

/// Creates a memory object of one handle, as dnnl_sycl_interop_memory_create_v2() does.
///
/// @param memory Receives the memory object.
/// @param memory_desc Descriptor.
/// @param engine Engine.
/// @param memory_kind Kind of the handle.
/// @param handle Handle.
inline dnnl_status_t dnnl_sycl_interop_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        dnnl_sycl_interop_memory_kind_t memory_kind, void *handle) {
    return dnnl_sycl_interop_memory_create_v2(memory, memory_desc, engine, memory_kind, 1, &handle);
}

/// Returns the kind of a memory object.
///
/// @param memory Memory object.
/// @param memory_kind Receives the kind.
inline dnnl_status_t dnnl_sycl_interop_memory_get_memory_kind(
        const_dnnl_memory_t memory, dnnl_sycl_interop_memory_kind_t *memory_kind) {
    return dnnl::sycl_layer::guarded([&] {
        dnnl::sycl_layer::check_pointer(memory_kind, "the place of the kind is NULL");
        *memory_kind = dnnl::sycl_layer::data_of(memory) ? dnnl_sycl_interop_buffer
                                                         : dnnl_sycl_interop_usm;
    });
}

/// Gives a memory object a buffer, in place of the pointer or the buffer that it had.
///
/// @param memory Memory object.
/// @param buffer Pointer to a `sycl::buffer<uint8_t, 1>`.
/// @returns ::dnnl_invalid_arguments for NULL, and for a buffer that is smaller than the
///     descriptor.
inline dnnl_status_t dnnl_sycl_interop_memory_set_buffer(dnnl_memory_t memory, void *buffer) {
    return dnnl::sycl_layer::guarded([&] {
        dnnl::sycl_layer::check_pointer(buffer, "the SYCL buffer is NULL");
        dnnl::sycl_layer::set_buffer(
                memory, static_cast<const dnnl::sycl_layer::bytes_t *>(buffer));
    });
}
/// @}

/// @name Execution
/// @{

/// Submits a primitive to a stream, with events before and after it.
///
/// @param primitive Primitive of the stream's engine.
/// @param stream Any stream; see dnnl_sycl_interop_stream_get_queue().
/// @param nargs Number of arguments.
/// @param args Arguments. Not needed after the call.
/// @param deps Pointer to a `std::vector<sycl::event>` to wait for, or NULL.
/// @param return_event Pointer to a `sycl::event` that receives the event of the primitive, or
///     NULL. Untouched when the call fails.
/// @returns As dnnl_primitive_execute(); ::dnnl_unimplemented while the queue records a graph of
///     SYCL.
inline dnnl_status_t dnnl_sycl_interop_primitive_execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args, const void *deps,
        void *return_event) {
    return dnnl::sycl_layer::guarded([&] {
        using events_t = std::vector<::sycl::event>;
        const ::sycl::event done = dnnl::sycl_layer::data_of(stream).execute(
                primitive, nargs, args, deps ? *static_cast<const events_t *>(deps) : events_t());
        if (return_event) *static_cast<::sycl::event *>(return_event) = done;
    });
}
/// @}

} // extern "C"
#endif
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* C++: interoperation with OpenCL. */
#ifndef ONEAPI_DNNL_DNNL_OCL_HPP
#define ONEAPI_DNNL_DNNL_OCL_HPP

#include "oneapi/dnnl/dnnl.hpp"

#include "oneapi/dnnl/dnnl_ocl.h"

namespace dnnl {

/// Engines, streams and memory on the application's own OpenCL objects, and the OpenCL objects of
/// those that the library made.
///
/// dnnl_ocl.h has the rules: the library retains what it is given, and does not retain what these
/// functions return, except for the event of execute(), which the application releases.
namespace ocl_interop {

/// Where the tensors of a memory object are.
enum class memory_kind {
    /// Behind pointers.
    usm = dnnl_ocl_interop_usm,
    /// In buffers: the default.
    buffer = dnnl_ocl_interop_buffer,
};

/// Converts a kind to its value in C.
inline dnnl_ocl_interop_memory_kind_t convert_to_c(memory_kind akind) {
    return static_cast<dnnl_ocl_interop_memory_kind_t>(akind);
}

/// Creates an engine.
///
/// @param device Device.
/// @param context Context that was created for the device.
inline engine make_engine(cl_device_id device, cl_context context) {
    return engine(detail::create(
            "could not create an engine", false, dnnl_ocl_interop_engine_create, device, context));
}

/// Creates an engine from what get_engine_cache_blob() returned in an earlier run.
///
/// @param device Device the blob was made for.
/// @param context Context that was created for the device.
/// @param cache_blob Blob.
inline engine make_engine(
        cl_device_id device, cl_context context, const std::vector<uint8_t> &cache_blob) {
    return engine(detail::create("could not create an engine from a cache blob", false,
            dnnl_ocl_interop_engine_create_from_cache_blob, device, context, cache_blob.size(),
            cache_blob));
}

/// Returns the identifier that engine blobs of a device have: a key for a persistent cache.
inline std::vector<uint8_t> get_engine_cache_blob_id(cl_device_id device) {
    return detail::get_blob("could not get the cache blob identifier of a device",
            dnnl_ocl_interop_engine_get_cache_blob_id, device);
}

/// Returns the blob of an engine.
inline std::vector<uint8_t> get_engine_cache_blob(const engine &aengine) {
    return detail::get_blob("could not get the cache blob of an engine",
            dnnl_ocl_interop_engine_get_cache_blob, aengine);
}

/// Returns the context of an engine.
inline cl_context get_context(const engine &aengine) {
    return detail::get<cl_context>(
            "could not get the context of an engine", dnnl_ocl_interop_engine_get_context, aengine);
}

/// Returns the device of an engine.
inline cl_device_id get_device(const engine &aengine) {
    return detail::get<cl_device_id>(
            "could not get the device of an engine", dnnl_ocl_interop_get_device, aengine);
}

/// Creates a stream on a command queue.
///
/// @param aengine Engine with the queue's context and device.
/// @param queue Command queue, whose properties decide whether the stream is in order and profiles.
inline stream make_stream(const engine &aengine, cl_command_queue queue) {
    return stream(detail::create(
            "could not create a stream", false, dnnl_ocl_interop_stream_create, aengine, queue));
}

/// Returns the command queue of a stream.
inline cl_command_queue get_command_queue(const stream &astream) {
    return detail::get<cl_command_queue>("could not get the command queue of a stream",
            dnnl_ocl_interop_stream_get_command_queue, astream);
}

/// Returns the buffer of a memory object.
inline cl_mem get_mem_object(const memory &amemory) {
    return detail::get<cl_mem>("could not get the buffer of a memory object",
            dnnl_ocl_interop_memory_get_mem_object, amemory);
}

/// Replaces the buffer of a memory object.
inline void set_mem_object(memory &amemory, cl_mem mem_object) {
    error::wrap_c_api(dnnl_ocl_interop_memory_set_mem_object(amemory.get(), mem_object),
            "could not set the buffer of a memory object");
}

/// Returns the kind of a memory object.
inline memory_kind get_memory_kind(const memory &amemory) {
    return static_cast<memory_kind>(
            detail::get<dnnl_ocl_interop_memory_kind_t>("could not get the kind of a memory object",
                    dnnl_ocl_interop_memory_get_memory_kind, amemory));
}

/// Creates a memory object.
///
/// @param memory_desc Memory descriptor.
/// @param aengine Engine.
/// @param kind Kind of the handles.
/// @param handles One handle for each buffer of the descriptor; #DNNL_MEMORY_ALLOCATE and
///     #DNNL_MEMORY_NONE may be among them. None at all: the library allocates all buffers.
inline memory make_memory(const memory::desc &memory_desc, const engine &aengine, memory_kind kind,
        std::vector<void *> handles = {}) {
    if (handles.empty())
        handles.assign(static_cast<size_t>(memory_desc.get_num_handles()), DNNL_MEMORY_ALLOCATE);
    return memory(detail::create("could not create a memory object", false,
            dnnl_ocl_interop_memory_create_v2, memory_desc, aengine, convert_to_c(kind),
            handles.size(), handles.data()));
}

/// Creates a memory object of one buffer.
///
/// @param memory_desc Memory descriptor.
/// @param aengine Engine.
/// @param kind Kind of the handle.
/// @param handle Pointer, buffer, #DNNL_MEMORY_ALLOCATE, or #DNNL_MEMORY_NONE.
inline memory make_memory(
        const memory::desc &memory_desc, const engine &aengine, memory_kind kind, void *handle) {
    return make_memory(memory_desc, aengine, kind, std::vector<void *>{handle});
}

/// Creates a memory object on buffers.
///
/// @param memory_desc Memory descriptor.
/// @param aengine Engine.
/// @param mem_objects A buffer for each one of the descriptor.
inline memory make_memory(
        const memory::desc &memory_desc, const engine &aengine, std::vector<cl_mem> mem_objects) {
    return make_memory(memory_desc, aengine, memory_kind::buffer,
            std::vector<void *>(mem_objects.begin(), mem_objects.end()));
}

/// Creates a memory object on one buffer.
inline memory make_memory(
        const memory::desc &memory_desc, const engine &aengine, cl_mem mem_object) {
    return make_memory(memory_desc, aengine, std::vector<cl_mem>{mem_object});
}

/// Submits a primitive to a stream.
///
/// @param aprimitive Primitive.
/// @param astream Stream of the primitive's engine.
/// @param args Memory objects by DNNL_ARG_ number.
/// @param deps Events that the primitive waits for.
/// @returns An event that is complete when the primitive is. The application releases it.
inline cl_event execute(const primitive &aprimitive, const stream &astream,
        const std::unordered_map<int, memory> &args, const std::vector<cl_event> &deps = {}) {
    const std::vector<dnnl_exec_arg_t> c_args = detail::exec_args(args);
    return detail::get<cl_event>("could not execute a primitive",
            dnnl_ocl_interop_primitive_execute, aprimitive, astream, c_args.size(), c_args, deps,
            deps.size());
}

} // namespace ocl_interop
} // namespace dnnl

#endif

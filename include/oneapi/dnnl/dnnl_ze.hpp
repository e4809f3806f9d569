/* SPDX-License-Identifier: Apache-2.0 */
/* C++: interoperation with Level Zero. */
#ifndef ONEAPI_DNNL_DNNL_ZE_HPP
#define ONEAPI_DNNL_DNNL_ZE_HPP

#include "oneapi/dnnl/dnnl.hpp"

#include "oneapi/dnnl/dnnl_ze.h"

namespace dnnl {

/// Engines, streams and memory on the application's own Level Zero objects, and the Level Zero
/// objects of those that the library made.
///
/// @code
/// dnnl::engine eng = dnnl::ze_interop::make_engine(driver, device, context); dnnl::stream strm =
/// dnnl::ze_interop::make_stream(eng, list); dnnl::memory mem = dnnl::ze_interop::make_memory(md,
/// eng, usm_pointer); ze_event_handle_t done = dnnl::ze_interop::execute(prim, strm,
/// {{DNNL_ARG_SRC, mem}, ...}, {uploaded});
/// @endcode
///
/// dnnl_ze.h has the rules: handles that the application passes in are used and never destroyed,
/// and have to outlive what was made from them; handles that these functions return are not the
/// application's to destroy.
namespace ze_interop {

/// Creates an engine.
///
/// @param driver Driver that owns the device.
/// @param device Device or sub-device.
/// @param context Context of the driver.
inline engine make_engine(
        ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context) {
    return engine(detail::create("could not create an engine", false, dnnl_ze_interop_engine_create,
            driver, device, context));
}

/// Creates an engine from what get_engine_cache_blob() returned in an earlier run.
///
/// @param driver Driver that owns the device.
/// @param device Device the blob was made for.
/// @param context Context of the driver.
/// @param cache_blob Blob.
inline engine make_engine(ze_driver_handle_t driver, ze_device_handle_t device,
        ze_context_handle_t context, const std::vector<uint8_t> &cache_blob) {
    return engine(detail::create("could not create an engine from a cache blob", false,
            dnnl_ze_interop_engine_create_from_cache_blob, driver, device, context,
            cache_blob.size(), cache_blob));
}

/// Returns the driver of an engine.
inline ze_driver_handle_t get_driver(const engine &aengine) {
    return detail::get<ze_driver_handle_t>(
            "could not get the driver of an engine", dnnl_ze_interop_engine_get_driver, aengine);
}

/// Returns the device of an engine.
inline ze_device_handle_t get_device(const engine &aengine) {
    return detail::get<ze_device_handle_t>(
            "could not get the device of an engine", dnnl_ze_interop_engine_get_device, aengine);
}

/// Returns the context of an engine.
inline ze_context_handle_t get_context(const engine &aengine) {
    return detail::get<ze_context_handle_t>(
            "could not get the context of an engine", dnnl_ze_interop_engine_get_context, aengine);
}

/// Returns the identifier that engine blobs of a device have: a key for a persistent cache.
inline std::vector<uint8_t> get_engine_cache_blob_id(
        ze_driver_handle_t driver, ze_device_handle_t device) {
    return detail::get_blob("could not get the cache blob identifier of a device",
            dnnl_ze_interop_engine_get_cache_blob_id, driver, device);
}

/// Returns the blob of an engine.
inline std::vector<uint8_t> get_engine_cache_blob(const engine &aengine) {
    return detail::get_blob("could not get the cache blob of an engine",
            dnnl_ze_interop_engine_get_cache_blob, aengine);
}

/// Creates a stream that submits to a command list.
///
/// @param aengine Engine with the list's context and device.
/// @param list Immediate command list, which decides whether the stream is in order, or a
///     regular one, on which the stream records.
/// @param profiling Whether kernel times are recorded.
inline stream make_stream(
        const engine &aengine, ze_command_list_handle_t list, bool profiling = false) {
    return stream(detail::create("could not create a stream", false, dnnl_ze_interop_stream_create,
            aengine, list, profiling));
}

/// Returns the command list of a stream.
inline ze_command_list_handle_t get_list(const stream &astream) {
    return detail::get<ze_command_list_handle_t>(
            "could not get the command list of a stream", dnnl_ze_interop_stream_get_list, astream);
}

/// Creates a memory object on USM buffers.
///
/// @param md Memory descriptor.
/// @param aengine Engine.
/// @param handles One pointer for each buffer of the descriptor; #DNNL_MEMORY_ALLOCATE and
///     #DNNL_MEMORY_NONE may be among them. None at all: the library allocates all buffers.
inline memory make_memory(
        const memory::desc &md, const engine &aengine, std::vector<void *> handles = {}) {
    if (handles.empty())
        handles.assign(static_cast<size_t>(md.get_num_handles()), DNNL_MEMORY_ALLOCATE);
    return memory(detail::create("could not create a memory object", false,
            dnnl_ze_interop_memory_create, md, aengine, handles.size(), handles.data()));
}

/// Creates a memory object on one USM buffer.
///
/// @param md Memory descriptor.
/// @param aengine Engine.
/// @param handle USM pointer, #DNNL_MEMORY_ALLOCATE, or #DNNL_MEMORY_NONE.
inline memory make_memory(const memory::desc &md, const engine &aengine, void *handle) {
    return make_memory(md, aengine, std::vector<void *>{handle});
}

/// Submits a primitive to a stream.
///
/// @param aprimitive Primitive.
/// @param astream Stream of the primitive's engine.
/// @param args Memory objects by DNNL_ARG_ number.
/// @param deps Events that the primitive waits for.
/// @returns An event that is signalled when the primitive is done. It belongs to the stream and
///     is valid as long as that lives.
inline ze_event_handle_t execute(const primitive &aprimitive, const stream &astream,
        const std::unordered_map<int, memory> &args,
        const std::vector<ze_event_handle_t> &deps = {}) {
    const std::vector<dnnl_exec_arg_t> c_args = detail::exec_args(args);
    return detail::get<ze_event_handle_t>("could not execute a primitive",
            dnnl_ze_interop_primitive_execute, aprimitive, astream, c_args.size(), c_args,
            deps.size(), deps);
}

} // namespace ze_interop
} // namespace dnnl

#endif

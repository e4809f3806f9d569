/* SPDX-License-Identifier: Apache-2.0 */
/* C++: interoperation with SYCL. */
#ifndef ONEAPI_DNNL_DNNL_SYCL_HPP
#define ONEAPI_DNNL_DNNL_SYCL_HPP

#include <sycl/sycl.hpp>

#include "oneapi/dnnl/dnnl.hpp"

#include "oneapi/dnnl/dnnl_sycl.h"

namespace dnnl {

/// Engines, streams and memory on the application's own SYCL objects, and the SYCL objects of those
/// that the library made.
///
/// dnnl_sycl.h has the rules: who owns what, and what runs in which order.
namespace sycl_interop {

/// Where the tensors of a memory object are.
enum class memory_kind {
    /// Behind pointers: the default.
    usm = dnnl_sycl_interop_usm,
    /// In buffers.
    buffer = dnnl_sycl_interop_buffer,
};

/// Converts a kind to its value in C.
inline dnnl_sycl_interop_memory_kind_t convert_to_c(memory_kind akind) {
    return static_cast<dnnl_sycl_interop_memory_kind_t>(akind);
}

/// Creates an engine.
///
/// @param adevice Device of Level Zero or OpenCL.
/// @param acontext Context of the device.
inline engine make_engine(const ::sycl::device &adevice, const ::sycl::context &acontext) {
    return engine(detail::create("could not create an engine", false,
            dnnl_sycl_interop_engine_create, &adevice, &acontext));
}

/// Returns the context of an engine.
inline ::sycl::context get_context(const engine &aengine) {
    return *static_cast<::sycl::context *>(detail::get<void *>("could not get the context of an "
                                                               "engine",
            dnnl_sycl_interop_engine_get_context, aengine));
}

/// Returns the device of an engine.
inline ::sycl::device get_device(const engine &aengine) {
    return *static_cast<::sycl::device *>(detail::get<void *>(
            "could not get the device of an engine", dnnl_sycl_interop_engine_get_device, aengine));
}

/// Creates a stream on a queue.
///
/// @param aengine Engine of the queue's device and context.
/// @param aqueue Queue, whose properties decide whether the stream is in order and profiles.
inline stream make_stream(const engine &aengine, ::sycl::queue &aqueue) {
    return stream(detail::create(
            "could not create a stream", false, dnnl_sycl_interop_stream_create, aengine, &aqueue));
}

/// Returns the queue of a stream.
inline ::sycl::queue get_queue(const stream &astream) {
    return *static_cast<::sycl::queue *>(detail::get<void *>(
            "could not get the queue of a stream", dnnl_sycl_interop_stream_get_queue, astream));
}

/// Returns the buffer of a memory object, as one of elements of type T.
///
/// @param amemory Memory object of kind buffer. One without a buffer: a new buffer of one element.
template <typename T, int ndims = 1>::sycl::buffer<T, ndims> get_buffer(const memory &amemory) {
    static_assert(ndims == 1, "buffers of memory objects have one dimension");
    const char *message = "could not get the buffer of a memory object";
    if (detail::get<dnnl_sycl_interop_memory_kind_t>(message,
                dnnl_sycl_interop_memory_get_memory_kind, amemory) != dnnl_sycl_interop_buffer)
        DNNL_THROW_ERROR(dnnl_invalid_arguments, message);
    void *handle = amemory.get_data_handle();
    if (!handle) return ::sycl::buffer<T, ndims>(::sycl::range<1>(1));
    auto &bytes = *static_cast<::sycl::buffer<uint8_t, 1> *>(handle);
    return bytes.template reinterpret<T, 1>(::sycl::range<1>(bytes.byte_size() / sizeof(T)));
}

/// Gives a memory object a buffer.
///
/// @param amemory Memory object.
/// @param abuffer Buffer of at least as many bytes as the memory descriptor has.
template <typename T, int ndims>
void set_buffer(memory &amemory, ::sycl::buffer<T, ndims> &abuffer) {
    auto bytes = abuffer.template reinterpret<uint8_t, 1>(::sycl::range<1>(abuffer.byte_size()));
    error::wrap_c_api(dnnl_sycl_interop_memory_set_buffer(amemory.get(), &bytes),
            "could not set the buffer of a memory object");
}

/// Returns the kind of a memory object.
inline memory_kind get_memory_kind(const memory &amemory) {
    return static_cast<memory_kind>(detail::get<dnnl_sycl_interop_memory_kind_t>(
            "could not get the kind of a memory object", dnnl_sycl_interop_memory_get_memory_kind,
            amemory));
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
            dnnl_sycl_interop_memory_create_v2, memory_desc, aengine, convert_to_c(kind),
            handles.size(), handles.data()));
}

/// Creates a memory object of one handle.
///
/// @param memory_desc Memory descriptor.
/// @param aengine Engine.
/// @param kind Kind of the handle.
/// @param handle Pointer, pointer to a `sycl::buffer<uint8_t, 1>`, #DNNL_MEMORY_ALLOCATE, or
///     #DNNL_MEMORY_NONE.
inline memory make_memory(
        const memory::desc &memory_desc, const engine &aengine, memory_kind kind, void *handle) {
    return make_memory(memory_desc, aengine, kind, std::vector<void *>{handle});
}

/// Creates a memory object on a buffer.
///
/// @param memory_desc Memory descriptor.
/// @param aengine Engine.
/// @param abuffer Buffer of at least as many bytes as the memory descriptor has.
template <typename T, int ndims = 1>
memory make_memory(
        const memory::desc &memory_desc, const engine &aengine, ::sycl::buffer<T, ndims> &abuffer) {
    memory amemory(memory_desc, aengine, DNNL_MEMORY_NONE);
    set_buffer(amemory, abuffer);
    return amemory;
}

/// Submits a primitive to a stream.
///
/// @param aprimitive Primitive.
/// @param astream Stream of the primitive's engine.
/// @param args Memory objects by DNNL_ARG_ number.
/// @param deps Events that the primitive waits for.
/// @returns An event that is complete when the primitive is.
inline ::sycl::event execute(const primitive &aprimitive, const stream &astream,
        const std::unordered_map<int, memory> &args, const std::vector<::sycl::event> &deps = {}) {
    const std::vector<dnnl_exec_arg_t> c_args = detail::exec_args(args);
    ::sycl::event done;
    detail::call("could not execute a primitive", dnnl_sycl_interop_primitive_execute, aprimitive,
            astream, c_args.size(), c_args, &deps, &done);
    return done;
}

} // namespace sycl_interop
} // namespace dnnl

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Interoperation of the Graph API with SYCL. */
#ifndef ONEAPI_DNNL_DNNL_GRAPH_SYCL_H
#define ONEAPI_DNNL_DNNL_GRAPH_SYCL_H

#include "oneapi/dnnl/dnnl_graph.h"

#include "oneapi/dnnl/dnnl_sycl.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// Names and arguments are oneDNN's. dnnl_sycl.h has the rules: which objects are passed, where the
/// functions exist, who owns what, and what runs in which order. dnnl_graph_ze.h says when memory
/// is allocated and freed. Tensors have pointers, not buffers.

/// Allocates memory that the device can access.
///
/// @param size Bytes.
/// @param alignment Alignment in bytes.
/// @param device Pointer to the `sycl::device` of the engine.
/// @param context Pointer to the `sycl::context` of the engine.
/// @returns A pointer of unified shared memory; NULL if there is no memory.
typedef void *(*dnnl_graph_sycl_allocate_f)(
        size_t size, size_t alignment, const void *device, const void *context);

/// Frees what a ::dnnl_graph_sycl_allocate_f allocated.
///
/// @param ptr Memory, never NULL.
/// @param device Pointer to the `sycl::device` of the engine.
/// @param context Pointer to the `sycl::context` of the engine.
/// @param event Pointer to the `sycl::event` of the last work that uses the memory, or NULL. The
///     function waits for it, or copies it and frees the memory later. It must not execute anything
///     on the stream.
typedef void (*dnnl_graph_sycl_deallocate_f)(
        void *ptr, const void *device, const void *context, void *event);

#ifdef __cplusplus
} // extern "C"
#endif

#if defined(__cplusplus) && defined(__has_include)
#if __cplusplus >= 201703L && __has_include(<sycl/sycl.hpp>)

/// @cond
namespace dnnl {
namespace sycl_layer {

// An engine's copy of an allocator.
struct allocator_data {
    dnnl_graph_sycl_allocate_f allocate;
    dnnl_graph_sycl_deallocate_f deallocate;
    ::sycl::device device;
    ::sycl::context context;
};

inline void *allocate(void *data, size_t size) {
    const size_t alignment = 64; // bytes: that of oneDNN
    const allocator_data &a = *static_cast<allocator_data *>(data);
    return a.allocate(size, alignment, &a.device, &a.context);
}

inline void deallocate(void *data, void *ptr, void *native) {
    const allocator_data &a = *static_cast<allocator_data *>(data);
    stream_data *stream = current_stream();
    if (!native || !stream) {
        a.deallocate(ptr, &a.device, &a.context, nullptr);
        return;
    }
    ::sycl::event event = stream->wrap(native);
    a.deallocate(ptr, &a.device, &a.context, &event);
}

inline void set_allocator(dnnl_engine_t engine, const_dnnl_graph_allocator_t allocator) {
    dnnl_ze_layer_function_t functions[2] = {nullptr, nullptr};
    check(dnnl_ze_layer_allocator_get(allocator, layer_name, &functions[0], &functions[1]));
    if (!functions[0]) return; // the library's
    const engine_data &objects = data_of(engine);
    std::unique_ptr<allocator_data> data(
            new allocator_data{reinterpret_cast<dnnl_graph_sycl_allocate_f>(functions[0]),
                    reinterpret_cast<dnnl_graph_sycl_deallocate_f>(functions[1]), objects.device,
                    objects.context});
    check(dnnl_ze_layer_set_allocator(
            engine, allocate, deallocate, data.get(), destroy<allocator_data>));
    (void)data.release();
}

} // namespace sycl_layer
} // namespace dnnl
/// @endcond

extern "C" {

/// Creates an allocator.
///
/// @param allocator Receives the allocator; free it with dnnl_graph_allocator_destroy().
/// @param sycl_malloc Function that allocates.
/// @param sycl_free Function that frees. If either is NULL, the allocator is the library's.
inline dnnl_status_t dnnl_graph_sycl_interop_allocator_create(dnnl_graph_allocator_t *allocator,
        dnnl_graph_sycl_allocate_f sycl_malloc, dnnl_graph_sycl_deallocate_f sycl_free) {
    return dnnl_ze_layer_allocator_create(allocator, dnnl::sycl_layer::layer_name,
            reinterpret_cast<dnnl_ze_layer_function_t>(sycl_malloc),
            reinterpret_cast<dnnl_ze_layer_function_t>(sycl_free));
}

/// Creates an engine as dnnl_sycl_interop_engine_create() does, with a copy of an allocator.
///
/// @param engine Receives the engine; free it with dnnl_engine_destroy().
/// @param device Pointer to a `sycl::device`.
/// @param context Pointer to a `sycl::context` of the device.
/// @param alloc Allocator of SYCL, or one of the library.
inline dnnl_status_t dnnl_graph_sycl_interop_make_engine_with_allocator(dnnl_engine_t *engine,
        const void *device, const void *context, const_dnnl_graph_allocator_t alloc) {
    return dnnl::sycl_layer::guarded([&] {
        using namespace dnnl::sycl_layer;
        dnnl_engine_t made = nullptr;
        check_pointer(engine, "the place of the engine is NULL");
        check_pointer(alloc, "the allocator is NULL");
        check(dnnl_sycl_interop_engine_create(&made, device, context));
        const dnnl_status_t status = guarded([&] { set_allocator(made, alloc); });
        if (status != dnnl_success) dnnl_engine_destroy(made);
        check(status);
        *engine = made;
    });
}

/// Executes a compiled partition with a scratchpad of the program, with events before and after it.
///
/// @param compiled_partition Compiled partition.
/// @param stream Any stream; see dnnl_sycl_interop_stream_get_queue().
/// @param num_inputs Number of inputs.
/// @param inputs Inputs, as for dnnl_graph_compiled_partition_execute().
/// @param num_outputs Number of outputs.
/// @param outputs Outputs.
/// @param scratchpad Scratchpad, or NULL for one of the library.
/// @param deps Pointer to a `std::vector<sycl::event>` to wait for, or NULL.
/// @param sycl_event Pointer to a `sycl::event` that receives the event of the execution, or NULL.
inline dnnl_status_t dnnl_graph_sycl_interop_compiled_partition_execute_v2(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad, const void *deps,
        void *sycl_event) {
    return dnnl::sycl_layer::guarded([&] {
        using events_t = std::vector<::sycl::event>;
        const ::sycl::event done =
                dnnl::sycl_layer::execute_partition(dnnl::sycl_layer::data_of(stream),
                        compiled_partition, num_inputs, inputs, num_outputs, outputs, scratchpad,
                        deps ? *static_cast<const events_t *>(deps) : events_t());
        if (sycl_event) *static_cast<::sycl::event *>(sycl_event) = done;
    });
}

/// The same with a scratchpad of the library.
///
/// @param compiled_partition Compiled partition.
/// @param stream Stream.
/// @param num_inputs Number of inputs.
/// @param inputs Inputs.
/// @param num_outputs Number of outputs.
/// @param outputs Outputs.
/// @param deps Pointer to a `std::vector<sycl::event>` to wait for, or NULL.
/// @param sycl_event Pointer to a `sycl::event` that receives the event of the execution, or NULL.
inline dnnl_status_t dnnl_graph_sycl_interop_compiled_partition_execute(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const void *deps, void *sycl_event) {
    return dnnl_graph_sycl_interop_compiled_partition_execute_v2(compiled_partition, stream,
            num_inputs, inputs, num_outputs, outputs, nullptr, deps, sycl_event);
}

} // extern "C"
#endif
#endif

#endif

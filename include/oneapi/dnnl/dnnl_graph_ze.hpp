/* SPDX-License-Identifier: Apache-2.0 */
/* C++: interoperation of the Graph API with Level Zero. */
#ifndef ONEAPI_DNNL_DNNL_GRAPH_ZE_HPP
#define ONEAPI_DNNL_DNNL_GRAPH_ZE_HPP

#include "oneapi/dnnl/dnnl_graph.hpp"

#include "oneapi/dnnl/dnnl_graph_ze.h"

namespace dnnl {
namespace graph {

/// Allocators of Level Zero memory, engines with one, and execution between events.
///
/// dnnl_graph_ze.h has the rules: who owns what, and when memory is freed.
namespace ze_interop {

/// Creates an allocator.
///
/// @param ze_malloc Function that allocates.
/// @param ze_free Function that frees. If either is nullptr, the allocator is the library's.
inline allocator make_allocator(
        dnnl_graph_ze_allocate_f ze_malloc, dnnl_graph_ze_deallocate_f ze_free) {
    return allocator(detail::create("could not create an allocator", false,
            dnnl_graph_ze_interop_allocator_create, ze_malloc, ze_free));
}

/// Creates an engine with an allocator, which is copied.
///
/// @param driver Driver that owns the device.
/// @param device Device or sub-device.
/// @param context Context of the driver.
/// @param alloc Allocator.
inline engine make_engine_with_allocator(ze_driver_handle_t driver, ze_device_handle_t device,
        ze_context_handle_t context, const allocator &alloc) {
    return engine(detail::create("could not create an engine with an allocator", false,
            dnnl_graph_ze_interop_make_engine_with_allocator, driver, device, context, alloc));
}

/// Creates an engine with an allocator from what dnnl::ze_interop::get_engine_cache_blob() returned
/// in an earlier run.
///
/// @param driver Driver that owns the device.
/// @param device Device the blob was made for.
/// @param context Context of the driver.
/// @param alloc Allocator; copied.
/// @param cache_blob Blob.
inline engine make_engine_with_allocator(ze_driver_handle_t driver, ze_device_handle_t device,
        ze_context_handle_t context, const allocator &alloc,
        const std::vector<uint8_t> &cache_blob) {
    return engine(detail::create("could not create an engine with an allocator from a cache blob",
            false, dnnl_graph_ze_interop_make_engine_from_cache_blob_with_allocator, driver, device,
            context, alloc, cache_blob.size(), cache_blob));
}

/// @cond
inline std::vector<const_dnnl_graph_tensor_t> tensor_handles(const std::vector<tensor> &tensors) {
    std::vector<const_dnnl_graph_tensor_t> list;
    for (const tensor &t : tensors) list.push_back(t.get());
    return list;
}
/// @endcond

/// Executes a compiled partition with a scratchpad of the library.
///
/// @param cpartition Compiled partition.
/// @param astream Stream.
/// @param inputs Inputs, in the order of compilation.
/// @param outputs Outputs, in the order of compilation.
/// @param deps Events that the execution waits for.
/// @returns An event that is signalled when the outputs are there. It belongs to the stream and is
///     valid as long as that lives.
inline ze_event_handle_t execute(const compiled_partition &cpartition, stream &astream,
        const std::vector<tensor> &inputs, const std::vector<tensor> &outputs,
        const std::vector<ze_event_handle_t> &deps = {}) {
    std::vector<const_dnnl_graph_tensor_t> in = tensor_handles(inputs),
                                           out = tensor_handles(outputs);
    ze_event_handle_t done = nullptr;
    detail::call("could not execute a compiled partition",
            dnnl_graph_ze_interop_compiled_partition_execute, cpartition, astream, in.size(),
            in.data(), out.size(), out.data(), deps.data(), static_cast<int>(deps.size()), &done);
    return done;
}

/// Executes a compiled partition with a scratchpad of the program.
///
/// @param cpartition Compiled partition.
/// @param astream Stream.
/// @param inputs Inputs, in the order of compilation.
/// @param outputs Outputs, in the order of compilation.
/// @param scratchpad Scratchpad. An empty tensor: the library's.
/// @param deps Events that the execution waits for.
/// @returns An event that is signalled when the outputs are there. It belongs to the stream and is
///     valid as long as that lives.
inline ze_event_handle_t execute(const compiled_partition &cpartition, stream &astream,
        const std::vector<tensor> &inputs, const std::vector<tensor> &outputs,
        const tensor &scratchpad, const std::vector<ze_event_handle_t> &deps = {}) {
    std::vector<const_dnnl_graph_tensor_t> in = tensor_handles(inputs),
                                           out = tensor_handles(outputs);
    ze_event_handle_t done = nullptr;
    detail::call("could not execute a compiled partition with a scratchpad",
            dnnl_graph_ze_interop_compiled_partition_execute_v2, cpartition, astream, in.size(),
            in.data(), out.size(), out.data(), scratchpad.get(true), deps.data(),
            static_cast<int>(deps.size()), &done);
    return done;
}

} // namespace ze_interop
} // namespace graph
} // namespace dnnl

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* C++: interoperation of the Graph API with OpenCL. */
#ifndef ONEAPI_DNNL_DNNL_GRAPH_OCL_HPP
#define ONEAPI_DNNL_DNNL_GRAPH_OCL_HPP

#include "oneapi/dnnl/dnnl_graph.hpp"

#include "oneapi/dnnl/dnnl_graph_ocl.h"
#include "oneapi/dnnl/dnnl_ocl.hpp"

namespace dnnl {
namespace graph {

/// Allocators of OpenCL memory, engines with one, and execution between events.
///
/// dnnl_graph_ocl.h has the rules: who owns what, and when memory is freed.
namespace ocl_interop {

/// Creates an allocator.
///
/// @param ocl_malloc Function that allocates.
/// @param ocl_free Function that frees. If either is nullptr, the allocator is the library's.
inline allocator make_allocator(
        dnnl_graph_ocl_allocate_f ocl_malloc, dnnl_graph_ocl_deallocate_f ocl_free) {
    return allocator(detail::create("could not create an allocator", false,
            dnnl_graph_ocl_interop_allocator_create, ocl_malloc, ocl_free));
}

/// Creates an engine with an allocator, which is copied.
///
/// @param device Device.
/// @param context Context that was created for the device.
/// @param alloc Allocator.
inline engine make_engine_with_allocator(
        cl_device_id device, cl_context context, const allocator &alloc) {
    return engine(detail::create("could not create an engine with an allocator", false,
            dnnl_graph_ocl_interop_make_engine_with_allocator, device, context, alloc));
}

/// Creates an engine with an allocator from what dnnl::ocl_interop::get_engine_cache_blob()
/// returned in an earlier run.
///
/// @param device Device the blob was made for.
/// @param context Context that was created for the device.
/// @param alloc Allocator; copied.
/// @param cache_blob Blob.
inline engine make_engine_with_allocator(cl_device_id device, cl_context context,
        const allocator &alloc, const std::vector<uint8_t> &cache_blob) {
    return engine(detail::create("could not create an engine with an allocator from a cache blob",
            false, dnnl_graph_ocl_interop_make_engine_from_cache_blob_with_allocator, device,
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
/// @returns An event that is complete when the outputs are there. The program releases it.
inline cl_event execute(const compiled_partition &cpartition, stream &astream,
        const std::vector<tensor> &inputs, const std::vector<tensor> &outputs,
        const std::vector<cl_event> &deps = {}) {
    std::vector<const_dnnl_graph_tensor_t> in = tensor_handles(inputs),
                                           out = tensor_handles(outputs);
    cl_event done = nullptr;
    detail::call("could not execute a compiled partition",
            dnnl_graph_ocl_interop_compiled_partition_execute, cpartition, astream, in.size(),
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
/// @returns An event that is complete when the outputs are there. The program releases it.
inline cl_event execute(const compiled_partition &cpartition, stream &astream,
        const std::vector<tensor> &inputs, const std::vector<tensor> &outputs,
        const tensor &scratchpad, const std::vector<cl_event> &deps = {}) {
    std::vector<const_dnnl_graph_tensor_t> in = tensor_handles(inputs),
                                           out = tensor_handles(outputs);
    cl_event done = nullptr;
    detail::call("could not execute a compiled partition with a scratchpad",
            dnnl_graph_ocl_interop_compiled_partition_execute_v2, cpartition, astream, in.size(),
            in.data(), out.size(), out.data(), scratchpad.get(true), deps.data(),
            static_cast<int>(deps.size()), &done);
    return done;
}

} // namespace ocl_interop
} // namespace graph
} // namespace dnnl

#endif

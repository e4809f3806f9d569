/* SPDX-License-Identifier: Apache-2.0 */
/* C++: interoperation of the Graph API with SYCL. */
#ifndef ONEAPI_DNNL_DNNL_GRAPH_SYCL_HPP
#define ONEAPI_DNNL_DNNL_GRAPH_SYCL_HPP

#include <sycl/sycl.hpp>

#include "oneapi/dnnl/dnnl_graph.hpp"

#include "oneapi/dnnl/dnnl_graph_sycl.h"

namespace dnnl {
namespace graph {

/// Allocators of SYCL memory, engines with one, and execution between events.
///
/// dnnl_graph_sycl.h has the rules.
namespace sycl_interop {

/// Creates an allocator.
///
/// @param sycl_malloc Function that allocates.
/// @param sycl_free Function that frees. If either is nullptr, the allocator is the library's.
inline allocator make_allocator(
        dnnl_graph_sycl_allocate_f sycl_malloc, dnnl_graph_sycl_deallocate_f sycl_free) {
    return allocator(detail::create("could not create an allocator", false,
            dnnl_graph_sycl_interop_allocator_create, sycl_malloc, sycl_free));
}

/// Creates an engine with an allocator, which is copied.
///
/// @param adevice Device of Level Zero or OpenCL.
/// @param acontext Context of the device.
/// @param alloc Allocator.
inline engine make_engine_with_allocator(
        const ::sycl::device &adevice, const ::sycl::context &acontext, const allocator &alloc) {
    return engine(detail::create("could not create an engine with an allocator", false,
            dnnl_graph_sycl_interop_make_engine_with_allocator, &adevice, &acontext, alloc));
}

/// @cond
inline std::vector<const_dnnl_graph_tensor_t> handles_of(const std::vector<tensor> &tensors) {
    std::vector<const_dnnl_graph_tensor_t> list;
    for (const tensor &t : tensors) list.push_back(t.get());
    return list;
}
/// @endcond

/// Executes a compiled partition with a scratchpad of the program.
///
/// @param cpartition Compiled partition.
/// @param astream Stream.
/// @param inputs Inputs, in the order of compilation.
/// @param outputs Outputs, in the order of compilation.
/// @param scratchpad Scratchpad. An empty tensor: the library's.
/// @param deps Events that the execution waits for.
/// @returns An event that is complete when the outputs are there.
inline ::sycl::event execute(const compiled_partition &cpartition, stream &astream,
        const std::vector<tensor> &inputs, const std::vector<tensor> &outputs,
        const tensor &scratchpad, const std::vector<::sycl::event> &deps = {}) {
    std::vector<const_dnnl_graph_tensor_t> in = handles_of(inputs), out = handles_of(outputs);
    ::sycl::event done;
    detail::call("could not execute a compiled partition",
            dnnl_graph_sycl_interop_compiled_partition_execute_v2, cpartition, astream, in.size(),
            in.data(), out.size(), out.data(), scratchpad.get(true), &deps, &done);
    return done;
}

/// Executes a compiled partition with a scratchpad of the library.
///
/// @param cpartition Compiled partition.
/// @param astream Stream.
/// @param inputs Inputs, in the order of compilation.
/// @param outputs Outputs, in the order of compilation.
/// @param deps Events that the execution waits for.
/// @returns An event that is complete when the outputs are there.
inline ::sycl::event execute(const compiled_partition &cpartition, stream &astream,
        const std::vector<tensor> &inputs, const std::vector<tensor> &outputs,
        const std::vector<::sycl::event> &deps = {}) {
    return execute(cpartition, astream, inputs, outputs, tensor(), deps);
}

} // namespace sycl_interop
} // namespace graph
} // namespace dnnl

#endif

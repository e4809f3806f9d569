/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_graph_sycl.hpp. */
#ifndef DNNL_GRAPH_SYCL_HPP
#define DNNL_GRAPH_SYCL_HPP

#include "oneapi/dnnl/dnnl_graph_sycl.hpp"

#endif

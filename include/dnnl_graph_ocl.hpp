/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_graph_ocl.hpp. */
#ifndef DNNL_GRAPH_OCL_HPP
#define DNNL_GRAPH_OCL_HPP

#include "oneapi/dnnl/dnnl_graph_ocl.hpp"

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_graph.hpp. */
#ifndef DNNL_GRAPH_HPP
#define DNNL_GRAPH_HPP

#include "oneapi/dnnl/dnnl_graph.hpp"

#endif

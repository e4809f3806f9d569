/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_graph_ze.hpp. */
#ifndef DNNL_GRAPH_ZE_HPP
#define DNNL_GRAPH_ZE_HPP

#include "oneapi/dnnl/dnnl_graph_ze.hpp"

#endif

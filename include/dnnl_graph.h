/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_graph.h. */
#ifndef DNNL_GRAPH_H
#define DNNL_GRAPH_H

#include "oneapi/dnnl/dnnl_graph.h"

#endif

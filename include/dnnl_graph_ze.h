/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_graph_ze.h. */
#ifndef DNNL_GRAPH_ZE_H
#define DNNL_GRAPH_ZE_H

#include "oneapi/dnnl/dnnl_graph_ze.h"

#endif

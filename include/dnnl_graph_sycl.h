/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_graph_sycl.h. */
#ifndef DNNL_GRAPH_SYCL_H
#define DNNL_GRAPH_SYCL_H

#include "oneapi/dnnl/dnnl_graph_sycl.h"

#endif

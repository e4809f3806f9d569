/* SPDX-License-Identifier: Apache-2.0 */
/* Short name of oneapi/dnnl/dnnl_graph_ocl.h. */
#ifndef DNNL_GRAPH_OCL_H
#define DNNL_GRAPH_OCL_H

#include "oneapi/dnnl/dnnl_graph_ocl.h"

#endif

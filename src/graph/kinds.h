/* SPDX-License-Identifier: Apache-2.0 */
/* Names of enumerators. */
#ifndef GRAPH_KINDS_H
#define GRAPH_KINDS_H

#include "oneapi/dnnl/dnnl_graph_types.h"

const char *kind_name(dnnl_graph_op_kind_t kind);      /* "unknown" for a number that is no kind */
const char *attribute_name(dnnl_graph_op_attr_t name); /* "unknown" for other numbers */
const char *layout_name(dnnl_graph_layout_type_t layout);
const char *property_name(dnnl_graph_tensor_property_t property);

#endif

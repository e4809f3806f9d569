/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/kinds.h"

const char *kind_name(dnnl_graph_op_kind_t kind) {
    static const char *const names[] = {
#define OP(kind, name, ...) [dnnl_graph_op_##kind] = name,
#include "graph/ops.def"
#undef OP
    };
    return (unsigned)kind < dnnl_graph_op_last_symbol ? names[kind] : "unknown";
}

const char *attribute_name(dnnl_graph_op_attr_t name) {
    static const char *const names[] = {
#define ATTR(name) [dnnl_graph_op_attr_##name] = #name
            ATTR(alpha),
            ATTR(beta),
            ATTR(epsilon),
            ATTR(max),
            ATTR(min),
            ATTR(momentum),
            ATTR(scales),
            ATTR(axis),
            ATTR(begin_norm_axis),
            ATTR(groups),
            ATTR(axes),
            ATTR(dilations),
            ATTR(dst_shape),
            ATTR(kernel),
            ATTR(order),
            ATTR(output_padding),
            ATTR(pads_begin),
            ATTR(pads_end),
            ATTR(shape),
            ATTR(sizes),
            ATTR(src_shape),
            ATTR(strides),
            ATTR(weights_shape),
            ATTR(zps),
            ATTR(group_shape),
            ATTR(exclude_pad),
            ATTR(keep_dims),
            ATTR(keep_stats),
            ATTR(per_channel_broadcast),
            ATTR(special_zero),
            ATTR(transpose_a),
            ATTR(transpose_b),
            ATTR(use_affine),
            ATTR(use_dst),
            ATTR(auto_broadcast),
            ATTR(auto_pad),
            ATTR(coordinate_transformation_mode),
            ATTR(data_format),
            ATTR(mode),
            ATTR(qtype),
            ATTR(rounding_type),
            ATTR(weights_format),
            ATTR(accumulation_mode),
#undef ATTR
    };
    const char *found = (unsigned)name < sizeof names / sizeof names[0] ? names[name] : NULL;
    return found ? found : "unknown";
}

const char *layout_name(dnnl_graph_layout_type_t layout) {
    static const char *const names[] = {"undef", "any", "strided", "opaque"};
    return (unsigned)layout < 4 ? names[layout] : "unknown";
}

const char *property_name(dnnl_graph_tensor_property_t property) {
    static const char *const names[] = {"undef", "variable", "constant", "host_scalar"};
    return (unsigned)property < 4 ? names[property] : "unknown";
}

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

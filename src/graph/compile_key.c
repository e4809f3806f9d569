/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/compile_key.h"

#include <string.h>

#include "graph/constants.h"

typedef struct {
    const_dnnl_graph_compiled_partition_t cp;
    const void *engine;
    bool keeps_constants; /* programs are others then */
} compilation_t;

static void put_tensor(sink_t *sink, const lt_t *lt) {
    const size_t size = lt->ndims > 0 ? (size_t)lt->ndims * sizeof lt->dims[0] : 0;
    sink_put_number(sink, lt->id);
    sink_put_number(sink, (uint64_t)lt->ndims);
    sink_put_number(sink, (uint64_t)lt->data_type);
    sink_put_number(sink, (uint64_t)lt->property);
    sink_put_number(sink, (uint64_t)lt->layout_type);
    sink_put(sink, lt->dims, size);
    if (lt->layout_type == dnnl_graph_layout_type_strided) sink_put(sink, lt->layout.strides, size);
    if (lt->layout_type == dnnl_graph_layout_type_opaque)
        sink_put_number(sink, lt->layout.layout_id);
}

static void put_ports(sink_t *sink, const ports_t *ports) {
    sink_put_number(sink, ports->count);
    for (size_t i = 0; i < ports->count; i++) put_tensor(sink, &ports->list[i]);
}

/* Bytes of a value. */
static size_t width(dnnl_graph_op_attr_t name) {
    switch (attribute_type(name)) {
    case ATTRIBUTE_F32:
    case ATTRIBUTE_F32_LIST: return sizeof(float);
    case ATTRIBUTE_S64:
    case ATTRIBUTE_S64_LIST: return sizeof(int64_t);
    default: return 1;
    }
}

static void put_op(sink_t *sink, const op_t *op) {
    sink_put_number(sink, op->id);
    sink_put_number(sink, (uint64_t)op->kind);
    sink_put(sink, op->name, strlen(op->name) + 1);
    for (const attribute_t *a = op->attributes; a; a = a->next) {
        sink_put_number(sink, (uint64_t)a->name);
        sink_put_number(sink, a->count);
        sink_put(sink, a->value.data, a->count * width(a->name));
    }
    sink_put_number(sink, dnnl_graph_op_attr_undef);
    put_ports(sink, &op->in);
    put_ports(sink, &op->out);
}

static void put_all(sink_t *sink, const void *ctx) {
    const compilation_t *c = ctx;
    const graph_mode_t *mode = &c->cp->partition->mode;
    size_t nops;
    const op_t *const *ops = partition_ops(c->cp->partition, &nops);
    sink_put_number(sink, (uint64_t)(uintptr_t)c->engine);
    sink_put_number(sink, (uint64_t)mode->engine_kind);
    sink_put_number(sink, (uint64_t)mode->fpmath);
    sink_put_number(sink, (uint64_t)mode->fpmath_of_int);
    sink_put_number(sink, c->keeps_constants);
    sink_put_number(sink, nops);
    for (size_t i = 0; i < nops; i++) put_op(sink, ops[i]);
    put_ports(sink, &c->cp->in);
    put_ports(sink, &c->cp->out);
}

cache_key_t *compile_key(const_dnnl_graph_compiled_partition_t cp, const void *engine) {
    const compilation_t c = {cp, engine, constants_wanted(cp->partition->mode.engine_kind)};
    return cache_key_make(put_all, &c);
}

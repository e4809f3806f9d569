/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/cache_key.h"

#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"

/* Bytes are counted first, and then written. */
typedef struct {
    unsigned char *bytes; /* NULL: they are counted */
    size_t size;
} sink_t;

static void put(sink_t *sink, const void *data, size_t size) {
    if (sink->bytes && size) memcpy(sink->bytes + sink->size, data, size);
    sink->size += size;
}

static void put_number(sink_t *sink, uint64_t number) {
    put(sink, &number, sizeof number);
}

static void put_tensor(sink_t *sink, const lt_t *lt) {
    const size_t size = lt->ndims > 0 ? (size_t)lt->ndims * sizeof lt->dims[0] : 0;
    put_number(sink, lt->id);
    put_number(sink, (uint64_t)lt->ndims);
    put_number(sink, (uint64_t)lt->data_type);
    put_number(sink, (uint64_t)lt->property);
    put_number(sink, (uint64_t)lt->layout_type);
    put(sink, lt->dims, size);
    if (lt->layout_type == dnnl_graph_layout_type_strided) put(sink, lt->layout.strides, size);
    if (lt->layout_type == dnnl_graph_layout_type_opaque) put_number(sink, lt->layout.layout_id);
}

static void put_ports(sink_t *sink, const ports_t *ports) {
    put_number(sink, ports->count);
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
    put_number(sink, op->id);
    put_number(sink, (uint64_t)op->kind);
    put(sink, op->name, strlen(op->name) + 1);
    for (const attribute_t *a = op->attributes; a; a = a->next) {
        put_number(sink, (uint64_t)a->name);
        put_number(sink, a->count);
        put(sink, a->value.data, a->count * width(a->name));
    }
    put_number(sink, dnnl_graph_op_attr_undef);
    put_ports(sink, &op->in);
    put_ports(sink, &op->out);
}

static void put_all(sink_t *sink, const_dnnl_graph_compiled_partition_t cp, const void *engine) {
    const graph_mode_t *mode = &cp->partition->mode;
    size_t nops;
    const op_t *const *ops = partition_ops(cp->partition, &nops);
    put_number(sink, (uint64_t)(uintptr_t)engine);
    put_number(sink, (uint64_t)mode->engine_kind);
    put_number(sink, (uint64_t)mode->fpmath);
    put_number(sink, (uint64_t)mode->fpmath_of_int);
    put_number(sink, nops);
    for (size_t i = 0; i < nops; i++) put_op(sink, ops[i]);
    put_ports(sink, &cp->in);
    put_ports(sink, &cp->out);
}

cache_key_t *cache_key_of(const_dnnl_graph_compiled_partition_t cp, const void *engine) {
    sink_t sink = {NULL, 0};
    put_all(&sink, cp, engine);
    cache_key_t *key = dz_malloc(sizeof *key + sink.size);
    if (!key) return NULL;
    key->size = sink.size;
    sink = (sink_t){key->bytes, 0};
    put_all(&sink, cp, engine);
    key->hash = hash_bytes(key->bytes, key->size, 0);
    return key;
}

bool cache_key_equal(const cache_key_t *a, const cache_key_t *b) {
    return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

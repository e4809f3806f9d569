/* SPDX-License-Identifier: Apache-2.0 */
/* Operations: a kind, attributes, and the logical tensors of the ports. */
#ifndef GRAPH_OP_H
#define GRAPH_OP_H

#include "graph/logical_tensor.h"

struct op_schema;

typedef struct attribute {
    struct attribute *next;
    dnnl_graph_op_attr_t name;
    size_t count; /* of values; a string counts its bytes */
    union {
        float *f32;
        int64_t *s64;
        char *text;
        uint8_t *flag;
        void *data;
    } value; /* owned */
} attribute_t;

typedef struct {
    lt_t *list; /* owned */
    size_t count;
} ports_t;

/* `schema` is NULL until the operation is checked. */
struct dnnl_graph_op {
    size_t id;
    dnnl_graph_op_kind_t kind;
    const struct op_schema *schema;
    char *name; /* owned */
    attribute_t *attributes;
    ports_t in, out;
};
typedef struct dnnl_graph_op op_t;

/* The type of an attribute's value, which its number tells. */
typedef enum {
    ATTRIBUTE_NONE,
    ATTRIBUTE_F32,
    ATTRIBUTE_F32_LIST,
    ATTRIBUTE_S64,
    ATTRIBUTE_S64_LIST,
    ATTRIBUTE_FLAG,
    ATTRIBUTE_TEXT,
} attribute_type_t;
attribute_type_t attribute_type(dnnl_graph_op_attr_t name);

dnnl_status_t op_clone(op_t **out, const op_t *op);
void op_free(op_t *op); /* may be NULL */
dnnl_status_t ports_add(ports_t *ports, const lt_t *lt);
dnnl_status_t op_set_attribute(
        op_t *op, dnnl_graph_op_attr_t name, const void *value, size_t count, size_t size);

/* NULL: the operation has no such attribute. */
const attribute_t *op_attribute(const op_t *op, dnnl_graph_op_attr_t name);
float op_f32(const op_t *op, dnnl_graph_op_attr_t name, float otherwise);
int64_t op_s64(const op_t *op, dnnl_graph_op_attr_t name, int64_t otherwise);
bool op_flag(const op_t *op, dnnl_graph_op_attr_t name);
bool op_text_is(const op_t *op, dnnl_graph_op_attr_t name, const char *text);
/* Value i of a list; `otherwise` if the list is shorter. */
int64_t op_item(const op_t *op, dnnl_graph_op_attr_t name, size_t i, int64_t otherwise);

#endif

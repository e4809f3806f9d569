/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/op.h"

#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/check.h"
#include "graph/kinds.h"

attribute_type_t attribute_type(dnnl_graph_op_attr_t name) {
    static const struct {
        int first;
        attribute_type_t type;
    } ranges[] = {{0x80, ATTRIBUTE_TEXT}, {0x60, ATTRIBUTE_FLAG}, {0x40, ATTRIBUTE_S64_LIST},
            {0x30, ATTRIBUTE_S64}, {0x20, ATTRIBUTE_F32_LIST}, {0x1, ATTRIBUTE_F32}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if ((int)name >= ranges[i].first) return ranges[i].type;
    return ATTRIBUTE_NONE;
}

dnnl_status_t ports_add(ports_t *ports, const lt_t *lt) {
    lt_t *list = dz_realloc(ports->list, (ports->count + 1) * sizeof *list);
    if (!list) return dnnl_out_of_memory;
    ports->list = list;
    list[ports->count++] = *lt;
    return dnnl_success;
}

const attribute_t *op_attribute(const op_t *op, dnnl_graph_op_attr_t name) {
    for (const attribute_t *a = op->attributes; a; a = a->next)
        if (a->name == name) return a;
    return NULL;
}

dnnl_status_t op_set_attribute(
        op_t *op, dnnl_graph_op_attr_t name, const void *value, size_t count, size_t size) {
    attribute_t *a = (attribute_t *)op_attribute(op, name);
    void *data = dz_malloc(count * size + 1);
    if (!data) return dnnl_out_of_memory;
    if (count) memcpy(data, value, count * size);
    if (!a) {
        a = dz_calloc(1, sizeof *a);
        if (!a) {
            dz_free(data);
            return dnnl_out_of_memory;
        }
        a->name = name;
        a->next = op->attributes;
        op->attributes = a;
    }
    dz_free(a->value.data);
    a->value.data = data;
    a->count = count;
    return dnnl_success;
}

float op_f32(const op_t *op, dnnl_graph_op_attr_t name, float otherwise) {
    const attribute_t *a = op_attribute(op, name);
    return a ? a->value.f32[0] : otherwise;
}

int64_t op_s64(const op_t *op, dnnl_graph_op_attr_t name, int64_t otherwise) {
    const attribute_t *a = op_attribute(op, name);
    return a ? a->value.s64[0] : otherwise;
}

bool op_flag(const op_t *op, dnnl_graph_op_attr_t name) {
    const attribute_t *a = op_attribute(op, name);
    return a && a->value.flag[0];
}

bool op_text_is(const op_t *op, dnnl_graph_op_attr_t name, const char *text) {
    const attribute_t *a = op_attribute(op, name);
    return a && strcmp(a->value.text, text) == 0;
}

int64_t op_item(const op_t *op, dnnl_graph_op_attr_t name, size_t i, int64_t otherwise) {
    const attribute_t *a = op_attribute(op, name);
    return a && i < a->count ? a->value.s64[i] : otherwise;
}

void op_free(op_t *op) {
    if (!op) return;
    for (attribute_t *a = op->attributes, *next; a; a = next) {
        next = a->next;
        dz_free(a->value.data);
        dz_free(a);
    }
    dz_free(op->in.list);
    dz_free(op->out.list);
    dz_free(op->name);
    dz_free(op);
}

static dnnl_status_t clone_into(op_t *copy, const op_t *op) {
    static const size_t sizes[] = {0, 4, 4, 8, 8, 1, 1};
    copy->name = dz_strdup(op->name);
    if (!copy->name) return dnnl_out_of_memory;
    for (const attribute_t *a = op->attributes; a; a = a->next) {
        const attribute_type_t type = attribute_type(a->name);
        TRY(op_set_attribute(copy, a->name, a->value.data, a->count, sizes[type]));
    }
    for (size_t i = 0; i < op->in.count; i++) TRY(ports_add(&copy->in, &op->in.list[i]));
    for (size_t i = 0; i < op->out.count; i++) TRY(ports_add(&copy->out, &op->out.list[i]));
    return dnnl_success;
}

dnnl_status_t op_clone(op_t **out, const op_t *op) {
    op_t *copy = dz_calloc(1, sizeof *copy);
    if (!copy) return dnnl_out_of_memory;
    copy->id = op->id;
    copy->kind = op->kind;
    copy->schema = op->schema;
    const dnnl_status_t status = clone_into(copy, op);
    if (status == dnnl_success) *out = copy;
    else op_free(copy);
    return status;
}

static char *op_name(size_t id, dnnl_graph_op_kind_t kind, const char *name) {
    char made[64];
    if (*name) return dz_strdup(name);
    snprintf(made, sizeof made, "%s_%zu", kind_name(kind), id);
    return dz_strdup(made);
}

dnnl_status_t dnnl_graph_op_create(
        dnnl_graph_op_t *op, size_t id, dnnl_graph_op_kind_t kind, const char *verbose_name) {
    CHECK_NOT_NULL(op, "graph");
    CHECK_NOT_NULL(verbose_name, "graph");
    op_t *made = dz_calloc(1, sizeof *made);
    if (!made) return dnnl_out_of_memory;
    made->id = id;
    made->kind = kind;
    made->name = op_name(id, kind, verbose_name);
    if (!made->name) {
        op_free(made);
        return dnnl_out_of_memory;
    }
    *op = made;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_op_destroy(dnnl_graph_op_t op) {
    op_free(op);
    return dnnl_success;
}

dnnl_status_t dnnl_graph_op_add_input(dnnl_graph_op_t op, const lt_t *input) {
    CHECK_NOT_NULL(op, "graph");
    CHECK_NOT_NULL(input, "graph");
    return ports_add(&op->in, input);
}

dnnl_status_t dnnl_graph_op_add_output(dnnl_graph_op_t op, const lt_t *output) {
    CHECK_NOT_NULL(op, "graph");
    CHECK_NOT_NULL(output, "graph");
    return ports_add(&op->out, output);
}

/* `single` and `list`: types of attributes that the function sets. */
static dnnl_status_t set_numbers(op_t *op, dnnl_graph_op_attr_t name, const void *value,
        size_t count, size_t size, attribute_type_t single, attribute_type_t list) {
    CHECK_NOT_NULL(op, "graph");
    CHECK_NOT_NULL(value, "graph");
    const attribute_type_t type = attribute_type(name);
    CHECK_ARG(type == single || type == list, "graph", "attribute 0x%x has another type",
            (unsigned)name);
    return op_set_attribute(op, name, value, type == single ? 1 : count, size);
}

dnnl_status_t dnnl_graph_op_set_attr_f32(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const float *value, size_t value_len) {
    return set_numbers(
            op, name, value, value_len, sizeof *value, ATTRIBUTE_F32, ATTRIBUTE_F32_LIST);
}

dnnl_status_t dnnl_graph_op_set_attr_s64(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const int64_t *value, size_t value_len) {
    return set_numbers(
            op, name, value, value_len, sizeof *value, ATTRIBUTE_S64, ATTRIBUTE_S64_LIST);
}

dnnl_status_t dnnl_graph_op_set_attr_bool(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const uint8_t *value, size_t value_len) {
    CHECK_ARG(value_len == 1, "graph", "%zu values for an attribute of type bool", value_len);
    return set_numbers(op, name, value, 1, 1, ATTRIBUTE_FLAG, ATTRIBUTE_FLAG);
}

dnnl_status_t dnnl_graph_op_set_attr_str(
        dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const char *value, size_t value_len) {
    CHECK_NOT_NULL(value, "graph");
    CHECK_ARG(value_len, "graph", "a string of length 0 for an attribute");
    CHECK_NOT_NULL(op, "graph");
    CHECK_ARG(attribute_type(name) == ATTRIBUTE_TEXT, "graph", "attribute 0x%x has another type",
            (unsigned)name);
    return op_set_attribute(op, name, value, strlen(value) + 1, 1);
}

dnnl_status_t dnnl_graph_op_get_id(const_dnnl_graph_op_t op, size_t *id) {
    CHECK_NOT_NULL(op, "graph");
    CHECK_NOT_NULL(id, "graph");
    *id = op->id;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_op_get_kind(const_dnnl_graph_op_t op, dnnl_graph_op_kind_t *kind) {
    CHECK_NOT_NULL(op, "graph");
    CHECK_NOT_NULL(kind, "graph");
    *kind = op->kind;
    return dnnl_success;
}

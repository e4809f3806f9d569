/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/graph/replay/document.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings_enum.h"
#include "graph/kinds.h"
#include "graph/op.h"

/* The enumerator from 0 to `last` of that name; -1: none. */
static int find_enum(enum_names_t names, int last, const char *name) {
    for (int i = 0; name && i <= last; i++)
        if (strcmp(enum_name(names, i), name) == 0) return i;
    return -1;
}

static int find_name(const char *const *names, int count, const char *name) {
    for (int i = 0; name && i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static const char *text_of(const cJSON *object, const char *key) {
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

/* A number that is no integer of 64 bits counts as 0. */
static int64_t whole(const cJSON *item) {
    return item->valuedouble > -9e18 && item->valuedouble < 9e18 ? (int64_t)item->valuedouble : 0;
}

static size_t number_of(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? (size_t)whole(item) : 0;
}

static bool is_unknown(const cJSON *list) {
    const cJSON *item;
    cJSON_ArrayForEach(item, list) if (item->valuedouble < 0) return true;
    return false;
}

static int read_list(const cJSON *list, int64_t *values, int most) {
    const cJSON *item;
    int n = 0;
    cJSON_ArrayForEach(item, list) if (n < most) values[n++] = whole(item);
    return n;
}

/* Layouts that are not strided become "any". */
static bool read_tensor(const cJSON *json, lt_t *lt) {
    static const char *const layouts[] = {"undef", "any", "strided"};
    static const char *const properties[] = {"undef", "variable", "constant", "host_scalar"};
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(json, "shape");
    const cJSON *stride = cJSON_GetObjectItemCaseSensitive(json, "stride");
    const int dt = find_enum(NAMES_DATA_TYPE, 32, text_of(json, "dtype"));
    const int layout = find_name(layouts, 3, text_of(json, "layout_type"));
    const int property = find_name(properties, 4, text_of(json, "property_type"));
    dnnl_dims_t dims = {0}, strides = {0};
    if (dt < 0 || layout < 0 || property < 0 || !cJSON_IsArray(shape)) return false;
    const int ndims = read_list(shape, dims, DNNL_MAX_NDIMS);
    const bool strided = layout == 2 && ndims == read_list(stride, strides, DNNL_MAX_NDIMS);
    const size_t id = number_of(json, "id");
    if (is_unknown(shape))
        return !dnnl_graph_logical_tensor_init(lt, id, (dnnl_data_type_t)dt,
                DNNL_GRAPH_UNKNOWN_NDIMS, dnnl_graph_layout_type_any,
                (dnnl_graph_tensor_property_t)property);
    if (strided && ndims && !is_unknown(stride))
        return !dnnl_graph_logical_tensor_init_with_strides(lt, id, (dnnl_data_type_t)dt, ndims,
                dims, strides, (dnnl_graph_tensor_property_t)property);
    return !dnnl_graph_logical_tensor_init_with_dims(lt, id, (dnnl_data_type_t)dt, ndims, dims,
            ndims ? dnnl_graph_layout_type_any : dnnl_graph_layout_type_strided,
            (dnnl_graph_tensor_property_t)property);
}

static bool read_ports(const cJSON *list, int *count, lt_t **ports) {
    const cJSON *item;
    *ports = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof **ports);
    if (!*ports) return false;
    cJSON_ArrayForEach(item, list) if (!read_tensor(item, &(*ports)[(*count)++])) return false;
    return true;
}

static dnnl_status_t set_s64(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const cJSON *value) {
    const int size = cJSON_GetArraySize(value);
    int n = 1;
    int64_t *values = calloc((size_t)size + 1, sizeof *values);
    if (!values) return dnnl_out_of_memory;
    if (cJSON_IsArray(value)) n = read_list(value, values, size);
    else values[0] = whole(value);
    const dnnl_status_t status = dnnl_graph_op_set_attr_s64(op, name, values, (size_t)n);
    free(values);
    return status;
}

static dnnl_status_t set_f32(dnnl_graph_op_t op, dnnl_graph_op_attr_t name, const cJSON *value) {
    const cJSON *item;
    size_t n = 0;
    float *values = calloc((size_t)cJSON_GetArraySize(value) + 1, sizeof *values);
    if (!values) return dnnl_out_of_memory;
    if (!cJSON_IsArray(value)) values[n++] = (float)value->valuedouble;
    else cJSON_ArrayForEach(item, value) values[n++] = (float)item->valuedouble;
    const dnnl_status_t status = dnnl_graph_op_set_attr_f32(op, name, values, n);
    free(values);
    return status;
}

static bool set_attribute(dnnl_graph_op_t op, const cJSON *json) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, "value");
    if (!json->string) return false;
    int name = dnnl_graph_op_attr_end;
    while (--name && strcmp(attribute_name((dnnl_graph_op_attr_t)name), json->string) != 0);
    if (!name) return true; /* what only dumps have: partition_id, backend */
    if (!value) return false;
    const dnnl_graph_op_attr_t attr = (dnnl_graph_op_attr_t)name;
    const uint8_t flag = cJSON_IsTrue(value) || value->valuedouble != 0;
    switch (attribute_type(attr)) {
    case ATTRIBUTE_F32:
    case ATTRIBUTE_F32_LIST: return !set_f32(op, attr, value);
    case ATTRIBUTE_S64:
    case ATTRIBUTE_S64_LIST: return !set_s64(op, attr, value);
    case ATTRIBUTE_FLAG: return !dnnl_graph_op_set_attr_bool(op, attr, &flag, 1);
    default:
        return value->valuestring && !dnnl_graph_op_set_attr_str(op, attr, value->valuestring,
                                             strlen(value->valuestring));
    }
}

static bool read_node(const cJSON *json, node_t *node) {
    const cJSON *item;
    const char *kind = text_of(json, "kind"), *name = text_of(json, "name");
    int k = 0;
    if (!kind || !name) return false;
    if (strcmp(kind, "BiasAddBackprop") == 0) kind = "BiasAddBackward"; /* its name in old files */
    while (k < dnnl_graph_op_last_symbol && strcmp(kind_name((dnnl_graph_op_kind_t)k), kind) != 0)
        k++;
    if (k == dnnl_graph_op_last_symbol) {
        printf("no operation is called %s\n", kind);
        return false;
    }
    node->kind = (dnnl_graph_op_kind_t)k;
    node->name = strdup(name);
    if (!node->name || dnnl_graph_op_create(&node->op, number_of(json, "id"), node->kind, name) !=
                               dnnl_success)
        return false;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "attrs")) {
        if (!set_attribute(node->op, item)) return false;
    }
    return read_ports(cJSON_GetObjectItemCaseSensitive(json, "inputs"), &node->nin, &node->in) &&
           read_ports(cJSON_GetObjectItemCaseSensitive(json, "outputs"), &node->nout, &node->out);
}

static bool give_ports(node_t *node) {
    for (int i = 0; i < node->nin; i++)
        if (dnnl_graph_op_add_input(node->op, &node->in[i]) != dnnl_success) return false;
    for (int i = 0; i < node->nout; i++)
        if (dnnl_graph_op_add_output(node->op, &node->out[i]) != dnnl_success) return false;
    return true;
}

static bool read_document(document_t *document, const cJSON *json) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "graph"), *item;
    const char *of_int = text_of(json, "fpmath_mode_apply_to_int");
    const int mode =
            find_enum(NAMES_FPMATH_MODE, dnnl_fpmath_mode_tf32, text_of(json, "fpmath_mode"));
    if (mode < 0 || !cJSON_IsArray(list)) return false;
    document->fpmath = (dnnl_fpmath_mode_t)mode;
    document->fpmath_of_int = of_int && strcmp(of_int, "true") == 0;
    document->nodes = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *document->nodes);
    if (!document->nodes) return false;
    cJSON_ArrayForEach(item, list) {
        node_t *node = &document->nodes[document->nnodes++];
        if (!read_node(item, node) || !give_ports(node)) return false;
    }
    return true;
}

static char *read_text(const char *name) {
    FILE *file = fopen(name, "r");
    char *text = NULL;
    long size = -1;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (size >= 0) text = calloc(1, (size_t)size + 1);
    rewind(file);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = '\0';
    fclose(file);
    return text;
}

bool document_load(document_t *document, const char *file) {
    char *text = read_text(file);
    cJSON *json = text ? cJSON_Parse(text) : NULL;
    *document = (document_t){0};
    const bool fine = json && read_document(document, json);
    if (!fine) printf("%s is not a graph in JSON\n", file);
    cJSON_Delete(json);
    free(text);
    return fine;
}

void document_free(document_t *document) {
    for (int i = 0; i < document->nnodes; i++) {
        dnnl_graph_op_destroy(document->nodes[i].op);
        free(document->nodes[i].name);
        free(document->nodes[i].in);
        free(document->nodes[i].out);
    }
    free(document->nodes);
}

const node_t *document_producer(const document_t *document, size_t id) {
    for (int i = 0; i < document->nnodes; i++)
        for (int p = 0; p < document->nodes[i].nout; p++)
            if (document->nodes[i].out[p].id == id) return &document->nodes[i];
    return NULL;
}

bool document_enters(const document_t *document, size_t id, dnnl_graph_op_kind_t kind, int port) {
    for (int i = 0; i < document->nnodes; i++) {
        const node_t *node = &document->nodes[i];
        for (int p = 0; p < node->nin && node->kind == kind; p++)
            if (node->in[p].id == id && (port < 0 || p == port)) return true;
    }
    return false;
}

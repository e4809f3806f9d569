/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/graph/replay/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory_desc.h"
#include "graph/op.h"
#include "tests/ref/ref.h"

const value_t *values_find(const values_t *values, size_t id) {
    for (int i = 0; i < values->count; i++)
        if (values->list[i].lt.id == id) return &values->list[i];
    return NULL;
}

static value_t *append(values_t *values, const lt_t *lt) {
    value_t *list = realloc(values->list, ((size_t)values->count + 1) * sizeof *list);
    if (!list) return NULL;
    values->list = list;
    list[values->count] = (value_t){.lt = *lt};
    return &list[values->count++];
}

dnnl_status_t values_add(values_t *values, const lt_t *lt, dnnl_engine_t engine) {
    const size_t size = lt_bytes(lt);
    const dnnl_dims_t dims = {size ? (dnnl_dim_t)size : 1};
    dnnl_memory_desc_t md;
    void *data;
    value_t *value = append(values, lt);
    if (!value) return dnnl_out_of_memory;
    dnnl_status_t status = dnnl_memory_desc_create_with_strides(&md, 1, dims, dnnl_u8, NULL);
    if (status != dnnl_success) return status;
    status = dnnl_memory_create(&value->memory, md, engine, DNNL_MEMORY_ALLOCATE);
    dnnl_memory_desc_destroy(md);
    if (status == dnnl_success) status = dnnl_memory_get_data_handle(value->memory, &data);
    if (status == dnnl_success) status = dnnl_graph_tensor_create(&value->tensor, lt, engine, data);
    return status;
}

static dnnl_data_type_t stored(const lt_t *lt) {
    return lt->data_type == dnnl_boolean ? dnnl_u8 : lt->data_type;
}

static int64_t offset(const lt_t *lt, bool dense, int64_t index) {
    int64_t at = 0;
    if (dense) return index;
    for (int d = lt->ndims - 1; d >= 0; index /= lt->dims[d--])
        at += index % lt->dims[d] * lt->layout.strides[d];
    return at;
}

/* From 0 to 1, by the tensor and the element. */
static double random_of(size_t id, int64_t index) {
    uint64_t h = ((uint64_t)id << 40 ^ (uint64_t)index) + 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return (double)(h >> 40) / (1 << 24);
}

/* Divisors, variances, scales and arguments of logarithms and roots. */
static bool is_positive(const document_t *document, size_t id) {
    static const struct {
        dnnl_graph_op_kind_t kind;
        int port;
    } users[] = {{dnnl_graph_op_divide, 1}, {dnnl_graph_op_log, 0}, {dnnl_graph_op_sqrt, 0},
            {dnnl_graph_op_sqrt_backward, 0}, {dnnl_graph_op_reciprocal, 0}, {dnnl_graph_op_pow, 0},
            {dnnl_graph_op_batch_norm_inference, 4}, {dnnl_graph_op_batch_norm_forward_training, 2},
            {dnnl_graph_op_batch_norm_backward, 3}, {dnnl_graph_op_layer_norm_backward, 3},
            {dnnl_graph_op_dynamic_quantize, 1}, {dnnl_graph_op_dynamic_dequantize, 1}};
    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++)
        if (document_enters(document, id, users[i].kind, users[i].port)) return true;
    return false;
}

/* What hides a score: the value of a Select that compares indices. */
static bool is_hiding(const document_t *document, size_t id) {
    for (int i = 0; i < document->nnodes; i++) {
        const node_t *node = &document->nodes[i];
        if (node->kind != dnnl_graph_op_select || node->nin < 3 || node->in[2].id != id) continue;
        const node_t *from = document_producer(document, node->in[0].id);
        if (from && from->kind == dnnl_graph_op_greater_equal) return true;
    }
    return false;
}

/* The integer that stands for 0. */
static double zero_of(const document_t *document, size_t id) {
    for (int i = 0; i < document->nnodes; i++) {
        const node_t *node = &document->nodes[i];
        if (node->kind != dnnl_graph_op_dequantize || node->in[0].id != id) continue;
        const attribute_t *zps = op_attribute(node->op, dnnl_graph_op_attr_zps);
        return zps && zps->count ? (double)zps->value.s64[0] : 0;
    }
    return 0;
}

static double draw(const lt_t *lt, double r, bool positive, double zero) {
    switch (lt->data_type) {
    case dnnl_boolean: return r < 0.5;
    case dnnl_u8: return fmin(fmax(floor(r * 33) + zero - 16, 0), 255);
    case dnnl_s8: return fmin(fmax(floor(r * 33) + zero - 16, -128), 127);
    case dnnl_u4: return floor(r * 16);
    case dnnl_s4: return floor(r * 16) - 8;
    case dnnl_s32: return floor(r * 9) - 4;
    case dnnl_s64: return floor(r * 1000);
    default: return positive ? 0.25 + r : 2 * r - 1;
    }
}

static dnnl_status_t add_scalar(values_t *values, const lt_t *lt, const document_t *document) {
    const bool probability = document_enters(document, lt->id, dnnl_graph_op_dropout, 3);
    const float f32 = is_hiding(document, lt->id) ? -INFINITY : probability ? .25f : .125f;
    const int32_t s32 = 3;
    const int64_t s64 = 11;
    const void *data = lt->data_type == dnnl_f32   ? &f32
                       : lt->data_type == dnnl_s32 ? (const void *)&s32
                                                   : (const void *)&s64;
    value_t *value = append(values, lt);
    if (!value) return dnnl_out_of_memory;
    return dnnl_graph_tensor_create_scalar(&value->tensor, lt, (void *)data);
}

/* Large tensors repeat after so many elements: an even number that fits no usual dimension. */
enum { PERIOD = 999982 };

static void repeat(char *data, size_t size, size_t period) {
    for (size_t at = period; at < size; at += period)
        memcpy(data + at, data, size - at < period ? size - at : period);
}

dnnl_status_t values_add_random(
        values_t *values, const lt_t *lt, dnnl_engine_t engine, const document_t *document) {
    void *data;
    if (lt->property == dnnl_graph_tensor_property_host_scalar)
        return add_scalar(values, lt, document);
    dnnl_status_t status = values_add(values, lt, engine);
    if (status != dnnl_success) return status;
    const value_t *value = &values->list[values->count - 1];
    const bool positive = is_positive(document, lt->id);
    const bool probability = document_enters(document, lt->id, dnnl_graph_op_dropout, 3);
    const bool hiding = is_hiding(document, lt->id);
    const double zero = zero_of(document, lt->id);
    const bool dense = lt_is_dense(lt);
    const int64_t n = lt_count(lt), drawn = dense && n > PERIOD ? PERIOD : n;
    status = dnnl_memory_map_data(value->memory, &data);
    if (status != dnnl_success) return status;
    memset(data, 0, lt_bytes(lt));
    for (int64_t i = 0; i < drawn; i++)
        ref_store(stored(lt), data, offset(lt, dense, i),
                hiding        ? -INFINITY
                : probability ? 0.25
                              : draw(lt, random_of(lt->id, i), positive, zero));
    if (drawn < n) repeat(data, lt_bytes(lt), (size_t)PERIOD * dt_bits(stored(lt)) / 8);
    return dnnl_memory_unmap_data(value->memory, data);
}

void values_free(values_t *values) {
    for (int i = 0; i < values->count; i++) {
        dnnl_graph_tensor_destroy(values->list[i].tensor);
        dnnl_memory_destroy(values->list[i].memory);
    }
    free(values->list);
    *values = (values_t){0};
}

enum { MOST_COMPARED = 4000000 }; /* elements; of larger tensors it is a part of them */

comparison_t values_compare(const value_t *is, const value_t *should) {
    const lt_t *a = &is->lt, *b = &should->lt;
    const int64_t n = lt_count(b), step = n / MOST_COMPARED + 1;
    comparison_t c = {.equal_dims = a->ndims == b->ndims};
    void *x, *y;
    double difference = 0, norm = 0;
    int64_t strange = 0;
    for (int d = 0; d < b->ndims && c.equal_dims; d++) c.equal_dims = a->dims[d] == b->dims[d];
    if (!c.equal_dims || !n) return c;
    if (dnnl_memory_map_data(is->memory, &x) || dnnl_memory_map_data(should->memory, &y)) {
        c.error = INFINITY;
        return c;
    }
    const bool dense_a = lt_is_dense(a), dense_b = lt_is_dense(b);
    for (int64_t i = 0; i < n; i += step) {
        const double u = ref_load(stored(a), x, offset(a, dense_a, i));
        const double v = ref_load(stored(b), y, offset(b, dense_b, i));
        const bool same = u == v || (isnan(u) && isnan(v));
        strange += same && !isfinite(u);
        if (same && !isfinite(u)) continue;
        difference += (u - v) * (u - v);
        norm += v * v;
    }
    dnnl_memory_unmap_data(is->memory, x);
    dnnl_memory_unmap_data(should->memory, y);
    c.error = difference == 0 ? 0 : sqrt(difference / norm);
    c.strange = (double)(strange * step) / (double)n;
    return c;
}

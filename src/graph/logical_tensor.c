/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/logical_tensor.h"

#include "core/check.h"
#include "core/memory_desc.h"
#include "core/util.h"

lt_t lt_empty(size_t id) {
    lt_t lt = {
            .id = id, .ndims = DNNL_GRAPH_UNKNOWN_NDIMS, .layout_type = dnnl_graph_layout_type_any};
    for (int d = 0; d < DNNL_MAX_NDIMS; d++)
        lt.dims[d] = lt.layout.strides[d] = DNNL_GRAPH_UNKNOWN_DIM;
    return lt;
}

bool lt_has_dims(const lt_t *lt) {
    if (lt->ndims < 0) return false;
    for (int d = 0; d < lt->ndims; d++)
        if (lt->dims[d] < 0) return false;
    return true;
}

/* Of numbers that the program chose: INT64_MAX stands for what is too large. */
static int64_t product(int64_t a, int64_t b) {
    int64_t result;
    return mul_ok(a, b, &result) ? result : INT64_MAX;
}

static void dense_strides(const lt_t *lt, dnnl_dim_t *strides) {
    dnnl_dim_t stride = 1;
    for (int d = lt->ndims - 1; d >= 0; d--) {
        strides[d] = stride;
        stride = product(stride, max_i64(lt->dims[d], 1));
    }
}

void lt_set_dense(lt_t *lt) {
    lt->layout_type = dnnl_graph_layout_type_strided;
    dense_strides(lt, lt->layout.strides);
}

bool lt_is_dense(const lt_t *lt) {
    dnnl_dims_t strides;
    dense_strides(lt, strides);
    for (int d = 0; d < lt->ndims; d++)
        if (lt->dims[d] > 1 && lt->layout.strides[d] != strides[d]) return false;
    return true;
}

static bool same_dims(const dnnl_dim_t *a, const dnnl_dim_t *b, int n) {
    for (int d = 0; d < n; d++)
        if (a[d] != b[d]) return false;
    return true;
}

bool lt_same(const lt_t *a, const lt_t *b) {
    if (a->id != b->id || a->data_type != b->data_type || a->ndims != b->ndims ||
            a->property != b->property || a->layout_type != b->layout_type)
        return false;
    if (!same_dims(a->dims, b->dims, a->ndims)) return false;
    if (a->layout_type == dnnl_graph_layout_type_strided)
        return same_dims(a->layout.strides, b->layout.strides, a->ndims);
    return a->layout_type != dnnl_graph_layout_type_opaque ||
           a->layout.layout_id == b->layout.layout_id;
}

int64_t lt_count(const lt_t *lt) {
    int64_t count = 1;
    for (int d = 0; d < lt->ndims; d++) count = product(count, lt->dims[d]);
    return count;
}

size_t lt_bytes(const lt_t *lt) {
    int64_t elements = 1;
    if (lt->layout_type != dnnl_graph_layout_type_strided || !lt_has_dims(lt)) return SIZE_MAX;
    if (!lt_count(lt)) return 0;
    for (int d = 0; d < lt->ndims; d++) {
        const int64_t stride = lt->dims[d] == 1 ? 1 : lt->layout.strides[d];
        elements = max_i64(elements, product(lt->dims[d], stride));
    }
    if (elements > INT64_MAX / 64) return SIZE_MAX;
    return (size_t)div_up(elements * dt_bits(lt->data_type), 8);
}

static dnnl_status_t check_property(
        int32_t ndims, dnnl_data_type_t dt, dnnl_graph_tensor_property_t property) {
    if (property != dnnl_graph_tensor_property_host_scalar) return dnnl_success;
    CHECK_ARG(ndims == 0, "graph", "a host scalar with %d dimensions", ndims);
    CHECK_ARG(dt == dnnl_s32 || dt == dnnl_f32 || dt == dnnl_s64, "graph",
            "a host scalar of a type other than s32, s64 and f32");
    return dnnl_success;
}

static lt_t lt_start(size_t id, dnnl_data_type_t dt, int32_t ndims, dnnl_graph_layout_type_t layout,
        dnnl_graph_tensor_property_t property) {
    lt_t lt = lt_empty(id);
    lt.data_type = dt;
    lt.ndims = ndims;
    lt.layout_type = layout;
    lt.property = property;
    if (ndims == 0) {
        lt.dims[0] = 0;
        if (layout == dnnl_graph_layout_type_strided) lt.layout.strides[0] = 0;
    }
    return lt;
}

dnnl_status_t dnnl_graph_logical_tensor_init(lt_t *logical_tensor, size_t tid,
        dnnl_data_type_t dtype, int32_t ndims, dnnl_graph_layout_type_t ltype,
        dnnl_graph_tensor_property_t ptype) {
    CHECK_NOT_NULL(logical_tensor, "graph");
    CHECK_ARG(ndims <= DNNL_MAX_NDIMS, "graph", "a logical tensor of %d dimensions", ndims);
    TRY(check_property(ndims, dtype, ptype));
    *logical_tensor = lt_start(tid, dtype, ndims, ltype, ptype);
    return dnnl_success;
}

static dnnl_status_t check_dims(const lt_t *lt, int32_t ndims, const dnnl_dim_t *dims) {
    CHECK_ARG(lt, "graph", "logical_tensor is NULL");
    CHECK_ARG(dims, "graph", "dims is NULL");
    CHECK_ARG(ndims >= 0 && ndims <= DNNL_MAX_NDIMS, "graph", "a logical tensor of %d dimensions",
            ndims);
    return dnnl_success;
}

dnnl_status_t dnnl_graph_logical_tensor_init_with_dims(lt_t *logical_tensor, size_t tid,
        dnnl_data_type_t dtype, int32_t ndims, const dnnl_dims_t dims,
        dnnl_graph_layout_type_t ltype, dnnl_graph_tensor_property_t ptype) {
    TRY(check_dims(logical_tensor, ndims, dims));
    TRY(check_property(ndims, dtype, ptype));
    lt_t lt = lt_start(tid, dtype, ndims, ltype, ptype);
    for (int d = 0; d < ndims; d++) lt.dims[d] = dims[d];
    if (ndims && ltype == dnnl_graph_layout_type_strided && lt_has_dims(&lt)) lt_set_dense(&lt);
    *logical_tensor = lt;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_logical_tensor_init_with_strides(lt_t *logical_tensor, size_t tid,
        dnnl_data_type_t dtype, int32_t ndims, const dnnl_dims_t dims, const dnnl_dims_t strides,
        dnnl_graph_tensor_property_t ptype) {
    TRY(check_dims(logical_tensor, ndims, dims));
    CHECK_NOT_NULL(strides, "graph");
    TRY(check_property(ndims, dtype, ptype));
    lt_t lt = lt_start(tid, dtype, ndims, dnnl_graph_layout_type_strided, ptype);
    for (int d = 0; d < ndims; d++) {
        lt.dims[d] = dims[d];
        lt.layout.strides[d] = strides[d];
    }
    *logical_tensor = lt;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_logical_tensor_get_mem_size(const lt_t *logical_tensor, size_t *size) {
    CHECK_NOT_NULL(logical_tensor, "graph");
    CHECK_NOT_NULL(size, "graph");
    *size = lt_bytes(logical_tensor);
    return dnnl_success;
}

dnnl_status_t dnnl_graph_logical_tensor_is_equal(
        const lt_t *lt1, const lt_t *lt2, uint8_t *is_equal) {
    CHECK_NOT_NULL(lt1, "graph");
    CHECK_NOT_NULL(lt2, "graph");
    CHECK_NOT_NULL(is_equal, "graph");
    *is_equal = lt_same(lt1, lt2);
    return dnnl_success;
}

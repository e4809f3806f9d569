/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors: a logical tensor, and memory of a device or a value in host memory. */
#include <string.h>

#include "core/alloc.h"
#include "core/check.h"
#include "core/memory_desc.h"
#include "graph/device.h"
#include "graph/objects.h"

static void free_owned(dnnl_graph_tensor_t tensor) {
    if (tensor->owned) device_free(tensor->engine, tensor->ptr, NULL);
    tensor->owned = false;
    tensor->ptr = NULL;
}

static dnnl_status_t allocate(dnnl_graph_tensor_t tensor) {
    const size_t size = lt_bytes(&tensor->lt);
    CHECK_ARG(size != SIZE_MAX, "graph", "the size of a tensor to allocate is not known");
    if (!size) return dnnl_success;
    TRY(device_allocate(tensor->engine, size, &tensor->ptr));
    tensor->owned = true;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_tensor_create(dnnl_graph_tensor_t *tensor, const lt_t *logical_tensor,
        dnnl_engine_t engine, void *handle) {
    CHECK_NOT_NULL(tensor, "graph");
    CHECK_NOT_NULL(logical_tensor, "graph");
    CHECK_NOT_NULL(engine, "graph");
    CHECK_ARG(logical_tensor->property != dnnl_graph_tensor_property_host_scalar, "graph",
            "a host scalar is made by dnnl_graph_tensor_create_scalar()");
    dnnl_graph_tensor_t made = dz_calloc(1, sizeof *made);
    if (!made) return dnnl_out_of_memory;
    made->lt = *logical_tensor;
    made->engine = engine;
    dnnl_status_t status = dnnl_success;
    if (handle == DNNL_MEMORY_ALLOCATE) status = allocate(made);
    else made->ptr = handle;
    if (status == dnnl_success) *tensor = made;
    else dz_free(made);
    return status;
}

dnnl_status_t dnnl_graph_tensor_create_scalar(
        dnnl_graph_tensor_t *tensor, const lt_t *logical_tensor, void *handle) {
    CHECK_NOT_NULL(tensor, "graph");
    CHECK_NOT_NULL(logical_tensor, "graph");
    CHECK_ARG(logical_tensor->property == dnnl_graph_tensor_property_host_scalar, "graph",
            "the logical tensor is not that of a host scalar");
    CHECK_ARG(handle && handle != DNNL_MEMORY_ALLOCATE, "graph", "a host scalar without a value");
    const size_t size = dt_size(logical_tensor->data_type);
    dnnl_graph_tensor_t made = dz_calloc(1, sizeof *made);
    if (!made) return dnnl_out_of_memory;
    made->lt = *logical_tensor;
    memcpy(&made->scalar, handle, size < sizeof made->scalar ? size : sizeof made->scalar);
    *tensor = made;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_tensor_destroy(dnnl_graph_tensor_t tensor) {
    if (!tensor) return dnnl_success;
    free_owned(tensor);
    dz_free(tensor);
    return dnnl_success;
}

dnnl_status_t dnnl_graph_tensor_get_data_handle(const_dnnl_graph_tensor_t tensor, void **handle) {
    CHECK_NOT_NULL(tensor, "graph");
    CHECK_NOT_NULL(handle, "graph");
    *handle = tensor->ptr;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_tensor_set_data_handle(dnnl_graph_tensor_t tensor, void *handle) {
    CHECK_NOT_NULL(tensor, "graph");
    CHECK_ARG(tensor->engine, "graph", "a host scalar has no memory");
    CHECK_ARG(handle != DNNL_MEMORY_ALLOCATE, "graph",
            "memory can be allocated only when the tensor is made");
    if (handle == tensor->ptr) return dnnl_success;
    free_owned(tensor);
    tensor->ptr = handle;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_tensor_get_engine(
        const_dnnl_graph_tensor_t tensor, dnnl_engine_t *engine) {
    CHECK_NOT_NULL(tensor, "graph");
    CHECK_NOT_NULL(engine, "graph");
    *engine = tensor->engine;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_tensor_get_logical_tensor(
        const_dnnl_graph_tensor_t tensor, lt_t *logical_tensor) {
    CHECK_NOT_NULL(tensor, "graph");
    CHECK_NOT_NULL(logical_tensor, "graph");
    *logical_tensor = tensor->lt;
    return dnnl_success;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators, engines with one, and execution with events of Level Zero or OpenCL. */
#include <string.h>

#include "core/alloc.h"
#include "core/check.h"
#include "graph/run.h"
#include "ocl/core.h"
#include "oneapi/dnnl/dnnl_graph_ocl.h"
#include "oneapi/dnnl/dnnl_graph_ze.h"
#include "oneapi/dnnl/dnnl_ocl.h"
#include "oneapi/dnnl/dnnl_ze.h"
#include "oneapi/dnnl/dnnl_ze_layer.h"

struct dnnl_graph_allocator {
    void (*allocate)(void); /* NULL: the library's, for any engine */
    void (*deallocate)(void);
    const backend_t *backend; /* of the engines that the functions are for */
    const char *layer;        /* that the functions are for; NULL: the library */
};

static dnnl_status_t create_allocator(
        dnnl_graph_allocator_t *allocator, const struct dnnl_graph_allocator *wanted) {
    CHECK_NOT_NULL(allocator, "graph");
    dnnl_graph_allocator_t made = dz_calloc(1, sizeof *made);
    if (!made) return dnnl_out_of_memory;
    if (wanted->allocate && wanted->deallocate) *made = *wanted;
    *allocator = made;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_ze_interop_allocator_create(dnnl_graph_allocator_t *allocator,
        dnnl_graph_ze_allocate_f ze_malloc, dnnl_graph_ze_deallocate_f ze_free) {
    const struct dnnl_graph_allocator wanted = {
            (void (*)(void))ze_malloc, (void (*)(void))ze_free, NULL, NULL};
    return create_allocator(allocator, &wanted);
}

dnnl_status_t dnnl_graph_ocl_interop_allocator_create(dnnl_graph_allocator_t *allocator,
        dnnl_graph_ocl_allocate_f ocl_malloc, dnnl_graph_ocl_deallocate_f ocl_free) {
    const struct dnnl_graph_allocator wanted = {
            (void (*)(void))ocl_malloc, (void (*)(void))ocl_free, &ocl_backend, NULL};
    return create_allocator(allocator, &wanted);
}

dnnl_status_t dnnl_ze_layer_allocator_create(dnnl_graph_allocator_t *allocator, const char *name,
        dnnl_ze_layer_function_t allocate, dnnl_ze_layer_function_t deallocate) {
    CHECK_NOT_NULL(name, "graph");
    const struct dnnl_graph_allocator wanted = {allocate, deallocate, NULL, name};
    return create_allocator(allocator, &wanted);
}

dnnl_status_t dnnl_ze_layer_allocator_get(const_dnnl_graph_allocator_t allocator, const char *name,
        dnnl_ze_layer_function_t *allocate, dnnl_ze_layer_function_t *deallocate) {
    CHECK_NOT_NULL(allocator, "graph");
    CHECK_NOT_NULL(name, "graph");
    CHECK_NOT_NULL(allocate, "graph");
    CHECK_NOT_NULL(deallocate, "graph");
    CHECK_ARG(!allocator->allocate || (allocator->layer && !strcmp(allocator->layer, name)),
            "graph", "the allocator is not one of the layer %s", name);
    *allocate = allocator->allocate;
    *deallocate = allocator->deallocate;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_allocator_create(dnnl_graph_allocator_t *allocator,
        dnnl_graph_host_allocate_f host_malloc, dnnl_graph_host_deallocate_f host_free) {
    (void)host_malloc, (void)host_free;
    return dnnl_graph_ze_interop_allocator_create(allocator, NULL, NULL);
}

dnnl_status_t dnnl_graph_allocator_destroy(dnnl_graph_allocator_t allocator) {
    CHECK_NOT_NULL(allocator, "graph");
    dz_free(allocator);
    return dnnl_success;
}

static dnnl_status_t give_allocator(
        dnnl_status_t status, dnnl_engine_t *engine, const_dnnl_graph_allocator_t alloc) {
    if (status != dnnl_success) return status;
    if (alloc->layer && alloc->allocate) {
        dnnl_engine_destroy(*engine);
        return verbose_refuse(dnnl_unimplemented, "graph",
                "an allocator of the layer %s is for engines that the layer makes", alloc->layer);
    }
    if (alloc->allocate && (*engine)->core->backend != alloc->backend) {
        dnnl_engine_destroy(*engine);
        return verbose_refuse(dnnl_unimplemented, "graph",
                "an allocator of %s cannot allocate for an engine of the other runtime",
                alloc->backend ? "OpenCL" : "Level Zero");
    }
    (*engine)->allocate = alloc->allocate;
    (*engine)->deallocate = alloc->deallocate;
    return dnnl_success;
}

dnnl_status_t dnnl_graph_make_engine_with_allocator(dnnl_engine_t *engine, dnnl_engine_kind_t kind,
        size_t index, const_dnnl_graph_allocator_t alloc) {
    CHECK_NOT_NULL(alloc, "graph");
    return give_allocator(dnnl_engine_create(engine, kind, index), engine, alloc);
}

dnnl_status_t dnnl_graph_ze_interop_make_engine_with_allocator(dnnl_engine_t *engine,
        ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context,
        const_dnnl_graph_allocator_t alloc) {
    CHECK_NOT_NULL(alloc, "graph");
    return give_allocator(
            dnnl_ze_interop_engine_create(engine, driver, device, context), engine, alloc);
}

dnnl_status_t dnnl_graph_ze_interop_make_engine_from_cache_blob_with_allocator(
        dnnl_engine_t *engine, ze_driver_handle_t driver, ze_device_handle_t device,
        ze_context_handle_t context, const_dnnl_graph_allocator_t alloc, size_t size,
        const uint8_t *cache_blob) {
    CHECK_NOT_NULL(alloc, "graph");
    return give_allocator(dnnl_ze_interop_engine_create_from_cache_blob(
                                  engine, driver, device, context, size, cache_blob),
            engine, alloc);
}

dnnl_status_t dnnl_graph_ocl_interop_make_engine_with_allocator(dnnl_engine_t *engine,
        cl_device_id device, cl_context context, const_dnnl_graph_allocator_t alloc) {
    CHECK_NOT_NULL(alloc, "graph");
    return give_allocator(dnnl_ocl_interop_engine_create(engine, device, context), engine, alloc);
}

dnnl_status_t dnnl_graph_ocl_interop_make_engine_from_cache_blob_with_allocator(
        dnnl_engine_t *engine, cl_device_id device, cl_context context,
        const_dnnl_graph_allocator_t alloc, size_t size, const uint8_t *cache_blob) {
    CHECK_NOT_NULL(alloc, "graph");
    return give_allocator(dnnl_ocl_interop_engine_create_from_cache_blob(
                                  engine, device, context, size, cache_blob),
            engine, alloc);
}

dnnl_status_t dnnl_graph_ze_interop_compiled_partition_execute_v2(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad,
        const ze_event_handle_t *deps, int ndeps, ze_event_handle_t *return_event) {
    CHECK_NOT_NULL(stream, "graph");
    TRY(engine_check_backend(stream->engine, NULL));
    const run_t run = {num_inputs, num_outputs, inputs, outputs, scratchpad, ndeps,
            (const device_event_t *)deps, (device_event_t *)return_event};
    return compiled_run(compiled_partition, stream, &run);
}

dnnl_status_t dnnl_graph_ze_interop_compiled_partition_execute(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const ze_event_handle_t *deps, int ndeps,
        ze_event_handle_t *return_event) {
    return dnnl_graph_ze_interop_compiled_partition_execute_v2(compiled_partition, stream,
            num_inputs, inputs, num_outputs, outputs, NULL, deps, ndeps, return_event);
}

dnnl_status_t dnnl_graph_ocl_interop_compiled_partition_execute_v2(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad,
        const cl_event *deps, int ndeps, cl_event *return_event) {
    CHECK_NOT_NULL(stream, "graph");
    TRY(engine_check_backend(stream->engine, &ocl_backend));
    const run_t run = {num_inputs, num_outputs, inputs, outputs, scratchpad, ndeps,
            (const device_event_t *)deps, (device_event_t *)return_event};
    return compiled_run(compiled_partition, stream, &run);
}

dnnl_status_t dnnl_graph_ocl_interop_compiled_partition_execute(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const cl_event *deps, int ndeps,
        cl_event *return_event) {
    return dnnl_graph_ocl_interop_compiled_partition_execute_v2(compiled_partition, stream,
            num_inputs, inputs, num_outputs, outputs, NULL, deps, ndeps, return_event);
}

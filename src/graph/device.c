/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/device.h"

#include "api/memory.h"
#include "core/alloc.h"
#include "core/check.h"
#include "oneapi/dnnl/dnnl_graph_ze.h"
#include "oneapi/dnnl/dnnl_ze.h"
#include "ze/stream_state.h"
#include "ze/usm.h"

dnnl_status_t device_allocate(dnnl_engine_t engine, size_t size, void **ptr) {
    device_core_t *core = engine->core;
    if (!engine->allocate) return usm_alloc_device(core, size, ptr);
    *ptr = engine->allocate(size, 0, core->device, core->context);
    if (*ptr) return dnnl_success;
    return verbose_error(dnnl_out_of_memory, "graph",
            "the allocator of the engine has no memory of %zu bytes", size);
}

void device_free(dnnl_engine_t engine, void *ptr, device_event_t event) {
    if (!ptr) return;
    if (engine->allocate)
        engine->deallocate(ptr, engine->core->device, engine->core->context, event);
    else usm_free_unused(engine->core, ptr);
}

/* Memory of the program's allocator. */
typedef struct {
    in_flight_t link; /* must be the first member */
    void *ptr;
    ze_device_handle_t device;
    ze_context_handle_t context;
    dnnl_graph_ze_deallocate_f deallocate;
} buffer_t;

static void end_buffer(in_flight_t *thing) {
    buffer_t *buffer = (buffer_t *)thing;
    buffer->deallocate(buffer->ptr, buffer->device, buffer->context, NULL);
    dz_free(buffer);
}

void device_free_unused(dnnl_engine_t engine, void *ptr) {
    device_core_t *core = engine->core;
    if (!ptr) return;
    if (!engine->allocate) {
        usm_free_unused(core, ptr);
        return;
    }
    buffer_t *buffer = dz_malloc(sizeof *buffer);
    if (!buffer) {
        verbose_error(dnnl_out_of_memory, "graph",
                "no memory to note a buffer that the device may still use: the buffer is leaked");
        return;
    }
    *buffer = (buffer_t){{.end = end_buffer}, ptr, core->device, core->context, engine->deallocate};
    flights_end(&core->flights, &buffer->link);
}

bool device_wants_event(dnnl_engine_t engine) {
    return engine->allocate != NULL;
}

dnnl_status_t device_memory_create(
        dnnl_memory_t *memory, const_dnnl_memory_desc_t md, dnnl_engine_t engine, void *handle) {
    return memory_create_checked(memory, md, engine, 1, &handle, HANDLES_TRUSTED);
}

void device_at_end(dnnl_engine_t engine, void (*function)(dnnl_engine_t)) {
    atomic_store(&engine->at_end, function);
}

bool stream_records(dnnl_stream_t stream) {
    return stream->recording;
}

bool stream_orders(dnnl_stream_t stream) {
    return stream->order != ORDER_BY_CALLER;
}

/* The order of their steps needs events, which the runtime would have to release. */
dnnl_status_t stream_check(dnnl_stream_t stream) {
    if (stream_orders(stream) || !stream->engine->core->backend) return dnnl_success;
    return verbose_refuse(dnnl_unimplemented, "graph",
            "graphs do not run on out-of-order streams of OpenCL: use an in-order one");
}

bool stream_is_of(dnnl_stream_t stream, dnnl_engine_t engine) {
    return stream->engine->core == engine->core;
}

dnnl_status_t device_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args, int ndeps, const device_event_t *deps, device_event_t *event) {
    if (stream->engine->core->backend && !ndeps && !event)
        return dnnl_primitive_execute(primitive, stream, nargs, args);
    return dnnl_ze_interop_primitive_execute(primitive, stream, nargs, args, ndeps,
            (const ze_event_handle_t *)deps, (ze_event_handle_t *)event);
}

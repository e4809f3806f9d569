/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/device.h"

#include "ocl/opencl.h"

#include "api/memory.h"
#include "graph/run.h"
#include "core/alloc.h"
#include "core/check.h"
#include "oneapi/dnnl/dnnl_graph_ocl.h"
#include "oneapi/dnnl/dnnl_graph_ze.h"
#include "oneapi/dnnl/dnnl_ocl.h"
#include "oneapi/dnnl/dnnl_ze.h"
#include "primitive/primitive.h"
#include "ze/stream.h"
#include "ze/usm.h"

/* ---- functions of a layer, or of the program and of the type of the engine's runtime ---- */

static cl_device_id cl_device_of(const device_core_t *core) {
    return (cl_device_id)(void *)core->device;
}

static cl_context cl_context_of(const device_core_t *core) {
    return (cl_context)(void *)core->context;
}

bool device_is_cpu(dnnl_engine_t engine) {
    return engine->core->caps.is_cpu;
}

static void *allocate(dnnl_engine_t engine, size_t size) {
    const device_core_t *core = engine->core;
    const layer_allocator_t *layer = engine->layer_allocator;
    if (layer) return layer->allocate(layer->data, size);
    return core->backend ? ((dnnl_graph_ocl_allocate_f)engine->allocate)(
                                   size, 0, cl_device_of(core), cl_context_of(core))
                         : ((dnnl_graph_ze_allocate_f)engine->allocate)(
                                   size, 0, core->device, core->context);
}

/* layer: NULL, or in place of the function. */
static void deallocate(const device_core_t *core, const layer_allocator_t *layer,
        void (*function)(void), void *ptr, device_event_t event) {
    if (layer) layer->deallocate(layer->data, ptr, event);
    else if (core->backend)
        ((dnnl_graph_ocl_deallocate_f)function)(
                ptr, cl_device_of(core), cl_context_of(core), event);
    else ((dnnl_graph_ze_deallocate_f)function)(ptr, core->device, core->context, event);
}

/* ---- memory ---- */

static bool has_allocator(dnnl_engine_t engine) {
    return engine->allocate || engine->layer_allocator;
}

dnnl_status_t device_allocate(dnnl_engine_t engine, size_t size, void **ptr) {
    if (!has_allocator(engine)) return usm_alloc_device(engine->core, size, ptr);
    *ptr = allocate(engine, size);
    if (*ptr) return dnnl_success;
    return verbose_error(dnnl_out_of_memory, "graph",
            "the allocator of the engine has no memory of %zu bytes", size);
}

void device_free(dnnl_engine_t engine, void *ptr, device_event_t event) {
    device_core_t *core = engine->core;
    if (!ptr) return;
    if (has_allocator(engine))
        deallocate(core, engine->layer_allocator, engine->deallocate, ptr, event);
    else if (event && core->backend) core->backend->free_after(core, ptr, event);
    else usm_free_unused(core, ptr);
}

bool device_lends(dnnl_engine_t engine, dnnl_stream_t stream) {
    return !engine->allocate && !engine->core->backend && stream_orders(stream);
}

dnnl_status_t device_borrow(dnnl_stream_t stream, size_t size, device_buffer_t *buffer) {
    stream_buffer_t taken;
    TRY(stream_take_buffer(stream, size, &taken));
    *buffer = (device_buffer_t){taken.ptr, taken.size};
    return dnnl_success;
}

void device_return(dnnl_stream_t stream, device_buffer_t buffer) {
    stream_give_buffer(stream, (stream_buffer_t){buffer.ptr, buffer.size});
}

/* Memory of the program's allocator. */
typedef struct {
    in_flight_t link; /* must be the first member */
    void *ptr;
    const device_core_t *core; /* it ends after what it keeps */
    layer_allocator_t *layer;  /* one reference, or NULL */
    void (*deallocate)(void);
} buffer_t;

static void end_buffer(in_flight_t *thing) {
    buffer_t *buffer = (buffer_t *)thing;
    deallocate(buffer->core, buffer->layer, buffer->deallocate, buffer->ptr, NULL);
    layer_allocator_unref(buffer->layer);
    dz_free(buffer);
}

void device_free_unused(dnnl_engine_t engine, void *ptr) {
    device_core_t *core = engine->core;
    if (!ptr) return;
    if (!has_allocator(engine)) {
        usm_free_unused(core, ptr);
        return;
    }
    if (core->backend) core->backend->wait_for_all(core); /* its work is not noted */
    buffer_t *buffer = dz_malloc(sizeof *buffer);
    if (!buffer) {
        verbose_error(dnnl_out_of_memory, "graph",
                "no memory to note a buffer that the device may still use: the buffer is leaked");
        return;
    }
    *buffer = (buffer_t){{.end = end_buffer}, ptr, core,
            layer_allocator_ref(engine->layer_allocator), engine->deallocate};
    flights_end(&core->flights, &buffer->link);
}

bool device_wants_event(dnnl_engine_t engine) {
    return has_allocator(engine) || engine->core->backend;
}

dnnl_status_t device_memory_create(
        dnnl_memory_t *memory, const_dnnl_memory_desc_t md, dnnl_engine_t engine, void *handle) {
    return memory_create_checked(memory, md, engine, 1, &handle, HANDLES_TRUSTED);
}

void device_at_end(dnnl_engine_t engine, void (*function)(dnnl_engine_t)) {
    atomic_store(&engine->at_end, function);
}

dnnl_status_t device_wait(dnnl_stream_t stream) {
    return stream_wait(stream);
}

bool device_layer_runs(dnnl_stream_t stream, const_dnnl_graph_compiled_partition_t cp,
        const run_t *run, dnnl_status_t *status) {
    const attachment_t *there = attached_get(&stream->attached);
    if (!there || !there->layer.execute_partition) return false;
    *status = there->layer.execute_partition(
            there->data, cp, run->nin, run->in, run->nout, run->out, run->scratchpad);
    return true;
}

bool stream_records(dnnl_stream_t stream) {
    return stream->recording;
}

bool stream_orders(dnnl_stream_t stream) {
    return stream->order != ORDER_BY_CALLER;
}

void device_drop_event(dnnl_engine_t engine, device_event_t event) {
    if (event && engine->core->backend) engine->core->backend->drop_event(event);
}

bool stream_is_of(dnnl_stream_t stream, dnnl_engine_t engine) {
    return stream->engine->core == engine->core;
}

int device_rank(const_dnnl_primitive_t primitive, int arg) {
    return executable_find_slot(primitive->exec, arg);
}

dnnl_status_t device_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args, int ndeps, const device_event_t *deps, device_event_t *event) {
    dnnl_status_t status;
    if (!ndeps && !event && primitive_launch_plain(primitive, stream, nargs, args, &status))
        return status;
    if (stream->engine->core->backend)
        return dnnl_ocl_interop_primitive_execute(
                primitive, stream, nargs, args, (const cl_event *)deps, ndeps, (cl_event *)event);
    return dnnl_ze_interop_primitive_execute(primitive, stream, nargs, args, ndeps,
            (const ze_event_handle_t *)deps, (ze_event_handle_t *)event);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Layers: data of other runtimes' objects. */
#include "oneapi/dnnl/dnnl_ze_layer.h"

#include "core/alloc.h"
#include "core/check.h"
#include "ocl/core.h"
#include "ze/attached.h"
#include "ze/memory.h"

#define CHECK_LAYER(object)                                                                        \
    CHECK_NOT_NULL(object, "layer");                                                               \
    CHECK_NOT_NULL(layer, "layer");                                                                \
    CHECK_NOT_NULL(layer->name, "layer");                                                          \
    CHECK_NOT_NULL(attached, "layer")

dnnl_status_t dnnl_ze_layer_attach_engine(
        dnnl_engine_t engine, const dnnl_ze_layer_t *layer, void *data, void **attached) {
    CHECK_LAYER(engine);
    return attached_set(&engine->attached, layer, data, attached);
}

dnnl_status_t dnnl_ze_layer_attach_stream(
        dnnl_stream_t stream, const dnnl_ze_layer_t *layer, void *data, void **attached) {
    CHECK_LAYER(stream);
    TRY(attached_set(&stream->attached, layer, data, attached));
    stream->plain = false; /* the shortest path does not ask for layers */
    return dnnl_success;
}

dnnl_status_t dnnl_ze_layer_attach_memory(
        dnnl_memory_t memory, const dnnl_ze_layer_t *layer, void *data, void **attached) {
    CHECK_LAYER(memory);
    return attached_set(&memory->attached, layer, data, attached);
}

#define GETTER(type, name)                                                                         \
    dnnl_status_t dnnl_ze_layer_get_##name(type name, const char *layer, void **data) {            \
        CHECK_NOT_NULL(name, "layer");                                                             \
        CHECK_NOT_NULL(layer, "layer");                                                            \
        CHECK_NOT_NULL(data, "layer");                                                             \
        *data = attached_data(&name->attached, layer);                                             \
        return dnnl_success;                                                                       \
    }
GETTER(dnnl_engine_t, engine)
GETTER(const_dnnl_stream_t, stream)
GETTER(const_dnnl_memory_t, memory)

dnnl_status_t dnnl_ze_layer_is_opencl(dnnl_engine_t engine, int *is_opencl) {
    CHECK_NOT_NULL(engine, "layer");
    CHECK_NOT_NULL(is_opencl, "layer");
    *is_opencl = engine->core->backend == &ocl_backend;
    return dnnl_success;
}

dnnl_status_t dnnl_ze_layer_list_is_in_order(dnnl_engine_t engine, void *list, int *is_in_order) {
    CHECK_NOT_NULL(engine, "layer");
    CHECK_NOT_NULL(list, "layer");
    CHECK_NOT_NULL(is_in_order, "layer");
    TRY(engine_check_backend(engine, NULL));
    *is_in_order = stream_list_is_in_order(engine->core, (ze_command_list_handle_t)list);
    return dnnl_success;
}

dnnl_status_t dnnl_ze_layer_return_event(dnnl_stream_t stream, void *event) {
    CHECK_NOT_NULL(stream, "layer");
    const backend_t *backend = stream->engine->core->backend;
    if (event && backend) backend->drop_event(event);
    else if (event) stream_return_event(stream, (ze_event_handle_t)event);
    return dnnl_success;
}

dnnl_status_t dnnl_ze_layer_release(dnnl_ze_layer_object_t kind, void *object) {
    CHECK_NOT_NULL(object, "layer");
    TRY(ocl_load());
    switch (kind) {
    case dnnl_ze_layer_context: return OCL_CALL(ReleaseContext, (cl_context)object);
    case dnnl_ze_layer_queue: return OCL_CALL(ReleaseCommandQueue, (cl_command_queue)object);
    case dnnl_ze_layer_event: return OCL_CALL(ReleaseEvent, (cl_event)object);
    }
    return verbose_check(dnnl_invalid_arguments, "layer", "%d is not a kind of object", (int)kind);
}

dnnl_status_t dnnl_ze_layer_report(dnnl_status_t status, const char *sentence) {
    CHECK_NOT_NULL(sentence, "layer");
    if (status == dnnl_invalid_arguments) return verbose_check(status, "layer", "%s", sentence);
    if (status == dnnl_unimplemented) return verbose_refuse(status, "layer", "%s", sentence);
    return verbose_error(status, "layer", "%s", sentence);
}

dnnl_status_t dnnl_ze_layer_set_allocator(dnnl_engine_t engine,
        void *(*allocate)(void *data, size_t size),
        void (*deallocate)(void *data, void *ptr, void *event), void *data,
        void (*destroy)(void *data)) {
    CHECK_NOT_NULL(engine, "layer");
    CHECK_NOT_NULL(allocate, "layer");
    CHECK_NOT_NULL(deallocate, "layer");
    CHECK_ARG(!engine->layer_allocator && !engine->allocate, "layer",
            "the engine has an allocator already");
    layer_allocator_t *made = dz_malloc(sizeof *made);
    if (!made) return verbose_error(dnnl_out_of_memory, "layer", "no memory for an allocator");
    *made = (layer_allocator_t){1, allocate, deallocate, data, destroy};
    engine->layer_allocator = made;
    return dnnl_success;
}

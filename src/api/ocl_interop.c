/* SPDX-License-Identifier: Apache-2.0 */
/* Interoperation with OpenCL. */
#include <string.h>

#include "ocl/core.h"

#include "oneapi/dnnl/dnnl_ocl.h"

#include "api/memory.h"
#include "core/check.h"
#include "primitive/primitive.h"
#include "ze/blob.h"

#define CHECK_ENGINE(engine)                                                                       \
    CHECK_NOT_NULL(engine, "engine");                                                              \
    TRY(engine_check_backend(engine, &ocl_backend))

/* ---- engines ---- */

dnnl_status_t dnnl_ocl_interop_engine_create(
        dnnl_engine_t *engine, cl_device_id device, cl_context context) {
    CHECK_NOT_NULL(engine, "engine");
    CHECK_NOT_NULL(device, "engine");
    CHECK_NOT_NULL(context, "engine");
    return ocl_engine_create(engine, device, context, 0);
}

dnnl_status_t dnnl_ocl_interop_engine_create_from_cache_blob(dnnl_engine_t *engine,
        cl_device_id device, cl_context context, size_t size, const uint8_t *cache_blob) {
    identity_t id;
    caps_t caps;
    CHECK_NOT_NULL(engine, "engine");
    CHECK_NOT_NULL(device, "engine");
    CHECK_NOT_NULL(context, "engine");
    CHECK_NOT_NULL(cache_blob, "engine");
    TRY(ze_check_process("engine"));
    TRY(ocl_load());
    TRY(ocl_device_identity(device, &id));
    TRY(ocl_device_caps(device, &caps));
    TRY(engine_check_blob_of(&id, &caps, size, cache_blob));
    return ocl_engine_create(engine, device, context, 0);
}

dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob_id(
        cl_device_id device, size_t *size, uint8_t *cache_blob_id) {
    identity_t id;
    CHECK_NOT_NULL(device, "engine");
    CHECK_NOT_NULL(size, "engine");
    TRY(ze_check_process("engine"));
    TRY(ocl_load());
    if (!cache_blob_id) {
        *size = sizeof id;
        return dnnl_success;
    }
    CHECK_ARG(*size == sizeof id, "engine", "a buffer of %zu bytes for an identifier of %zu", *size,
            sizeof id);
    TRY(ocl_device_identity(device, &id));
    memcpy(cache_blob_id, &id, sizeof id);
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_engine_get_cache_blob(
        dnnl_engine_t engine, size_t *size, uint8_t *cache_blob) {
    TRY(ze_check_process("engine"));
    CHECK_ENGINE(engine);
    CHECK_NOT_NULL(size, "engine");
    return engine_get_blob(engine->core, size, cache_blob);
}

dnnl_status_t dnnl_ocl_interop_engine_get_context(dnnl_engine_t engine, cl_context *context) {
    CHECK_ENGINE(engine);
    CHECK_NOT_NULL(context, "engine");
    *context = ocl_core_of(engine->core)->context;
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_get_device(dnnl_engine_t engine, cl_device_id *device) {
    CHECK_ENGINE(engine);
    CHECK_NOT_NULL(device, "engine");
    *device = ocl_core_of(engine->core)->device;
    return dnnl_success;
}

/* ---- streams ---- */

dnnl_status_t dnnl_ocl_interop_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, cl_command_queue queue) {
    TRY(ze_check_process("stream"));
    CHECK_NOT_NULL(stream, "stream");
    CHECK_ENGINE(engine);
    CHECK_NOT_NULL(queue, "stream");
    return ocl_stream_create_on(stream, engine, queue);
}

dnnl_status_t dnnl_ocl_interop_stream_get_command_queue(
        dnnl_stream_t stream, cl_command_queue *queue) {
    CHECK_NOT_NULL(stream, "stream");
    CHECK_NOT_NULL(queue, "stream");
    TRY(engine_check_backend(stream->engine, &ocl_backend));
    *queue = ((const ocl_stream_t *)stream)->queue;
    return dnnl_success;
}

/* ---- memory ---- */

dnnl_status_t dnnl_ocl_interop_memory_create_v2(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        dnnl_ocl_interop_memory_kind_t memory_kind, int nhandles, void **handles) {
    CHECK_NOT_NULL(memory_desc, "memory");
    CHECK_ENGINE(engine);
    CHECK_ARG(memory_kind == dnnl_ocl_interop_usm || memory_kind == dnnl_ocl_interop_buffer,
            "memory", "%d is not a kind of memory", (int)memory_kind);
    return memory_create_checked(memory, memory_desc, engine, nhandles, handles,
            memory_kind == dnnl_ocl_interop_usm ? HANDLES_CHECKED : HANDLES_BUFFERS);
}

dnnl_status_t dnnl_ocl_interop_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine,
        dnnl_ocl_interop_memory_kind_t memory_kind, void *handle) {
    return dnnl_ocl_interop_memory_create_v2(memory, memory_desc, engine, memory_kind, 1, &handle);
}

static dnnl_status_t check_memory(const struct dnnl_memory *memory) {
    CHECK_NOT_NULL(memory, "memory");
    CHECK_ARG(memory->engine, "memory", "a host scalar has no buffer");
    return engine_check_backend(memory->engine, &ocl_backend);
}

dnnl_status_t dnnl_ocl_interop_memory_get_memory_kind(
        const_dnnl_memory_t memory, dnnl_ocl_interop_memory_kind_t *memory_kind) {
    TRY(check_memory(memory));
    CHECK_NOT_NULL(memory_kind, "memory");
    *memory_kind = memory->is_buffer ? dnnl_ocl_interop_buffer : dnnl_ocl_interop_usm;
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_memory_get_mem_object(
        const_dnnl_memory_t memory, cl_mem *mem_object) {
    CHECK_NOT_NULL(mem_object, "memory");
    if (memory) {
        TRY(check_memory(memory));
        CHECK_ARG(memory->is_buffer, "memory", "the memory object has a pointer, not a buffer");
    }
    *mem_object = memory ? memory->ptr[0] : NULL;
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_memory_set_mem_object(dnnl_memory_t memory, cl_mem mem_object) {
    TRY(ze_check_process("memory"));
    TRY(check_memory(memory));
    CHECK_ARG(memory->is_buffer, "memory", "the memory object has a pointer, not a buffer");
    return memory_set_handle(memory, 0, mem_object);
}

/* ---- execution ---- */

dnnl_status_t dnnl_ocl_interop_primitive_execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args, const cl_event *deps,
        int ndeps, cl_event *return_event) {
    CHECK_NOT_NULL(stream, "primitive");
    TRY(engine_check_backend(stream->engine, &ocl_backend));
    return primitive_execute(primitive, stream, nargs, args, ndeps,
            (const ze_event_handle_t *)(const void *)deps,
            (ze_event_handle_t *)(void *)return_event);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Interoperation with Level Zero. */
#include "oneapi/dnnl/dnnl_ze.h"

#include <string.h>

#include "core/check.h"
#include "api/memory.h"
#include "primitive/primitive.h"
#include "ze/blob.h"
#include "ze/identity.h"

#define CHECK_HANDLES(driver, device)                                                              \
    CHECK_NOT_NULL(driver, "engine");                                                              \
    CHECK_NOT_NULL(device, "engine")

dnnl_status_t dnnl_ze_interop_engine_create(dnnl_engine_t *engine, ze_driver_handle_t driver,
        ze_device_handle_t device, ze_context_handle_t context) {
    int index;
    CHECK_NOT_NULL(engine, "engine");
    CHECK_HANDLES(driver, device);
    CHECK_NOT_NULL(context, "engine");
    TRY(engine_check_handles(driver, device, context, &index));
    return engine_create(engine, driver, device, context, index);
}

dnnl_status_t dnnl_ze_interop_engine_create_from_cache_blob(dnnl_engine_t *engine,
        ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context,
        size_t size, const uint8_t *cache_blob) {
    int index;
    CHECK_NOT_NULL(engine, "engine");
    CHECK_HANDLES(driver, device);
    CHECK_NOT_NULL(context, "engine");
    CHECK_NOT_NULL(cache_blob, "engine");
    TRY(engine_check_handles(driver, device, context, &index));
    TRY(engine_check_blob(driver, device, size, cache_blob));
    return engine_create(engine, driver, device, context, index);
}

#define ENGINE_GETTER(type, name)                                                                  \
    dnnl_status_t dnnl_ze_interop_engine_get_##name(dnnl_engine_t engine, type *name) {            \
        CHECK_NOT_NULL(engine, "engine");                                                          \
        CHECK_NOT_NULL(name, "engine");                                                            \
        TRY(engine_check_backend(engine, NULL));                                                   \
        *name = engine->core->name;                                                                \
        return dnnl_success;                                                                       \
    }
ENGINE_GETTER(ze_context_handle_t, context)
ENGINE_GETTER(ze_device_handle_t, device)
ENGINE_GETTER(ze_driver_handle_t, driver)

dnnl_status_t dnnl_ze_interop_engine_get_cache_blob_id(ze_driver_handle_t driver,
        ze_device_handle_t device, size_t *size, uint8_t *cache_blob_id) {
    identity_t id;
    bool found;
    int index;
    CHECK_HANDLES(driver, device);
    CHECK_NOT_NULL(size, "engine");
    TRY(device_find(driver, device, &found, &index));
    CHECK_ARG(found, "engine", "the device is not one of the driver's");
    if (!cache_blob_id) {
        *size = sizeof id;
        return dnnl_success;
    }
    CHECK_ARG(*size == sizeof id, "engine", "a buffer of %zu bytes for an identifier of %zu", *size,
            sizeof id);
    TRY(identity_get(&id, driver, device));
    memcpy(cache_blob_id, &id, sizeof id);
    return dnnl_success;
}

dnnl_status_t dnnl_ze_interop_engine_get_cache_blob(
        dnnl_engine_t engine, size_t *size, uint8_t *cache_blob) {
    TRY(ze_check_process("engine"));
    CHECK_NOT_NULL(engine, "engine");
    CHECK_NOT_NULL(size, "engine");
    TRY(engine_check_backend(engine, NULL));
    return engine_get_blob(engine->core, size, cache_blob);
}

dnnl_status_t dnnl_ze_interop_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, ze_command_list_handle_t list, int profiling) {
    TRY(ze_check_process("stream"));
    CHECK_NOT_NULL(stream, "stream");
    CHECK_NOT_NULL(engine, "stream");
    CHECK_NOT_NULL(list, "stream");
    TRY(engine_check_backend(engine, NULL));
    return stream_create_on(stream, engine, list, profiling != 0);
}

dnnl_status_t dnnl_ze_interop_stream_get_list(
        dnnl_stream_t stream, ze_command_list_handle_t *list) {
    CHECK_NOT_NULL(stream, "stream");
    CHECK_NOT_NULL(list, "stream");
    TRY(engine_check_backend(stream->engine, NULL));
    *list = stream->list;
    return dnnl_success;
}

dnnl_status_t dnnl_ze_interop_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine, int nhandles, void **handles) {
    CHECK_NOT_NULL(engine, "memory");
    TRY(engine_check_backend(engine, NULL));
    return memory_create_checked(memory, memory_desc, engine, nhandles, handles, HANDLES_CHECKED);
}

dnnl_status_t dnnl_ze_interop_primitive_execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args, int ndeps,
        const ze_event_handle_t *deps, ze_event_handle_t *return_event) {
    if (stream) TRY(engine_check_backend(stream->engine, NULL));
    return primitive_execute(primitive, stream, nargs, args, ndeps, deps, return_event);
}

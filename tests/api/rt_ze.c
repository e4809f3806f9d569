/* SPDX-License-Identifier: Apache-2.0 */
/* The application's objects of Level Zero. */
#include "rt.h"

static bool find_device(void) {
    ze_driver_handle_t drivers[8];
    uint32_t ndrivers = COUNT_OF(drivers);
    if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&ndrivers, drivers) != ZE_RESULT_SUCCESS)
        return false;
    for (uint32_t i = 0; i < ndrivers; i++) {
        uint32_t ndevices = 1;
        ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
        if (zeDeviceGet(drivers[i], &ndevices, &app.device) != ZE_RESULT_SUCCESS || !ndevices)
            continue;
        if (zeDeviceGetProperties(app.device, &properties) != ZE_RESULT_SUCCESS) continue;
        if (properties.type != ZE_DEVICE_TYPE_GPU && properties.type != ZE_DEVICE_TYPE_CPU)
            continue;
        const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
        app.driver = drivers[i];
        return zeContextCreate(app.driver, &desc, &app.context) == ZE_RESULT_SUCCESS;
    }
    return false;
}

static void close_device(void) {
    assert_ze(zeContextDestroy(app.context));
}

static dnnl_status_t engine(dnnl_engine_t *out) {
    return dnnl_ze_interop_engine_create(out, app.driver, app.device, app.context);
}

static dnnl_status_t engine_from_blob(dnnl_engine_t *out, size_t size, const uint8_t *blob) {
    return dnnl_ze_interop_engine_create_from_cache_blob(
            out, app.driver, app.device, app.context, size, blob);
}

static dnnl_status_t stream(dnnl_stream_t *out, dnnl_engine_t of, ze_command_list_handle_t list) {
    return dnnl_ze_interop_stream_create(out, of, list, 0);
}

static ze_command_list_handle_t list_of_level_zero(void) {
    ze_command_list_handle_t list;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .flags = 2 /* in-order; a layer older than the driver refuses it */,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    if (zeCommandListCreateImmediate(app.context, app.device, &desc, &list) == ZE_RESULT_SUCCESS)
        return list;
    desc.flags = 0;
    assert_ze(zeCommandListCreateImmediate(app.context, app.device, &desc, &list));
    return list;
}

static void *host_memory(size_t size) {
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *ptr;
    assert_ze(zeMemAllocHost(app.context, &host, size, 64, &ptr));
    return ptr;
}

static void free_memory(void *ptr) {
    assert_ze(zeMemFree(app.context, ptr));
}

static ze_event_handle_t event_of_level_zero(ze_event_pool_handle_t *pool) {
    const ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
            .count = 1};
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
            .signal = ZE_EVENT_SCOPE_FLAG_HOST,
            .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event;
    assert_ze(zeEventPoolCreate(app.context, &pool_desc, 1, &app.device, pool));
    assert_ze(zeEventCreate(*pool, &desc, &event));
    return event;
}

static void destroy_event(ze_event_pool_handle_t pool, ze_event_handle_t event) {
    assert_ze(zeEventDestroy(event));
    assert_ze(zeEventPoolDestroy(pool));
}

static void destroy_list(ze_command_list_handle_t list) {
    assert_ze(zeCommandListDestroy(list));
}

static bool has_completed(ze_event_handle_t event) {
    return zeEventQueryStatus(event) == ZE_RESULT_SUCCESS;
}

static bool synchronize(ze_event_handle_t event) {
    return zeEventHostSynchronize(event, FOREVER) == ZE_RESULT_SUCCESS;
}

static void signal_by_host(ze_event_handle_t event) {
    assert_ze(zeEventHostSignal(event));
}

static void settle(dnnl_stream_t of) {
    ze_command_list_handle_t list;
    ze_event_pool_handle_t pool;
    assert_ok(dnnl_ze_interop_stream_get_list(of, &list));
    const ze_event_handle_t event = event_of_level_zero(&pool);
    assert_ze(zeCommandListAppendBarrier(list, event, 0, NULL));
    assert_ze(zeEventHostSynchronize(event, FOREVER));
    destroy_event(pool, event);
}

/* Streams own the events that they return. */
static void drop_events(void) {}

const runtime_t level_zero_runtime = {.find_device = find_device,
        .close_device = close_device,
        .engine = engine,
        .stream = stream,
        .list_of = dnnl_ze_interop_stream_get_list,
        .memory = dnnl_memory_create,
        .execute = dnnl_ze_interop_primitive_execute,
        .engine_blob = dnnl_ze_interop_engine_get_cache_blob,
        .engine_from_blob = engine_from_blob,
        .new_list = list_of_level_zero,
        .free_list = destroy_list,
        .new_usm = host_memory,
        .free_usm = free_memory,
        .new_event = event_of_level_zero,
        .free_event = destroy_event,
        .is_over = has_completed,
        .wait = synchronize,
        .signal = signal_by_host,
        .settle = settle,
        .drop_events = drop_events};

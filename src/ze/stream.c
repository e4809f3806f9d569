/* SPDX-License-Identifier: Apache-2.0 */
/* Streams on immediate command lists, and on regular ones, which record. */
#include "ze/stream.h"

#include "core/alloc.h"
#include "core/verbose.h"
#include "ze/usm.h"

static dnnl_status_t create_list(dnnl_stream_t stream, bool in_order) {
    const device_core_t *core = stream->engine->core;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .ordinal = core->compute_ordinal,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    stream->owns_list = stream->immediate = true;
    stream->order = in_order ? ORDER_BY_LIST : ORDER_BY_CALLER;
    if (in_order && core->has_in_order_lists) {
        desc.flags = ZE_QUEUE_IN_ORDER;
        const ze_result_t result =
                ze.CommandListCreateImmediate(core->context, core->device, &desc, &stream->list);
        if (result == ZE_RESULT_SUCCESS) return dnnl_success;
        /* A layer between the library and the driver may be older than the driver and refuse the
         * flag. */
        if (result != ZE_RESULT_ERROR_INVALID_ENUMERATION &&
                result != ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION)
            return ze_report(result, "zeCommandListCreateImmediate");
        desc.flags = 0;
    }
    if (in_order) stream->order = ORDER_BY_BARRIERS;
    return ZE_CALL(CommandListCreateImmediate, core->context, core->device, &desc, &stream->list);
}

/* Loader and driver decide which properties of a list can be queried. Properties that cannot be
 * queried are assumed to be right, and the list is assumed to be immediate. */
static dnnl_status_t check_list(const device_core_t *core, ze_command_list_handle_t list,
        bool *recording, bool *known_immediate) {
    ze_bool_t immediate = 1;
    const __typeof__(ze.CommandListIsImmediate) ask =
            ze.CommandListIsImmediate ? ze.CommandListIsImmediate : core->is_immediate;
    const bool told = ask && ask(list, &immediate) == ZE_RESULT_SUCCESS;
    if (!told) immediate = 1;
    ze_context_handle_t context = core->context;
    ze_device_handle_t device = core->device;
    *recording = !immediate;
    *known_immediate = told && immediate;
    if (ze.CommandListGetContextHandle &&
            ze.CommandListGetContextHandle(list, &context) != ZE_RESULT_SUCCESS)
        context = core->context;
    if (context != core->context)
        return verbose_check(dnnl_invalid_arguments, "stream",
                "the command list belongs to another context than the engine");
    if (ze.CommandListGetDeviceHandle &&
            ze.CommandListGetDeviceHandle(list, &device) != ZE_RESULT_SUCCESS)
        device = core->device;
    if (device != core->device)
        return verbose_check(dnnl_invalid_arguments, "stream",
                "the command list belongs to another device than the engine");
    return dnnl_success;
}

bool stream_list_is_in_order(const device_core_t *core, ze_command_list_handle_t list) {
    ze_command_queue_flags_t flags = 0;
    return core->get_list_flags && core->get_list_flags(list, &flags) == ZE_RESULT_SUCCESS &&
           (flags & ZE_QUEUE_IN_ORDER);
}

static dnnl_status_t stream_new(dnnl_stream_t *out, dnnl_engine_t engine, bool profiling) {
    dnnl_stream_t stream = dz_calloc(1, sizeof *stream);
    if (!stream) return verbose_error(dnnl_out_of_memory, "stream", "no memory for a stream");
    stream->engine = engine;
    engine_ref(engine);
    stream->profiling = profiling;
    stream->patience_ns = UINT64_C(10000000000);
    *out = stream;
    return dnnl_success;
}

/* Call it after the list and its order are set. */
static void init_events_and_work(dnnl_stream_t stream) {
    device_core_t *core = stream->engine->core;
    const bool counted = stream->order == ORDER_BY_LIST;
    events_init(&stream->returned, core, false, counted);
    events_init(&stream->returned_timed, core, true, counted);
    events_init(&stream->timed, core, true, counted);
    /* These events order the kernels of out-of-order lists, and let the host wait with an old
     * loader. */
    events_init(&stream->internal, core, false, false);
    stream->work.list = stream->list;
    stream->work.can_ask = stream->owns_list && stream->list;
    stream->work.repeats = stream->recording;
    work_begin(&core->flights, &stream->work);
}

dnnl_status_t stream_create(dnnl_stream_t *out, dnnl_engine_t engine, unsigned flags) {
    dnnl_stream_t stream = NULL;
    const backend_t *backend = engine->core->backend;
    if (backend) return backend->stream_create(out, engine, flags);
    dnnl_status_t status = stream_new(&stream, engine, flags & dnnl_stream_profiling);
    if (status != dnnl_success) return status;
    status = create_list(stream, flags & dnnl_stream_in_order);
    init_events_and_work(stream);
    stream->plain = stream->order == ORDER_BY_LIST && !stream->profiling;
    if (status == dnnl_success) *out = stream;
    else stream_free(stream);
    return status;
}

static stream_order_t order_of(
        const device_core_t *core, ze_command_list_handle_t list, bool recording) {
    /* A recording list would have to reset its events before each run, ahead of all waits for them:
     * barriers need no reset. */
    if (recording) return ORDER_BY_BARRIERS;
    return stream_list_is_in_order(core, list) ? ORDER_BY_LIST : ORDER_BY_CALLER;
}

dnnl_status_t stream_create_on(
        dnnl_stream_t *out, dnnl_engine_t engine, ze_command_list_handle_t list, bool profiling) {
    dnnl_stream_t stream = NULL;
    bool recording, immediate;
    dnnl_status_t status = check_list(engine->core, list, &recording, &immediate);
    if (status == dnnl_success) status = stream_new(&stream, engine, profiling);
    if (status != dnnl_success) return status;
    stream->list = list;
    stream->recording = recording;
    stream->immediate = immediate;
    stream->order = order_of(engine->core, list, recording);
    init_events_and_work(stream);
    stream->plain = stream->order == ORDER_BY_LIST && !stream->profiling;
    *out = stream;
    return dnnl_success;
}

/* Whether a list is mutable. Where this cannot be queried, the application is believed. */
static dnnl_status_t check_mutable(const device_core_t *core, ze_command_list_handle_t list) {
    ze_bool_t is_mutable = 1;
    if (!core->next_command_id || !core->update_commands)
        return verbose_refuse(dnnl_unimplemented, "stream",
                "the arguments of recorded kernels cannot be exchanged: "
                "the device or the loader has no mutable command lists");
    if (core->is_mutable && core->is_mutable(list, &is_mutable) != ZE_RESULT_SUCCESS)
        is_mutable = 1;
    if (is_mutable) return dnnl_success;
    return verbose_check(
            dnnl_invalid_arguments, "stream", "the command list was not created mutable");
}

dnnl_status_t stream_create_exchanging(
        dnnl_stream_t *out, dnnl_engine_t engine, ze_command_list_handle_t list, bool profiling) {
    dnnl_stream_t stream = NULL;
    dnnl_status_t status = check_mutable(engine->core, list);
    if (status == dnnl_success) status = stream_create_on(&stream, engine, list, profiling);
    if (status != dnnl_success) return status;
    if (stream->immediate)
        status = verbose_check(
                dnnl_invalid_arguments, "stream", "an immediate command list cannot record");
    else if (!(stream->buffers = dz_calloc(1, sizeof *stream->buffers)))
        status = verbose_error(dnnl_out_of_memory, "stream", "no memory for a stream");
    if (status != dnnl_success) {
        stream_free(stream);
        return status;
    }
    stream->recording = true; /* only regular lists are mutable, even if the query is missing */
    stream->work.repeats = true;
    stream->order = ORDER_BY_BARRIERS;
    *out = stream;
    return dnnl_success;
}

dnnl_status_t stream_exchange(dnnl_stream_t stream, int n, const const_dnnl_memory_t *from,
        const const_dnnl_memory_t *to) {
    if (!stream->buffers)
        return verbose_check(dnnl_invalid_arguments, "stream",
                "the stream cannot exchange buffers: it was not created by "
                "dnnl_ze_recording_create()");
    short_lock_take(&stream->lock);
    const dnnl_status_t status =
            recording_exchange(stream->buffers, stream->engine->core, stream->list, n, from, to);
    short_lock_drop(&stream->lock);
    return status;
}

void stream_free_retired(dnnl_stream_t stream, retired_t *retired) {
    while (retired) {
        retired_t *next = retired->next;
        usm_free_unused(stream->engine->core, retired->ptr);
        dz_free(retired);
        retired = next;
    }
}

static ze_result_t wait_at_end(dnnl_stream_t stream) {
    ze_result_t result = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    const char *call = "zeCommandListHostSynchronize";
    ze_event_handle_t event;
    if (ze.CommandListHostSynchronize)
        result = ze.CommandListHostSynchronize(stream->list, stream->patience_ns);
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
        if (events_take(&stream->internal, &event) != dnnl_success ||
                ZE_CALL(CommandListAppendBarrier, stream->list, event, 0, NULL) != dnnl_success)
            return result;
        call = "zeEventHostSynchronize";
        result = ze.EventHostSynchronize(event, stream->patience_ns);
    }
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_NOT_READY) ze_report(result, call);
    return result;
}

/* Whether the stream's work is over: it was done, or the device is lost. */
static bool is_over(dnnl_stream_t stream) {
    if (ze_is_over) return true;
    const ze_result_t result = wait_at_end(stream);
    if (result == ZE_RESULT_SUCCESS) return true;
    return result != ZE_RESULT_NOT_READY &&
           ze.ContextGetStatus(stream->engine->core->context) == ZE_RESULT_ERROR_DEVICE_LOST;
}

/* Leaks everything that the device may still use: the list, its events, the scratchpad, and through
 * the engine the context. The streams stay reachable in a list, so that leak checkers do not report
 * them. */
static void leave_behind(dnnl_stream_t stream) {
    static _Atomic(dnnl_stream_t) left_behind;
    verbose_error(dnnl_runtime_error, "stream",
            "the work of a destroyed stream does not end, perhaps because it waits for an event "
            "that nobody signals: the memory that the work uses is leaked");
    stream->work.can_ask = false; /* its work may never end, and must not keep everything else */
    stream->next_left_behind = atomic_load(&left_behind);
    while (!atomic_compare_exchange_weak(&left_behind, &stream->next_left_behind, stream)) {
    }
}

void stream_free(dnnl_stream_t stream) {
    attached_end(&stream->attached);
    if (stream->engine->core->backend) {
        stream->engine->core->backend->stream_free(stream);
        return;
    }
    /* The caller's list is not touched: it may be destroyed already, and the caller had to wait for
     * it. */
    if (stream->owns_list && stream->list) {
        if (!is_over(stream)) {
            leave_behind(stream);
            return;
        }
        work_end(&stream->engine->core->flights, &stream->work); /* asks the list */
        ZE_CALL(CommandListDestroy, stream->list);
    } else {
        work_end(&stream->engine->core->flights, &stream->work);
    }
    track_fini(stream);
    events_fini(&stream->returned);
    events_fini(&stream->returned_timed);
    events_fini(&stream->internal);
    events_fini(&stream->timed);
    stream_free_retired(stream, stream->retired);
    recording_free(stream->buffers);
    usm_free_unused(stream->engine->core, stream->scratch);
    usm_free_unused(stream->engine->core, stream->spare.ptr);
    engine_unref(stream->engine);
    dz_free(stream);
}

void stream_return_event(dnnl_stream_t stream, ze_event_handle_t event) {
    short_lock_take(&stream->lock);
    event_supply_t *supply =
            events_has(&stream->returned, event) ? &stream->returned : &stream->returned_timed;
    /* An event whose time is still wanted returns when that was read. */
    if (!track_give(stream, event, supply)) events_recycle(supply, event);
    short_lock_drop(&stream->lock);
}

/* For loaders that cannot wait for a list: waits for an event appended at its end. */
static dnnl_status_t wait_by_event(dnnl_stream_t stream) {
    ze_event_handle_t event;
    short_lock_take(&stream->lock);
    dnnl_status_t status = events_take(&stream->internal, &event);
    bool submitted = false;
    if (status == dnnl_success) {
        status = ZE_CALL(CommandListAppendBarrier, stream->list, event, 0, NULL);
        submitted = status == dnnl_success;
        if (!submitted) events_return(&stream->internal, event);
    }
    short_lock_drop(&stream->lock);
    if (!submitted) return status;
    status = ZE_CALL(EventHostSynchronize, event, UINT64_MAX);
    if (status != dnnl_success) return status;
    short_lock_take(&stream->lock);
    events_recycle(&stream->internal, event);
    short_lock_drop(&stream->lock);
    return dnnl_success;
}

bool stream_is_idle(dnnl_stream_t stream) {
    const device_core_t *core = stream->engine->core;
    return stream->immediate && core->synchronize_list && !ze_is_over &&
           core->synchronize_list(stream->list, 0) == ZE_RESULT_SUCCESS;
}

dnnl_status_t stream_wait(dnnl_stream_t stream) {
    const backend_t *backend = stream->engine->core->backend;
    if (backend) return backend->stream_wait(stream);
    if (stream->recording)
        return verbose_check(dnnl_invalid_arguments, "stream",
                "the stream cannot wait: its command list is a regular one, which the application "
                "runs in a queue of its own");
    /* Only scratchpads retired before the wait began are known to be unused after it. */
    short_lock_take(&stream->lock);
    retired_t *retired = stream->retired;
    stream->retired = NULL;
    const uint64_t submitted = stream->tracker.forgotten + stream->tracker.n;
    flights_t *flights = &stream->engine->core->flights;
    const moment_t begin = work_moment(&stream->work, flights);
    short_lock_drop(&stream->lock);

    ze_result_t result = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    if (ze.CommandListHostSynchronize && !ze_is_over)
        result = ze.CommandListHostSynchronize(stream->list, UINT64_MAX);
    const dnnl_status_t status = result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
                                         ? wait_by_event(stream)
                                         : ze_check(result, "zeCommandListHostSynchronize");
    short_lock_take(&stream->lock);
    if (status == dnnl_success) {
        if (stream->tracker.nlogs) track_settle(stream, submitted);
        work_finished(&stream->work, begin);
        short_lock_drop(&stream->lock);
        stream_free_retired(stream, retired);
        if (atomic_load(&flights->n)) flights_collect(flights);
        return status;
    }
    while (retired) {
        retired_t *next = retired->next;
        retired->next = stream->retired;
        stream->retired = retired;
        retired = next;
    }
    short_lock_drop(&stream->lock);
    return status;
}

dnnl_status_t stream_scratch(dnnl_stream_t stream, size_t size, void **ptr) {
    if (size <= stream->scratch_size) {
        *ptr = stream->scratch;
        return dnnl_success;
    }
    retired_t *retired = NULL;
    if (stream->scratch && !(retired = dz_malloc(sizeof *retired)))
        return verbose_error(dnnl_out_of_memory, "stream", "no memory for a larger scratchpad");
    void *grown;
    const dnnl_status_t status = usm_alloc_device(stream->engine->core, size, &grown);
    if (status != dnnl_success) {
        dz_free(retired);
        return status;
    }
    if (retired) {
        *retired = (retired_t){stream->retired, stream->scratch};
        stream->retired = retired;
    }
    stream->scratch = *ptr = grown;
    stream->scratch_size = size;
    return dnnl_success;
}

dnnl_status_t stream_take_buffer(dnnl_stream_t stream, size_t size, stream_buffer_t *buffer) {
    *buffer = (stream_buffer_t){NULL, size};
    short_lock_take(&stream->lock);
    if (size <= stream->spare.size) {
        *buffer = stream->spare;
        stream->spare = (stream_buffer_t){NULL, 0};
    }
    short_lock_drop(&stream->lock);
    return buffer->ptr ? dnnl_success : usm_alloc_device(stream->engine->core, size, &buffer->ptr);
}

void stream_give_buffer(dnnl_stream_t stream, stream_buffer_t buffer) {
    stream_buffer_t smaller = buffer;
    short_lock_take(&stream->lock);
    if (buffer.size > stream->spare.size) {
        smaller = stream->spare;
        stream->spare = buffer;
    }
    short_lock_drop(&stream->lock);
    usm_free_unused(stream->engine->core, smaller.ptr);
}

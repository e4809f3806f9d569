/* SPDX-License-Identifier: Apache-2.0 */
/* Streams on command queues. */
#include "core/alloc.h"
#include "core/status.h"
#include "core/verbose.h"
#include "ocl/core.h"

static void add_to_core(ocl_stream_t *stream) {
    ocl_core_t *core = ocl_core_of(stream->base.engine->core);
    pthread_mutex_lock(&core->lock);
    stream->next = core->streams;
    core->streams = stream;
    pthread_mutex_unlock(&core->lock);
}

static void take_from_core(ocl_stream_t *stream) {
    ocl_core_t *core = ocl_core_of(stream->base.engine->core);
    pthread_mutex_lock(&core->lock);
    ocl_stream_t **link = &core->streams;
    while (*link && *link != stream) link = &(*link)->next;
    if (*link) *link = stream->next;
    pthread_mutex_unlock(&core->lock);
}

/* Takes over the caller's reference to the queue, unless it fails. */
static dnnl_status_t stream_new(
        dnnl_stream_t *out, dnnl_engine_t engine, cl_command_queue queue, cl_ulong properties) {
    ocl_stream_t *stream = dz_calloc(1, sizeof *stream);
    if (!stream) return verbose_error(dnnl_out_of_memory, "stream", "no memory for a stream");
    engine_ref(engine);
    stream->base.engine = engine;
    stream->base.profiling = properties & CL_QUEUE_PROFILING;
    stream->base.order = properties & CL_QUEUE_OUT_OF_ORDER ? ORDER_BY_CALLER : ORDER_BY_LIST;
    stream->queue = queue;
    add_to_core(stream);
    *out = &stream->base;
    return dnnl_success;
}

dnnl_status_t ocl_stream_create(dnnl_stream_t *out, dnnl_engine_t engine, unsigned flags) {
    const ocl_core_t *core = ocl_core_of(engine->core);
    cl_ulong properties = 0;
    cl_int result;
    if (flags & dnnl_stream_out_of_order) properties |= CL_QUEUE_OUT_OF_ORDER;
    if (flags & dnnl_stream_profiling) properties |= CL_QUEUE_PROFILING;
    cl_command_queue queue =
            ocl.CreateCommandQueue(core->context, core->device, properties, &result);
    TRY(ocl_check(result, "clCreateCommandQueue"));
    const dnnl_status_t status = stream_new(out, engine, queue, properties);
    if (status != dnnl_success) OCL_CALL(ReleaseCommandQueue, queue);
    return status;
}

dnnl_status_t ocl_stream_create_on(
        dnnl_stream_t *out, dnnl_engine_t engine, cl_command_queue queue) {
    const ocl_core_t *core = ocl_core_of(engine->core);
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_ulong properties = 0;
    TRY(OCL_CALL(
            GetCommandQueueInfo, queue, CL_QUEUE_CONTEXT, sizeof context, (void *)&context, NULL));
    TRY(OCL_CALL(
            GetCommandQueueInfo, queue, CL_QUEUE_DEVICE, sizeof device, (void *)&device, NULL));
    TRY(OCL_CALL(
            GetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    if (context != core->context || device != core->device)
        return verbose_check(dnnl_invalid_arguments, "stream",
                "the command queue belongs to another %s than the engine",
                context != core->context ? "context" : "device");
    TRY(OCL_CALL(RetainCommandQueue, queue));
    const dnnl_status_t status = stream_new(out, engine, queue, properties);
    if (status != dnnl_success) OCL_CALL(ReleaseCommandQueue, queue);
    return status;
}

static void release_events(ocl_stream_t *stream) {
    for (size_t i = 0; i < stream->nevents; i++)
        if (stream->events[i]) OCL_CALL(ReleaseEvent, stream->events[i]);
    stream->nevents = 0;
}

dnnl_status_t ocl_stream_wait(dnnl_stream_t base) {
    ocl_stream_t *stream = (ocl_stream_t *)base;
    /* Only scratchpads retired before the wait began are known to be unused after it. */
    short_lock_take(&base->lock);
    retired_t *retired = base->retired;
    base->retired = NULL;
    short_lock_drop(&base->lock);
    const dnnl_status_t status = OCL_CALL(Finish, stream->queue);
    stream_free_retired(base, retired); /* waits itself if the call failed */
    return status;
}

void ocl_stream_free(dnnl_stream_t base) {
    ocl_stream_t *stream = (ocl_stream_t *)base;
    OCL_CALL(Finish, stream->queue);
    take_from_core(stream);
    release_events(stream);
    if (stream->scratch_user) OCL_CALL(ReleaseEvent, stream->scratch_user);
    stream_free_retired(base, base->retired);
    usm_free_unused(base->engine->core, base->scratch);
    OCL_CALL(ReleaseCommandQueue, stream->queue);
    engine_unref(base->engine);
    dz_free(stream->events);
    dz_free(stream->is_last);
    dz_free(stream);
}

void ocl_drop_event(void *event) {
    if (event) OCL_CALL(ReleaseEvent, event);
}

/* ---- profiling ---- */

dnnl_status_t ocl_profiling_note(ocl_stream_t *stream, cl_event event, bool is_last) {
    if (stream->nevents == stream->room) {
        const size_t room = stream->room ? 2 * stream->room : 64;
        cl_event *events = dz_realloc(stream->events, room * sizeof *events);
        if (events) stream->events = events;
        bool *lasts = events ? dz_realloc(stream->is_last, room * sizeof *lasts) : NULL;
        if (!lasts)
            return verbose_error(dnnl_out_of_memory, "stream", "no memory for profiling data");
        stream->is_last = lasts;
        stream->room = room;
    }
    if (event) TRY(OCL_CALL(RetainEvent, event));
    stream->is_last[stream->nevents] = is_last;
    stream->events[stream->nevents++] = event;
    return dnnl_success;
}

static int entries(const ocl_stream_t *stream, bool of_kernels) {
    int n = 0;
    for (size_t i = 0; i < stream->nevents; i++)
        n += of_kernels ? stream->events[i] != NULL : stream->is_last[i];
    return n;
}

/* Whether all kernels have completed: the runtime tells no times before. */
static bool have_times(const ocl_stream_t *stream) {
    cl_ulong end;
    for (size_t i = 0; i < stream->nevents; i++)
        if (stream->events[i] &&
                ocl.GetEventProfilingInfo(stream->events[i], CL_PROFILING_COMMAND_END, sizeof end,
                        &end, NULL) == CL_PROFILING_INFO_NOT_AVAILABLE)
            return false;
    return true;
}

static dnnl_status_t duration(cl_event event, uint64_t *ns) {
    cl_ulong start = 0, end = 0;
    *ns = 0;
    if (!event) return dnnl_success;
    TRY(OCL_CALL(
            GetEventProfilingInfo, event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    TRY(OCL_CALL(GetEventProfilingInfo, event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    *ns = end - start;
    return dnnl_success;
}

static dnnl_status_t write_times(
        const ocl_stream_t *stream, bool of_kernels, int num_entries, uint64_t *data) {
    const int n = entries(stream, of_kernels);
    if (num_entries != n)
        return verbose_check(dnnl_invalid_arguments, "stream",
                "num_entries is %d, but there are %d profiling entries", num_entries, n);
    uint64_t sum = 0;
    for (size_t i = 0; i < stream->nevents; i++) {
        uint64_t ns;
        TRY(duration(stream->events[i], &ns));
        sum += ns;
        if (of_kernels ? !stream->events[i] : !stream->is_last[i]) continue;
        *data++ = sum;
        sum = 0;
    }
    return dnnl_success;
}

dnnl_status_t ocl_profiling_data(
        dnnl_stream_t base, bool of_kernels, int *num_entries, uint64_t *data) {
    ocl_stream_t *stream = (ocl_stream_t *)base;
    dnnl_status_t status = data ? ocl_stream_wait(base) : dnnl_success;
    short_lock_take(&base->lock);
    /* Wait again while kernels run: another thread may have submitted some meanwhile. */
    while (data && status == dnnl_success && *num_entries == entries(stream, of_kernels) &&
            !have_times(stream)) {
        short_lock_drop(&base->lock);
        status = ocl_stream_wait(base);
        short_lock_take(&base->lock);
    }
    if (!data) *num_entries = entries(stream, of_kernels);
    else if (status == dnnl_success) status = write_times(stream, of_kernels, *num_entries, data);
    short_lock_drop(&base->lock);
    return status;
}

dnnl_status_t ocl_profiling_reset(dnnl_stream_t base) {
    const dnnl_status_t status = ocl_stream_wait(base);
    if (status != dnnl_success) return status;
    short_lock_take(&base->lock);
    release_events((ocl_stream_t *)base);
    short_lock_drop(&base->lock);
    return status;
}

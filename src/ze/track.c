/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps kernels in flight in a ring, and reads their times when they are over. */
#include "ze/track.h"

#include "core/alloc.h"
#include "core/verbose.h"

enum {
    FIRST_RING = 64,    /* entries of the first allocation */
    FIRST_TIMES = 256,  /* the same for times */
    COLLECT_FROM = 256, /* kernels to track before the driver is asked which are over */
};

static tracked_t *entry(const tracker_t *t, size_t i) {
    return &t->ring[(t->first + i) & (t->cap - 1)];
}

static dnnl_status_t no_memory(void) {
    return verbose_error(dnnl_out_of_memory, "stream", "no memory to keep track of kernels");
}

static dnnl_status_t grow_ring(tracker_t *t, size_t wanted) {
    size_t cap = t->cap ? t->cap : FIRST_RING;
    while (cap < wanted) cap *= 2;
    if (cap == t->cap) return dnnl_success;
    tracked_t *ring = dz_malloc(cap * sizeof *ring);
    if (!ring) return no_memory();
    for (size_t i = 0; i < t->n; i++) ring[i] = *entry(t, i);
    dz_free(t->ring);
    t->ring = ring;
    t->first = 0;
    t->cap = cap;
    return dnnl_success;
}

static dnnl_status_t grow_times(tracker_t *t, size_t more) {
    uint64_t cap = t->cap_times ? t->cap_times : FIRST_TIMES;
    while (cap < t->ntimes + more) cap *= 2;
    if (cap == t->cap_times) return dnnl_success;
    uint64_t *times = dz_realloc(t->times, cap * sizeof *times);
    if (!times) return no_memory();
    t->times = times;
    t->cap_times = cap;
    return dnnl_success;
}

static dnnl_status_t init_clock(dnnl_stream_t stream) {
    ze_device_properties_t properties = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2}; /* timer in cycles a second */
    const dnnl_status_t status =
            ZE_CALL(DeviceGetProperties, stream->engine->core->device, &properties);
    if (status != dnnl_success) return status;
    const uint32_t bits = properties.kernelTimestampValidBits;
    stream->tracker.ticks_per_second = properties.timerResolution ? properties.timerResolution : 1;
    stream->tracker.tick_mask = bits && bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    return status;
}

dnnl_status_t track_reserve(dnnl_stream_t stream, size_t nkernels, bool timed) {
    tracker_t *t = &stream->tracker;
    dnnl_status_t status = dnnl_success;
    if (t->n + nkernels > t->cap) track_collect_some(stream);
    if (t->n + nkernels > t->cap) status = grow_ring(t, t->n + nkernels);
    if (status == dnnl_success && timed && !t->ticks_per_second) status = init_clock(stream);
    if (status == dnnl_success && stream->profiling) status = grow_times(t, nkernels);
    return status;
}

void track_add(dnnl_stream_t stream, const tracked_t *kernel) {
    tracker_t *t = &stream->tracker;
    tracked_t *kept = entry(t, t->n++);
    *kept = *kernel;
    if (kernel->log) t->nlogs++;
    if (!stream->profiling || !kernel->timed) return;
    kept->time = t->first_time + t->ntimes;
    t->times[t->ntimes++] = 0;
    t->kernels++;
}

bool track_give(dnnl_stream_t stream, ze_event_handle_t event, event_supply_t *supply) {
    tracker_t *t = &stream->tracker;
    for (size_t i = 0; i < t->n; i++) {
        tracked_t *kernel = entry(t, i);
        if (kernel->event != event || kernel->supply) continue;
        kernel->supply = supply;
        return true;
    }
    return false;
}

void track_end(dnnl_stream_t stream, uint64_t first) {
    tracker_t *t = &stream->tracker;
    if (!stream->profiling) return;
    if (t->first_time + t->ntimes == first) t->times[t->ntimes++] = TIME_IS_EMPTY;
    t->times[t->ntimes - 1] |= TIME_IS_LAST;
    t->executions++;
}

void track_cut(dnnl_stream_t stream, size_t n) {
    if (stream->tracker.n > n) entry(&stream->tracker, stream->tracker.n - 1)->last = true;
}

/* Any result other than NOT_READY means the end: failed work is over as well. */
static bool is_over(const tracked_t *kernel) {
    return !kernel->event ||
           (!ze_is_over && ze.EventQueryStatus(kernel->event) != ZE_RESULT_NOT_READY);
}

static dnnl_status_t nanoseconds(const tracker_t *t, ze_event_handle_t event, uint64_t *ns) {
    ze_kernel_timestamp_result_t stamp = {.context = {0, 0}};
    const dnnl_status_t status = ZE_CALL(EventQueryKernelTimestamp, event, &stamp);
    /* The counter wraps around at the width that the device reports. */
    const uint64_t ticks = (stamp.context.kernelEnd - stamp.context.kernelStart) & t->tick_mask;
    *ns = (uint64_t)((double)ticks * 1e9 / (double)t->ticks_per_second);
    return status;
}

static void print(tracker_t *t, exec_log_t *log, uint64_t ns) {
    verbose_profile("exec", log->engine_index, log->text, log->start, (double)ns * 1e-6);
    dz_free(log);
    t->nlogs--;
}

/* The time of a kernel that is over. Drivers that run nothing end a wait without signalling the
 * event: then there is no time. */
static uint64_t time_of(tracker_t *t, const tracked_t *kernel) {
    uint64_t ns = 0;
    if (!t->mute && is_over(kernel)) {
        if (nanoseconds(t, kernel->event, &ns) == dnnl_success) return ns;
        t->mute = true;
    }
    t->lacks_times = true;
    return 0;
}

/* Forgets the oldest execution, which has `n` kernels. */
static void forget(dnnl_stream_t stream, size_t n, bool with_times) {
    tracker_t *t = &stream->tracker;
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        tracked_t *kernel = entry(t, 0);
        const uint64_t ns = kernel->timed && with_times ? time_of(t, kernel) : 0;
        total += ns;
        /* The profile may have been reset in the meantime. */
        if (stream->profiling && kernel->timed && kernel->time >= t->first_time)
            t->times[kernel->time - t->first_time] |= ns & ~TIME_MARKS;
        if (kernel->event == stream->scratch_user) stream->scratch_user = NULL;
        if (kernel->supply) events_recycle(kernel->supply, kernel->event);
        if (kernel->log) print(t, kernel->log, total);
        t->first = (t->first + 1) & (t->cap - 1);
        t->n--;
        t->forgotten++;
    }
}

static size_t length_of_oldest(const tracker_t *t) {
    size_t n = 1;
    while (n < t->n && !entry(t, n - 1)->last) n++;
    return n;
}

/* Whether a later execution waits for the event of the oldest one, because it uses the scratchpad
 * next. The later execution may be only half submitted. Entries up to number `end` are known to be
 * over. */
static bool is_waited_for(const tracker_t *t, size_t n, uint64_t end) {
    bool waits = false;
    if (!entry(t, n - 1)->scratch) return false;
    for (size_t i = n; i < t->n; i++) {
        if (!entry(t, i)->scratch) continue;
        if (entry(t, i)->last) return t->forgotten + i >= end && !is_over(entry(t, i));
        waits = true;
    }
    return waits;
}

void track_collect(dnnl_stream_t stream) {
    const tracker_t *t = &stream->tracker;
    while (t->n && !stream->recording) {
        const size_t n = length_of_oldest(t);
        const tracked_t *last = entry(t, n - 1);
        /* No kernel is marked as the last: the execution is being submitted right now. */
        if (!last->last || !is_over(last) || is_waited_for(t, n, 0)) return;
        forget(stream, n, true);
    }
}

void track_settle(dnnl_stream_t stream, uint64_t end) {
    const tracker_t *t = &stream->tracker;
    while (t->n && t->forgotten < end) {
        const size_t n = length_of_oldest(t);
        /* Another thread has submitted the waiting execution in the meantime. */
        if (is_waited_for(t, n, end)) return;
        forget(stream, n, true);
    }
}

void track_discard(dnnl_stream_t stream) {
    const tracker_t *t = &stream->tracker;
    while (t->n) forget(stream, length_of_oldest(t), t->nlogs);
}

void track_collect_some(dnnl_stream_t stream) {
    if (stream->tracker.n >= COLLECT_FROM) track_collect(stream);
}

dnnl_status_t track_ask_times(dnnl_stream_t stream) {
    tracker_t *t = &stream->tracker;
    dnnl_status_t status = dnnl_success;
    for (size_t i = 0; i < t->n && status == dnnl_success; i++) {
        uint64_t ns = 0;
        const tracked_t *kernel = entry(t, i);
        if (!kernel->timed) continue;
        status = nanoseconds(t, kernel->event, &ns);
        uint64_t *time = &t->times[kernel->time - t->first_time];
        if (status == dnnl_success) *time = (*time & TIME_MARKS) | (ns & ~TIME_MARKS);
    }
    return status;
}

void track_fini(dnnl_stream_t stream) {
    tracker_t *t = &stream->tracker;
    if (!stream->recording) track_collect(stream);
    if (t->nlogs)
        verbose_warn(dnnl_success, "stream",
                "%zu executions may be unfinished when their stream is destroyed: they have no "
                "times",
                t->nlogs);
    for (size_t i = 0; i < t->n; i++)
        if (entry(t, i)->log) print(t, entry(t, i)->log, 0);
    dz_free(t->ring);
    dz_free(t->times);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the times of a stream's executions, from the timestamps of the device. */
#include "core/verbose.h"
#include "ze/stream.h"

static uint64_t entries(const tracker_t *t, bool of_kernels) {
    return of_kernels ? t->kernels : t->executions;
}

static dnnl_status_t write_times(
        dnnl_stream_t stream, bool of_kernels, int num_entries, uint64_t *data) {
    const tracker_t *t = &stream->tracker;
    if (num_entries < 0 || (uint64_t)num_entries != entries(t, of_kernels))
        return verbose_check(dnnl_invalid_arguments, "stream",
                "num_entries is %d, but there are %llu profiling entries", num_entries,
                (unsigned long long)entries(t, of_kernels));
    if (t->lacks_times)
        return verbose_error(
                dnnl_runtime_error, "stream", "the device did not report the times of all kernels");
    const dnnl_status_t status = stream->recording ? track_ask_times(stream) : dnnl_success;
    if (status != dnnl_success) return status;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < t->ntimes; i++) {
        sum += t->times[i] & ~TIME_MARKS;
        if (of_kernels ? t->times[i] & TIME_IS_EMPTY : !(t->times[i] & TIME_IS_LAST)) continue;
        *data++ = sum;
        sum = 0;
    }
    return status;
}

dnnl_status_t stream_profiling_data(
        dnnl_stream_t stream, bool of_kernels, int *num_entries, uint64_t *data) {
    const tracker_t *t = &stream->tracker;
    const backend_t *backend = stream->engine->core->backend;
    if (backend) return backend->profiling_data(stream, of_kernels, num_entries, data);
    const bool waits = data && !stream->recording;
    dnnl_status_t status = dnnl_success;
    short_lock_take(&stream->lock);
    /* Wait again while kernels remain: another thread may have submitted some, or reset the
     * profile, while this one waited. */
    while (waits && t->n && *num_entries >= 0 && (uint64_t)*num_entries == entries(t, of_kernels)) {
        const uint64_t submitted = t->forgotten + t->n;
        short_lock_drop(&stream->lock);
        status = stream_wait(stream);
        if (status != dnnl_success) return status;
        short_lock_take(&stream->lock);
        track_settle(stream, submitted);
    }
    if (data) status = write_times(stream, of_kernels, *num_entries, data);
    else *num_entries = (int)entries(t, of_kernels);
    short_lock_drop(&stream->lock);
    return status;
}

dnnl_status_t stream_profiling_reset(dnnl_stream_t stream) {
    const backend_t *backend = stream->engine->core->backend;
    if (backend) return backend->profiling_reset(stream);
    short_lock_take(&stream->lock);
    const uint64_t submitted = stream->tracker.forgotten + stream->tracker.n;
    short_lock_drop(&stream->lock);
    const dnnl_status_t status = stream->recording ? dnnl_success : stream_wait(stream);
    if (status != dnnl_success) return status;
    short_lock_take(&stream->lock);
    tracker_t *t = &stream->tracker;
    /* Kernels that other threads submitted in the meantime may be running: their events stay in
     * use. */
    if (stream->recording || t->forgotten + t->n == submitted) track_discard(stream);
    else track_settle(stream, submitted);
    t->first_time += t->ntimes;
    t->ntimes = t->executions = t->kernels = 0;
    t->lacks_times = false;
    short_lock_drop(&stream->lock);
    return status;
}

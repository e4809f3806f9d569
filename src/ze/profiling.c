/* SPDX-License-Identifier: Apache-2.0 */
/* Times of the executions of a stream, from the device's own timestamps. */
#include <string.h>

#include "core/verbose.h"
#include "ze/stream.h"

static dnnl_status_t write_times(dnnl_stream_t stream, int num_entries, uint64_t *data) {
    const tracker_t *t = &stream->tracker;
    if (num_entries < 0 || (uint64_t)num_entries != t->executions)
        return verbose_check(dnnl_invalid_arguments, "stream", "room for %d profiling entries of %llu",
                num_entries, (unsigned long long)t->executions);
    if (t->lacks_times)
        return verbose_error(
                dnnl_runtime_error, "stream", "the device did not tell the times of all kernels");
    if (num_entries) memcpy(data, t->times, t->executions * sizeof *data);
    return stream->recording ? track_add_times(stream, data) : dnnl_success;
}

dnnl_status_t stream_profiling_data(dnnl_stream_t stream, int *num_entries, uint64_t *data) {
    const tracker_t *t = &stream->tracker;
    const bool waits = data && !stream->recording;
    dnnl_status_t status = dnnl_success;
    short_lock_take(&stream->lock);
    /* Until nothing is left that other threads submitted meanwhile and that may be among the entries, as when
     * they reset the profile, too. */
    while (waits && t->n && *num_entries >= 0 && (uint64_t)*num_entries == t->executions) {
        const uint64_t submitted = t->forgotten + t->n;
        short_lock_drop(&stream->lock);
        status = stream_wait(stream);
        if (status != dnnl_success) return status;
        short_lock_take(&stream->lock);
        track_settle(stream, submitted);
    }
    if (data) status = write_times(stream, *num_entries, data);
    else *num_entries = (int)stream->tracker.executions;
    short_lock_drop(&stream->lock);
    return status;
}

dnnl_status_t stream_profiling_reset(dnnl_stream_t stream) {
    short_lock_take(&stream->lock);
    const uint64_t submitted = stream->tracker.forgotten + stream->tracker.n;
    short_lock_drop(&stream->lock);
    const dnnl_status_t status = stream->recording ? dnnl_success : stream_wait(stream);
    if (status != dnnl_success) return status;
    short_lock_take(&stream->lock);
    tracker_t *t = &stream->tracker;
    /* What other threads submitted meanwhile may be running; its events are left alone. */
    if (stream->recording || t->forgotten + t->n == submitted) track_discard(stream);
    else track_settle(stream, submitted);
    t->first_execution += t->executions;
    t->executions = 0;
    t->lacks_times = false;
    short_lock_drop(&stream->lock);
    return status;
}

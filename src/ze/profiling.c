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
    dnnl_status_t status = !data || stream->recording ? dnnl_success : stream_wait(stream);
    if (status != dnnl_success) return status;
    short_lock_take(&stream->lock);
    if (data) status = write_times(stream, *num_entries, data);
    else *num_entries = (int)stream->tracker.executions;
    short_lock_drop(&stream->lock);
    return status;
}

dnnl_status_t stream_profiling_reset(dnnl_stream_t stream) {
    const dnnl_status_t status = stream->recording ? dnnl_success : stream_wait(stream);
    if (status != dnnl_success) return status;
    short_lock_take(&stream->lock);
    tracker_t *t = &stream->tracker;
    if (stream->recording) track_settle(stream, t->forgotten + t->n);
    t->first_execution += t->executions;
    t->executions = 0;
    t->lacks_times = false;
    short_lock_drop(&stream->lock);
    return status;
}

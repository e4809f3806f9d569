/* SPDX-License-Identifier: Apache-2.0 */
/* Times of the kernels that a stream ran, from the device's own timestamps. */
#include "core/alloc.h"
#include "core/verbose.h"
#include "ze/stream.h"

dnnl_status_t stream_profile_kernel(dnnl_stream_t stream, ze_event_handle_t *event) {
    if (stream->nkernels == stream->cap_kernels) {
        const size_t cap = stream->cap_kernels ? 2 * stream->cap_kernels : 64;
        profiled_kernel_t *grown = dz_realloc(stream->kernels, cap * sizeof *grown);
        if (!grown) return verbose_error(dnnl_out_of_memory, "stream", "no memory for profiling data");
        stream->kernels = grown;
        stream->cap_kernels = cap;
    }
    const dnnl_status_t status = events_take(&stream->timed, event);
    if (status == dnnl_success)
        stream->kernels[stream->nkernels++] = (profiled_kernel_t){stream->executions, *event};
    return status;
}

static dnnl_status_t nanoseconds(const struct dnnl_stream *stream, ze_event_handle_t event, uint64_t *ns) {
    ze_kernel_timestamp_result_t stamp;
    const dnnl_status_t status = ZE_CALL(EventQueryKernelTimestamp, event, &stamp);
    /* The counter wraps around at the width that the device says. */
    const uint64_t ticks = (stamp.context.kernelEnd - stamp.context.kernelStart) & stream->tick_mask;
    *ns = (uint64_t)((double)ticks * 1e9 / (double)stream->ticks_per_second);
    return status;
}

dnnl_status_t stream_profiling_data(dnnl_stream_t stream, int *num_entries, uint64_t *data) {
    if (!data) {
        pthread_mutex_lock(&stream->lock);
        *num_entries = (int)stream->executions;
        pthread_mutex_unlock(&stream->lock);
        return dnnl_success;
    }
    dnnl_status_t status = stream->recording ? dnnl_success : stream_wait(stream);
    if (status != dnnl_success) return status;
    pthread_mutex_lock(&stream->lock);
    if ((uint64_t)*num_entries != stream->executions) {
        pthread_mutex_unlock(&stream->lock);
        return verbose_check(dnnl_invalid_arguments, "stream", "room for %d profiling entries of %llu",
                *num_entries, (unsigned long long)stream->executions);
    }
    for (uint64_t i = 0; i < stream->executions; i++) data[i] = 0;
    for (size_t i = 0; i < stream->nkernels && status == dnnl_success; i++) {
        uint64_t ns;
        status = nanoseconds(stream, stream->kernels[i].event, &ns);
        if (status == dnnl_success) data[stream->kernels[i].execution] += ns;
    }
    pthread_mutex_unlock(&stream->lock);
    return status;
}

dnnl_status_t stream_profiling_reset(dnnl_stream_t stream) {
    const dnnl_status_t status = stream->recording ? dnnl_success : stream_wait(stream);
    if (status != dnnl_success) return status;
    pthread_mutex_lock(&stream->lock);
    for (size_t i = 0; i < stream->nkernels; i++) events_recycle(&stream->timed, stream->kernels[i].event);
    stream->nkernels = 0;
    stream->executions = 0;
    pthread_mutex_unlock(&stream->lock);
    return dnnl_success;
}

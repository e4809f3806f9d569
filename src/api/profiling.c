/* SPDX-License-Identifier: Apache-2.0 */
/* Profiling of streams. */
#include "core/check.h"
#include "oneapi/dnnl/dnnl.h"
#include "ze/stream.h"

dnnl_status_t dnnl_reset_profiling(dnnl_stream_t stream) {
    TRY(ze_check_process("stream"));
    CHECK_NOT_NULL(stream, "stream");
    CHECK_ARG(stream->profiling, "stream", "the stream was made without profiling");
    return stream_profiling_reset(stream);
}

dnnl_status_t dnnl_query_profiling_data(dnnl_stream_t stream, dnnl_profiling_data_kind_t data_kind,
        int *num_entries, uint64_t *data) {
    TRY(ze_check_process("stream"));
    CHECK_NOT_NULL(stream, "stream");
    CHECK_NOT_NULL(num_entries, "stream");
    CHECK_ARG(stream->profiling, "stream", "the stream was made without profiling");
    const bool of_kernels = data_kind == DNNL_ZE_PROFILING_TIME_PER_KERNEL;
    CHECK_ARG(of_kernels || data_kind == dnnl_profiling_data_kind_time, "stream",
            "%d is not a kind of profiling data", (int)data_kind);
    return stream_profiling_data(stream, of_kernels, num_entries, data);
}

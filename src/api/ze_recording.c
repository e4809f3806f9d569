/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings whose buffers can be exchanged. */
#include "oneapi/dnnl/dnnl_ze_recording.h"

#include "core/check.h"
#include "ze/stream.h"

dnnl_status_t dnnl_ze_recording_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, ze_command_list_handle_t list, int profiling) {
    TRY(ze_check_process("stream"));
    CHECK_NOT_NULL(stream, "stream");
    CHECK_NOT_NULL(engine, "stream");
    CHECK_NOT_NULL(list, "stream");
    TRY(engine_check_backend(engine, NULL));
    return stream_create_exchanging(stream, engine, list, profiling != 0);
}

dnnl_status_t dnnl_ze_recording_exchange(dnnl_stream_t stream, int n,
        const const_dnnl_memory_t *recorded, const const_dnnl_memory_t *replacements) {
    TRY(ze_check_process("stream"));
    CHECK_NOT_NULL(stream, "stream");
    CHECK_ARG(n >= 0 && (n == 0 || (recorded && replacements)), "stream", "%d pairs at %p and %p",
            n, (const void *)recorded, (const void *)replacements);
    return stream_exchange(stream, n, recorded, replacements);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Streams. */
#include "ze/stream.h"

#include "core/check.h"
#include "oneapi/dnnl/dnnl.h"

dnnl_status_t dnnl_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags) {
    TRY(ze_check_process("stream"));
    const unsigned orders = dnnl_stream_in_order | dnnl_stream_out_of_order;
    CHECK_NOT_NULL(stream, "stream");
    CHECK_NOT_NULL(engine, "stream");
    CHECK_ARG(!(flags & ~(orders | dnnl_stream_profiling)), "stream", "unknown flags 0x%x", flags);
    CHECK_ARG((flags & orders) && (flags & orders) != orders, "stream",
            "the flags need one of in_order and out_of_order");
    return stream_create(stream, engine, flags);
}

dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t *engine) {
    CHECK_NOT_NULL(stream, "stream");
    CHECK_NOT_NULL(engine, "stream");
    *engine = stream->engine;
    return dnnl_success;
}

dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream) {
    TRY(ze_check_process("stream"));
    CHECK_NOT_NULL(stream, "stream");
    const attachment_t *there = attached_get(&stream->attached);
    if (there && there->layer.wait) TRY(there->layer.wait(there->data));
    return stream_wait(stream);
}

dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream) {
    if (ze_is_forked()) return dnnl_success;
    if (stream) stream_free(stream);
    return dnnl_success;
}

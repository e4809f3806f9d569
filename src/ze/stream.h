/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: a command list, the events handed out for it, and the scratchpad that its primitives share. A list
 * that is not immediate records: the application runs it, when and as often as it likes. Nothing here can
 * wait for that, so what a recorded command uses is kept until the stream is destroyed, and an event is reset
 * by the list itself. */
#ifndef ZE_STREAM_H
#define ZE_STREAM_H

#include "ze/stream_state.h"
#include "ze/track.h"

dnnl_status_t stream_create(dnnl_stream_t *out, dnnl_engine_t engine, unsigned flags);
/* On the caller's list. */
dnnl_status_t stream_create_on(
        dnnl_stream_t *out, dnnl_engine_t engine, ze_command_list_handle_t list, bool profiling);
/* The same on a list that is mutable, for stream_exchange(). */
dnnl_status_t stream_create_exchanging(
        dnnl_stream_t *out, dnnl_engine_t engine, ze_command_list_handle_t list, bool profiling);
/* Where the recorded kernels use the buffers of from[i], they use those of to[i] from then on. */
dnnl_status_t stream_exchange(dnnl_stream_t stream, int n, const const_dnnl_memory_t *from,
        const const_dnnl_memory_t *to);
/* Waits for a stream of the library, but no longer than this: destroying must not hang on an event that
 * nobody signals. The stream's objects are left behind then. Tests make it shorter. */
extern _Atomic uint64_t stream_patience_ns;
void stream_free(dnnl_stream_t stream);
dnnl_status_t stream_wait(dnnl_stream_t stream);

/* With the stream's lock held: a scratchpad of at least that size. */
dnnl_status_t stream_scratch(dnnl_stream_t stream, size_t size, void **ptr);

/* Both wait for the stream, unless it records. data NULL: the number of entries only. */
/* An entry for each execution, or for each kernel. */
dnnl_status_t stream_profiling_data(
        dnnl_stream_t stream, bool of_kernels, int *num_entries, uint64_t *data);
dnnl_status_t stream_profiling_reset(dnnl_stream_t stream);

#endif

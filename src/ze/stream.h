/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: a command list, the events handed out for it, and the scratchpad that its primitives
 * share.
 *
 * A regular command list records: the application runs it whenever and as often as it likes. The
 * stream cannot wait for these runs, so it keeps everything that a recorded command uses until the
 * stream is destroyed, and the list itself resets the events. */
#ifndef ZE_STREAM_H
#define ZE_STREAM_H

#include "ze/stream_state.h"
#include "ze/track.h"

dnnl_status_t stream_create(dnnl_stream_t *out, dnnl_engine_t engine, unsigned flags);
/* Makes a stream on the caller's list. */
dnnl_status_t stream_create_on(
        dnnl_stream_t *out, dnnl_engine_t engine, ze_command_list_handle_t list, bool profiling);
/* Makes a stream on the caller's mutable list, for stream_exchange(). */
dnnl_status_t stream_create_exchanging(
        dnnl_stream_t *out, dnnl_engine_t engine, ze_command_list_handle_t list, bool profiling);
/* Replaces the buffers of from[i] by those of to[i] in all recorded kernels. */
dnnl_status_t stream_exchange(dnnl_stream_t stream, int n, const const_dnnl_memory_t *from,
        const const_dnnl_memory_t *to);
void stream_free(dnnl_stream_t stream);
dnnl_status_t stream_wait(dnnl_stream_t stream);
/* Whether an immediate list is known to be in-order. */
bool stream_list_is_in_order(const device_core_t *core, ze_command_list_handle_t list);
/* Takes an event back that was handed out, is complete, and that nobody waits for. */
void stream_return_event(dnnl_stream_t stream, ze_event_handle_t event);
/* Whether the list is known to have no work, so that a primitive without dependencies begins at
 * once. False where that cannot be asked. Does not wait. */
bool stream_is_idle(dnnl_stream_t stream);

/* Returns a scratchpad of at least `size` bytes. Call it with the stream's lock held. */
dnnl_status_t stream_scratch(dnnl_stream_t stream, size_t size, void **ptr);

/* Memory of at least `size` bytes for primitives that the caller is about to submit. Nobody else
 * has it until it is given back, which may be before the device is done: the stream executes them
 * before those of the next caller. Only for streams that keep primitives in order. Takes the
 * stream's lock. */
dnnl_status_t stream_take_buffer(dnnl_stream_t stream, size_t size, stream_buffer_t *buffer);
void stream_give_buffer(dnnl_stream_t stream, stream_buffer_t buffer);

/* Frees old scratchpads, which the device must be done with unless the driver waits for it. */
void stream_free_retired(dnnl_stream_t stream, retired_t *retired);

/* Both functions wait for the stream, unless it records. There is one entry for each execution or
 * for each kernel; with data NULL, only the number of entries is written. */
dnnl_status_t stream_profiling_data(
        dnnl_stream_t stream, bool of_kernels, int *num_entries, uint64_t *data);
dnnl_status_t stream_profiling_reset(dnnl_stream_t stream);

#endif

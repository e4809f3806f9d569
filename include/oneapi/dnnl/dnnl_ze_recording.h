/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings that run with other buffers: an addition of this library, which oneDNN does not
 * have. */
#ifndef ONEAPI_DNNL_DNNL_ZE_RECORDING_H
#define ONEAPI_DNNL_DNNL_ZE_RECORDING_H

#include <level_zero/ze_api.h>

#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @file
/// A stream on a regular command list records: primitives executed on it run each time the
/// application runs the list, with the buffers that their memory objects had when they were
/// recorded. On a *mutable* command list (ZE_experimental_mutable_command_list:
/// `ze_mutable_command_list_exp_desc_t` chained to the list's descriptor) the buffers can be
/// exchanged for others between two runs, without recording anew:
///
///     dnnl_ze_recording_create(&stream, engine, list, 0);
///     dnnl_primitive_execute(primitive, stream, nargs, args); // with memory `a` and others
///     zeCommandListClose(list);
///     ... runs of the list; the last is over ...
///     dnnl_ze_recording_exchange(stream, 1, &a, &b);
///     zeCommandListClose(list);
///     ... runs of the list read and write the buffer of `b` where they did that of `a` ...
///
/// What is exchanged are buffers, not objects: `a` stands for the address that it has when the
/// function is called, and every recorded argument whose memory object began at that address is
/// changed, whichever object it was. So a tensor that one primitive writes and another reads stays
/// one tensor, and an operation in place stays in place. A memory object that began elsewhere in
/// the same allocation is another buffer. From then on the recording is that of `b`, which is the
/// one to name for the next exchange.
///
/// Not exchanged:
/// - the scratchpad of the stream, which belongs to the library (one that the application passes as
///   #DNNL_ARG_SCRATCHPAD is a buffer like others);
/// - host scalars, which were recorded as their values;
/// - commands that the application appended itself, copies for example. The library records none
///   but kernels.

/// Creates a stream that records on a mutable command list of the application, as
/// dnnl_ze_interop_stream_create() does on any, and can exchange buffers.
///
/// The stream keeps a note of each buffer of each recorded kernel, 40 bytes. A list that was reset
/// needs a new stream.
///
/// @param stream Receives the stream.
/// @param engine Engine of the list's device and context.
/// @param list An open regular command list, created mutable. It stays the application's.
///     Drivers older than specification 1.15 cannot say whether it is mutable: then the
///     application's word is taken.
/// @param profiling Whether times are kept for dnnl_query_profiling_data().
/// @returns ::dnnl_unimplemented if loader, driver or device do not let recorded kernels take
///     other arguments, ::dnnl_invalid_arguments if the list is not a mutable one, or is of another
///     context or device.
DNNL_API dnnl_status_t dnnl_ze_recording_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, ze_command_list_handle_t list, int profiling);

/// Exchanges buffers in a recording, all at once: with `recorded` {a, b} and `replacements` {b, a},
/// two change places.
///
/// The list must be closed, its last run over, and it has to be closed again before the next. On
/// failure nothing has changed.
///
/// @param stream A stream of dnnl_ze_recording_create().
/// @param n Number of pairs.
/// @param recorded Memory objects at whose buffers there are recorded arguments; each buffer once.
/// @param replacements For each, a memory object of the same context and number of buffers,
///     each at least as large as the memory objects were that were recorded at the one that it
///     replaces. Descriptors are not compared: the recorded primitives take the bytes for what they
///     were made for. The replacement of a buffer that begins at a multiple of 16 or 64 bytes
///     begins at a multiple of as many, too: recorded kernels may expect it.
/// @returns ::dnnl_invalid_arguments, with a sentence in the log, if a pair cannot be exchanged.
DNNL_API dnnl_status_t dnnl_ze_recording_exchange(dnnl_stream_t stream, int n,
        const const_dnnl_memory_t *recorded, const const_dnnl_memory_t *replacements);

#ifdef __cplusplus
}
#endif

#endif

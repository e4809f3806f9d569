/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks kernels whose events the library needs again: to read their times, to print a line of the
 * verbose log, or to reuse the events. The kernels are kept in the order of submission and
 * forgotten as they end, so that their number is bounded by the work in flight. Call all functions
 * with the stream's lock held. */
#ifndef ZE_TRACK_H
#define ZE_TRACK_H

#include "ze/stream_state.h"

/* Makes room for the kernels of one more execution, so that track_add() cannot fail. */
dnnl_status_t track_reserve(dnnl_stream_t stream, size_t nkernels, bool timed);
void track_add(dnnl_stream_t stream, const tracked_t *kernel);
/* Gives a supply the event of a kernel that is tracked without one. False: it is not tracked. */
bool track_give(dnnl_stream_t stream, ze_event_handle_t event, event_supply_t *supply);
/* Ends an execution with the latest kernel added. The times of the execution begin at number
 * `first`. */
void track_end(dnnl_stream_t stream, uint64_t first);
/* Marks the latest kernel added as the last of its execution, if more than `n` kernels are
 * tracked. */
void track_cut(dnnl_stream_t stream, size_t n);

/* Forgets kernels that are over, beginning with the oldest. Does not wait. */
void track_collect(dnnl_stream_t stream);
/* The same, but only if many kernels are tracked: asking the driver costs more than a few extra
 * events. */
void track_collect_some(dnnl_stream_t stream);
/* Forgets the entries up to number `end` (forgotten + n at some time), which are known to be over.
 * It stops at an entry that a later, unfinished one waits for. */
void track_settle(dnnl_stream_t stream, uint64_t end);
/* Forgets all entries without asking for their times. */
void track_discard(dnnl_stream_t stream);
/* Reads the times of all tracked kernels. For recording streams, which track their kernels until
 * the end. */
dnnl_status_t track_ask_times(dnnl_stream_t stream);
void track_fini(dnnl_stream_t stream);

#endif

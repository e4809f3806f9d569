/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose events the library looks at again: for their times, to print a line of the verbose log, or to
 * use the events once more. They are kept in the order of submission and forgotten as they end, so that there
 * are never more of them than there is work in flight. All functions want the stream's lock held. */
#ifndef ZE_TRACK_H
#define ZE_TRACK_H

#include "ze/stream_state.h"

/* Room for the kernels of one more execution, so that track_add() cannot fail. */
dnnl_status_t track_reserve(dnnl_stream_t stream, size_t nkernels, bool timed);
void track_add(dnnl_stream_t stream, const tracked_t *kernel);
/* An execution ends with the latest kernel added, whose times begin at number `first`. */
void track_end(dnnl_stream_t stream, uint64_t first);
/* The execution ends with the latest kernel added, if there are more than `n` by now. */
void track_cut(dnnl_stream_t stream, size_t n);

/* Forgets what is over, from the oldest on; waits for nothing. */
void track_collect(dnnl_stream_t stream);
/* The same once there is a good deal: looking costs more than a few events more. */
void track_collect_some(dnnl_stream_t stream);
/* Forgets entries up to number `end` (forgotten + n at some time), which are over: all of them, unless one is
 * waited for by a later one that is not over. */
void track_settle(dnnl_stream_t stream, uint64_t end);
/* The same for everything, without asking for times. */
void track_discard(dnnl_stream_t stream);
/* Asks for the times of what is kept, as a list that runs again has its kernels tracked for ever. */
dnnl_status_t track_ask_times(dnnl_stream_t stream);
void track_fini(dnnl_stream_t stream);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose events the library looks at again: for their times, to print a line of the verbose log, or to
 * use the events once more. They are kept in the order of submission and forgotten as they end, so that there
 * are never more of them than there is work in flight. All functions want the stream's lock held. */
#ifndef ZE_TRACK_H
#define ZE_TRACK_H

#include "oneapi/dnnl/dnnl_types.h"
#include "ze/event.h"

/* A line that waits for its time. */
typedef struct {
    double start; /* of verbose_now_ms() */
    int engine_index;
    char text[]; /* pd_info() */
} exec_log_t;

typedef struct {
    ze_event_handle_t event; /* NULL: nothing had to run */
    event_supply_t
            *supply; /* where the event goes when the kernel is over; NULL: it was handed out */
    exec_log_t *log; /* owned; with the last kernel of an execution */
    uint64_t time;   /* number of its time, where the stream profiles */
    bool timed;      /* the event has timestamps */
    bool scratch;    /* uses the stream's scratchpad */
    bool last;       /* of its execution */
} tracked_t;

/* In the times: the last kernel of an execution, and an execution that has none. */
#define TIME_IS_LAST (UINT64_C(1) << 63)
#define TIME_IS_EMPTY (UINT64_C(1) << 62)
#define TIME_MARKS (TIME_IS_LAST | TIME_IS_EMPTY)

typedef struct {
    tracked_t *ring; /* cap entries, a power of two, of which `n` from `first` on are in use */
    size_t first, n, cap;
    uint64_t forgotten; /* entries ever taken out */
    size_t nlogs;
    uint64_t ticks_per_second, tick_mask; /* of kernel timestamps; 0 until they are needed */
    /* Of profiling: nanoseconds of each kernel since the last reset, with marks. */
    uint64_t *times;
    uint64_t ntimes, cap_times, first_time; /* the first since the reset has that number */
    uint64_t executions, kernels;           /* that the times are of */
    bool lacks_times;                       /* the device did not tell some */
    /* It told none of a kernel that was over, and is not asked again: drivers that run nothing take seconds
     * to say so. */
    bool mute;
} tracker_t;

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

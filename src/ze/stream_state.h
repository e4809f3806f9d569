/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a stream and of its tracker, for the files that work on them with the lock held. */
#ifndef ZE_STREAM_STATE_H
#define ZE_STREAM_STATE_H

#include "core/lock.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "ze/event.h"
#include "ze/recorded.h"

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

/* How commands of the list are kept in order. */
typedef enum {
    ORDER_BY_LIST, /* the list is in-order */
    ORDER_BY_BARRIERS, /* the device has no in-order lists, or the list records: a barrier before each command
                        */
    ORDER_BY_CALLER, /* out of order, or not known: only the steps of one primitive are kept in order */
} stream_order_t;

typedef struct retired {
    struct retired *next;
    void *ptr;
} retired_t;

struct dnnl_stream {
    struct dnnl_stream *next_left_behind;
    dnnl_engine_t engine; /* one reference */
    ze_command_list_handle_t list;
    bool owns_list;
    bool profiling;
    bool recording; /* the list is known not to be immediate */
    bool immediate; /* the list is known to be: its events are signalled once, and may keep steps in order */
    stream_order_t order;
    bool plain; /* in order by itself, and no profiling */

    short_lock_t lock;             /* guards everything below, and appending to the list */
    event_supply_t returned;       /* handed out: valid until the end */
    event_supply_t returned_timed; /* the same with timestamps */
    event_supply_t internal;       /* for waiting, and between kernels of an out-of-order list */
    event_supply_t timed;          /* the same with timestamps */
    tracker_t tracker;
    void *scratch;
    size_t scratch_size;
    ze_event_handle_t
            scratch_user; /* on an out-of-order list, signalled by its latest user; NULL: none that
                                       runs */
    recording_t *buffers; /* NULL: they cannot be exchanged */
    retired_t *retired;   /* outgrown scratchpads that the device may still use */
};

#endif

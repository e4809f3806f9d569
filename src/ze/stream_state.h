/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a stream and of its tracker, for the files that work on them with the lock
 * held. */
#ifndef ZE_STREAM_STATE_H
#define ZE_STREAM_STATE_H

#include "core/lock.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "ze/event.h"
#include "ze/recorded.h"

/* A line of the verbose log that is printed once the time of its execution is known. */
typedef struct {
    double start; /* of verbose_now_ms() */
    int engine_index;
    char text[]; /* pd_info() */
} exec_log_t;

typedef struct {
    ze_event_handle_t event; /* NULL: nothing had to run */
    event_supply_t *supply;  /* gets the event when the kernel is over; NULL: handed out */
    exec_log_t *log;         /* owned; set for the last kernel of an execution */
    uint64_t time;           /* number of the kernel's time, if the stream profiles */
    bool timed;              /* the event has timestamps */
    bool scratch;            /* the kernel uses the stream's scratchpad */
    bool last;               /* the last kernel of its execution */
} tracked_t;

/* Marks in the upper bits of a time: the last kernel of an execution, and an execution without
 * kernels. */
#define TIME_IS_LAST (UINT64_C(1) << 63)
#define TIME_IS_EMPTY (UINT64_C(1) << 62)
#define TIME_MARKS (TIME_IS_LAST | TIME_IS_EMPTY)

typedef struct {
    tracked_t *ring; /* cap entries (a power of two), of which `n` are in use from `first` on */
    size_t first, n, cap;
    uint64_t forgotten; /* entries taken out since the stream was made */
    size_t nlogs;
    uint64_t ticks_per_second, tick_mask; /* of kernel timestamps; 0 until they are needed */
    /* For profiling: nanoseconds of each kernel since the last reset, with marks. */
    uint64_t *times;
    uint64_t ntimes, cap_times;
    uint64_t first_time;          /* number of the first time since the reset */
    uint64_t executions, kernels; /* how many of each the times cover */
    bool lacks_times;             /* the device did not report some of the times */
    /* The device reported no time for a kernel that was over. It is not asked again, because
     * drivers that run nothing take seconds to answer. */
    bool mute;
} tracker_t;

/* What keeps the commands of the list in order. */
typedef enum {
    ORDER_BY_LIST,     /* the list is in-order */
    ORDER_BY_BARRIERS, /* a barrier before each command: the list records, or cannot be in-order */
    ORDER_BY_CALLER,   /* out of order or unknown: the library orders the steps of each primitive */
} stream_order_t;

typedef struct retired {
    struct retired *next;
    void *ptr;
} retired_t;

typedef struct {
    void *ptr;
    size_t size;
} stream_buffer_t;

struct dnnl_stream {
    struct dnnl_stream *next_left_behind;
    dnnl_engine_t engine; /* one reference */
    ze_command_list_handle_t list;
    bool owns_list;
    bool profiling;
    bool recording; /* the list is known to be a regular one */
    bool immediate; /* the list is known to be immediate: its events are signalled only once */
    stream_order_t order;
    work_t work;
    bool plain;          /* the list is in-order, the stream does not profile and has no layer */
    attached_t attached; /* ends before anything else of the stream */
    /* The longest time that destroying the stream waits for its work, so that it does not hang on
     * an event that nobody signals. After that the stream's objects are leaked on purpose. 10 s;
     * tests set a shorter time. */
    uint64_t patience_ns;

    short_lock_t lock;             /* guards everything below, and appending to the list */
    event_supply_t returned;       /* events for the application: valid as long as the stream */
    event_supply_t returned_timed; /* the same with timestamps */
    event_supply_t internal; /* events to wait for, and between kernels of an out-of-order list */
    event_supply_t timed;    /* the same with timestamps */
    tracker_t tracker;
    void *scratch;
    size_t scratch_size;
    /* On an out-of-order list: the event of the latest kernel that uses the scratchpad. NULL: no
     * such kernel is in flight. */
    ze_event_handle_t scratch_user;
    stream_buffer_t spare; /* of stream_take_buffer(); ptr NULL: there is none */
    recording_t *buffers;  /* NULL: buffers cannot be exchanged */
    retired_t *retired;    /* old scratchpads that the device may still use */
};

#endif

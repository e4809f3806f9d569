/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a lane, for lane.c and lane_run.c only. */
#ifndef ZE_CPU_LANE_STATE_H
#define ZE_CPU_LANE_STATE_H

#include "exec.h"
#include "sched.h"

/* Commands that a worker has taken out of a lane: a list of them, linked by `next`. */
typedef struct flight flight_t;
struct flight {
    flight_t *next;
    cmd_t *from;  /* the first command that is not over */
    bool by_host; /* a thread of the application runs it */
};

typedef struct keep_use keep_use_t; /* keep.c */

/* `lock` guards everything but the constants and the atomics. */
typedef struct lane lane_t;
struct lane {
    sched_task_t task; /* must be the first member */
    pthread_mutex_t lock;
    cmd_t *first, *last; /* commands that have not started */
    cmd_store_t store;
    bool in_order;       /* constant */
    bool held;           /* a worker, the scheduler or a thread of the application has the lane */
    bool lingers;        /* the worker that has it waits for commands */
    bool host_runs;      /* a thread of the application runs a command: the worker must not */
    uint32_t references; /* of the owner, of the holder, and of each overlapping command */
    uint32_t running;
    _Atomic uint32_t waiting; /* length of the list, for a holder that looks without the lock */
    _Atomic uint64_t appended, done;
    counter_t *counter; /* of its counter-based events; NULL: no command has used one yet */
    _Atomic bool failed;
    progress_t progress;
    uint64_t collecting_since, host_waits, random; /* see pick.h */
    exec_t *host_exec; /* of the thread of the application; NULL: none has run a command yet */
    flight_t *flights;
    uint8_t phase; /* 0 or 1; see keep.c */
    uint32_t in_phase[2];
    uint64_t phase_changes;
    keep_use_t *uses;  /* freed memory that commands of the lane use, oldest first */
    lane_t *next_lane; /* guarded by the lock of keep.c */
};

#endif

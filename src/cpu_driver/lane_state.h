/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a lane, for lane.c and lane_run.c only. */
#ifndef ZE_CPU_LANE_STATE_H
#define ZE_CPU_LANE_STATE_H

#include "cmd.h"
#include "sched.h"

/* `lock` guards everything but the constants and the atomics. */
typedef struct lane lane_t;
struct lane {
    sched_task_t task; /* must be the first member */
    pthread_mutex_t lock;
    cmd_t *first, *last; /* commands that have not started */
    cmd_store_t store;
    bool in_order;       /* constant */
    bool held;           /* a worker or the scheduler has the lane */
    uint32_t references; /* of the owner, of the holder, and of each overlapping command */
    uint32_t running;
    _Atomic uint32_t waiting; /* length of the list, for a holder that looks without the lock */
    _Atomic uint64_t appended, done;
    counter_t *counter; /* of its counter-based events; NULL: no command has used one yet */
    _Atomic bool failed;
    progress_t progress;
    uint64_t collecting_since, host_waits, random; /* see pick.h */
};

#endif

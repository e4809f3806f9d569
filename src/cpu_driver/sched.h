/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler: worker threads, the tasks that are ready for them, and the tasks that wait for
 * events.
 *
 * A task is in one place at a time: in the ready queue, with a worker that serves it, parked, or
 * idle in the hands of its owner. */
#ifndef ZE_CPU_SCHED_H
#define ZE_CPU_SCHED_H

#include <stdbool.h>
#include <stdint.h>

/* The part of a task that the scheduler uses; the owner embeds it. */
typedef struct sched_task {
    struct sched_task *next; /* in the ready queue or among the parked tasks */
} sched_task_t;

/* What worker threads do. `open` makes the state of one thread (NULL: out of memory, the thread is
 * not started), `close` frees it. */
typedef struct {
    void *(*open)(void);
    void (*serve)(sched_task_t *task, void *state);
    void (*close)(void *state);
} sched_worker_t;

/* Call it before the first task is made ready; calling it again with the same argument has no
 * effect. */
void sched_set_worker(const sched_worker_t *worker);

/* Whether there is a worker, which the first call starts; false: the system has no thread or memory
 * for it. Then the caller must not make a task ready, because nobody would serve it. True as well
 * when the process exits. */
bool sched_has_worker(void);

/* Adds an idle task to the ready queue and wakes or starts a worker for it. */
void sched_make_ready(sched_task_t *task);

/* Parks a task until somebody calls sched_wake_parked(). Events signalled just before the call woke
 * nobody, so `may_run` (NULL: never) is asked once more after parking; while it runs, nobody takes
 * the task. */
void sched_park(sched_task_t *task, bool (*may_run)(const void *), const void *argument);

/* Makes all parked tasks ready. Call it after an event is signalled. */
void sched_wake_parked(void);

/* Whether the ready queue holds a task. Takes no lock. */
bool sched_has_ready(void);

/* Starts a thread that calls team_help(number). The exit handler wakes it by team_stop(), and waits
 * for it. */
bool sched_start_helper(uint32_t number);

/* Registers the exit handler that stops the workers once more, so that it runs before the exit
 * handlers of a library that was initialised in the meantime. */
void sched_stop_at_exit(void);

/* Whether the process is exiting: pending work will never be done. */
bool sched_has_stopped(void);

/* Whether all workers are idle and no task is ready: only the host can start work. */
bool sched_is_quiet(void);

#endif

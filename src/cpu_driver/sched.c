/* SPDX-License-Identifier: Apache-2.0 */
/* Worker threads, the ready queue, and the parked tasks. */
#define _GNU_SOURCE /* pthread_setname_np() */
#include "sched.h"
#include "device.h"
#include "fork.h"
#include "team.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    EXIT_WAIT_SECONDS = 2, /* a running command may delay the exit of the process by this much */
    MAX_WORKERS = 8,       /* PoCL runs each kernel on all cores: more workers add only switches */
};

/* `lock` guards everything but the atomics. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, stopped;
    const sched_worker_t *worker;
    sched_task_t *first_ready, *last_ready;
    sched_task_t *parked;
    _Atomic uint32_t n_parked;
    _Atomic uint32_t n_ready;
    _Atomic uint32_t n_workers;
    uint32_t n_idle;    /* workers that serve no task, also those that have not run yet */
    uint32_t n_helpers; /* team.h */
    uint32_t max_workers;
    bool has_exit_handler;
    _Atomic bool stop;
} sched = {.lock = PTHREAD_MUTEX_INITIALIZER,
        .work = PTHREAD_COND_INITIALIZER,
        .stopped = PTHREAD_COND_INITIALIZER};

/* Runs at exit: workers must not call libraries that are being torn down. Pending commands are
 * dropped. */
static void stop_workers(void) {
    if (is_forked) return; /* the workers are the parent's, and one of them may hold the lock */
    pthread_mutex_lock(&sched.lock);
    atomic_store(&sched.stop, true);
    pthread_cond_broadcast(&sched.work);
    team_stop();
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += EXIT_WAIT_SECONDS;
    while ((sched.n_workers || sched.n_helpers) &&
            pthread_cond_timedwait(&sched.stopped, &sched.lock, &until) == 0) {
    }
    pthread_mutex_unlock(&sched.lock);
}

void sched_stop_at_exit(void) {
    atexit(stop_workers);
}

bool sched_has_stopped(void) {
    return atomic_load_explicit(&sched.stop, memory_order_relaxed);
}

bool sched_has_ready(void) {
    return atomic_load_explicit(&sched.n_ready, memory_order_relaxed) != 0;
}

bool sched_is_quiet(void) {
    pthread_mutex_lock(&sched.lock);
    const bool quiet = !sched.first_ready && sched.n_idle == sched.n_workers;
    pthread_mutex_unlock(&sched.lock);
    return quiet;
}

void sched_set_worker(const sched_worker_t *worker) {
    pthread_mutex_lock(&sched.lock);
    if (!sched.worker) sched.worker = worker; /* workers read it without the lock */
    pthread_mutex_unlock(&sched.lock);
}

static sched_task_t *pop_ready(void) {
    sched_task_t *task = sched.first_ready;
    if (!task) return NULL;
    sched.first_ready = task->next;
    if (!task->next) sched.last_ready = NULL;
    atomic_fetch_sub(&sched.n_ready, 1);
    return task;
}

static void worker_ends(void *state) {
    sched.worker->close(state);
    pthread_mutex_lock(&sched.lock);
    sched.n_workers--;
    pthread_cond_broadcast(&sched.stopped);
    pthread_mutex_unlock(&sched.lock);
}

static void *worker_main(void *state) {
    pthread_cleanup_push(worker_ends, state);
    pthread_mutex_lock(&sched.lock);
    while (!atomic_load(&sched.stop)) {
        sched_task_t *task = pop_ready();
        if (!task) {
            pthread_cond_wait(&sched.work, &sched.lock);
            continue;
        }
        sched.n_idle--;
        pthread_mutex_unlock(&sched.lock);
        sched.worker->serve(task, state);
        pthread_mutex_lock(&sched.lock);
        sched.n_idle++;
    }
    pthread_mutex_unlock(&sched.lock);
    pthread_cleanup_pop(1);
    return NULL;
}

/* One worker per core, but at least one per hardware queue that the device reports. */
static uint32_t worker_limit(void) {
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (cpus < QUEUES_IN_GROUP) return QUEUES_IN_GROUP;
    return cpus > MAX_WORKERS ? MAX_WORKERS : (uint32_t)cpus;
}

/* Threads of the driver do not handle the application's signals. They are named here, for debuggers
 * and for top -H: a name that a thread gives itself is missing until it runs. Called with the lock
 * held, without which no thread ends. */
static bool create_thread(const char *name, void *(*run)(void *), void *state) {
    sigset_t all, old;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const bool good = pthread_create(&thread, NULL, run, state) == 0;
    if (good) {
        pthread_setname_np(thread, name);
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return good;
}

static void *helper_main(void *number) {
    team_help((uint32_t)(uintptr_t)number);
    pthread_mutex_lock(&sched.lock);
    sched.n_helpers--;
    pthread_cond_broadcast(&sched.stopped);
    pthread_mutex_unlock(&sched.lock);
    return NULL;
}

bool sched_start_helper(uint32_t number) {
    pthread_mutex_lock(&sched.lock);
    const bool good = !atomic_load(&sched.stop) &&
                      create_thread("ze_cpu_helper", helper_main, (void *)(uintptr_t)number);
    if (good) sched.n_helpers++;
    pthread_mutex_unlock(&sched.lock);
    return good;
}

/* Starts one more worker if there is room for it. If that fails, the other workers do the work.
 * Called with the lock held. */
static void start_worker(void) {
    if (!sched.has_exit_handler) {
        sched.has_exit_handler = true;
        sched_stop_at_exit();
    }
    fork_note_use();
    if (sched.max_workers == 0) sched.max_workers = worker_limit();
    if (sched.n_workers >= sched.max_workers) return;
    void *state = sched.worker->open();
    if (!state) return;
    if (create_thread("ze_cpu_worker", worker_main, state)) {
        sched.n_workers++;
        sched.n_idle++;
    } else {
        sched.worker->close(state);
    }
}

bool sched_has_worker(void) {
    if (atomic_load_explicit(&sched.n_workers, memory_order_relaxed)) return true;
    pthread_mutex_lock(&sched.lock);
    const bool stopped = atomic_load(&sched.stop);
    if (!stopped && !sched.n_workers) start_worker();
    const bool has = stopped || sched.n_workers;
    pthread_mutex_unlock(&sched.lock);
    return has;
}

/* Called with the lock held. */
static void push_ready(sched_task_t *task) {
    task->next = NULL;
    if (sched.last_ready) sched.last_ready->next = task;
    else sched.first_ready = task;
    sched.last_ready = task;
    /* A worker that was woken counts as idle until it has taken its task from the queue. */
    if (atomic_fetch_add(&sched.n_ready, 1) < sched.n_idle) pthread_cond_signal(&sched.work);
    else start_worker();
}

void sched_make_ready(sched_task_t *task) {
    pthread_mutex_lock(&sched.lock);
    push_ready(task);
    pthread_mutex_unlock(&sched.lock);
}

void sched_wake_parked(void) {
    if (atomic_load(&sched.n_parked) == 0) return;
    pthread_mutex_lock(&sched.lock);
    sched_task_t *task = sched.parked;
    sched.parked = NULL;
    atomic_store(&sched.n_parked, 0);
    while (task) {
        sched_task_t *next = task->next;
        push_ready(task);
        task = next;
    }
    pthread_mutex_unlock(&sched.lock);
}

void sched_park(sched_task_t *task, bool (*may_run)(const void *), const void *argument) {
    pthread_mutex_lock(&sched.lock);
    task->next = sched.parked;
    sched.parked = task;
    atomic_fetch_add(&sched.n_parked, 1);
    const bool wake = may_run && may_run(argument);
    pthread_mutex_unlock(&sched.lock);
    if (wake) sched_wake_parked();
}

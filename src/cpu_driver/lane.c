/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler: lanes of commands, and the worker threads that serve them.

   A lane with something to do is in the hands of one thread at a time, its holder: it is in the ready queue,
   or a worker works on it, or it is parked because its first command waits for an event. Only the holder
   takes commands out. An in-order lane is served by its holder until it is empty; a worker that serves
   another lane takes one command, passes the lane on, and executes the command beside the others. */
#include "lane.h"
#include "exec.h"
#include "order.h"
#include "sched.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct lane {
    pthread_mutex_t lock;
    cmd_t *first, *last; /* not started */
    cmd_store_t store;
    bool in_order, held;
    uint32_t
            references; /* the owner's and the holder's; one for each command that runs beside others */
    uint32_t running;
    _Atomic uint32_t waiting; /* length of the list, for a holder that looks without the lock */
    _Atomic uint64_t appended, done;
    counter_t *counter; /* of its counter-based events; NULL: it had none yet */
    _Atomic bool failed;
    progress_t progress;
    uint64_t collecting_since, host_waits, random; /* of a changed order: order.h */
    lane_t *next;                                  /* in the ready queue or among the parked */
};

/* Guarded by sched.lock but for the atomics. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, stopped;
    lane_t *first_ready, *last_ready;
    lane_t *parked;
    _Atomic uint32_t n_parked;
    _Atomic uint32_t n_ready;
    uint32_t n_workers, n_idle, max_workers;
    bool exit_handler;
    _Atomic bool stop;
} sched = {.lock = PTHREAD_MUTEX_INITIALIZER,
        .work = PTHREAD_COND_INITIALIZER,
        .stopped = PTHREAD_COND_INITIALIZER};

enum {
    LINGER_NS = 30000,     /* a worker watches an empty lane this long before it lets go */
    EXIT_WAIT_SECONDS = 2, /* how long a process that exits waits for a running command */
    MAX_WORKERS = 8,
};

static void *worker_main(void *unused);

/* Called at exit: workers must not run into libraries that are being torn down. What waits is dropped. */
static void stop_workers(void) {
    pthread_mutex_lock(&sched.lock);
    atomic_store(&sched.stop, true);
    pthread_cond_broadcast(&sched.work);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += EXIT_WAIT_SECONDS;
    while (sched.n_workers && pthread_cond_timedwait(&sched.stopped, &sched.lock, &until) == 0) {
    }
    pthread_mutex_unlock(&sched.lock);
}

void sched_stop_at_exit(void) {
    atexit(stop_workers);
}

bool sched_has_stopped(void) {
    return atomic_load_explicit(&sched.stop, memory_order_relaxed);
}

bool sched_is_quiet(void) {
    pthread_mutex_lock(&sched.lock);
    const bool quiet = !sched.first_ready && sched.n_idle == sched.n_workers;
    pthread_mutex_unlock(&sched.lock);
    return quiet;
}

static void start_worker(void) {
    if (!sched.exit_handler) {
        sched.exit_handler = true;
        sched_stop_at_exit();
    }
    if (sched.max_workers == 0) {
        long cpus = sysconf(_SC_NPROCESSORS_ONLN);
        sched.max_workers = cpus < QUEUES_IN_GROUP ? QUEUES_IN_GROUP
                            : cpus > MAX_WORKERS   ? MAX_WORKERS
                                                   : (uint32_t)cpus;
    }
    if (sched.n_workers >= sched.max_workers) return;
    sigset_t all, old; /* the application's signals are not for the workers */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_t thread;
    if (pthread_create(&thread, NULL, worker_main, NULL) == 0) {
        pthread_detach(thread);
        sched.n_workers++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void push_ready(lane_t *lane) {
    lane->next = NULL;
    if (sched.last_ready) sched.last_ready->next = lane;
    else sched.first_ready = lane;
    sched.last_ready = lane;
    /* An idle worker counts until it has taken its lane out of the queue. */
    if (atomic_fetch_add(&sched.n_ready, 1) < sched.n_idle) pthread_cond_signal(&sched.work);
    else start_worker();
}

static void make_ready(lane_t *lane) {
    pthread_mutex_lock(&sched.lock);
    push_ready(lane);
    pthread_mutex_unlock(&sched.lock);
}

void lanes_wake_parked(void) {
    if (atomic_load(&sched.n_parked) == 0) return;
    pthread_mutex_lock(&sched.lock);
    lane_t *lane = sched.parked;
    sched.parked = NULL;
    atomic_store(&sched.n_parked, 0);
    while (lane) {
        lane_t *next = lane->next;
        push_ready(lane);
        lane = next;
    }
    pthread_mutex_unlock(&sched.lock);
}

/* Puts a held lane aside until an event is signalled. The events are looked at once more afterwards, because
   one that was signalled in between found nobody parked. The lane's lock is not held; its first command stays
   where it is. */
static void park(lane_t *lane, const cmd_t *first) {
    pthread_mutex_lock(&sched.lock);
    lane->next = sched.parked;
    sched.parked = lane;
    atomic_fetch_add(&sched.n_parked, 1);
    bool there = cmd_events_are_there(first);
    pthread_mutex_unlock(&sched.lock);
    if (there) lanes_wake_parked();
}

lane_t *lane_new(bool in_order) {
    lane_t *lane = calloc(1, sizeof *lane);
    if (!lane) return NULL;
    pthread_mutex_init(&lane->lock, NULL);
    lane->in_order = in_order;
    lane->references = 1;
    return lane;
}

/* Gives up one reference of a locked lane; unlocks it. */
static void unlock_and_release(lane_t *lane) {
    bool last = --lane->references == 0;
    pthread_mutex_unlock(&lane->lock);
    if (!last) return;
    cmd_store_free(&lane->store);
    counter_give(lane->counter);
    pthread_mutex_destroy(&lane->lock);
    free(lane);
}

void lane_release(lane_t *lane) {
    pthread_mutex_lock(&lane->lock);
    unlock_and_release(lane);
}

cmd_t *lane_begin(lane_t *lane) {
    pthread_mutex_lock(&lane->lock);
    cmd_t *cmd = cmd_store_take(&lane->store);
    if (!cmd) pthread_mutex_unlock(&lane->lock);
    return cmd;
}

void lane_drop(lane_t *lane, cmd_t *cmd) {
    cmd_store_give(&lane->store, cmd);
    pthread_mutex_unlock(&lane->lock);
}

bool lane_count(lane_t *lane, ze_event_handle_t event) {
    if (!lane->counter) lane->counter = counter_take();
    if (lane->counter) event_count(event, lane->counter);
    return lane->counter;
}

/* After a failure everything that the lane signals says so: what the host is told must not depend on which
   of them it waits for. */
static void complete(lane_t *lane, const cmd_t *cmd, uint64_t start, uint64_t end) {
    const signal_t how = atomic_load(&lane->failed) ? SIGNAL_FAILED : SIGNAL_DONE;
    if (cmd->kind == CMD_SIGNAL_FENCE) fence_signal(cmd->u.fence, how);
    if (cmd->signal) event_signal(cmd->signal, lane->counter, how, start, end);
}

/* After the workers are gone, what has nothing to do and nothing to wait for is over at once: the objects of
   a program may live as long as its process, and wait when they are destroyed. */
static bool is_over_at_once(lane_t *lane, const cmd_t *cmd) {
    return atomic_load_explicit(&sched.stop, memory_order_relaxed) && cmd->kind == CMD_NOTHING &&
           atomic_load(&lane->done) == atomic_load(&lane->appended) && cmd_events_are_there(cmd);
}

void lane_commit(lane_t *lane, cmd_t *cmd) {
    if (is_over_at_once(lane, cmd)) {
        complete(lane, cmd, 0, 0);
        lane_drop(lane, cmd);
        return;
    }
    if (!lane->first) lane->collecting_since = order_is_changed() ? clock_ns() : 0;
    lane->host_waits = order_host_wait_count();
    if (lane->last) lane->last->next = cmd;
    else lane->first = cmd;
    lane->last = cmd;
    atomic_fetch_add_explicit(&lane->appended, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&lane->waiting, 1, memory_order_relaxed);
    bool start = !lane->held && !(cmd->after_all && lane->running);
    if (start) {
        lane->held = true;
        lane->references++;
    }
    pthread_mutex_unlock(&lane->lock);
    if (start) make_ready(lane);
    else if (!lane->in_order && order_is_changed())
        lanes_wake_parked(); /* it may overtake what waits */
}

typedef struct {
    lane_t *lane;
    uint64_t target;
} wait_t;

static bool wait_is_over(const void *argument) {
    const wait_t *wait = argument;
    return atomic_load(&wait->lane->done) >= wait->target;
}

static bool lane_has_run_dry(const void *argument) {
    lane_t *lane = ((const wait_t *)argument)->lane;
    return atomic_load(&lane->done) == atomic_load(&lane->appended);
}

/* What a lane stands before that has had nothing to do for long. */
static void complain_of_first(lane_t *lane) {
    ze_event_handle_t event = NULL;
    pthread_mutex_lock(&lane->lock);
    for (const cmd_t *cmd = lane->first; cmd && !event; cmd = cmd->next)
        for (uint32_t i = 0; i < cmd->n_waits && !event; i++)
            if (awaited_state(&cmd->waits[i]) == SIGNAL_NONE) event = cmd->waits[i].event;
    pthread_mutex_unlock(&lane->lock);
    COMPLAIN("a command waits for the event %p, which nothing will signal", (void *)event);
}

ze_result_t lane_wait(lane_t *lane, uint64_t timeout) {
    order_host_waits();
    wait_t wait = {lane, atomic_load(&lane->appended)};
    /* Where commands overlap, the number of finished ones does not say which: wait for all. */
    bool over = progress_wait(
            &lane->progress, lane->in_order ? wait_is_over : lane_has_run_dry, &wait, timeout);
    if (!over && strict_level && timeout == UINT64_MAX && !sched_has_stopped()) {
        complain_of_first(lane);
        return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    CHECK(over, ZE_RESULT_NOT_READY);
    return atomic_load(&lane->failed) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

bool lane_is_idle(lane_t *lane) {
    wait_t wait = {lane, 0};
    return lane_has_run_dry(&wait);
}

static void note_failure(lane_t *lane, ze_result_t status) {
    if (status != ZE_RESULT_SUCCESS) atomic_store(&lane->failed, true);
}

/* What waited for work that failed has failed, too. */
static void note_events(lane_t *lane, const cmd_t *cmd) {
    if (cmd->n_waits && cmd_events_have_failed(cmd)) atomic_store(&lane->failed, true);
}

/* Waits for the kernels in flight, and gives back the commands from `from` up to but without `until`. */
static void retire(lane_t *lane, exec_t *exec, cmd_t *from, const cmd_t *until) {
    if (from == until) return;
    note_failure(lane, exec_finish(exec));
    uint32_t n = 0;
    pthread_mutex_lock(&lane->lock);
    while (from != until) {
        cmd_t *next = from->next;
        cmd_store_give(&lane->store, from);
        from = next;
        n++;
    }
    pthread_mutex_unlock(&lane->lock);
    atomic_fetch_add(&lane->done, n);
    progress_announce(&lane->progress);
}

/* Watches an empty lane for a moment: a command that comes now starts without waking a thread. */
static bool linger(lane_t *lane) {
    uint64_t until = clock_ns() + LINGER_NS;
    while (!atomic_load_explicit(&sched.stop, memory_order_relaxed)) {
        for (int i = 0; i < 32; i++) {
            if (atomic_load_explicit(&lane->waiting, memory_order_relaxed)) return true;
            cpu_relax();
        }
        if (atomic_load_explicit(&sched.n_ready, memory_order_relaxed) || clock_ns() >= until)
            break;
        sched_yield(); /* whoever computes goes first */
    }
    return false;
}

static cmd_t *take_all(lane_t *lane) {
    cmd_t *chain = lane->first;
    lane->first = lane->last = NULL;
    atomic_store_explicit(&lane->waiting, 0, memory_order_relaxed);
    return chain;
}

/* Between two commands: ends the thread when the process exits. */
static void stop_here(exec_t *exec) {
    if (!atomic_load_explicit(&sched.stop, memory_order_relaxed)) return;
    exec_finish(exec);
    pthread_exit(NULL);
}

/* A kernel in flight whose event is to be signalled when it ends. */
typedef struct {
    const cmd_t *cmd; /* NULL: none */
    exec_mark_t *mark;
} pending_t;

static void settle(lane_t *lane, pending_t *pending) {
    if (!pending->cmd) return;
    if (pending->mark) note_failure(lane, exec_wait(pending->mark));
    complete(lane, pending->cmd, 0, 0);
    *pending = (pending_t){0};
}

/* Starts a command of a chain, behind `pending`. A kernel that signals is followed by the next one before its
   end is waited for, so that the device does not run dry. */
static void run_link(
        lane_t *lane, exec_t *exec, const cmd_t *cmd, bool is_last, pending_t *pending) {
    if (cmd->kind == CMD_NOTHING && !cmd->signal)
        return; /* a barrier: a chain is in order without */
    const bool timed = cmd->signal && event_has_timestamps(cmd->signal);
    const bool alone = timed || cmd->kind != CMD_LAUNCH;
    const bool marked = !alone && cmd->signal && !is_last;
    if (alone) {
        settle(lane, pending);
        note_failure(lane, exec_finish(exec));
    }
    order_delay(cmd);
    const uint64_t start = timed ? clock_ns() : 0;
    pending_t own = {marked ? cmd : NULL, NULL};
    note_failure(lane, marked ? exec_start_marked(exec, cmd, &own.mark) : exec_start(exec, cmd));
    settle(lane, pending);
    *pending = own;
    if (!marked && (cmd->signal || cmd->kind == CMD_SIGNAL_FENCE)) {
        note_failure(lane, exec_finish(exec));
        complete(lane, cmd, start, timed ? clock_ns() : 0);
    }
}

static void run_sequence(lane_t *lane, exec_t *exec, const cmd_sequence_t *sequence, bool is_last,
        pending_t *pending) {
    for (const cmd_t *cmd = sequence->first; cmd; cmd = cmd->next) {
        stop_here(exec);
        run_link(lane, exec, cmd, is_last && !cmd->next, pending);
    }
}

/* Executes a chain in order. Returns the command that has to wait for an event, NULL if all is over. */
static cmd_t *run_chain(lane_t *lane, exec_t *exec, cmd_t *chain) {
    cmd_t *oldest = chain; /* the first that is not retired */
    pending_t pending = {0};
    for (cmd_t *cmd = chain; cmd; cmd = cmd->next) {
        stop_here(exec);
        if (!cmd_events_are_there(cmd)) {
            settle(lane, &pending);
            retire(lane, exec, oldest, cmd);
            if (!cmd_events_are_there(cmd)) return cmd;
            oldest = cmd;
        }
        note_events(lane, cmd);
        if (cmd->kind == CMD_SEQUENCE)
            run_sequence(lane, exec, cmd->u.sequence, !cmd->next, &pending);
        else run_link(lane, exec, cmd, !cmd->next, &pending);
    }
    settle(lane, &pending);
    retire(lane, exec, oldest, NULL);
    return NULL;
}

/* A chain that could not be finished comes first again. With the lock held. */
static void put_back(lane_t *lane, cmd_t *chain) {
    uint32_t n = 1;
    cmd_t *last = chain;
    for (; last->next; last = last->next) n++;
    last->next = lane->first;
    lane->first = chain;
    if (!lane->last) lane->last = last;
    atomic_fetch_add_explicit(&lane->waiting, n, memory_order_relaxed);
}

static void serve_in_order(lane_t *lane, exec_t *exec) {
    for (;;) {
        pthread_mutex_lock(&lane->lock);
        cmd_t *chain = take_all(lane);
        if (!chain) {
            pthread_mutex_unlock(&lane->lock);
            if (linger(lane)) continue;
            pthread_mutex_lock(&lane->lock);
            if (!lane->first) {
                lane->held = false;
                unlock_and_release(lane);
                return;
            }
            pthread_mutex_unlock(&lane->lock);
            continue;
        }
        pthread_mutex_unlock(&lane->lock);

        cmd_t *stuck = run_chain(lane, exec, chain);
        if (!stuck) continue;
        pthread_mutex_lock(&lane->lock);
        put_back(lane, stuck);
        pthread_mutex_unlock(&lane->lock);
        park(lane, stuck);
        return;
    }
}

/* Whether nothing can run beside `cmd`, which comes after `before`: it waits for all, or it stands between
   two that do. */
static bool runs_alone(const cmd_t *before, const cmd_t *cmd) {
    const bool behind_barrier = before->after_all && before->kind == CMD_NOTHING;
    return cmd->after_all || (behind_barrier && cmd->next && cmd->next->after_all);
}

/* Takes the commands out of the lane that run one after another anyway, beginning with the first. */
static void take_chain(lane_t *lane) {
    cmd_t *last = lane->first;
    uint32_t n = 1;
    for (; last->next && runs_alone(last, last->next); last = last->next) n++;
    lane->first = last->next;
    if (!lane->first) lane->last = NULL;
    last->next = NULL;
    atomic_fetch_sub_explicit(&lane->waiting, n, memory_order_relaxed);
}

/* Takes the next command out of a lane whose commands may overlap, and passes the lane on; or a chain, and
   keeps the lane. NULL: there is none that may start; then the lane is no longer held. Called and left with
   the lock held. */
static cmd_t *take_next(lane_t *lane, bool *is_chain) {
    cmd_t *cmd = lane->first;
    if (!cmd || (cmd->after_all && lane->running)) {
        lane->held = false;
        return NULL;
    }
    if (!cmd_events_are_there(cmd)) {
        lane->references++; /* the parked lane's */
        pthread_mutex_unlock(&lane->lock);
        park(lane, cmd);
        pthread_mutex_lock(&lane->lock);
        return NULL;
    }
    *is_chain = cmd->after_all || (!lane->running && cmd->next && cmd->next->after_all);
    lane->running++;
    if (*is_chain) {
        take_chain(lane);
        return cmd;
    }
    lane->first = cmd->next;
    if (!lane->first) lane->last = NULL;
    atomic_fetch_sub_explicit(&lane->waiting, 1, memory_order_relaxed);
    if (lane->first && !lane->first->after_all) {
        lane->references++; /* the next holder's */
        make_ready(lane);
    } else {
        lane->held = false; /* what has to wait for this one is taken up when it is over */
    }
    return cmd;
}

/* Executes a command that was taken out of the lane; comes back with the lock held. */
static void run_one(lane_t *lane, exec_t *exec, cmd_t *cmd) {
    order_delay(cmd);
    uint64_t start = clock_ns();
    note_events(lane, cmd);
    note_failure(lane, exec_start(exec, cmd));
    note_failure(lane, exec_finish(exec));
    complete(lane, cmd, start, clock_ns());

    pthread_mutex_lock(&lane->lock);
    cmd_store_give(&lane->store, cmd);
    lane->running--;
    atomic_fetch_add(&lane->done, 1);
    progress_announce(&lane->progress);
}

static void serve_overlapping(lane_t *lane, exec_t *exec) {
    pthread_mutex_lock(&lane->lock);
    bool is_chain;
    for (cmd_t *cmd; (cmd = take_next(lane, &is_chain)) != NULL;) {
        pthread_mutex_unlock(&lane->lock);
        stop_here(exec);
        if (is_chain) {
            cmd_t *stuck = run_chain(lane, exec, cmd);
            pthread_mutex_lock(&lane->lock);
            if (stuck) put_back(lane, stuck);
            lane->running--;
            continue;
        }
        run_one(lane, exec, cmd);
        if (!lane->first || lane->held) break;
        lane->held = true;
    }
    unlock_and_release(lane);
}

/* As park(), for a lane of which any command may come next. */
static void park_all(lane_t *lane) {
    pthread_mutex_lock(&sched.lock);
    lane->next = sched.parked;
    sched.parked = lane;
    atomic_fetch_add(&sched.n_parked, 1);
    pthread_mutex_unlock(&sched.lock);
    pthread_mutex_lock(&lane->lock);
    uint64_t unused = 1;
    bool there = lane->first && order_pick(&lane->first, &unused);
    pthread_mutex_unlock(&lane->lock);
    if (there) lanes_wake_parked();
}

static void take_out(lane_t *lane, cmd_t **link) {
    cmd_t *cmd = *link;
    *link = cmd->next;
    cmd->next = NULL;
    lane->last = lane->first;
    while (lane->last && lane->last->next) lane->last = lane->last->next;
    atomic_fetch_sub_explicit(&lane->waiting, 1, memory_order_relaxed);
    if (cmd->after_all) lane->collecting_since = clock_ns();
}

/* One command after another, in an order that only barriers and events decide. */
static void serve_in_changed_order(lane_t *lane, exec_t *exec) {
    pthread_mutex_lock(&lane->lock);
    while (lane->first) {
        if (!order_has_collected(lane->first, lane->collecting_since, lane->host_waits)) {
            pthread_mutex_unlock(&lane->lock);
            stop_here(exec);
            usleep(20);
            pthread_mutex_lock(&lane->lock);
            continue;
        }
        cmd_t **link = order_pick(&lane->first, &lane->random);
        if (!link) {
            lane->references++; /* the parked lane's */
            pthread_mutex_unlock(&lane->lock);
            park_all(lane);
            pthread_mutex_lock(&lane->lock);
            unlock_and_release(lane);
            return;
        }
        cmd_t *cmd = *link;
        take_out(lane, link);
        lane->running++;
        pthread_mutex_unlock(&lane->lock);
        stop_here(exec);
        run_one(lane, exec, cmd);
    }
    lane->held = false;
    unlock_and_release(lane);
}

static void worker_is_gone(void *exec) {
    exec_delete(exec);
    pthread_mutex_lock(&sched.lock);
    sched.n_workers--;
    pthread_cond_broadcast(&sched.stopped);
    pthread_mutex_unlock(&sched.lock);
}

static void *worker_main(void *unused) {
    (void)unused;
    exec_t *exec = exec_new();
    pthread_cleanup_push(worker_is_gone, exec);
    pthread_mutex_lock(&sched.lock);
    while (exec && !atomic_load(&sched.stop)) {
        lane_t *lane = sched.first_ready;
        if (!lane) {
            sched.n_idle++;
            pthread_cond_wait(&sched.work, &sched.lock);
            sched.n_idle--;
            continue;
        }
        sched.first_ready = lane->next;
        if (!lane->next) sched.last_ready = NULL;
        atomic_fetch_sub(&sched.n_ready, 1);
        pthread_mutex_unlock(&sched.lock);
        if (lane->in_order) serve_in_order(lane, exec);
        else if (order_is_changed()) serve_in_changed_order(lane, exec);
        else serve_overlapping(lane, exec);
        pthread_mutex_lock(&sched.lock);
    }
    pthread_mutex_unlock(&sched.lock);
    pthread_cleanup_pop(1);
    return NULL;
}

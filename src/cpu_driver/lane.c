/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes: the host appends commands and waits for them; workers take the commands out.
 *
 * A lane that has work is held: it is in the ready queue, or a worker serves it, or it is parked
 * because its first command waits for an event. Only the holder takes commands out. The holder of
 * an in-order lane serves it until it is empty. The holder of any other lane takes one command,
 * passes the lane on, and executes the command while other workers execute others. */
#include "lane.h"
#include "direct.h"
#include "keep.h"
#include "lane_run.h"
#include "lane_state.h"
#include "order.h"
#include "pick.h"
#include "strict.h"

#include <sched.h> /* sched_yield() */
#include <stdlib.h>
#include <unistd.h>

enum {
    LINGER_NS =
            30000, /* a worker watches an empty lane for this long: waking a thread takes longer */
    LINGER_SPINS = 32,    /* looks at the lane between two looks at the clock */
    COLLECT_SLEEP_US = 20 /* between two looks at a lane that collects commands */
};

static void serve(sched_task_t *task, void *exec);

static void *open_worker(void) {
    return exec_new();
}

static void close_worker(void *exec) {
    exec_delete(exec);
}

static const sched_worker_t worker = {open_worker, serve, close_worker};

lane_t *lane_new(bool in_order) {
    lane_t *lane = calloc(1, sizeof *lane);
    if (!lane) return NULL;
    sched_set_worker(&worker);
    pthread_mutex_init(&lane->lock, NULL);
    lane->in_order = in_order;
    lane->references = 1;
    keep_add_lane(lane);
    return lane;
}

/* Drops one reference of a locked lane and unlocks it. */
static void unlock_and_release(lane_t *lane) {
    const bool last = --lane->references == 0;
    pthread_mutex_unlock(&lane->lock);
    if (!last) return;
    keep_remove_lane(lane);
    cmd_store_free(&lane->store);
    counter_give(lane->counter);
    exec_delete(lane->host_exec);
    pthread_mutex_destroy(&lane->lock);
    free(lane);
}

void lane_release(lane_t *lane) {
    pthread_mutex_lock(&lane->lock);
    unlock_and_release(lane);
}

/* ---- appending ---- */

cmd_t *lane_begin(lane_t *lane) {
    if (!sched_has_worker()) return NULL;
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

/* After the workers are gone, a command with no work and nothing to wait for is over at once: a
 * program may keep its objects until the process ends, and waits for them when it destroys them. */
static bool is_over_at_once(lane_t *lane, const cmd_t *cmd) {
    return sched_has_stopped() && cmd->kind == CMD_NOTHING &&
           atomic_load(&lane->done) == atomic_load(&lane->appended) && cmd_events_are_there(cmd);
}

static void append(lane_t *lane, cmd_t *cmd) {
    if (!lane->first) lane->collecting_since = order_is_changed() ? clock_ns() : 0;
    lane->host_waits = order_host_wait_count();
    keep_note_append(lane, cmd);
    if (lane->last) lane->last->next = cmd;
    else lane->first = cmd;
    lane->last = cmd;
    atomic_fetch_add_explicit(&lane->appended, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&lane->waiting, 1, memory_order_relaxed);
}

/* Puts the rest of a chain that must wait back to the front. Called with the lock held. */
static void put_back(lane_t *lane, cmd_t *chain) {
    uint32_t n = 1;
    cmd_t *last = chain;
    for (; last->next; last = last->next) n++;
    last->next = lane->first;
    lane->first = chain;
    if (!lane->last) lane->last = last;
    atomic_fetch_add_explicit(&lane->waiting, n, memory_order_relaxed);
}

/* Whether the calling thread should execute the command that it appends, because that takes less
 * time than handing it to a worker: signals and brief kernels of a lane with nothing else to do. */
static bool can_run_here(lane_t *lane, cmd_t *cmd) {
    if (!lane->in_order || lane->first || lane->host_runs) return false;
    if (lane->held && !lane->lingers) return false;
    if (strict_level || order_is_changed() || order_has_delay() || sched_has_stopped())
        return false;
    if (cmd->kind != CMD_NOTHING && (cmd->kind != CMD_LAUNCH || !direct_is_brief(cmd)))
        return false;
    if (!cmd_events_are_there(cmd)) return false;
    if (!lane->host_exec) lane->host_exec = exec_new();
    return lane->host_exec;
}

/* Executes a command. Called with the lock held, and returns without it. A worker that lingers
 * keeps the lane; else this thread holds it meanwhile. */
static void run_here(lane_t *lane, cmd_t *cmd) {
    const bool was_held = lane->held;
    flight_t flight;
    keep_note_append(lane, cmd);
    atomic_fetch_add_explicit(&lane->appended, 1, memory_order_relaxed);
    lane_note_flight(lane, &flight, cmd);
    flight.by_host = true;
    lane->held = lane->host_runs = true;
    lane->references++;
    pthread_mutex_unlock(&lane->lock);

    cmd_t *stuck = lane_run_chain(lane, lane->host_exec, &flight);
    pthread_mutex_lock(&lane->lock);
    if (stuck) { /* its event was reset */
        lane_end_flight(lane, &flight);
        put_back(lane, stuck);
    }
    lane->host_runs = false;
    if (!was_held && lane->first) { /* the reference is the worker's */
        pthread_mutex_unlock(&lane->lock);
        sched_make_ready(&lane->task);
        return;
    }
    if (!was_held) lane->held = false;
    unlock_and_release(lane);
}

void lane_commit(lane_t *lane, cmd_t *cmd) {
    if (is_over_at_once(lane, cmd)) {
        lane_complete(lane, cmd, 0, 0);
        lane_drop(lane, cmd);
        return;
    }
    if (can_run_here(lane, cmd)) {
        run_here(lane, cmd);
        return;
    }
    append(lane, cmd);
    const bool start = !lane->held && !(cmd->after_all && lane->running);
    if (start) {
        lane->held = true;
        lane->references++;
    }
    pthread_mutex_unlock(&lane->lock);
    if (start) sched_make_ready(&lane->task);
    else if (!lane->in_order && order_is_changed())
        sched_wake_parked(); /* the command may overtake those that wait */
}

/* ---- waiting ---- */

typedef struct {
    lane_t *lane;
    uint64_t target;
} wait_t;

static bool has_reached_target(const void *argument) {
    const wait_t *wait = argument;
    return atomic_load(&wait->lane->done) >= wait->target;
}

static bool has_run_dry(const void *argument) {
    lane_t *lane = ((const wait_t *)argument)->lane;
    return atomic_load(&lane->done) == atomic_load(&lane->appended);
}

/* Reports the event that a stalled lane is waiting for. */
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
    /* Where commands overlap, the number of finished commands does not tell which: wait for all. */
    const bool over = progress_wait(
            &lane->progress, lane->in_order ? has_reached_target : has_run_dry, &wait, timeout);
    if (!over && strict_level && timeout == UINT64_MAX && !sched_has_stopped()) {
        complain_of_first(lane);
        return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    CHECK(over, ZE_RESULT_NOT_READY);
    return atomic_load(&lane->failed) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

bool lane_is_idle(lane_t *lane) {
    wait_t wait = {lane, 0};
    return has_run_dry(&wait);
}

/* ---- serving a lane in order ---- */

/* Watches an empty lane for a moment: a command that arrives now starts without waking a thread. */
static bool linger(lane_t *lane) {
    const uint64_t until = clock_ns() + LINGER_NS;
    while (!sched_has_stopped()) {
        for (int i = 0; i < LINGER_SPINS; i++) {
            if (atomic_load_explicit(&lane->waiting, memory_order_relaxed)) return true;
            cpu_relax();
        }
        if (sched_has_ready() || clock_ns() >= until) break;
        sched_yield(); /* threads that compute go first */
    }
    return false;
}

static cmd_t *take_all(lane_t *lane) {
    cmd_t *chain = lane->first;
    lane->first = lane->last = NULL;
    atomic_store_explicit(&lane->waiting, 0, memory_order_relaxed);
    return chain;
}

static bool events_are_there(const void *cmd) {
    return cmd_events_are_there(cmd);
}

/* Parks a held lane, whose first command stays where it is. Called without the lock. */
static void park(lane_t *lane, const cmd_t *first) {
    sched_park(&lane->task, events_are_there, first);
}

static void serve_in_order(lane_t *lane, exec_t *exec) {
    flight_t flight;
    for (;;) {
        pthread_mutex_lock(&lane->lock);
        lane->lingers = false;
        if (lane->host_runs) {
            pthread_mutex_unlock(&lane->lock);
            sched_yield();
            continue;
        }
        cmd_t *chain = take_all(lane);
        if (!chain) {
            lane->lingers = true;
            pthread_mutex_unlock(&lane->lock);
            if (linger(lane)) continue;
            pthread_mutex_lock(&lane->lock);
            lane->lingers = false;
            if (!lane->first && !lane->host_runs) {
                lane->held = false;
                unlock_and_release(lane);
                return;
            }
            pthread_mutex_unlock(&lane->lock);
            continue;
        }
        lane_note_flight(lane, &flight, chain);
        pthread_mutex_unlock(&lane->lock);

        cmd_t *stuck = lane_run_chain(lane, exec, &flight);
        if (!stuck) continue;
        pthread_mutex_lock(&lane->lock);
        lane_end_flight(lane, &flight);
        put_back(lane, stuck);
        pthread_mutex_unlock(&lane->lock);
        park(lane, stuck);
        return;
    }
}

/* ---- serving a lane whose commands overlap ---- */

/* Whether nothing can overlap with `cmd`, which follows `before`: it waits for all commands before
 * it, or it stands between two barriers. */
static bool runs_alone(const cmd_t *before, const cmd_t *cmd) {
    const bool behind_barrier = before->after_all && before->kind == CMD_NOTHING;
    return cmd->after_all || (behind_barrier && cmd->next && cmd->next->after_all);
}

/* Takes out the first command and those after it that cannot overlap anyway. */
static void take_chain(lane_t *lane) {
    cmd_t *last = lane->first;
    uint32_t n = 1;
    for (; last->next && runs_alone(last, last->next); last = last->next) n++;
    lane->first = last->next;
    if (!lane->first) lane->last = NULL;
    last->next = NULL;
    atomic_fetch_sub_explicit(&lane->waiting, n, memory_order_relaxed);
}

/* Takes out the next command and passes the lane on, or takes out a chain and keeps the lane. NULL:
 * no command may start, and the lane is no longer held. Called and left with the lock held. */
static cmd_t *take_next(lane_t *lane, bool *is_chain) {
    cmd_t *cmd = lane->first;
    if (!cmd || (cmd->after_all && lane->running)) {
        lane->held = false;
        return NULL;
    }
    if (!cmd_events_are_there(cmd)) {
        lane->references++; /* for the parked lane */
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
        lane->references++; /* for the next holder */
        sched_make_ready(&lane->task);
    } else {
        lane->held = false; /* the worker that ends this command looks for the next one */
    }
    return cmd;
}

static void serve_overlapping(lane_t *lane, exec_t *exec) {
    pthread_mutex_lock(&lane->lock);
    flight_t flight;
    bool is_chain;
    for (cmd_t *cmd; (cmd = take_next(lane, &is_chain)) != NULL;) {
        if (!is_chain) cmd->next = NULL;
        lane_note_flight(lane, &flight, cmd);
        pthread_mutex_unlock(&lane->lock);
        lane_stop_here(lane, exec, &flight);
        if (is_chain) {
            cmd_t *stuck = lane_run_chain(lane, exec, &flight);
            pthread_mutex_lock(&lane->lock);
            if (stuck) {
                lane_end_flight(lane, &flight);
                put_back(lane, stuck);
            }
            lane->running--;
            continue;
        }
        lane_run_one(lane, exec, &flight);
        if (!lane->first || lane->held) break;
        lane->held = true;
    }
    unlock_and_release(lane);
}

/* ---- serving a lane in a changed order ---- */

/* Parks a held lane of which any command may come next. */
static void park_all(lane_t *lane) {
    sched_park(&lane->task, NULL, NULL);
    pthread_mutex_lock(&lane->lock);
    uint64_t unused = 1;
    const bool there = lane->first && pick_next(&lane->first, &unused);
    pthread_mutex_unlock(&lane->lock);
    if (there) sched_wake_parked();
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

/* Executes one command after another, in an order that only barriers and events restrict. */
static void serve_in_changed_order(lane_t *lane, exec_t *exec) {
    flight_t flight;
    pthread_mutex_lock(&lane->lock);
    while (lane->first) {
        if (!pick_has_collected(lane->first, lane->collecting_since, lane->host_waits)) {
            pthread_mutex_unlock(&lane->lock);
            lane_stop_here(lane, exec, NULL);
            usleep(COLLECT_SLEEP_US);
            pthread_mutex_lock(&lane->lock);
            continue;
        }
        cmd_t **link = pick_next(&lane->first, &lane->random);
        if (!link) {
            lane->references++; /* for the parked lane */
            pthread_mutex_unlock(&lane->lock);
            park_all(lane);
            pthread_mutex_lock(&lane->lock);
            unlock_and_release(lane);
            return;
        }
        cmd_t *cmd = *link;
        take_out(lane, link);
        lane_note_flight(lane, &flight, cmd);
        lane->running++;
        pthread_mutex_unlock(&lane->lock);
        lane_stop_here(lane, exec, &flight);
        lane_run_one(lane, exec, &flight);
    }
    lane->held = false;
    unlock_and_release(lane);
}

static void serve(sched_task_t *task, void *exec) {
    lane_t *lane = (lane_t *)task;
    if (lane->in_order) serve_in_order(lane, exec);
    else if (order_is_changed()) serve_in_changed_order(lane, exec);
    else serve_overlapping(lane, exec);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Executes the commands of lanes. */
#include "lane_run.h"
#include "keep.h"
#include "order.h"

void lane_complete(lane_t *lane, const cmd_t *cmd, uint64_t start, uint64_t end) {
    /* After a failure every signal of the lane reports it: the answer must not depend on which
     * event the host waits for. */
    const signal_t how = atomic_load(&lane->failed) ? SIGNAL_FAILED : SIGNAL_DONE;
    if (cmd->kind == CMD_SIGNAL_FENCE) fence_signal(cmd->u.fence, how);
    if (cmd->signal) event_signal(cmd->signal, lane->counter, how, start, end);
}

static void note_failure(lane_t *lane, ze_result_t status) {
    if (status != ZE_RESULT_SUCCESS) atomic_store(&lane->failed, true);
}

/* A command that waits for failed work fails as well. */
static void note_events(lane_t *lane, const cmd_t *cmd) {
    if (cmd->n_waits && cmd_events_have_failed(cmd)) atomic_store(&lane->failed, true);
}

/* Sleeps before a command if ZE_CPU_DELAY asks for it. Commands that do no work are not delayed. */
static void delay(const cmd_t *cmd) {
    if (cmd->kind != CMD_NOTHING && cmd->kind != CMD_SIGNAL_FENCE) order_delay();
}

void lane_note_flight(lane_t *lane, flight_t *flight, cmd_t *chain) {
    *flight = (flight_t){.next = lane->flights, .from = chain};
    lane->flights = flight;
}

void lane_end_flight(lane_t *lane, flight_t *flight) {
    flight_t **link = &lane->flights;
    while (*link != flight) link = &(*link)->next;
    *link = flight->next;
}

void lane_stop_here(lane_t *lane, exec_t *exec, flight_t *flight) {
    if (!sched_has_stopped() || (flight && flight->by_host)) return;
    exec_finish(exec);
    if (flight) { /* it lies on the stack of this thread */
        pthread_mutex_lock(&lane->lock);
        lane_end_flight(lane, flight);
        pthread_mutex_unlock(&lane->lock);
    }
    pthread_exit(NULL);
}

/* Gives back a command that is over. Called with the lock held. */
static void give_back(lane_t *lane, cmd_t *cmd) {
    keep_note_end(lane, cmd);
    cmd_store_give(&lane->store, cmd);
}

/* Waits for the kernels in flight, and gives back the commands up to but excluding `until`. NULL:
 * all of them; then the flight has ended. */
static void retire(lane_t *lane, exec_t *exec, flight_t *flight, cmd_t *until) {
    if (flight->from == until) return;
    note_failure(lane, exec_finish(exec));
    uint32_t n = 0;
    pthread_mutex_lock(&lane->lock);
    for (cmd_t *cmd = flight->from, *next; cmd != until; cmd = next) {
        next = cmd->next;
        give_back(lane, cmd);
        n++;
    }
    flight->from = until;
    if (!until) lane_end_flight(lane, flight);
    keep_use_t *unused = keep_take(lane);
    pthread_mutex_unlock(&lane->lock);
    keep_release(unused);
    atomic_fetch_add(&lane->done, n);
    progress_announce(&lane->progress);
}

/* A kernel in flight whose event is signalled when the kernel ends. */
typedef struct {
    const cmd_t *cmd; /* NULL: none */
    exec_mark_t *mark;
} pending_t;

static void settle(lane_t *lane, pending_t *pending) {
    if (!pending->cmd) return;
    if (pending->mark) note_failure(lane, exec_wait(pending->mark));
    lane_complete(lane, pending->cmd, 0, 0);
    *pending = (pending_t){0};
}

/* Starts one command of a chain, after `pending`. A kernel that signals an event is submitted
 * before the worker waits for the kernel before it, so that the device does not run dry. */
static void run_in_chain(
        lane_t *lane, exec_t *exec, const cmd_t *cmd, bool is_last, pending_t *pending) {
    if (cmd->kind == CMD_NOTHING && !cmd->signal)
        return; /* a barrier: a chain is in order without it */
    const bool timed = cmd->signal && event_has_timestamps(cmd->signal);
    const bool alone = timed || exec_waits(exec, cmd);
    const bool marked = !alone && cmd->signal && !is_last;
    if (alone) {
        settle(lane, pending);
        note_failure(lane, exec_finish(exec));
    }
    delay(cmd);
    const uint64_t start = timed ? clock_ns() : 0;
    pending_t own = {marked ? cmd : NULL, NULL};
    note_failure(lane, marked ? exec_start_marked(exec, cmd, &own.mark) : exec_start(exec, cmd));
    settle(lane, pending);
    *pending = own;
    if (!marked && (cmd->signal || cmd->kind == CMD_SIGNAL_FENCE)) {
        note_failure(lane, exec_finish(exec));
        lane_complete(lane, cmd, start, timed ? clock_ns() : 0);
    }
}

static void run_sequence(lane_t *lane, exec_t *exec, flight_t *flight,
        const cmd_sequence_t *sequence, bool is_last, pending_t *pending) {
    for (const cmd_t *cmd = sequence->first; cmd; cmd = cmd->next) {
        lane_stop_here(lane, exec, flight);
        run_in_chain(lane, exec, cmd, is_last && !cmd->next, pending);
    }
}

cmd_t *lane_run_chain(lane_t *lane, exec_t *exec, flight_t *flight) {
    pending_t pending = {0};
    for (cmd_t *cmd = flight->from; cmd; cmd = cmd->next) {
        lane_stop_here(lane, exec, flight);
        if (!cmd_events_are_there(cmd)) {
            settle(lane, &pending);
            retire(lane, exec, flight, cmd);
            if (!cmd_events_are_there(cmd)) return cmd;
        }
        note_events(lane, cmd);
        if (cmd->kind == CMD_SEQUENCE)
            run_sequence(lane, exec, flight, cmd->u.sequence, !cmd->next, &pending);
        else run_in_chain(lane, exec, cmd, !cmd->next, &pending);
    }
    settle(lane, &pending);
    retire(lane, exec, flight, NULL);
    return NULL;
}

void lane_run_one(lane_t *lane, exec_t *exec, flight_t *flight) {
    cmd_t *cmd = flight->from;
    delay(cmd);
    const uint64_t start = clock_ns();
    note_events(lane, cmd);
    note_failure(lane, exec_start(exec, cmd));
    note_failure(lane, exec_finish(exec));
    lane_complete(lane, cmd, start, clock_ns());

    pthread_mutex_lock(&lane->lock);
    give_back(lane, cmd);
    lane_end_flight(lane, flight);
    keep_use_t *unused = keep_take(lane);
    if (unused) {
        pthread_mutex_unlock(&lane->lock);
        keep_release(unused);
        pthread_mutex_lock(&lane->lock);
    }
    lane->running--;
    atomic_fetch_add(&lane->done, 1);
    progress_announce(&lane->progress);
}

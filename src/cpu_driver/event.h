/* SPDX-License-Identifier: Apache-2.0 */
/* Events, their pools, and fences. */
#ifndef ZE_CPU_EVENT_H
#define ZE_CPU_EVENT_H

#include "counter.h"
#include "device.h"
#include "futex.h"

/* FAILED: the work before the signal is over, but some of it failed. */
typedef enum { SIGNAL_NONE, SIGNAL_DONE, SIGNAL_FAILED } signal_t;

struct _ze_event_pool_handle_t {
    object_t object;
    ze_context_handle_t context;
    uint32_t flags, count;
    bool counted;            /* its events are counter-based */
    _Atomic uint32_t in_use; /* number of live events */
    _Atomic uint8_t *taken;  /* for each index: 1 if it has a live event */
};

struct _ze_event_handle_t {
    object_t object;
    _Atomic uint32_t state; /* signal_t; unused if counter-based */
    union {
        ze_event_pool_handle_t pool;
        ze_context_handle_t context; /* of a counter-based event without a pool */
    };
    uint32_t index;
    uint8_t signal_scope : 4, wait_scope : 4;
    bool counted, timed, alone; /* alone: without a pool */
    progress_t progress;
    _Atomic uint64_t start, end; /* of the command that signalled it, device time */
    /* Of a counter-based event: the counter and the value that the latest append will reach.
         * NULL: nothing was appended, and the event counts as signalled. */
    _Atomic(counter_t *) counter;
    _Atomic uint64_t value;
};

/* An event that a command waits for. If the event is counter-based, the counter and value at the
 * time of the append. */
typedef struct {
    ze_event_handle_t event;
    counter_t *counter; /* NULL: the current state of the event counts */
    uint64_t value;
} awaited_t;

struct _ze_fence_handle_t {
    object_t object;
    ze_command_queue_handle_t queue;
    _Atomic uint32_t state; /* signal_t */
    progress_t progress;
};

/* Sets the event, or advances the counter if it is counter-based. Wakes the host and all lanes that
 * wait. */
void event_signal(
        ze_event_handle_t event, counter_t *counter, signal_t how, uint64_t start, uint64_t end);
void event_reset(ze_event_handle_t event);
/* Notes that an appended command will signal a counter-based event. Called with the lock of the
 * lane held. */
void event_count(ze_event_handle_t event, counter_t *counter);
awaited_t event_await(ze_event_handle_t event);
signal_t awaited_state(const awaited_t *awaited);
bool event_is_signaled(const struct _ze_event_handle_t *event);
void fence_signal(ze_fence_handle_t fence, signal_t how);
bool event_has_timestamps(const struct _ze_event_handle_t *event);
ze_kernel_timestamp_result_t event_timestamps(const struct _ze_event_handle_t *event);

/* Checks the event arguments of an append function. */
ze_result_t check_events(ze_event_handle_t signal, uint32_t n_waits, ze_event_handle_t *waits);

#endif

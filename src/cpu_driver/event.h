/* SPDX-License-Identifier: Apache-2.0 */
/* Events, their pools, and fences. */
#ifndef ZE_CPU_EVENT_H
#define ZE_CPU_EVENT_H

#include "device.h"
#include "futex.h"

/* FAILED: the work before the signal is over, but something of it did not succeed. */
typedef enum { SIGNAL_NONE, SIGNAL_DONE, SIGNAL_FAILED } signal_t;

struct _ze_event_pool_handle_t {
    object_t object;
    ze_context_handle_t context;
    uint32_t flags, count;
    _Atomic uint32_t in_use; /* events that live */
    _Atomic uint8_t *taken;  /* per index: an event lives there */
};

struct _ze_event_handle_t {
    object_t object;
    ze_event_pool_handle_t pool;
    uint32_t index, signal_scope, wait_scope;
    _Atomic uint32_t state; /* signal_t */
    progress_t progress;
    _Atomic uint64_t start, end; /* of the command that signalled it, device time */
};

struct _ze_fence_handle_t {
    object_t object;
    ze_command_queue_handle_t queue;
    _Atomic uint32_t state; /* signal_t */
    progress_t progress;
};

/* Sets the event, wakes host waiters and every command list that stands before it. */
void event_signal(ze_event_handle_t event, signal_t how, uint64_t start, uint64_t end);
void event_reset(ze_event_handle_t event);
bool event_is_signaled(const struct _ze_event_handle_t *event);
bool event_has_failed(const struct _ze_event_handle_t *event);
void fence_signal(ze_fence_handle_t fence, signal_t how);
bool event_has_timestamps(const struct _ze_event_handle_t *event);
ze_kernel_timestamp_result_t event_timestamps(const struct _ze_event_handle_t *event);

/* Checks the event arguments that every append takes. */
ze_result_t check_events(ze_event_handle_t signal, uint32_t n_waits, ze_event_handle_t *waits);

#endif

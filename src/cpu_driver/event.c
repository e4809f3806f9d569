/* SPDX-License-Identifier: Apache-2.0 */
/* Event pools and events, and the signals of fences. */
#include "event.h"
#include "newer.h"
#include "order.h"
#include "say.h"
#include "sched.h"

#include <stdlib.h>

static object_pool_t pools = OBJECT_POOL(OBJECT_EVENT_POOL, struct _ze_event_pool_handle_t);
/* A thread that signals an event touches `progress` afterwards, when a waiter may have destroyed
 * the event already. */
static object_pool_t events =
        OBJECT_POOL_KEEPING(OBJECT_EVENT, struct _ze_event_handle_t, progress);

enum { POOL_FLAGS_ALL = 0xf, POOL_FLAG_MAPPED_TIMESTAMP = 0x8, SCOPE_FLAGS_ALL = 0x7 };

void event_signal(
        ze_event_handle_t event, counter_t *counter, signal_t how, uint64_t start, uint64_t end) {
    atomic_store_explicit(&event->start, start, memory_order_relaxed);
    atomic_store_explicit(&event->end, end, memory_order_relaxed);
    if (event->counted) counter_advance(counter, how == SIGNAL_DONE);
    else atomic_store(&event->state, how);
    progress_announce(&event->progress);
    sched_wake_parked();
}

void fence_signal(ze_fence_handle_t fence, signal_t how) {
    atomic_store(&fence->state, how);
    progress_announce(&fence->progress);
}

void event_count(ze_event_handle_t event, counter_t *counter) {
    atomic_store_explicit(&event->value, ++counter->appended, memory_order_relaxed);
    atomic_store(&event->counter, counter);
}

awaited_t event_await(ze_event_handle_t event) {
    awaited_t awaited = {.event = event};
    if (event->counted && (awaited.counter = atomic_load(&event->counter)) != NULL)
        awaited.value = atomic_load_explicit(&event->value, memory_order_relaxed);
    return awaited;
}

signal_t awaited_state(const awaited_t *awaited) {
    counter_t *counter = awaited->counter;
    if (!counter)
        return awaited->event->counted ? SIGNAL_DONE
                                       : (signal_t)atomic_load(&awaited->event->state);
    if (atomic_load(&counter->done) < awaited->value) return SIGNAL_NONE;
    return atomic_load(&counter->good) < awaited->value ? SIGNAL_FAILED : SIGNAL_DONE;
}

void event_reset(ze_event_handle_t event) {
    atomic_store(&event->state, SIGNAL_NONE);
}

static signal_t state_of(const struct _ze_event_handle_t *event) {
    const awaited_t now = event_await((ze_event_handle_t)(uintptr_t)event);
    return awaited_state(&now);
}

bool event_is_signaled(const struct _ze_event_handle_t *event) {
    return state_of(event) != SIGNAL_NONE;
}

/* The result that the host gets for an event. */
static ze_result_t answer(ze_event_handle_t event) {
    static const ze_result_t results[] = {
            ZE_RESULT_NOT_READY, ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_DEVICE_LOST};
    return context_note(
            event->alone ? event->context : event->pool->context, results[state_of(event)]);
}

bool event_has_timestamps(const struct _ze_event_handle_t *event) {
    return event->timed;
}

ze_kernel_timestamp_result_t event_timestamps(const struct _ze_event_handle_t *event) {
    struct _ze_event_handle_t *e = (struct _ze_event_handle_t *)(uintptr_t)event;
    ze_kernel_timestamp_data_t span = {
            .kernelStart = atomic_load_explicit(&e->start, memory_order_relaxed),
            .kernelEnd = atomic_load_explicit(&e->end, memory_order_relaxed)};
    return (ze_kernel_timestamp_result_t){.global = span, .context = span};
}

ze_result_t check_events(ze_event_handle_t signal, uint32_t n_waits, ze_event_handle_t *waits) {
    CHECK(n_waits == 0 || waits, ZE_RESULT_ERROR_INVALID_SIZE);
    if (signal) CHECK_HANDLE(signal, OBJECT_EVENT);
    for (uint32_t i = 0; i < n_waits; i++) CHECK_HANDLE(waits[i], OBJECT_EVENT);
    return ZE_RESULT_SUCCESS;
}

/* The flags may name regular lists besides immediate ones, as Intel's SYCL runtime does for all its
 * events. An append to a regular list is refused (append.c): the list would have to count again in
 * each run. */
static ze_result_t check_counted(uint32_t flags, uint32_t known, uint32_t refused) {
    CHECK((flags & ~known) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    if (flags & refused) say("the driver has no counter-based events with the flags 0x%x", flags);
    CHECK(!(flags & refused), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventPoolCreate(ze_context_handle_t context, const ze_event_pool_desc_t *desc,
        uint32_t n_devices, ze_device_handle_t *devices, ze_event_pool_handle_t *out) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    CHECK_POINTER(desc);
    CHECK_POINTER(out);
    CHECK((desc->flags & ~(uint32_t)POOL_FLAGS_ALL) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK(desc->count > 0 && (devices || n_devices == 0), ZE_RESULT_ERROR_INVALID_SIZE);
    for (uint32_t i = 0; i < n_devices; i++) CHECK_HANDLE(devices[i], OBJECT_DEVICE);
    CHECK(!(desc->flags & ZE_EVENT_POOL_FLAG_IPC), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    const cpu_counted_pool_t *counted = NULL;
    for (const cpu_counted_pool_t *next = desc->pNext; next; next = next->next)
        if ((unsigned)next->stype == CPU_STYPE_COUNTED_POOL) counted = next;
    if (counted) TRY(check_counted(counted->flags, CPU_COUNTED_POOL_FLAGS_ALL, 0));

    ze_event_pool_handle_t pool = object_new(&pools);
    CHECK(pool, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    pool->taken = calloc(desc->count, sizeof *pool->taken);
    if (!pool->taken) {
        object_delete(&pools, pool);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    pool->context = context;
    pool->flags = desc->flags;
    pool->count = desc->count;
    pool->counted = counted != NULL;
    *out = pool;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventPoolDestroy(ze_event_pool_handle_t pool) {
    CHECK_HANDLE(pool, OBJECT_EVENT_POOL);
    CHECK(atomic_load(&pool->in_use) == 0, ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    free(pool->taken);
    object_delete(&pools, pool);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventCreate(
        ze_event_pool_handle_t pool, const ze_event_desc_t *desc, ze_event_handle_t *out) {
    CHECK_HANDLE(pool, OBJECT_EVENT_POOL);
    CHECK_POINTER(desc);
    CHECK_POINTER(out);
    CHECK(((desc->signal | desc->wait) & ~(uint32_t)SCOPE_FLAGS_ALL) == 0,
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK(desc->index < pool->count, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK(atomic_exchange(&pool->taken[desc->index], 1) == 0, ZE_RESULT_ERROR_INVALID_ARGUMENT);

    ze_event_handle_t event = object_new(&events);
    if (!event) {
        atomic_store(&pool->taken[desc->index], 0);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    event->pool = pool;
    event->index = desc->index;
    event->signal_scope = desc->signal & SCOPE_FLAGS_ALL;
    event->wait_scope = desc->wait & SCOPE_FLAGS_ALL;
    event->counted = pool->counted;
    event->timed = pool->flags & (ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | POOL_FLAG_MAPPED_TIMESTAMP);
    atomic_fetch_add(&pool->in_use, 1);
    *out = event;
    return ZE_RESULT_SUCCESS;
}

ze_result_t cpu_counted_event_create(ze_context_handle_t context, ze_device_handle_t device,
        const cpu_counted_event_t *desc, ze_event_handle_t *out) {
    CHECK_CONTEXT_AND_DEVICE(context, device);
    CHECK_POINTER(desc);
    CHECK_POINTER(out);
    CHECK(((desc->signal | desc->wait) & ~(uint32_t)SCOPE_FLAGS_ALL) == 0,
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    TRY(check_counted(desc->flags, CPU_COUNTED_FLAGS_ALL, CPU_COUNTED_SHARED));
    CHECK((desc->flags & CPU_COUNTED_TIMED) != CPU_COUNTED_TIMED,
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK(!desc->next, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE); /* the application's own counters */
    ze_event_handle_t event = object_new(&events);
    CHECK(event, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    event->signal_scope = desc->signal & SCOPE_FLAGS_ALL;
    event->wait_scope = desc->wait & SCOPE_FLAGS_ALL;
    event->context = context;
    event->counted = event->alone = true;
    event->timed = desc->flags & CPU_COUNTED_TIMED;
    *out = event;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventDestroy(ze_event_handle_t event) {
    CHECK_HANDLE(event, OBJECT_EVENT);
    if (!event->alone) {
        atomic_store(&event->pool->taken[event->index], 0);
        atomic_fetch_sub(&event->pool->in_use, 1);
    }
    object_delete(&events, event);
    return ZE_RESULT_SUCCESS;
}

/* Only its list can signal a counter-based event. */
static ze_result_t check_settable(ze_event_handle_t event) {
    if (event->counted) COMPLAIN("the event %p is counter-based", (void *)event);
    CHECK(!event->counted, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventHostSignal(ze_event_handle_t event) {
    CHECK_HANDLE(event, OBJECT_EVENT);
    TRY(check_settable(event));
    uint64_t now = clock_ns();
    event_signal(event, NULL, SIGNAL_DONE, now, now);
    return ZE_RESULT_SUCCESS;
}

static bool event_done(const void *event) {
    return event_is_signaled(event);
}

ze_result_t zeEventHostSynchronize(ze_event_handle_t event, uint64_t timeout) {
    CHECK_HANDLE(event, OBJECT_EVENT);
    order_host_waits();
    if (progress_wait(&event->progress, event_done, event, timeout)) {
        /* The event may be reset by now. */
        return state_of(event) == SIGNAL_FAILED ? answer(event) : ZE_RESULT_SUCCESS;
    }
    if (!strict_level || timeout != UINT64_MAX || sched_has_stopped()) return ZE_RESULT_NOT_READY;
    COMPLAIN("nothing will signal the event %p (index %u of pool %p)", (void *)event, event->index,
            (void *)event->pool);
    return ZE_RESULT_ERROR_DEVICE_LOST;
}

ze_result_t zeEventQueryStatus(ze_event_handle_t event) {
    CHECK_HANDLE(event, OBJECT_EVENT);
    order_host_waits();
    return answer(event);
}

ze_result_t zeEventHostReset(ze_event_handle_t event) {
    CHECK_HANDLE(event, OBJECT_EVENT);
    TRY(check_settable(event));
    event_reset(event);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventQueryKernelTimestamp(
        ze_event_handle_t event, ze_kernel_timestamp_result_t *out) {
    CHECK_HANDLE(event, OBJECT_EVENT);
    order_host_waits();
    CHECK_POINTER(out);
    CHECK(event_has_timestamps(event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK(event_is_signaled(event), ZE_RESULT_NOT_READY);
    *out = event_timestamps(event);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventQueryTimestampsExp(ze_event_handle_t event, ze_device_handle_t device,
        uint32_t *count, ze_kernel_timestamp_result_t *out) {
    CHECK_HANDLE(event, OBJECT_EVENT);
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(count);
    CHECK(event_has_timestamps(event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK(event_is_signaled(event), ZE_RESULT_NOT_READY);
    if (answer_count(count, 1, out)) *out = event_timestamps(event);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventGetEventPool(ze_event_handle_t event, ze_event_pool_handle_t *out) {
    CHECK_HANDLE(event, OBJECT_EVENT);
    CHECK_POINTER(out);
    CHECK(!event->alone, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    *out = event->pool;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventGetSignalScope(ze_event_handle_t event, ze_event_scope_flags_t *out) {
    CHECK_HANDLE(event, OBJECT_EVENT);
    CHECK_POINTER(out);
    *out = event->signal_scope;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventGetWaitScope(ze_event_handle_t event, ze_event_scope_flags_t *out) {
    CHECK_HANDLE(event, OBJECT_EVENT);
    CHECK_POINTER(out);
    *out = event->wait_scope;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventPoolGetContextHandle(ze_event_pool_handle_t pool, ze_context_handle_t *out) {
    CHECK_HANDLE(pool, OBJECT_EVENT_POOL);
    CHECK_POINTER(out);
    *out = pool->context;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventPoolGetFlags(ze_event_pool_handle_t pool, ze_event_pool_flags_t *out) {
    CHECK_HANDLE(pool, OBJECT_EVENT_POOL);
    CHECK_POINTER(out);
    *out = pool->flags;
    return ZE_RESULT_SUCCESS;
}

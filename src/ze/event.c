/* SPDX-License-Identifier: Apache-2.0 */
/* Creates event pools and events on demand. */
#include "ze/event.h"

#include "core/alloc.h"
#include "core/verbose.h"

enum { FIRST_CHUNK = 16, LARGEST_CHUNK = 1024 }; /* events; each chunk doubles the supply */

typedef struct event_chunk {
    struct event_chunk *next;
    ze_event_pool_handle_t pool; /* NULL: the events have no pool */
    uint32_t size, created;
    ze_event_handle_t events[];
} event_chunk_t;

void events_init(event_supply_t *supply, device_core_t *core, bool timed, bool counted) {
    *supply = (event_supply_t){
            .core = core, .counted = counted ? core->counted_events : COUNTED_NONE, .timed = timed};
}

void events_fini(event_supply_t *supply) {
    while (supply->chunks) {
        event_chunk_t *chunk = supply->chunks;
        supply->chunks = chunk->next;
        for (uint32_t i = 0; i < chunk->created; i++) ZE_CALL(EventDestroy, chunk->events[i]);
        if (chunk->pool) ZE_CALL(EventPoolDestroy, chunk->pool);
        dz_free(chunk);
    }
    dz_free(supply->spare);
    *supply = (event_supply_t){0};
}

static ze_result_t create_pool(const event_supply_t *supply, event_chunk_t *chunk) {
    device_core_t *core = supply->core;
    const ze_counted_pool_desc_t counted = {
            .stype = (ze_structure_type_t)ZE_STYPE_COUNTED_POOL, .flags = ZE_COUNTED_IMMEDIATE};
    const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
            .pNext = supply->counted == COUNTED_BY_POOL ? &counted : NULL,
            .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
                     (supply->timed ? ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP : 0u),
            .count = chunk->size};
    return ze.EventPoolCreate(core->context, &desc, 1, &core->device, &chunk->pool);
}

/* A driver may have counter-based events, but not on this device. */
static dnnl_status_t add_pool(event_supply_t *supply, event_chunk_t *chunk) {
    ze_result_t result = create_pool(supply, chunk);
    if (supply->counted && ze_is_refusal(result)) {
        supply->counted = COUNTED_NONE;
        result = create_pool(supply, chunk);
    }
    return ze_check(result, "zeEventPoolCreate");
}

static dnnl_status_t add_chunk(event_supply_t *supply) {
    uint32_t size = supply->total ? supply->total : FIRST_CHUNK;
    if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
    event_chunk_t *chunk = dz_malloc(sizeof *chunk + size * sizeof *chunk->events);
    if (!chunk) return verbose_error(dnnl_out_of_memory, "stream", "no memory for events");
    *chunk = (event_chunk_t){.next = supply->chunks, .size = size};
    const dnnl_status_t status =
            supply->counted == COUNTED_BY_CALL ? dnnl_success : add_pool(supply, chunk);
    if (status != dnnl_success) {
        dz_free(chunk);
        return status;
    }
    supply->chunks = chunk;
    supply->total += size;
    return dnnl_success;
}

static ze_result_t create_event(const event_supply_t *supply, const event_chunk_t *chunk,
        ze_event_handle_t *event, const char **call) {
    const ze_event_scope_flags_t scope = ZE_EVENT_SCOPE_FLAG_HOST;
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
            .index = chunk->created,
            .signal = scope,
            .wait = scope};
    const ze_counted_event_desc_t counted = {.stype = (ze_structure_type_t)ZE_STYPE_COUNTED_EVENT,
            .flags = ZE_COUNTED_IMMEDIATE | ZE_COUNTED_HOST_VISIBLE |
                     (supply->timed ? ZE_COUNTED_TIMESTAMP : 0u),
            .signal = scope,
            .wait = scope};
    *call = chunk->pool ? "zeEventCreate" : "zeEventCounterBasedCreate";
    if (chunk->pool) return ze.EventCreate(chunk->pool, &desc, event);
    return ze.EventCounterBasedCreate(supply->core->context, supply->core->device, &counted, event);
}

dnnl_status_t events_take(event_supply_t *supply, ze_event_handle_t *event) {
    if (supply->nspare) {
        *event = supply->spare[--supply->nspare];
        return dnnl_success;
    }
    event_chunk_t *chunk = supply->chunks;
    dnnl_status_t status = dnnl_success;
    if (!chunk || chunk->created == chunk->size) {
        status = add_chunk(supply);
        chunk = supply->chunks;
    }
    if (status != dnnl_success) return status;
    if (ze_is_over) return dnnl_runtime_error;
    const char *call;
    const ze_result_t result = create_event(supply, chunk, &chunk->events[chunk->created], &call);
    if (!chunk->pool && !chunk->created && !chunk->next && ze_is_refusal(result)) {
        supply->counted = COUNTED_NONE;
        status = add_pool(supply, chunk);
        return status == dnnl_success ? events_take(supply, event) : status;
    }
    status = ze_check(result, call);
    if (status == dnnl_success) *event = chunk->events[chunk->created++];
    return status;
}

bool events_has(const event_supply_t *supply, ze_event_handle_t event) {
    for (const event_chunk_t *chunk = supply->chunks; chunk; chunk = chunk->next)
        for (uint32_t i = 0; i < chunk->created; i++)
            if (chunk->events[i] == event) return true;
    return false;
}

/* If the array cannot grow, the event is not used again, and events_fini() destroys it. */
void events_return(event_supply_t *supply, ze_event_handle_t event) {
    if (supply->nspare == supply->cap_spare) {
        const uint32_t cap = supply->cap_spare ? 2 * supply->cap_spare : FIRST_CHUNK;
        ze_event_handle_t *grown = dz_realloc(supply->spare, cap * sizeof *grown);
        if (!grown) return;
        supply->spare = grown;
        supply->cap_spare = cap;
    }
    supply->spare[supply->nspare++] = event;
}

void events_recycle(event_supply_t *supply, ze_event_handle_t event) {
    /* An event that cannot be reset is not used again; events_fini() destroys it. */
    if (supply->counted || ZE_CALL(EventHostReset, event) == dnnl_success)
        events_return(supply, event);
}

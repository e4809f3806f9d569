/* SPDX-License-Identifier: Apache-2.0 */
/* Event pools grow as events are asked for. */
#include "ze/event.h"

#include "core/alloc.h"
#include "core/verbose.h"

enum { FIRST_CHUNK = 16, LARGEST_CHUNK = 1024 };

typedef struct event_chunk {
    struct event_chunk *next;
    ze_event_pool_handle_t pool;
    uint32_t size, created;
    ze_event_handle_t events[];
} event_chunk_t;

void events_init(event_supply_t *supply, device_core_t *core, ze_event_pool_flags_t flags) {
    *supply = (event_supply_t){.core = core, .flags = flags};
}

void events_fini(event_supply_t *supply) {
    while (supply->chunks) {
        event_chunk_t *chunk = supply->chunks;
        supply->chunks = chunk->next;
        for (uint32_t i = 0; i < chunk->created; i++) ZE_CALL(EventDestroy, chunk->events[i]);
        ZE_CALL(EventPoolDestroy, chunk->pool);
        dz_free(chunk);
    }
    dz_free(supply->spare);
    events_init(supply, supply->core, supply->flags);
}

static dnnl_status_t add_chunk(event_supply_t *supply) {
    uint32_t size = supply->total ? supply->total : FIRST_CHUNK;
    if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
    event_chunk_t *chunk = dz_malloc(sizeof *chunk + size * sizeof *chunk->events);
    if (!chunk) return verbose_error(dnnl_out_of_memory, "stream", "no memory for events");
    const ze_event_pool_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = supply->flags, .count = size};
    device_core_t *core = supply->core;
    *chunk = (event_chunk_t){.next = supply->chunks, .size = size};
    const dnnl_status_t status =
            ZE_CALL(EventPoolCreate, core->context, &desc, 1, &core->device, &chunk->pool);
    if (status != dnnl_success) {
        dz_free(chunk);
        return status;
    }
    supply->chunks = chunk;
    supply->total += size;
    return dnnl_success;
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
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
            .index = chunk->created,
            .signal = ZE_EVENT_SCOPE_FLAG_HOST,
            .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    status = ZE_CALL(EventCreate, chunk->pool, &desc, &chunk->events[chunk->created]);
    if (status == dnnl_success) *event = chunk->events[chunk->created++];
    return status;
}

/* Without memory for the note, an event is not used again: it is destroyed with the others. */
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
    /* One that cannot be reset is of no use; it is destroyed with its pool. */
    if (ZE_CALL(EventHostReset, event) == dnnl_success) events_return(supply, event);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A growing supply of events. The lock of its owner guards it. */
#ifndef ZE_EVENT_H
#define ZE_EVENT_H

#include "ze/engine.h"

struct event_chunk;

typedef struct {
    device_core_t *core;
    counted_events_t counted;
    bool timed;
    struct event_chunk *chunks; /* the newest first; only the newest has events to create */
    ze_event_handle_t *spare;   /* created, but not in use */
    uint32_t nspare, cap_spare, total;
} event_supply_t;

/* timed: the events have timestamps. counted: the events are counter-based; only in-order immediate
 * lists can signal them, and they need no reset before the next signal. */
void events_init(event_supply_t *supply, device_core_t *core, bool timed, bool counted);
/* Destroys all events, even those in use. */
void events_fini(event_supply_t *supply);
/* Whether events_take() will return an event that was used before. */
static inline bool events_has_spare(const event_supply_t *supply) {
    return supply->nspare;
}
/* Whether the event is one of the supply, used or not. */
bool events_has(const event_supply_t *supply, ze_event_handle_t event);
/* Takes an event that is not signalled. */
dnnl_status_t events_take(event_supply_t *supply, ze_event_handle_t *event);
/* Returns an event that was never submitted. */
void events_return(event_supply_t *supply, ze_event_handle_t event);
/* Returns an event that nothing waits for and nothing will signal any more. */
void events_recycle(event_supply_t *supply, ze_event_handle_t event);

#endif

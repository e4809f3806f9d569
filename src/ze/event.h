/* SPDX-License-Identifier: Apache-2.0 */
/* A growing supply of events. Not locked: its owner's lock guards it. */
#ifndef ZE_EVENT_H
#define ZE_EVENT_H

#include "ze/engine.h"

struct event_chunk;

typedef struct {
    device_core_t *core;
    counted_events_t counted;
    bool timed;
    struct event_chunk *chunks; /* the newest first, the only one with events not yet created */
    ze_event_handle_t *spare;   /* created and not in use */
    uint32_t nspare, cap_spare, total;
} event_supply_t;

/* timed: with timestamps. counted: for in-order immediate lists alone; such events are signalled by nothing
 * else, and need no reset before they are signalled again. */
void events_init(event_supply_t *supply, device_core_t *core, bool timed, bool counted);
/* Destroys all events, in use or not. */
void events_fini(event_supply_t *supply);
/* Whether the next event is one that was used before. */
static inline bool events_has_spare(const event_supply_t *supply) {
    return supply->nspare;
}
/* An event that is not signalled. */
dnnl_status_t events_take(event_supply_t *supply, ze_event_handle_t *event);
/* Gives an event back that was never submitted. */
void events_return(event_supply_t *supply, ze_event_handle_t event);
/* Gives an event back that nothing waits for or will signal any more. */
void events_recycle(event_supply_t *supply, ze_event_handle_t event);

#endif

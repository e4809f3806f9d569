/* SPDX-License-Identifier: Apache-2.0 */
/* Things that the device may still use when the application is done with them: code, and buffers
 * where the driver cannot free them later by itself. They end when the work is over that was
 * submitted before. */
#ifndef ZE_IN_FLIGHT_H
#define ZE_IN_FLIGHT_H

#include <pthread.h>

#include "ze/loader.h"

/* Embedded in the thing. `end` frees it; no lock is held then. */
typedef struct in_flight {
    struct in_flight *next;
    uint64_t stamp; /* of the clock, when the application was done with it */
    void (*end)(struct in_flight *);
} in_flight_t;

/* How far the work of a stream is. Executions write it with the lock of the stream held, and others
 * read it without, so that it needs no atomic exchange. */
typedef struct work {
    struct work *next;
    ze_command_list_handle_t list;
    bool can_ask; /* the list lives as long as the stream: it can be asked whether it is done */
    bool repeats; /* the list is a regular one, which may run again */
    _Atomic uint64_t submitted, finished; /* numbers of executions */
    _Atomic uint64_t busy_since;          /* the clock at the first one that is not finished */
} work_t;

/* What the streams of a device core share. */
typedef struct {
    _Atomic uint64_t clock; /* the number of things that were ever kept */
    _Atomic uint32_t n;     /* of things that are kept now */
    pthread_mutex_t lock;   /* guards: */
    work_t *works;
    in_flight_t *first, *last; /* oldest first */
} flights_t;

void flights_init(flights_t *flights);
void flights_fini(flights_t *flights); /* ends everything: no stream is left */

void work_begin(flights_t *flights, work_t *work);
void work_end(flights_t *flights, work_t *work); /* its work counts as finished */

/* Ends the thing at once if no work is in flight, else as soon as one of these functions finds out
 * that the work is over. */
void flights_end(flights_t *flights, in_flight_t *thing);
/* Ends what can end. */
void flights_collect(flights_t *flights);

/* Notes an execution. Called with the lock of the stream held. */
static inline void work_note(work_t *work, const flights_t *flights) {
    const uint64_t n = atomic_load_explicit(&work->submitted, memory_order_relaxed);
    if (n == atomic_load_explicit(&work->finished, memory_order_relaxed))
        atomic_store_explicit(&work->busy_since,
                atomic_load_explicit(&flights->clock, memory_order_relaxed), memory_order_relaxed);
    atomic_store_explicit(&work->submitted, n + 1, memory_order_relaxed);
}

/* The moment at which a wait for the stream begins, and what the wait means when it has succeeded.
 * Both are called with the lock of the stream held. */
typedef struct {
    uint64_t submitted, clock;
} moment_t;
moment_t work_moment(const work_t *work, const flights_t *flights);
void work_finished(work_t *work, moment_t until);

#endif

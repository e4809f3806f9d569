/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps things until the work of all streams that may use them is over.
 *
 * Nothing is noted about single things at execution. Each stream knows since when it has had work;
 * a thing waits for the streams that have had work since before the application was done with it.
 */
#include "ze/in_flight.h"

/* The library cannot ask the application's lists whether they are done. If the application never
 * waits through the library, only so many things are kept for such lists. */
enum { MOST_KEPT = 1024 };

void flights_init(flights_t *flights) {
    pthread_mutex_init(&flights->lock, NULL);
}

static void end_all(in_flight_t *thing) {
    while (thing) {
        in_flight_t *next = thing->next;
        thing->end(thing);
        thing = next;
    }
}

void flights_fini(flights_t *flights) {
    while (flights->first) {
        in_flight_t *things = flights->first;
        flights->first = flights->last = NULL;
        end_all(things); /* a thing may hold others */
    }
    pthread_mutex_destroy(&flights->lock);
}

void work_begin(flights_t *flights, work_t *work) {
    pthread_mutex_lock(&flights->lock);
    work->next = flights->works;
    flights->works = work;
    pthread_mutex_unlock(&flights->lock);
}

void work_end(flights_t *flights, work_t *work) {
    pthread_mutex_lock(&flights->lock);
    work_t **link = &flights->works;
    while (*link && *link != work) link = &(*link)->next;
    if (*link) *link = work->next;
    pthread_mutex_unlock(&flights->lock);
    if (atomic_load(&flights->n)) flights_collect(flights);
}

moment_t work_moment(const work_t *work, const flights_t *flights) {
    return (moment_t){atomic_load(&work->submitted), atomic_load(&flights->clock)};
}

static void raise_finished(work_t *work, uint64_t n) {
    uint64_t before = atomic_load(&work->finished);
    while (before < n && !atomic_compare_exchange_weak(&work->finished, &before, n)) {
    }
}

void work_finished(work_t *work, moment_t until) {
    if (work->repeats) return;
    /* What was submitted since then began after that moment. */
    if (atomic_load(&work->busy_since) < until.clock) atomic_store(&work->busy_since, until.clock);
    raise_finished(work, until.submitted);
}

static bool is_busy(const work_t *work) {
    return atomic_load(&work->submitted) != atomic_load(&work->finished);
}

/* Asks the lists that have work whether it is done. */
static void ask(flights_t *flights) {
    if (!ze.CommandListHostSynchronize || ze_is_over) return;
    for (work_t *work = flights->works; work; work = work->next) {
        const uint64_t submitted = atomic_load(&work->submitted);
        if (!work->can_ask || !is_busy(work)) continue;
        if (ze.CommandListHostSynchronize(work->list, 0) == ZE_RESULT_SUCCESS)
            raise_finished(work, submitted);
    }
}

/* Whether work that was submitted before `stamp` is not known to be over. *is_certain: the library
 * will learn when it is. */
static bool is_used(const flights_t *flights, uint64_t stamp, bool *is_certain) {
    bool used = false;
    *is_certain = false;
    for (const work_t *work = flights->works; work; work = work->next) {
        if (!is_busy(work) || atomic_load(&work->busy_since) > stamp) continue;
        used = true;
        if (work->can_ask || work->repeats) *is_certain = true;
    }
    return used;
}

void flights_collect(flights_t *flights) {
    in_flight_t *over = NULL, **end = &over;
    bool is_certain;
    pthread_mutex_lock(&flights->lock);
    if (flights->first) ask(flights);
    for (in_flight_t *thing; (thing = flights->first) != NULL;) {
        if (is_used(flights, thing->stamp, &is_certain) && (is_certain || flights->n <= MOST_KEPT))
            break; /* and so are all later ones */
        flights->first = thing->next;
        flights->n--;
        thing->next = NULL;
        *end = thing;
        end = &thing->next;
    }
    if (!flights->first) flights->last = NULL;
    pthread_mutex_unlock(&flights->lock);
    end_all(over);
}

void flights_end(flights_t *flights, in_flight_t *thing) {
    thing->next = NULL;
    pthread_mutex_lock(&flights->lock);
    thing->stamp = atomic_fetch_add(&flights->clock, 1);
    if (flights->last) flights->last->next = thing;
    else flights->first = thing;
    flights->last = thing;
    flights->n++;
    pthread_mutex_unlock(&flights->lock);
    flights_collect(flights);
}

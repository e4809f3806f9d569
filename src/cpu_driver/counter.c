/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps counters for reuse. */
#include "counter.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static counter_t *unused, *stopped;

counter_t *counter_take(void) {
    pthread_mutex_lock(&lock);
    counter_t *counter = unused;
    if (counter) unused = counter->next;
    pthread_mutex_unlock(&lock);
    return counter ? counter : calloc(1, sizeof *counter);
}

/* `good` first: a thread that sees the new `done` must also see the new `good`. */
void counter_advance(counter_t *counter, bool is_good) {
    if (is_good) atomic_fetch_add(&counter->good, 1);
    atomic_fetch_add(&counter->done, 1);
}

/* A counter that has not reached its end, at exit or after a failure, cannot be used by another
 * list. */
void counter_give(counter_t *counter) {
    if (!counter) return;
    pthread_mutex_lock(&lock);
    counter_t **list = atomic_load(&counter->good) == counter->appended ? &unused : &stopped;
    counter->next = *list;
    *list = counter;
    pthread_mutex_unlock(&lock);
}

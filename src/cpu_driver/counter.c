/* SPDX-License-Identifier: Apache-2.0 */
/* The store of counters. */
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

/* The order tells who sees `done` what is in `good`. */
void counter_advance(counter_t *counter, bool is_good) {
    if (is_good) atomic_fetch_add(&counter->good, 1);
    atomic_fetch_add(&counter->done, 1);
}

/* One that did not come to its end, as at exit or after a failure, is no beginning for another list. */
void counter_give(counter_t *counter) {
    if (!counter) return;
    pthread_mutex_lock(&lock);
    counter_t **list = atomic_load(&counter->good) == counter->appended ? &unused : &stopped;
    counter->next = *list;
    *list = counter;
    pthread_mutex_unlock(&lock);
}

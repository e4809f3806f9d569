/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a short lock. */
#include "core/lock.h"

#include <sched.h>
#include <time.h>

/* Looks, then lets others run, then sleeps: whoever holds the lock may need this processor. */
enum { LOOKS = 200, YIELDS = 100, SLEEP_NS = 20000 };

static int try_to_take(short_lock_t *lock) {
    return !atomic_load_explicit(&lock->held, memory_order_relaxed) &&
           !atomic_exchange_explicit(&lock->held, 1, memory_order_acquire);
}

void short_lock_wait(short_lock_t *lock) {
    const struct timespec nap = {.tv_nsec = SLEEP_NS};
    for (int i = 0; i < LOOKS; i++)
        if (try_to_take(lock)) return;
    for (int i = 0; i < YIELDS; i++) {
        sched_yield();
        if (try_to_take(lock)) return;
    }
    while (!try_to_take(lock)) nanosleep(&nap, NULL);
}

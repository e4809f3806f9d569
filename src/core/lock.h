/* SPDX-License-Identifier: Apache-2.0 */
/* A lock for sections of a few calls that are rarely contended: taking it is one atomic exchange, and giving it
 * back a plain store, where a mutex needs an atomic operation for both. Nobody wakes a waiter, who looks again,
 * more and more seldom. */
#ifndef CORE_LOCK_H
#define CORE_LOCK_H

#include <stdatomic.h>

typedef struct {
    atomic_uint held;
} short_lock_t; /* zeroed: free */

void short_lock_wait(short_lock_t *lock);

static inline void short_lock_take(short_lock_t *lock) {
    if (__builtin_expect(atomic_exchange_explicit(&lock->held, 1, memory_order_acquire) != 0, 0))
        short_lock_wait(lock);
}

static inline void short_lock_drop(short_lock_t *lock) {
    atomic_store_explicit(&lock->held, 0, memory_order_release);
}

#endif

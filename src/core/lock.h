/* SPDX-License-Identifier: Apache-2.0 */
/* A lock for short sections that threads rarely contend for. The first thread that takes it becomes
 * its owner. The owner takes it with plain stores, which cost a tenth of an atomic exchange: most
 * streams and primitives are used by one thread at a time. When a second thread comes, it sets
 * `shared`, makes sure by a system call that the owner has seen it, and from then on every thread
 * takes the lock by an atomic exchange. Nobody wakes a waiting thread: it looks again at growing
 * intervals. */
#ifndef CORE_LOCK_H
#define CORE_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/util.h"

typedef struct {
    atomic_uintptr_t owner; /* 0: none. Set once, by the owner, with `held` */
    atomic_uint shared;     /* other threads use the lock too. Set once, with `held` */
    atomic_uint in_use;     /* the owner has the lock; only the owner writes it */
    atomic_uint held;       /* a thread has the lock that took it by an exchange */
} short_lock_t;             /* all zeros: the lock is free */

/* An address that no other living thread has. */
static inline uintptr_t short_lock_self(void) {
#if defined __has_builtin
#if __has_builtin(__builtin_thread_pointer)
    return (uintptr_t)__builtin_thread_pointer();
#endif
#endif
    return (uintptr_t)pthread_self();
}

void short_lock_take_shared(short_lock_t *lock);

/* Takes the lock. The answer has to be given to short_lock_give(). */
static inline atomic_uint *short_lock_take(short_lock_t *lock) {
    if (LIKELY(atomic_load_explicit(&lock->owner, memory_order_relaxed) == short_lock_self())) {
        atomic_store_explicit(&lock->in_use, 1, memory_order_relaxed);
        /* The thread that sets `shared` runs a fence on this processor, so that the store is
         * visible before the load. Hence no fence is needed here. */
        atomic_signal_fence(memory_order_seq_cst);
        if (LIKELY(!atomic_load_explicit(&lock->shared, memory_order_acquire)))
            return &lock->in_use;
        atomic_store_explicit(&lock->in_use, 0, memory_order_release);
    }
    short_lock_take_shared(lock);
    return &lock->held;
}

static inline void short_lock_give(atomic_uint *taken) {
    atomic_store_explicit(taken, 0, memory_order_release);
}

/* The same for a caller that has not kept the answer. */
static inline void short_lock_drop(short_lock_t *lock) {
    const bool by_owner =
            atomic_load_explicit(&lock->owner, memory_order_relaxed) == short_lock_self() &&
            atomic_load_explicit(&lock->in_use, memory_order_relaxed);
    short_lock_give(by_owner ? &lock->in_use : &lock->held);
}

#endif

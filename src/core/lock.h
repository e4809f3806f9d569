/* SPDX-License-Identifier: Apache-2.0 */
/* A lock for sections of a few calls that are rarely contended. The thread that takes it first is its owner
 * and takes it with plain stores, which cost a tenth of an atomic exchange: most streams and primitives are
 * used by one thread at a time. As soon as another thread comes, which makes sure with a system call that the
 * owner has noticed, everyone takes it by one atomic exchange. Nobody wakes a waiter, who looks again, more
 * and more seldom. */
#ifndef CORE_LOCK_H
#define CORE_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/util.h"

typedef struct {
    atomic_uintptr_t owner; /* 0: none. Set once, by the owner, with `held` */
    atomic_uint shared;     /* others came: the owner takes it like them. Set once, with `held` */
    atomic_uint in_use;     /* by the owner, who alone writes it */
    atomic_uint held;       /* by a thread that took it by exchange */
} short_lock_t;             /* zeroed: free */

/* What tells threads apart that live at the same time. */
static inline uintptr_t short_lock_self(void) {
#if defined __has_builtin
#if __has_builtin(__builtin_thread_pointer)
    return (uintptr_t)__builtin_thread_pointer();
#endif
#endif
    return (uintptr_t)pthread_self();
}

void short_lock_take_shared(short_lock_t *lock);

/* Answers what short_lock_give() wants. */
static inline atomic_uint *short_lock_take(short_lock_t *lock) {
    if (LIKELY(atomic_load_explicit(&lock->owner, memory_order_relaxed) == short_lock_self())) {
        atomic_store_explicit(&lock->in_use, 1, memory_order_relaxed);
        /* Whoever sets `shared` makes this store seen before the load: the processor needs no fence here. */
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

/* The same for who has not kept the answer. */
static inline void short_lock_drop(short_lock_t *lock) {
    const bool by_owner =
            atomic_load_explicit(&lock->owner, memory_order_relaxed) == short_lock_self() &&
            atomic_load_explicit(&lock->in_use, memory_order_relaxed);
    short_lock_give(by_owner ? &lock->in_use : &lock->held);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The slow paths of short locks, for locks that several threads use. */
#define _GNU_SOURCE
#include "core/lock.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Waits: first spins, then yields, then sleeps, since the thread that holds the lock may need this
 * processor. */
enum { LOOKS = 200, YIELDS = 100, SLEEP_NS = 20000 };

static void look_again(int times_before) {
    const struct timespec nap = {.tv_nsec = SLEEP_NS};
    if (times_before < LOOKS) return;
    if (times_before < LOOKS + YIELDS) sched_yield();
    else nanosleep(&nap, NULL);
}

/* ---- a fence on all processors that run threads of this process (membarrier(2)) ---- */

#ifdef SYS_membarrier
enum { FENCE = 1 << 3, REGISTER = 1 << 4 }; /* MEMBARRIER_CMD_[REGISTER_]PRIVATE_EXPEDITED */
static bool membarrier(int command) {
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}
#else
enum { FENCE, REGISTER };
static bool membarrier(int command) {
    (void)command;
    return false;
}
#endif

static bool has_fence(void) {
    static atomic_int has; /* 1: yes; -1: no; 0: not asked yet */
    int known = atomic_load_explicit(&has, memory_order_relaxed);
    if (!known) {
        known = membarrier(REGISTER) ? 1 : -1;
        atomic_store_explicit(&has, known, memory_order_relaxed);
    }
    return known > 0;
}

static void fence_all(void) {
    if (membarrier(FENCE) || (membarrier(REGISTER) && membarrier(FENCE))) return;
    /* membarrier() has been blocked since registration, say by seccomp. Sleep far longer than a
     * store takes to become visible to other processors. */
    const struct timespec long_enough = {.tv_nsec = 20000000};
    atomic_thread_fence(memory_order_seq_cst);
    nanosleep(&long_enough, NULL);
}

/* Requires `held`. */
static void stop_owner(short_lock_t *lock) {
    atomic_store_explicit(&lock->shared, 1, memory_order_release);
    fence_all();
    for (int i = 0; atomic_load_explicit(&lock->in_use, memory_order_acquire); i++) look_again(i);
}

void short_lock_take_shared(short_lock_t *lock) {
    for (int i = 0; atomic_load_explicit(&lock->held, memory_order_relaxed) ||
                    atomic_exchange_explicit(&lock->held, 1, memory_order_acquire);
            i++)
        look_again(i);
    const uintptr_t owner = atomic_load_explicit(&lock->owner, memory_order_relaxed);
    if (atomic_load_explicit(&lock->shared, memory_order_relaxed)) return;
    if (owner) stop_owner(lock);
    else if (has_fence())
        atomic_store_explicit(&lock->owner, short_lock_self(), memory_order_relaxed);
    else atomic_store_explicit(&lock->shared, 1, memory_order_relaxed);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Progress counters over Linux futexes. */
#include "futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h> /* sched_yield() */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sched.h"
#include "strict.h"

/* A waiter polls for this long before it sleeps: a short command ends sooner than a thread
 * wakes. */
enum { LOOK_NS = 40000 };

void cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void progress_announce_to(progress_t *progress, uint32_t n) {
    atomic_fetch_add(&progress->sequence, 1);
    if (atomic_load(&progress->sleepers))
        syscall(SYS_futex, &progress->sequence, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

void progress_announce(progress_t *progress) {
    progress_announce_to(progress, INT_MAX);
}

/* In strict mode, a wait for ever ends when the device had no work and nobody called the driver for
 * 2 s: 20 looks, 0.1 s apart. */
enum { LOOK_AGAIN_NS = 100000000, LOOKS = 20 };

static bool wait_watched(progress_t *progress, bool (*done)(const void *), const void *argument) {
    uint64_t calls = strict_calls();
    for (int quiet = 0; quiet < LOOKS;) {
        if (progress_wait(progress, done, argument, LOOK_AGAIN_NS)) return true;
        if (sched_has_stopped()) return false;
        quiet = sched_is_quiet() && calls == strict_calls() ? quiet + 1 : 0;
        calls = strict_calls();
    }
    return false;
}

bool progress_wait(
        progress_t *progress, bool (*done)(const void *), const void *argument, uint64_t timeout) {
    if (done(argument)) return true;
    if (timeout == 0 || sched_has_stopped()) return false;
    if (strict_level && timeout == UINT64_MAX) return wait_watched(progress, done, argument);
    uint64_t begin = clock_ns();
    uint64_t deadline = timeout > UINT64_MAX - begin ? UINT64_MAX : begin + timeout;
    uint64_t look_until = begin + LOOK_NS < deadline ? begin + LOOK_NS : deadline;
    for (uint64_t now = begin; now < look_until; now = clock_ns()) {
        for (int i = 0; i < 16; i++) cpu_relax();
        if (done(argument)) return true;
        sched_yield(); /* threads that compute go first */
    }
    for (;;) {
        uint32_t seen = atomic_load(&progress->sequence);
        if (done(argument)) return true;
        if (sched_has_stopped()) return false;
        uint64_t now = clock_ns();
        if (now >= deadline) return false;
        /* FUTEX_WAIT expects a relative time. An hour fits every time_t, and the loop repeats the
         * wait. */
        uint64_t left = deadline - now;
        struct timespec t = {
                .tv_sec = (time_t)(left / 1000000000u > 3600 ? 3600 : left / 1000000000u),
                .tv_nsec = (long)(left % 1000000000u)};
        atomic_fetch_add(&progress->sleepers, 1);
        syscall(SYS_futex, &progress->sequence, FUTEX_WAIT_PRIVATE, seen, &t, NULL, 0);
        atomic_fetch_sub(&progress->sleepers, 1);
    }
}

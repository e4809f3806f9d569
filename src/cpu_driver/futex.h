/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeping until another thread makes progress, with a time-out, without a mutex on the waking side. */
#ifndef ZE_CPU_FUTEX_H
#define ZE_CPU_FUTEX_H

#include "common.h"

/* A progress counter and the number of its sleepers. Must not be unmapped while a waker may touch it. */
typedef struct {
    _Atomic uint32_t sequence, sleepers;
} progress_t;

/* Announces progress: the state that sleepers look at was changed before the call. */
void progress_announce(progress_t *progress);

/* Sleeps until done(argument), at most `timeout` ns (0: only looks, UINT64_MAX: for ever). False: timed out.
 */
bool progress_wait(
        progress_t *progress, bool (*done)(const void *), const void *argument, uint64_t timeout);

void cpu_relax(void);

#endif

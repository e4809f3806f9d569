/* SPDX-License-Identifier: Apache-2.0 */
/* Lets threads sleep until another thread makes progress, with a time-out. The waking thread takes
 * no mutex. */
#ifndef ZE_CPU_FUTEX_H
#define ZE_CPU_FUTEX_H

#include "common.h"

/* A progress counter and the number of its sleepers. It must stay mapped while a waking thread may
 * touch it. */
typedef struct {
    _Atomic uint32_t sequence, sleepers;
} progress_t;

/* Announces progress. The caller changes the state that sleepers check before the call. */
void progress_announce(progress_t *progress);
/* The same, and wakes no more than n sleepers. */
void progress_announce_to(progress_t *progress, uint32_t n);

/* Sleeps until done(argument) is true, for at most `timeout` ns (0: only checks, UINT64_MAX: for
 * ever). False: timed out. */
bool progress_wait(
        progress_t *progress, bool (*done)(const void *), const void *argument, uint64_t timeout);

void cpu_relax(void);

#endif

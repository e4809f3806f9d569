/* SPDX-License-Identifier: Apache-2.0 */
/* Shares the parts of a job among the calling thread and helper threads of the driver. */
#ifndef ZE_CPU_TEAM_H
#define ZE_CPU_TEAM_H

#include "common.h"

/* Does the parts [from, to) of a job. Several threads call it at once, with other parts. */
typedef void team_work_t(void *job, size_t from, size_t to);

/* Does n parts on up to `threads` threads, of which the caller is one, and returns when all are
 * done. Each thread begins with its share of the parts, which it has in each job of this size, or
 * parts begin in the order of their numbers. Helpers that are busy, or that the system does not
 * start, leave their parts to the others. */
void team_run(size_t n, uint32_t threads, bool in_order, team_work_t *work, void *job);

/* What a helper does until the process exits. The thread that runs a job is number 0. */
void team_help(uint32_t number);

/* Whether a helper is at work or looks for some: it begins without being woken. */
bool team_is_awake(void);

/* Wakes all helpers, so that they see that the process exits. */
void team_stop(void);

#endif

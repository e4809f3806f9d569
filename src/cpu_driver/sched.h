/* SPDX-License-Identifier: Apache-2.0 */
/* What others tell the scheduler of commands, and ask it. */
#ifndef ZE_CPU_SCHED_H
#define ZE_CPU_SCHED_H

#include <stdbool.h>

/* Registers the stop of the workers at exit once more, so that it comes before the exit of a library that was
   initialised in between. */
void sched_stop_at_exit(void);

/* Whether the process exits: what has not been done will not be done. */
bool sched_has_stopped(void);

/* Whether no command runs, and none could start before the host does something. */
bool sched_is_quiet(void);

#endif

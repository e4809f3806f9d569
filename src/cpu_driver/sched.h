/* SPDX-License-Identifier: Apache-2.0 */
/* What the start-up of OpenCL tells the scheduler. */
#ifndef ZE_CPU_SCHED_H
#define ZE_CPU_SCHED_H

/* Registers the stop of the workers at exit once more, so that it comes before the exit of a library that was
   initialised in between. */
void sched_stop_at_exit(void);

#endif

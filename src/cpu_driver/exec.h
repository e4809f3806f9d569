/* SPDX-License-Identifier: Apache-2.0 */
/* Executes commands on a worker thread. */
#ifndef ZE_CPU_EXEC_H
#define ZE_CPU_EXEC_H

#include "cmd.h"

/* What one worker thread owns. */
typedef struct exec exec_t;
exec_t *exec_new(void);
void exec_delete(exec_t *exec); /* may be NULL */

/* Starts a command whose events are all there. Kernels are left in flight, everything else is over on return.
 */
ze_result_t exec_start(exec_t *exec, const cmd_t *cmd);
/* The same for a kernel; *mark, if one was made, is to be waited for, and tells the end of this kernel. */
typedef struct exec_mark exec_mark_t;
ze_result_t exec_start_marked(exec_t *exec, const cmd_t *cmd, exec_mark_t **mark);
ze_result_t exec_wait(exec_mark_t *mark);
/* Waits for the kernels in flight. */
ze_result_t exec_finish(exec_t *exec);

#endif

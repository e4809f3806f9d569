/* SPDX-License-Identifier: Apache-2.0 */
/* Executes commands on a worker thread. */
#ifndef ZE_CPU_EXEC_H
#define ZE_CPU_EXEC_H

#include "cmd.h"

/* The state of one worker thread. */
typedef struct exec exec_t;
exec_t *exec_new(void);
void exec_delete(exec_t *exec); /* may be NULL */

/* Whether exec_start() returns only when the command is over: then it must not keep another command
 * from being reported. All but the kernels that PoCL runs do. */
bool exec_waits(const exec_t *exec, const cmd_t *cmd);
/* Starts a command whose events are all signalled. A kernel may be in flight on return; other
 * commands are over. */
ze_result_t exec_start(exec_t *exec, const cmd_t *cmd);
/* Does the same for a kernel. *mark is NULL, or tells the end of this kernel: then the caller must
 * pass it to exec_wait(). */
typedef struct exec_mark exec_mark_t;
ze_result_t exec_start_marked(exec_t *exec, const cmd_t *cmd, exec_mark_t **mark);
ze_result_t exec_wait(exec_mark_t *mark);
/* Waits for the kernels in flight. */
ze_result_t exec_finish(exec_t *exec);

#endif

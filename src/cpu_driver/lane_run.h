/* SPDX-License-Identifier: Apache-2.0 */
/* Executes the commands that a worker has taken from a lane, and tells the lane and its events the
 * result. */
#ifndef ZE_CPU_LANE_RUN_H
#define ZE_CPU_LANE_RUN_H

#include "exec.h"
#include "lane_state.h"

/* Signals the event or fence of a command that is over. */
void lane_complete(lane_t *lane, const cmd_t *cmd, uint64_t start, uint64_t end);

/* Executes a list of commands in order. Returns the command that must wait for an event, or NULL
 * when all commands are over. */
cmd_t *lane_run_chain(lane_t *lane, exec_t *exec, cmd_t *chain);

/* Executes one command. Returns with the lane locked. */
void lane_run_one(lane_t *lane, exec_t *exec, cmd_t *cmd);

/* Ends the calling worker thread if the process is exiting. Call it between two commands. */
void lane_stop_here(exec_t *exec);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes: queues of commands. Every command queue and every immediate command list has one lane. */
#ifndef ZE_CPU_LANE_H
#define ZE_CPU_LANE_H

#include "cmd.h"

typedef struct lane lane_t;

/* in_order: each command starts when the one before it is over. Otherwise commands start in order
 * and overlap. NULL: out of memory. */
lane_t *lane_new(bool in_order);
void lane_release(lane_t *lane); /* commands already appended still run */

/* Appending: lane_begin() locks the lane and returns an empty command (NULL: out of memory or of
 * threads, and the lane is not locked). The caller fills the command and commits it, or drops it
 * if filling failed; both unlock the lane. */
cmd_t *lane_begin(lane_t *lane);
void lane_commit(lane_t *lane, cmd_t *cmd);
void lane_drop(lane_t *lane, cmd_t *cmd);
/* Between begin and commit, on an in-order lane: the command will signal a counter-based event.
 * False: out of memory. */
bool lane_count(lane_t *lane, ze_event_handle_t event);

/* Waits for all commands that were appended before the call. Returns DEVICE_LOST once a command of
 * the lane has failed. */
ze_result_t lane_wait(lane_t *lane, uint64_t timeout);
bool lane_is_idle(lane_t *lane);

#endif

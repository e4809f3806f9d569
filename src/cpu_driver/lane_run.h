/* SPDX-License-Identifier: Apache-2.0 */
/* Executes the commands that a worker has taken from a lane, and tells the lane and its events the
 * result. */
#ifndef ZE_CPU_LANE_RUN_H
#define ZE_CPU_LANE_RUN_H

#include "exec.h"
#include "lane_state.h"

/* Signals the event or fence of a command that is over. */
void lane_complete(lane_t *lane, const cmd_t *cmd, uint64_t start, uint64_t end);

/* Notes commands that are taken out of the lane, or are back in it. Called with the lock held. */
void lane_note_flight(lane_t *lane, flight_t *flight, cmd_t *chain);
void lane_end_flight(lane_t *lane, flight_t *flight);

/* Executes the commands of a flight in order. Returns the command that must wait for an event; then
 * the caller must end the flight. Returns NULL when all commands are over; then the flight has
 * ended. */
cmd_t *lane_run_chain(lane_t *lane, exec_t *exec, flight_t *flight);

/* Executes the only command of a flight, and ends the flight. Returns with the lane locked. */
void lane_run_one(lane_t *lane, exec_t *exec, flight_t *flight);

/* Ends the calling worker thread, and the flight if there is one, if the process is exiting. Call
 * it between two commands, without the lock. */
void lane_stop_here(lane_t *lane, exec_t *exec, flight_t *flight);

#endif

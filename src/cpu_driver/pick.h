/* SPDX-License-Identifier: Apache-2.0 */
/* Picks the next command of a lane in a changed order (order.h). */
#ifndef ZE_CPU_PICK_H
#define ZE_CPU_PICK_H

#include "cmd.h"
#include "order.h"

/* Commands that may overtake one another are collected until nothing can join them (a barrier
 * follows, the host waits for something, there are many of them) or a time has passed. */
bool pick_has_collected(const cmd_t *first, uint64_t since, uint64_t host_waits);

/* The link to the command to start next, in the list that begins at *first; NULL: none may start.
 * `random` is the state of the lane's generator. */
cmd_t **pick_next(cmd_t **first, uint64_t *random);

#endif

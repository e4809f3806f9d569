/* SPDX-License-Identifier: Apache-2.0 */
/* Delays and orders that the environment asks for, which a device may have and this one has not: a dependency
 * that a program forgot then fails each time. */
#ifndef ZE_CPU_ORDER_H
#define ZE_CPU_ORDER_H

#include "lane.h"

/* Sleeps as long as ZE_CPU_DELAY says before a command that does something. */
void order_delay(const cmd_t *cmd);

/* Whether lists that are not in order are executed in another order than that of the appends: ZE_CPU_ORDER.
 */
bool order_is_changed(void);

/* Commands that are free to overtake one another are collected until no other can join them (a barrier
 * follows, the host waits for something, there are many) or a time has passed. */
bool order_has_collected(const cmd_t *first, uint64_t since, uint64_t host_waits);
/* The host begins to wait for the device, or looks whether it is done. */
void order_host_waits(void);
uint64_t order_host_wait_count(void);

/* The place, in the list that begins at *first, of the command to start next; NULL: none may. `random` is the
 * lane's. */
cmd_t **order_pick(cmd_t **first, uint64_t *random);

#endif

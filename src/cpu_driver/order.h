/* SPDX-License-Identifier: Apache-2.0 */
/* The orders and delays that the environment asks for. A real device may behave that way and this
 * one does not: with them, a dependency that a program forgot fails every time. */
#ifndef ZE_CPU_ORDER_H
#define ZE_CPU_ORDER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { ORDER_AS_IS, ORDER_REVERSE, ORDER_RANDOM } order_kind_t;

/* The order in which lists that are not in order execute their commands: ZE_CPU_ORDER. */
order_kind_t order_kind(void);
uint64_t order_seed(void); /* of ORDER_RANDOM */
bool order_is_changed(void);

/* Sleeps for as long as ZE_CPU_DELAY says. */
void order_delay(void);
bool order_has_delay(void); /* whether that is longer than 0 */

/* Notes that the host starts to wait for the device, or asks whether the device is done. */
void order_host_waits(void);
uint64_t order_host_wait_count(void);

#endif

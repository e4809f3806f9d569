/* SPDX-License-Identifier: Apache-2.0 */
/* Counters, which tell how far an in-order list has come: what a counter-based event stands for. */
#ifndef ZE_CPU_COUNTER_H
#define ZE_CPU_COUNTER_H

#include "common.h"

/* Counts the signals of one list. Never freed, so that an event or a command may keep one for as long as it
 * likes: a list that is gone leaves its counter to another, which counts on from there. */
typedef struct counter counter_t;
struct counter {
    uint64_t appended;           /* guarded by the lock of the list's lane */
    _Atomic uint64_t done, good; /* `good` stops where work fails */
    counter_t *next;
};

counter_t *counter_take(void); /* NULL: no memory */
void counter_give(counter_t *counter);
void counter_advance(counter_t *counter, bool is_good);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the commands that an in-order list has finished. A counter-based event waits for a
 * value of such a counter. */
#ifndef ZE_CPU_COUNTER_H
#define ZE_CPU_COUNTER_H

#include "common.h"

/* Counts the signals of one list. Counters are never freed, so that events and commands can keep a
 * pointer for ever. When a list is destroyed, another list takes its counter and continues to
 * count. */
typedef struct counter counter_t;
struct counter {
    uint64_t appended;           /* guarded by the lock of the list's lane */
    _Atomic uint64_t done, good; /* `good` stops at the first failure */
    counter_t *next;
};

counter_t *counter_take(void); /* NULL: out of memory */
void counter_give(counter_t *counter);
void counter_advance(counter_t *counter, bool is_good);

#endif

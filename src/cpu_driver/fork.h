/* SPDX-License-Identifier: Apache-2.0 */
/* The driver after fork(). A child has the memory of its parent but none of its threads, so that
 * its waits would never end. */
#ifndef ZE_CPU_FORK_H
#define ZE_CPU_FORK_H

#include "common.h"

/* Whether this process is a child of one that had used the driver. */
extern bool is_forked;

/* Call it before the first thread of the driver or of PoCL starts: children that are forked from
 * then on cannot use the driver. Children that were forked before can. */
void fork_note_use(void);
/* Says why the child cannot use the driver, and returns UNINITIALIZED. */
ze_result_t fork_refuse(void);

/* At the head of an entry point that checks no handle. */
#define CHECK_PROCESS()                                                                            \
    do {                                                                                           \
        if (__builtin_expect(is_forked, 0)) return fork_refuse();                                  \
    } while (0)

#endif

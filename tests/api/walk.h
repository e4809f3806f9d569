/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over everything that can fail: a program that uses each object once is run with the
 * n-th operation failing, for every n, until none is left to fail. */
#ifndef TESTS_API_WALK_H
#define TESTS_API_WALK_H

#include "rt.h"

/* What fails: host allocations, or calls of the driver. */
typedef struct {
    dnnl_status_t status; /* of the library's call */
    bool lasts;           /* and so does everything after it, as with a lost device */
    void (*arm)(int n);   /* the n-th from now on fails */
    bool (*disarm)(void); /* no more failures; answers whether there was one since arm() */
    long (*live)(void);   /* objects that exist */
} fault_t;

/* Every call that fails has to say so, leave nothing behind, and succeed when it is made again,
 * unless the failure lasts: then everything can still be destroyed. */
void walk(const fault_t *fault);

/* ---- failures of calls, for functions that stand in for those of a runtime ---- */

/* Whether this call fails: it is the n-th since arm_calls(n), or comes after that one in a walk
 * whose failure lasts. */
bool call_fails(void);
/* Whether a failure that lasts has come: what ends an object does so, and answers a failure. */
bool is_lost(void);
void arm_calls(int n);   /* fault_t.arm */
bool disarm_calls(void); /* fault_t.disarm */

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over everything that can fail: a program that uses each object once is run with the n-th operation
 * failing, for every n, until none is left to fail. */
#ifndef TESTS_API_WALK_H
#define TESTS_API_WALK_H

#include "rt.h"

/* What fails: host allocations, or calls of the driver. All failures are for lack of memory. */
typedef struct {
    void (*arm)(int n);   /* the n-th from now on fails */
    bool (*disarm)(void); /* no more failures; answers whether there was one since arm() */
    long (*live)(void);   /* objects that exist */
} fault_t;

/* Every call that fails has to say so, leave nothing behind, and succeed when it is made again. */
void walk(const fault_t *fault);

#endif

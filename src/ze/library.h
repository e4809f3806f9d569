/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the library of a runtime, and finds its entry points. */
#ifndef ZE_LIBRARY_H
#define ZE_LIBRARY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "oneapi/dnnl/dnnl_types.h"

enum { LIBRARY_FAILURE = 256 }; /* bytes of a message, with the terminating zero */

typedef struct {
    const char *name;
    size_t offset; /* in the table */
    bool required; /* else the pointer may be NULL */
} entry_point_t;

typedef struct {
    const char *file, *what, *package; /* what and package: for people */
    const entry_point_t *entries;
    size_t nentries;
    void *table;                /* of function pointers; constant once it is loaded */
    const char *(*watch)(void); /* called after loading; NULL, or what failed */

    pthread_mutex_t lock; /* guards the table until it is loaded */
    atomic_bool loaded;
} library_t;

/* Loads the library once. If that fails, it logs a message and returns runtime_error. A failure
 * does not last, since files or memory may have been missing: the next call tries again. */
dnnl_status_t library_load(library_t *library);

#endif

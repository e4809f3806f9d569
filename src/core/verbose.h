/* SPDX-License-Identifier: Apache-2.0 */
/* The verbose log: ONEDNN_VERBOSE / DNNL_VERBOSE and dnnl_set_verbose(). Lines go to stdout in one write each. */
#ifndef CORE_VERBOSE_H
#define CORE_VERBOSE_H

#include <stdbool.h>

#include "oneapi/dnnl/dnnl_types.h"

enum {
    VERBOSE_ERROR = 1 << 0,
    VERBOSE_WARN = 1 << 1,
    VERBOSE_CHECK = 1 << 2,
    VERBOSE_DISPATCH = 1 << 3,
    VERBOSE_CREATE = 1 << 4, /* profile_create */
    VERBOSE_EXEC = 1 << 5,   /* profile_exec */
};
bool verbose_on(unsigned level); /* cheap: one relaxed atomic load once initialised */
double verbose_now_ms(void);     /* monotonic */

/* "onednn_verbose,v1,primitive,error,..." One sentence; returns the status it is given so that `return verbose_error(...)` reads well.
 * verbose_error: a call failed for a reason outside of the caller's arguments (a driver's answer, memory).
 * verbose_check: the caller's arguments are refused (create:check, exec:check).
 * verbose_refuse: an implementation does not take the problem (create:dispatch). */
dnnl_status_t verbose_error(dnnl_status_t status, const char *component, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
dnnl_status_t verbose_check(dnnl_status_t status, const char *component, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
dnnl_status_t verbose_refuse(dnnl_status_t status, const char *component, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));

#endif

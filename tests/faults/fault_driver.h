/* SPDX-License-Identifier: Apache-2.0 */
/* The controls of the fault-injecting driver, libze_fault.so: a Level Zero driver that passes
 * every call on to the driver in ZE_FAULT_DRIVER, makes chosen calls fail, and counts the
 * objects that the other driver has. A call that fails has done nothing; only what ends an
 * object does so all the same, since nobody can ask twice.
 *
 * A program controls it through fault_control(), found with dlsym() in the library that the
 * loader has loaded; or from outside, by the environment: ZE_FAULT_AT=N       the N-th call
 * fails ZE_FAULT_RESULT=X with this result (default: out of device memory) ZE_FAULT_LASTS=1
 * and so do all that follow, as with a device that is lost ZE_FAULT_LOG=FILE   gets the line
 * "call <name>" for each call; where ZE_FAULT_AT is set only "failed <name>", or "spared <name>"
 * for one that the library can do without; and "live <objects>" at the end */
#ifndef TESTS_FAULTS_FAULT_DRIVER_H
#define TESTS_FAULTS_FAULT_DRIVER_H

#include <stdbool.h>

#include <level_zero/ze_api.h>

typedef struct {
    /* A walk: from each attempt() to the next, the first call fails that has not failed in the
     * walk yet, by its name and how often it was called in the attempt. Calls that the library
     * can do without are left alone. */
    void (*begin)(void);
    void (*attempt)(ze_result_t result);
    const char *(*end_attempt)(
            void); /* nothing fails any more; the name of the call that failed, or NULL */
    /* From the first to the next end_attempt(), every call that ends an object does so, and
     * fails all the same; the second tells how many there were. */
    void (*fail_ends)(ze_result_t result);
    int (*ends_failed)(void);
    long (*live)(void); /* objects that exist */
} fault_control_t;

typedef const fault_control_t *(*fault_control_fn)(void);

/* Inside of the driver: an entry point of the wrapped one, or NULL. */
void *other_driver(const char *symbol);

#endif

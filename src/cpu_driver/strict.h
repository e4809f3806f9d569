/* SPDX-License-Identifier: Apache-2.0 */
/* Strict mode (ZE_CPU_STRICT) reports mistakes of the application and names the call. A GPU may
 * tolerate such a mistake, or compute a wrong result. */
#ifndef ZE_CPU_STRICT_H
#define ZE_CPU_STRICT_H

#include <stdbool.h>
#include <stdint.h>

/* 0: off; 1: reports mistakes, and the call returns an error if the specification has one; 2: the
 * first mistake ends the process. */
extern int strict_level;
void strict_start(void); /* reads the environment; call it when the driver is initialised */

/* Notes the entry point that the thread is in, for later reports of this thread. */
void strict_enter_(const char *call);
#define strict_enter(call)                                                                         \
    do {                                                                                           \
        if (__builtin_expect(strict_level, 0)) strict_enter_(call);                                \
    } while (0)
uint64_t strict_calls(void); /* the number of calls so far */

/* Reports a mistake in the call that the thread is in. Returns only at level 1. */
void strict_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define COMPLAIN(...)                                                                              \
    do {                                                                                           \
        if (__builtin_expect(strict_level, 0)) strict_complain(__VA_ARGS__);                       \
    } while (0)
/* Reports a mistake in an earlier call. */
void strict_complain_of(const char *call, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* Ends the process after a report. */
_Noreturn void strict_end(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Strict mode (ZE_CPU_STRICT): mistakes that a GPU may forgive, or punish with a wrong number, end in a
 * sentence that names the call. */
#ifndef ZE_CPU_STRICT_H
#define ZE_CPU_STRICT_H

#include <stdbool.h>
#include <stdint.h>

/* 0: off; 1: mistakes are reported, and answered with a status where there is one; 2: the first one ends the
 * process. */
extern int strict_level;
void strict_start(void); /* reads the environment once; before the first call of the application */

/* Notes the entry point that the thread is in, for what is found deeper down. */
void strict_enter_(const char *call);
#define strict_enter(call)                                                                         \
    do {                                                                                           \
        if (__builtin_expect(strict_level, 0)) strict_enter_(call);                                \
    } while (0)
uint64_t strict_calls(void); /* how many there were */

/* Reports what is wrong with the call that the thread is in; returns at level 1. */
void strict_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define COMPLAIN(...)                                                                              \
    do {                                                                                           \
        if (__builtin_expect(strict_level, 0)) strict_complain(__VA_ARGS__);                       \
    } while (0)
/* The same for a call that was made some time ago. */
void strict_complain_of(const char *call, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* Ends the process after a report. */
_Noreturn void strict_end(void);

#endif

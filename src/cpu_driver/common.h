/* SPDX-License-Identifier: Apache-2.0 */
/* What every file of the CPU driver shares: API headers, checks, small helpers. */
#ifndef ZE_CPU_COMMON_H
#define ZE_CPU_COMMON_H

/* The entry points carry their specified names, so that the header checks their types, but must not be
   visible outside: the loader exports the same names, and reaches ours through the dispatch tables alone. */
#define ZE_APIEXPORT __attribute__((visibility("hidden")))
#include <level_zero/ze_api.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_DRIVER_VERSION 0x00000100u /* 0.1.0 */
#define CPU_DRIVER_API_MINOR 10        /* the driver implements version 1.10 of the specification */

/* Constants that are younger than the oldest header the driver is built with (1.4). */
#define CPU_QUEUE_FLAG_EXPLICIT_ONLY 0x1u
#define CPU_QUEUE_FLAG_IN_ORDER 0x2u
#define CPU_QUEUE_FLAGS_ALL 0x7u
#define CPU_LIST_FLAG_RELAXED_ORDERING 0x1u
#define CPU_LIST_FLAG_IN_ORDER 0x8u
#define CPU_LIST_FLAGS_ALL 0x3fu

/* Checks of arguments, one a line at the head of an entry point. */
#define CHECK(condition, status)                                                                   \
    do {                                                                                           \
        if (!(condition)) return (status);                                                         \
    } while (0)
#define CHECK_POINTER(p) CHECK((p) != NULL, ZE_RESULT_ERROR_INVALID_NULL_POINTER)
#define TRY(expression)                                                                            \
    do {                                                                                           \
        ze_result_t try_status = (expression);                                                     \
        if (try_status != ZE_RESULT_SUCCESS) return try_status;                                    \
    } while (0)

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* Answers a "count, then array" query: writes the number that the caller may read, and returns how many to
 * fill. */
uint32_t answer_count(uint32_t *count, uint32_t available, const void *array);
/* Answers a "size, then bytes" query the same way. */
ze_result_t answer_bytes(size_t *size, void *out, const void *bytes, size_t available);

uint64_t clock_ns(void); /* CLOCK_MONOTONIC: the device timer and the host's */
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size);
long env_long(const char *name, long fallback);

/* A text that grows; used for build logs. An allocation failure loses text, nothing else. */
typedef struct {
    char *text;
    size_t length, capacity;
} log_t;
void log_add(log_t *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_free(log_t *log);

#endif

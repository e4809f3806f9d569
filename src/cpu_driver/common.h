/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all files of the CPU driver: API headers, checks, small helpers. */
#ifndef ZE_CPU_COMMON_H
#define ZE_CPU_COMMON_H

/* The entry points have the names of the specification, so that the header checks their types. They
 * must not be exported, because the loader exports the same names; it calls the driver through the
 * dispatch tables. */
#define ZE_APIEXPORT __attribute__((visibility("hidden")))
#include <level_zero/ze_api.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_DRIVER_VERSION 0x00000100u /* 0.1.0 */
#define CPU_DRIVER_API_MINOR 10        /* the driver implements version 1.10 of the specification */

/* Constants that the oldest supported header (1.4) does not have. */
#define CPU_QUEUE_FLAG_EXPLICIT_ONLY 0x1u
#define CPU_QUEUE_FLAG_IN_ORDER 0x2u
#define CPU_QUEUE_FLAGS_ALL 0x7u
#define CPU_LIST_FLAG_RELAXED_ORDERING 0x1u
#define CPU_LIST_FLAG_IN_ORDER 0x8u
#define CPU_LIST_FLAGS_ALL 0x3fu

/* Checks of arguments, at the head of an entry point. */
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

/* Answers a query for a count and then an array: writes the number of available elements, and
 * returns how many elements the caller must fill. */
uint32_t answer_count(uint32_t *count, uint32_t available, const void *array);
/* Answers a query for a size and then bytes, and copies the bytes. */
ze_result_t answer_bytes(size_t *size, void *out, const void *bytes, size_t available);

uint64_t clock_ns(void); /* CLOCK_MONOTONIC: the timer of the device and of the host */
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size);
long env_long(const char *name, long fallback);

/* A growing text for build logs. If an allocation fails, only text is lost. */
typedef struct {
    char *text;
    size_t length, capacity;
} log_t;
void log_add(log_t *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_free(log_t *log);

#endif

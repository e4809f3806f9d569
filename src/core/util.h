/* SPDX-License-Identifier: Apache-2.0 */
/* Small integer helpers. Those that answer a bool say false instead of overflowing. */
#ifndef CORE_UTIL_H
#define CORE_UTIL_H

#include <stdbool.h>
#include <stdint.h>

/* For variables that several files use. Without it a program could replace them at run time, so
 * every access would read the address first. */
#define HIDDEN __attribute__((visibility("hidden")))
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define ARRAY_LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

static inline bool add_ok(int64_t a, int64_t b, int64_t *sum) {
    return !__builtin_add_overflow(a, b, sum);
}
static inline bool mul_ok(int64_t a, int64_t b, int64_t *product) {
    return !__builtin_mul_overflow(a, b, product);
}

static inline int64_t div_up(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}
/* a >= 0, b > 0 */
static inline bool round_up_ok(int64_t a, int64_t b, int64_t *rounded) {
    return mul_ok(div_up(a, b), b, rounded);
}

static inline int64_t min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline int64_t max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The verbose log: ONEDNN_VERBOSE, DNNL_VERBOSE and dnnl_set_verbose(). Each line goes to stdout in
 * one write. There are no locks: the settings are atomic variables, and stdio orders the lines. */
#ifndef CORE_VERBOSE_H
#define CORE_VERBOSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/util.h"
#include "oneapi/dnnl/dnnl_types.h"

enum {
    VERBOSE_ERROR = 1 << 0,
    VERBOSE_WARN = 1 << 1,
    VERBOSE_CHECK = 1 << 2,
    VERBOSE_DISPATCH = 1 << 3,
    VERBOSE_CREATE = 1 << 4, /* profile_create */
    VERBOSE_EXEC = 1 << 5,   /* profile_exec */
    VERBOSE_INFO = 1 << 6,   /* what a user at a terminal wants to know; on by default there */
};
/* No level, but a bit of the same word: this process must not use the device. So an execution looks
 * at one word only. */
#define VERBOSE_NO_DEVICE (1u << 7)
void verbose_set_no_device(void);
bool verbose_on(unsigned level); /* one atomic load, after the first call */
/* True only if nobody wants lines of the level. It is inline, for the shortest paths. */
#define VERBOSE_UNSET ~0u /* the environment was not read yet */
extern _Atomic unsigned verbose_settings HIDDEN;
static inline bool verbose_is_off(unsigned level) {
    return !(atomic_load_explicit(&verbose_settings, memory_order_relaxed) &
             (level | VERBOSE_NO_DEVICE));
}
/* Are lines of the level wanted for a primitive kind (filter=)? If the level is off, it costs as
 * much as verbose_on(). */
bool verbose_on_kind(unsigned level, dnnl_primitive_kind_t kind);
int verbose_debuginfo(void); /* debuginfo=N: 0 to 255 */
double verbose_now_ms(void); /* monotonic */

/* Each of these writes one sentence, with its place in the source, and answers the given status, so
 * that a caller can write `return verbose_error(...)`.
 *    verbose_error    a call failed for a reason outside of the caller's arguments (driver, memory)
 *    verbose_warn     the call worked, but not as well as it could have
 *    verbose_check    the caller's arguments are refused (create:check, exec:check)
 *    verbose_refuse   an implementation does not support the problem (create:dispatch)
 *    verbose_note     how the chosen implementation does it (create:dispatch; no status)
 *    verbose_info     what a user at a terminal wants to know (info; no status)
 * component: the primitive kind ("matmul"), or "engine", "stream", "memory", "attr", ... */
#define verbose_error(status, component, ...)                                                      \
    VERBOSE_AT(status, VERBOSE_ERROR, "error", component, __VA_ARGS__)
#define verbose_warn(status, component, ...)                                                       \
    VERBOSE_AT(status, VERBOSE_WARN, "warning", component, __VA_ARGS__)
#define verbose_check(status, component, ...)                                                      \
    VERBOSE_AT(status, VERBOSE_CHECK, "create:check", component, __VA_ARGS__)
#define verbose_exec_check(status, component, ...)                                                 \
    VERBOSE_AT(status, VERBOSE_CHECK, "exec:check", component, __VA_ARGS__)
#define verbose_refuse(status, component, ...)                                                     \
    VERBOSE_AT(status, VERBOSE_DISPATCH, "create:dispatch", component, __VA_ARGS__)
#define verbose_note(component, ...)                                                               \
    VERBOSE_AT(dnnl_success, VERBOSE_DISPATCH, "create:dispatch", component, __VA_ARGS__)
#define verbose_info(component, ...)                                                               \
    VERBOSE_AT(dnnl_success, VERBOSE_INFO, "info", component, __VA_ARGS__)

#define VERBOSE_AT(status, level, operation, component, ...)                                       \
    verbose_sentence(status, level, operation, component, __FILE__, __LINE__, __VA_ARGS__)
dnnl_status_t verbose_sentence(dnnl_status_t status, unsigned level, const char *operation,
        const char *component, const char *file, int line, const char *fmt, ...)
        __attribute__((format(printf, 7, 8)));

/* Writes "onednn_verbose,v1,primitive,<operation>,gpu:<index>,<info>,<ms>".
 *    operation      "exec", "create:cache_hit", "create:cache_miss", "create:from_cache_blob"
 *    engine_index   -1: the only device, which is "gpu" without an index
 *    info           pd_info() of ops/verbose_columns.h
 *    start_ms       by verbose_now_ms()
 * The caller has asked verbose_on_kind() before it measured the times. */
void verbose_profile(const char *operation, int engine_index, const char *info, double start_ms,
        double duration_ms);

/* Writes "onednn_verbose,v1,graph,<operation>,<info>,<ms>", and the header of such lines before the
 * first of them. The caller has asked verbose_on(). */
void verbose_graph(const char *operation, const char *info, double start_ms, double duration_ms);

/* Writes "onednn_verbose,v1,<text>"; the first line of all writes the header before. */
void verbose_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Registers the function that writes the device lines of the header with verbose_line(); NULL:
 * none. Any of the functions above may call it, so nobody may hold a lock that it takes while
 * logging. */
typedef void (*verbose_devices_fn)(void);
void verbose_set_devices(verbose_devices_fn devices);

dnnl_status_t verbose_set_level(int level); /* dnnl_set_verbose() */
/* For tests: forgets the settings and the filter, and that the header was written. */
void verbose_reset(void);

#endif

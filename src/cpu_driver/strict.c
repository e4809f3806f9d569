/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the reports of strict mode. */
#include "strict.h"
#include "common.h"
#include "ocl.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int strict_level;
static _Atomic uint64_t calls;
static _Thread_local const char *current;

static void read_level(void) {
    const long level = ocl_wants_gpu() ? 0 : env_long("ZE_CPU_STRICT", 0); /* it needs the CPU */
    strict_level = level > 2 ? 2 : (int)level;
    if (level < 0) strict_level = 0;
}

void strict_start(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_level);
}

void strict_enter_(const char *call) {
    if (call[0] != 'z' || call[1] != 'e') return; /* not an entry point */
    current = call;
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

uint64_t strict_calls(void) {
    return atomic_load_explicit(&calls, memory_order_relaxed);
}

_Noreturn void strict_end(void) {
    signal(SIGABRT, SIG_DFL);
    abort();
}

/* Writes each report with one call, so that reports of several threads do not mix. */
static void report(const char *call, const char *format, va_list args) {
    char text[1024];
    int n = snprintf(text, sizeof text, "ze_cpu: strict: %s: ", call);
    n += vsnprintf(text + n, sizeof text - 1 - (size_t)n, format, args);
    if (n > (int)sizeof text - 2) n = (int)sizeof text - 2;
    text[n] = '\n';
    if (write(STDERR_FILENO, text, (size_t)n + 1) < 0) return;
}

void strict_complain_of(const char *call, const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(call, format, args);
    va_end(args);
    if (strict_level > 1) strict_end();
}

void strict_complain(const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(current ? current : "a call", format, args);
    va_end(args);
    if (strict_level > 1) strict_end();
}

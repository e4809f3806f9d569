/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps and writes sentences for the user. */
#include "say.h"
#include "common.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Thread_local char latest[1024];
static _Atomic uint64_t written; /* hash of the sentence that was written last */

void say(const char *format, ...) {
    char line[sizeof latest + 16];
    va_list args;
    va_start(args, format);
    vsnprintf(latest, sizeof latest, format, args);
    va_end(args);
    const uint64_t hash = hash_bytes(0, latest, strlen(latest));
    if (atomic_exchange(&written, hash) == hash) return;
    const int n = snprintf(line, sizeof line, "ze_cpu: %s\n", latest);
    if (write(STDERR_FILENO, line, (size_t)n) < 0) return;
}

const char *said(void) {
    return latest;
}

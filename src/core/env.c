/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables of the library. */
#include "core/env.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

const char *env_string(const char *name) {
    static const char *const prefixes[] = {"ONEDNN_", "DNNL_"};
    for (int i = 0; i < 2; i++) {
        char full[64];
        snprintf(full, sizeof(full), "%s%s", prefixes[i], name);
        const char *value = getenv(full);
        if (value) return value;
    }
    return NULL;
}

int env_int(const char *name, int fallback) {
    const char *value = env_string(name);
    if (!value || !*value) return fallback;
    char *end;
    errno = 0;
    long n = strtol(value, &end, 10);
    if (*end || errno || n < INT_MIN || n > INT_MAX) return fallback;
    return (int)n;
}

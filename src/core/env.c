/* SPDX-License-Identifier: Apache-2.0 */
/* Environment variables of the library. */
#define _GNU_SOURCE
#include "core/env.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char *find(const char *name, char *(*get)(const char *)) {
    static const char *const prefixes[] = {"ONEDNN_", "DNNL_"};
    for (int i = 0; i < 2; i++) {
        char full[64];
        snprintf(full, sizeof(full), "%s%s", prefixes[i], name);
        const char *value = get(full);
        if (value) return value;
    }
    return NULL;
}

const char *env_string(const char *name) {
    return find(name, getenv);
}

const char *env_folder(const char *name) {
    return find(name, secure_getenv);
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

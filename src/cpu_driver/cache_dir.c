/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and creates cache folders. */
#define _GNU_SOURCE
#include "cache_dir.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cache_dir_ready(const char *path) {
    char part[PATH_MAX];
    struct stat info;
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof part) return false;
    memcpy(part, path, length + 1);
    for (char *p = part + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(part, 0700);
        *p = '/';
    }
    mkdir(part, 0700);
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) && access(path, W_OK | X_OK) == 0;
}

/* Whether nobody else can read or change the folder. Another user may have created it first. */
static bool is_private(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & 077) == 0;
}

/* Whether PoCL can write the cache folder that it chooses by itself. */
static bool pocl_has_cache(void) {
    char path[PATH_MAX];
    const char *chosen = secure_getenv("POCL_CACHE_DIR"), *cache = secure_getenv("XDG_CACHE_HOME"),
               *home = secure_getenv("HOME");
    int n;
    if (chosen) return cache_dir_ready(chosen);
    if (cache && *cache) n = snprintf(path, sizeof path, "%s/pocl/kcache", cache);
    else if (home) n = snprintf(path, sizeof path, "%s/.cache/pocl/kcache", home);
    else n = snprintf(path, sizeof path, "/tmp/pocl/kcache");
    return n > 0 && n < (int)sizeof path && cache_dir_ready(path);
}

void cache_dir_for_pocl(void) {
    char path[PATH_MAX];
    const char *temporary = secure_getenv("TMPDIR");
    if (pocl_has_cache()) return;
    int n = snprintf(path, sizeof path, "%s/ze_cpu-%u",
            temporary && *temporary ? temporary : "/tmp", (unsigned)geteuid());
    if (n <= 0 || n >= (int)sizeof path) return;
    if (!cache_dir_ready(path) || !is_private(path)) {
        n = snprintf(path, sizeof path, "%s/ze_cpu-XXXXXX",
                temporary && *temporary ? temporary : "/tmp");
        if (n <= 0 || n >= (int)sizeof path || !mkdtemp(path)) return;
    }
    setenv("POCL_CACHE_DIR", path, 1);
}

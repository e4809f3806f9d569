/* SPDX-License-Identifier: Apache-2.0 */
/* Each entry is a file: a header with checksums, then the bytes. */
#define _GNU_SOURCE
#include "disk_cache.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache_dir.h"

typedef struct {
    uint64_t version;
    uint64_t key_size, key_hash; /* with a different seed than the name of the file */
    uint64_t size, checksum;
} entry_t;

enum {
    NAME_SEED = 1,
    KEY_SEED = 2,
    CONTENT_SEED = 3,
    MAX_ENTRY = 64 << 20, /* bytes: bounds the damage of a wrong size in a file */
};

/* Finds or creates the folder; false: there is none. */
static bool find_folder(char folder[PATH_MAX]) {
    const char *chosen = secure_getenv("ZE_CPU_CACHE_DIR"),
               *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    int n = -1;
    if (chosen) {
        n = snprintf(folder, PATH_MAX, "%s", chosen);
    } else if (cache && *cache) {
        n = snprintf(folder, PATH_MAX, "%s/ze_cpu", cache);
    } else if (home && *home) {
        n = snprintf(folder, PATH_MAX, "%s/.cache/ze_cpu", home);
    }
    return n > 0 && n < PATH_MAX && cache_dir_ready(folder);
}

static uint64_t hash_key(uint64_t seed, const disk_key_t *key) {
    return hash_bytes(seed ^ (uint64_t)key->settings << 32, key->bytes, key->size);
}

static bool find_file(const disk_key_t *key, char path[PATH_MAX]) {
    char folder[PATH_MAX];
    if (!find_folder(folder)) return false;
    int n = snprintf(path, PATH_MAX, "%s/%016llx.bc", folder,
            (unsigned long long)hash_key(NAME_SEED ^ CPU_DRIVER_VERSION, key));
    return n > 0 && n < PATH_MAX;
}

static entry_t describe(const disk_key_t *key, const void *bytes, size_t size) {
    return (entry_t){CPU_DRIVER_VERSION, key->size, hash_key(KEY_SEED, key), size,
            hash_bytes(CONTENT_SEED, bytes, size)};
}

bool disk_cache_load(const disk_key_t *key, void **out, size_t *out_size) {
    char path[PATH_MAX];
    FILE *f = find_file(key, path) ? fopen(path, "re") : NULL;
    if (!f) return false;
    entry_t read;
    void *bytes = NULL;
    bool good = fread(&read, sizeof read, 1, f) == 1 && read.size > 0 && read.size <= MAX_ENTRY;
    if (good) bytes = malloc(read.size);
    good = bytes && fread(bytes, 1, read.size, f) == read.size;
    if (good) {
        entry_t expected = describe(key, bytes, read.size);
        good = memcmp(&expected, &read, sizeof read) == 0;
    }
    fclose(f);
    if (!good) {
        free(bytes);
        return false;
    }
    *out = bytes;
    *out_size = read.size;
    return true;
}

/* Writes the file under another name first, so that no process reads half a file. */
void disk_cache_store(const disk_key_t *key, const void *bytes, size_t size) {
    char path[PATH_MAX], temporary[PATH_MAX + 16];
    if (size > MAX_ENTRY || !find_file(key, path)) return;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f) {
        if (fd >= 0) close(fd);
        return;
    }
    entry_t entry = describe(key, bytes, size);
    bool good = fwrite(&entry, sizeof entry, 1, f) == 1 && fwrite(bytes, 1, size, f) == size;
    if (fclose(f) != 0 || !good || rename(temporary, path) != 0) unlink(temporary);
}

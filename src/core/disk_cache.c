/* SPDX-License-Identifier: Apache-2.0 */
/* Each entry is one file: a header, the whole key, the bytes. It is written under another name and
 * then renamed, so that nobody reads half a file. Its modification time is the time of its last
 * use. */
#define _GNU_SOURCE
#include "core/disk_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/disk_folder.h"
#include "core/env.h"
#include "core/hash.h"
#include "core/verbose.h"
#include "oneapi/dnnl/dnnl_ze_cache.h"

enum { FORMAT = 1, NAME_SEED = 1, CONTENT_SEED = 2 };
static const char magic[8] = {'d', 'n', 'n', 'l', 'c', 'o', 'd', 'e'};

typedef struct {
    char magic[8];
    uint32_t format, key_size;
    uint64_t size, checksum; /* of the content; of key and content */
} header_t;

typedef struct {
    char folder[PATH_MAX];
    uint64_t limit;
} settings_t;

enum { UNKNOWN, OFF, ON };
static atomic_int state = UNKNOWN;
static pthread_mutex_t lock =
        PTHREAD_MUTEX_INITIALIZER; /* guards everything below, and changes of `state` */
static settings_t settings;
static bool complained; /* the log has a line about this folder */
/* Bytes in the folder as far as this process knows, and bytes that it has written since it last
 * looked. */
static uint64_t used, written;
static bool measured;

/* The longest name of a file in the folder has 16 digits and ".dnnl_ze.XXXXXX". */
enum { MAX_NAME = 40 };

/* With the lock held. */
static dnnl_status_t choose(const char *folder, uint64_t limit) {
    char path[PATH_MAX] = "";
    int length = 0;
    if (folder && *folder) {
        char working[PATH_MAX] = "";
        const bool relative = *folder != '/' && getcwd(working, sizeof working);
        length = snprintf(
                path, sizeof path, "%s%s%s", relative ? working : "", relative ? "/" : "", folder);
    }
    if (length < 0 || length + MAX_NAME >= (int)sizeof path) return dnnl_invalid_arguments;
    memcpy(settings.folder, path, sizeof path);
    settings.limit = limit ? limit : DNNL_ZE_CACHE_DEFAULT_SIZE;
    complained = measured = false;
    used = written = 0;
    atomic_store(&state, *path ? ON : OFF);
    return dnnl_success;
}

/* With the lock held. */
static void read_environment(void) {
    const int mib = env_int("CODE_CACHE_SIZE", 0);
    if (atomic_load(&state) != UNKNOWN) return;
    if (choose(env_folder("CODE_CACHE_DIR"), mib > 0 ? (uint64_t)mib << 20 : 0) == dnnl_success)
        return;
    choose(NULL, 0);
    verbose_warn(
            dnnl_success, "code_cache", "nothing is stored: the name of the folder is too long");
}

bool disk_cache_is_on(void) {
    int now = atomic_load_explicit(&state, memory_order_relaxed);
    if (now == UNKNOWN) {
        pthread_mutex_lock(&lock);
        read_environment();
        pthread_mutex_unlock(&lock);
        now = atomic_load(&state);
    }
    return now == ON;
}

dnnl_status_t disk_cache_set(const char *folder, uint64_t limit) {
    pthread_mutex_lock(&lock);
    const dnnl_status_t status = choose(folder, limit);
    pthread_mutex_unlock(&lock);
    return status;
}

static settings_t current(void) {
    pthread_mutex_lock(&lock);
    const settings_t copy = settings;
    pthread_mutex_unlock(&lock);
    return copy;
}

/* Says so in the log, once for each folder that is set. */
static void complain(const char *folder, const char *what) {
    const int error = errno;
    pthread_mutex_lock(&lock);
    const bool first = !complained;
    complained = true;
    pthread_mutex_unlock(&lock);
    if (first)
        verbose_warn(dnnl_success, "code_cache", "nothing is kept in the folder %s, because %s: %s",
                folder, what, strerror(error));
}

static void file_path(char path[PATH_MAX], const char *folder, const void *key, size_t key_size) {
    const uint64_t name = hash_bytes(key, key_size, NAME_SEED);
    snprintf(path, PATH_MAX, "%.*s/%016llx" DISK_FOLDER_SUFFIX, PATH_MAX - MAX_NAME, folder,
            (unsigned long long)name);
}

static uint64_t checksum(const void *key, size_t key_size, const void *data, size_t size) {
    return hash_bytes(data, size, hash_bytes(key, key_size, CONTENT_SEED));
}

static bool read_all(int fd, uint8_t *to, size_t size) {
    while (size) {
        const ssize_t n = read(fd, to, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to += n;
        size -= (size_t)n;
    }
    return true;
}

static bool write_all(int fd, const void *from, size_t size) {
    for (const uint8_t *byte = from; size;) {
        const ssize_t n = write(fd, byte, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        byte += n;
        size -= (size_t)n;
    }
    return true;
}

/* Reads a regular file whole; NULL: it cannot be read. */
static uint8_t *read_file(int fd, size_t *size) {
    struct stat info;
    if (fstat(fd, &info) || !S_ISREG(info.st_mode) || info.st_size <= 0) return NULL;
    *size = (size_t)info.st_size;
    uint8_t *bytes = dz_malloc(*size);
    if (bytes && read_all(fd, bytes, *size)) return bytes;
    dz_free(bytes);
    return NULL;
}

typedef enum { WHOLE, OF_ANOTHER_KEY, DAMAGED } verdict_t;

static verdict_t judge(const uint8_t *file, size_t file_size, const void *key, size_t key_size,
        disk_entry_t *entry) {
    header_t header;
    if (file_size < sizeof header) return DAMAGED;
    memcpy(&header, file, sizeof header);
    const size_t rest = file_size - sizeof header;
    if (memcmp(header.magic, magic, sizeof magic) || header.format != FORMAT) return DAMAGED;
    if (header.key_size > rest || header.size != rest - header.key_size) return DAMAGED;
    const uint8_t *its_key = file + sizeof header, *data = its_key + header.key_size;
    if (header.checksum != checksum(its_key, header.key_size, data, header.size)) return DAMAGED;
    if (header.key_size != key_size || memcmp(its_key, key, key_size)) return OF_ANOTHER_KEY;
    entry->data = data;
    entry->size = header.size;
    return WHOLE;
}

bool disk_cache_load(const void *key, size_t key_size, disk_entry_t *entry) {
    if (!disk_cache_is_on()) return false;
    char path[PATH_MAX];
    const settings_t now = current();
    file_path(path, now.folder, key, key_size);
    /* Without O_NONBLOCK, opening would hang if the file were a pipe. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    size_t size = 0;
    uint8_t *bytes = read_file(fd, &size);
    const verdict_t verdict = bytes ? judge(bytes, size, key, key_size, entry) : DAMAGED;
    /* The time of the last use. In a folder that is read only the files keep their times. */
    if (verdict == WHOLE) futimens(fd, NULL);
    close(fd);
    entry->owned = bytes;
    if (verdict == WHOLE) return true;
    if (verdict == DAMAGED)
        verbose_warn(dnnl_success, "code_cache", "the file %s is damaged and not used", path);
    dz_free(bytes);
    return false;
}

/* Adds the size of a new file to the estimate, and removes old files if there are too many
 * bytes. */
static void account(const settings_t *now, uint64_t size) {
    pthread_mutex_lock(&lock);
    used += size;
    written += size;
    const bool look = !measured || used > now->limit || written > now->limit / 16;
    pthread_mutex_unlock(&lock);
    if (!look) return;
    uint64_t total;
    const bool whole = disk_folder_trim(now->folder, now->limit, &total);
    pthread_mutex_lock(&lock);
    if (whole) {
        used = total;
        written = 0;
    }
    measured = whole; /* otherwise the next file is a reason to look again */
    pthread_mutex_unlock(&lock);
}

/* Writes a file and moves it to its place. NULL: done; else what could not be done. */
static const char *write_file(
        const char *path, const header_t *header, const void *key, const void *data) {
    char temporary[PATH_MAX + 8];
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    const int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) return "a file in it cannot be made";
    const bool all = write_all(fd, header, sizeof *header) &&
                     write_all(fd, key, header->key_size) && write_all(fd, data, header->size);
    const int error = errno;
    const bool closed = close(fd) == 0;
    if (all && closed && rename(temporary, path) == 0) return NULL;
    if (!all) errno = error;
    const int why = errno;
    unlink(temporary);
    errno = why;
    return all && closed ? "a file in it cannot be renamed" : "a file in it cannot be written";
}

void disk_cache_store(const void *key, size_t key_size, const void *data, size_t size) {
    if (!disk_cache_is_on()) return;
    header_t header = {.format = FORMAT,
            .key_size = (uint32_t)key_size,
            .size = size,
            .checksum = checksum(key, key_size, data, size)};
    memcpy(header.magic, magic, sizeof magic);
    const uint64_t total = sizeof header + key_size + size;
    const settings_t now = current();
    if (!*now.folder || total > now.limit) return;
    char path[PATH_MAX];
    file_path(path, now.folder, key, key_size);
    const char *failure = disk_folder_make(now.folder) ? write_file(path, &header, key, data)
                                                       : "it cannot be made";
    if (failure) complain(now.folder, failure);
    else account(&now, total);
}

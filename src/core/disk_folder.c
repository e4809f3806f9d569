/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and prunes the folder of the on-disk cache. Other processes may do so at the same time, so
 * a file that has disappeared is no error. */
#define _GNU_SOURCE
#include "core/disk_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/alloc.h"

enum { DIGITS = 16, ABANDONED_SECONDS = 3600, MAX_NAME = 40 };

typedef struct {
    struct timespec last_use;
    uint64_t size;
    char name[MAX_NAME];
} file_t;

typedef struct {
    file_t *files;
    size_t count, capacity;
    uint64_t total;
} listing_t;

bool disk_folder_make(const char *path) {
    char part[PATH_MAX];
    const size_t length = strlen(path);
    if (length >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (mkdir(path, 0700) == 0 || errno == EEXIST) return true;
    memcpy(part, path, length + 1);
    for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        if (mkdir(part, 0700) && errno != EEXIST) return false;
        *slash = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool is_entry(const char *name, bool *unfinished) {
    static const char suffix[] = DISK_FOLDER_SUFFIX;
    if (strspn(name, "0123456789abcdef") != DIGITS || strlen(name) >= MAX_NAME) return false;
    if (strncmp(name + DIGITS, suffix, sizeof suffix - 1)) return false;
    const char end = name[DIGITS + sizeof suffix - 1];
    *unfinished = end == '.';
    return end == 0 || end == '.';
}

/* Appends an entry to the list; false: no memory. */
static bool add(listing_t *list, const char *name, const struct stat *info) {
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 256;
        file_t *files = dz_realloc(list->files, capacity * sizeof *files);
        if (!files) return false;
        list->files = files;
        list->capacity = capacity;
    }
    file_t *file = &list->files[list->count++];
    *file = (file_t){.last_use = info->st_mtim, .size = (uint64_t)info->st_size};
    strcpy(file->name, name);
    list->total += file->size;
    return true;
}

/* Returns false if there is no memory for all entries. */
static bool read_folder(DIR *folder, listing_t *list) {
    const time_t now = time(NULL);
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct stat info;
        bool unfinished;
        if (!is_entry(entry->d_name, &unfinished)) continue;
        if (fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) ||
                !S_ISREG(info.st_mode))
            continue;
        if (unfinished) {
            if (now - info.st_mtim.tv_sec > ABANDONED_SECONDS)
                unlinkat(dirfd(folder), entry->d_name, 0);
        } else if (!add(list, entry->d_name, &info)) {
            return false;
        }
    }
    return true;
}

static int by_use(const void *a, const void *b) {
    const struct timespec *x = &((const file_t *)a)->last_use, *y = &((const file_t *)b)->last_use;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

bool disk_folder_trim(const char *path, uint64_t limit, uint64_t *remain) {
    DIR *folder = opendir(path);
    *remain = 0;
    if (!folder) return false;
    listing_t list = {0};
    const bool whole = read_folder(folder, &list);
    if (list.total > limit) {
        /* Remove more than the limit asks for, so that not every new file causes a look through the
         * folder. */
        const uint64_t goal = limit - limit / 8;
        qsort(list.files, list.count, sizeof *list.files, by_use);
        for (size_t i = 0; i + 1 < list.count && list.total > goal; i++)
            if (unlinkat(dirfd(folder), list.files[i].name, 0) == 0 || errno == ENOENT)
                list.total -= list.files[i].size;
    }
    closedir(folder);
    dz_free(list.files);
    *remain = list.total;
    return whole;
}

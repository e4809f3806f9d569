/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on disk, found by a key, for later processes. include/oneapi/dnnl/dnnl_ze_cache.h says what
 * the cache promises. One lock guards the settings and the estimate of the folder's size; files are
 * read and written without it. */
#ifndef CORE_DISK_CACHE_H
#define CORE_DISK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_types.h"

/* Is a folder set? The first call reads the environment. */
bool disk_cache_is_on(void);
/* folder NULL or empty: turns the cache off. limit: bytes; 0: the default. */
dnnl_status_t disk_cache_set(const char *folder, uint64_t limit);

/* Reads what was stored for the key; false: there is no entry, or it is damaged. */
typedef struct {
    const uint8_t *data;
    size_t size;
    void *owned; /* the caller frees it with dz_free() */
} disk_entry_t;
bool disk_cache_load(const void *key, size_t key_size, disk_entry_t *entry);
/* Stores an entry. A failure is at most a line in the log. */
void disk_cache_store(const void *key, size_t key_size, const void *data, size_t size);

#endif

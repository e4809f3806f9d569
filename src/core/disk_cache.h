/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on disk by key, for later processes: include/oneapi/dnnl/dnnl_ze_cache.h says what it promises. One
 * lock guards the settings and the estimate of the folder's size; files are read and written without it. */
#ifndef CORE_DISK_CACHE_H
#define CORE_DISK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_types.h"

/* Whether a folder is set; reads the environment at the first call. */
bool disk_cache_is_on(void);
/* folder NULL or empty: off; limit 0: the default. */
dnnl_status_t disk_cache_set(const char *folder, uint64_t limit);

/* What was stored for the key; false: nothing that is whole. */
typedef struct {
    const uint8_t *data;
    size_t size;
    void *owned; /* to be given to dz_free() */
} disk_entry_t;
bool disk_cache_load(const void *key, size_t key_size, disk_entry_t *entry);
/* Does what it can: a failure is a line in the log at most. */
void disk_cache_store(const void *key, size_t key_size, const void *data, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps translated programs on disk, so that the next process does not translate them again. */
#ifndef ZE_CPU_DISK_CACHE_H
#define ZE_CPU_DISK_CACHE_H

#include "common.h"

/* The folder is ZE_CPU_CACHE_DIR (empty: no cache), or else ze_cpu in the user's cache folder. If a
 * folder or file cannot be read or written, or is damaged, the cache is not used; this is not an
 * error. */

/* What was made of the key, by the settings of the process. */
typedef struct {
    const void *bytes;
    size_t size;
    uint32_t settings;
} disk_key_t;

/* Loads the bytes stored for the key; false: not found. The caller frees *out. */
bool disk_cache_load(const disk_key_t *key, void **out, size_t *out_size);
void disk_cache_store(const disk_key_t *key, const void *bytes, size_t size);

#endif

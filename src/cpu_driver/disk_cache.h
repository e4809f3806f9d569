/* SPDX-License-Identifier: Apache-2.0 */
/* Translated programs on disk, so that the next process need not translate them. */
#ifndef ZE_CPU_DISK_CACHE_H
#define ZE_CPU_DISK_CACHE_H

#include "common.h"

/* The folder is ZE_CPU_CACHE_DIR (empty: no cache), else ze_cpu in the user's cache folder. A folder or file
   that can not be read or written is no error; a damaged file is not used. */

/* What was stored for the key; false: nothing. *out is to be freed. */
bool disk_cache_load(const void *key, size_t key_size, void **out, size_t *out_size);
void disk_cache_store(const void *key, size_t key_size, const void *bytes, size_t size);

#endif

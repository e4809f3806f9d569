/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps native code in the process, for other contexts on equal devices and for engines that are
 * created again. It has a lock of its own. */
#ifndef ZE_NATIVE_STORE_H
#define ZE_NATIVE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Identifies code by a device with its driver, and a module (module_key()). */
typedef struct {
    uint64_t device, module;
} native_key_t;

/* Keeps a copy of the code. If the total size exceeds the limit, frees the least recently used
 * code. If memory runs out, keeps nothing. */
void native_store_put(native_key_t key, const void *data, size_t size);
/* Returns a copy, which the caller frees with dz_free(); NULL: not found. */
uint8_t *native_store_get(native_key_t key, size_t *size);
void native_store_clear(void);

enum { NATIVE_STORE_LIMIT = 64 << 20 }; /* bytes: bounds a process that compiles for ever */

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Native code that this process has seen, for other contexts on equal devices and for engines that are made
 * again. A lock of its own guards it. */
#ifndef ZE_NATIVE_STORE_H
#define ZE_NATIVE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What code is for: a device with its driver, and a module (module_key()). */
typedef struct {
    uint64_t device, module;
} native_key_t;

/* Keeps a copy; what was not used for the longest time goes where all takes more than the limit. Out of
 * memory: keeps nothing. */
void native_store_put(native_key_t key, const void *data, size_t size);
/* A copy for the caller, to be given to dz_free(); NULL: none. */
uint8_t *native_store_get(native_key_t key, size_t *size);
void native_store_clear(void);

enum { NATIVE_STORE_LIMIT = 64 << 20 };

#endif

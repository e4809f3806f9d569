/* SPDX-License-Identifier: Apache-2.0 */
/* Where a module's native code may be without compiling: the places are tried in order. */
#ifndef ZE_CODE_H
#define ZE_CODE_H

#include "ze/module.h"

typedef enum { CODE_BLOB, CODE_EMBEDDED, CODE_MEMORY, CODE_DISK, CODE_NPLACES } code_place_t;
extern const char *const code_place_names[CODE_NPLACES];

typedef struct {
    native_t code;
    void *owned; /* to be given to dz_free() */
} found_code_t;

/* given: of a cache blob, or NULL. */
bool code_find(found_code_t *found, code_place_t place, const device_core_t *core,
        const module_t *module, const native_t *given);

/* Keeps what the driver made of a module for later, in the places that are meant to grow. */
void code_keep(const device_core_t *core, const module_t *module);
/* Keeps code for modules that are going to be asked for in this process. */
void code_keep_in_memory(const device_core_t *core, uint64_t key, const native_t *code);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The places where a module's native code may be found without compiling, tried in order. */
#ifndef ZE_CODE_H
#define ZE_CODE_H

#include "core/plan.h"
#include "plan/variant.h"
#include "ze/engine.h"

/* Native code of an earlier run, to be tried before SPIR-V. size 0: none. */
typedef struct {
    const uint8_t *data;
    size_t size;
} native_t;

/* SPEC_LARGE_OFFSETS follows the constants of a module that is built for large offsets. Such a
 * module has code of its own, so the number is part of what the code is kept, found and logged by.
 * The SPIR-V has no such constant. */
enum { SPEC_LARGE_OFFSETS = 64 * SPEC_WORDS, MODULE_MAX_SPECS = 64 * SPEC_WORDS + 1 };

/* What the code of a module depends on, besides the device. */
typedef struct {
    int variant;
    int nspecs;
    const spec_t *specs;
    uint64_t key; /* module_key() */
} module_id_t;

typedef enum { CODE_BLOB, CODE_EMBEDDED, CODE_MEMORY, CODE_DISK, CODE_NPLACES } code_place_t;
extern const char *const code_place_names[CODE_NPLACES];

typedef struct {
    native_t code;
    void *owned; /* the caller frees it with dz_free() */
} found_code_t;

/* given: the code in a cache blob, or NULL. */
bool code_find(found_code_t *found, code_place_t place, const device_core_t *core,
        const module_id_t *module, const native_t *given);

/* Writes the native code of a module; data NULL: only its size. */
dnnl_status_t code_binary(
        const device_core_t *core, ze_module_handle_t handle, size_t *size, uint8_t *data);

/* Keeps the code that the driver compiled, in the process and on disk. */
void code_keep(const device_core_t *core, const module_id_t *module, ze_module_handle_t handle);
/* Keeps code for modules that this process will build later. */
void code_keep_in_memory(const device_core_t *core, uint64_t key, const native_t *code);

#endif

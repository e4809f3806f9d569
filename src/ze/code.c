/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and keeps native code. */
#include "ze/code.h"

#include <string.h>

#include "core/alloc.h"
#include "core/disk_cache.h"
#include "core/hash.h"
#include "core/verbose.h"
#include "plan/variant.h"
#include "ze/embedded.h"
#include "ze/native_store.h"

const char *const code_place_names[CODE_NPLACES] = {[CODE_BLOB] = "blob",
        [CODE_EMBEDDED] = "embedded",
        [CODE_MEMORY] = "memory",
        [CODE_DISK] = "disk"};

static native_key_t memory_key(const device_core_t *core, uint64_t module) {
    return (native_key_t){hash_bytes(&core->identity, sizeof core->identity, 0), module};
}

/* 2: compiled for this device; 1: for another revision of the same architecture and release, which
 * the driver may still refuse; 0: for another device. */
static int closeness(uint32_t compiled_for, uint32_t device) {
    enum { RELEASE_SHIFT = 14 };
    if (compiled_for == device) return 2;
    return compiled_for >> RELEASE_SHIFT == device >> RELEASE_SHIFT;
}

/* at: constants in the form of embedded_specs. */
static bool specs_are(const uint8_t *at, const spec_t *specs, int nspecs) {
    for (int i = 0; i < nspecs; i++) {
        if (*at++ != specs[i].id) return false;
        uint32_t value = *at++;
        if (value == EMBEDDED_LONG) {
            value = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                    (uint32_t)at[3] << 24;
            at += sizeof value;
        }
        if (value != specs[i].value) return false;
    }
    return true;
}

/* The number of the best code, or -1. */
static int embedded_number(const device_core_t *core, const module_id_t *module) {
    int best = 0, number = -1;
    for (int i = 0; i < embedded_code_count && core->caps.ip_version; i++) {
        const embedded_code_t *code = &embedded_codes[i];
        const int close = closeness(code->ip_version, core->caps.ip_version);
        if (close <= best || code->variant != module->variant || code->nspecs != module->nspecs ||
                !specs_are(embedded_specs + code->specs, module->specs, module->nspecs) ||
                !packed_code_size(embedded_pack, i))
            continue;
        number = i;
        best = close;
    }
    return number;
}

static bool find_embedded(
        found_code_t *found, const device_core_t *core, const module_id_t *module) {
    const int number = embedded_number(core, module);
    if (number < 0) return false;
    uint8_t *code = packed_code_new(embedded_pack, number);
    found->code = (native_t){code, packed_code_size(embedded_pack, number)};
    found->owned = code;
    return code != NULL;
}

static bool find_in_memory(
        found_code_t *found, const device_core_t *core, const module_id_t *module) {
    size_t size = 0;
    uint8_t *copy = native_store_get(memory_key(core, module->key), &size);
    found->code = (native_t){copy, size};
    found->owned = copy;
    return copy != NULL;
}

/* Everything that the code depends on, as bytes. */
typedef struct {
    size_t size;
    uint8_t bytes[sizeof(identity_t) + 128 + MODULE_MAX_SPECS * sizeof(spec_t)];
} disk_key_t;

static void add(disk_key_t *key, const void *data, size_t size) {
    if (size > sizeof key->bytes - key->size) size = sizeof key->bytes - key->size;
    memcpy(key->bytes + key->size, data, size);
    key->size += size;
}

static void make_disk_key(disk_key_t *key, const device_core_t *core, const module_id_t *module) {
    const variant_t *variant = &variants[module->variant];
    key->size = 0;
    add(key, &core->identity, sizeof core->identity);
    add(key, &variant->spirv_hash, sizeof variant->spirv_hash);
    add(key, module->specs, (size_t)module->nspecs * sizeof *module->specs);
}

static bool find_on_disk(
        found_code_t *found, const device_core_t *core, const module_id_t *module) {
    if (!disk_cache_is_on()) return false;
    disk_key_t key;
    disk_entry_t entry;
    make_disk_key(&key, core, module);
    if (!disk_cache_load(key.bytes, key.size, &entry)) return false;
    found->code = (native_t){entry.data, entry.size};
    found->owned = entry.owned;
    return true;
}

bool code_find(found_code_t *found, code_place_t place, const device_core_t *core,
        const module_id_t *module, const native_t *given) {
    *found = (found_code_t){0};
    switch (place) {
    case CODE_BLOB:
        if (given) found->code = *given;
        return given && given->size;
    case CODE_EMBEDDED: return find_embedded(found, core, module);
    case CODE_MEMORY: return find_in_memory(found, core, module);
    case CODE_DISK: return find_on_disk(found, core, module);
    case CODE_NPLACES: break;
    }
    return false;
}

void code_keep_in_memory(const device_core_t *core, uint64_t key, const native_t *code) {
    native_store_put(memory_key(core, key), code->data, code->size);
}

dnnl_status_t code_binary(
        const device_core_t *core, ze_module_handle_t handle, size_t *size, uint8_t *data) {
    if (core->backend) return core->backend->module_binary(core, handle, size, data);
    return ZE_CALL(ModuleGetNativeBinary, handle, size, data);
}

/* A runtime other than Level Zero says itself why it has none. */
static ze_result_t ask_binary(
        const device_core_t *core, ze_module_handle_t handle, size_t *size, uint8_t *data) {
    if (!core->backend) return ze.ModuleGetNativeBinary(handle, size, data);
    return core->backend->module_binary(core, handle, size, data) == dnnl_success
                   ? ZE_RESULT_SUCCESS
                   : ZE_RESULT_ERROR_UNKNOWN;
}

void code_keep(const device_core_t *core, const module_id_t *module, ze_module_handle_t handle) {
    /* The CPU driver caches programs itself. Asking it for native code would compile the program
     * once more, for work-groups of any size. */
    const bool in_memory = !core->caps.is_cpu && !core->caps.is_emulated,
               on_disk = disk_cache_is_on();
    if (!in_memory && !on_disk) return;
    size_t size = 0;
    ze_result_t result = ask_binary(core, handle, &size, NULL);
    uint8_t *data = result == ZE_RESULT_SUCCESS && size ? dz_malloc(size) : NULL;
    if (data) result = ask_binary(core, handle, &size, data);
    if (result != ZE_RESULT_SUCCESS)
        verbose_warn(dnnl_success, "code_cache",
                "the driver returns no native code for kernel %s: %s", variants[module->variant].id,
                ze_result_name(result));
    if (data && result == ZE_RESULT_SUCCESS) {
        if (in_memory) code_keep_in_memory(core, module->key, &(native_t){data, size});
        if (on_disk) {
            disk_key_t key;
            make_disk_key(&key, core, module);
            disk_cache_store(key.bytes, key.size, data, size);
        }
    }
    dz_free(data);
}

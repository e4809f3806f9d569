/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads cache blobs. */
#include "ze/blob.h"

#include <stddef.h>
#include <string.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/verbose.h"
#include "ze/code.h"
#include "ze/identity.h"

enum { FORMAT = 2, KIND_ENGINE = 1, KIND_PRIMITIVE = 2 };
static const char magic[8] = {'d', 'n', 'n', 'l', '_', 'z', 'e', 0};

/* In the byte order of the machine: a blob of another byte order fails the check of `format`. */
typedef struct {
    char magic[8];
    uint32_t format, kind;
    uint64_t size;    /* of the whole blob */
    uint64_t id;      /* checksum of identity_t */
    uint64_t content; /* checksum of what follows the header */
} header_t;

/* Precedes the native code of each module in a primitive's blob. */
typedef struct {
    uint64_t key, size;
} entry_t;

static uint64_t id_checksum(const identity_t *id) {
    return checksum(id, sizeof *id, CHECKSUM_SEED);
}

/* Level Zero is asked each time. */
static dnnl_status_t id_of(const device_core_t *core, identity_t *id) {
    if (!core->backend) return identity_get(id, core->driver, core->device);
    *id = core->identity;
    return dnnl_success;
}

/* Completes a blob whose content is in place. */
static void seal(uint8_t *blob, size_t size, uint32_t kind, uint64_t id) {
    header_t header = {.format = FORMAT, .kind = kind, .size = size, .id = id};
    memcpy(header.magic, magic, sizeof magic);
    header.content = hash_bytes(blob + sizeof header, size - sizeof header, CHECKSUM_SEED);
    memcpy(blob, &header, sizeof header);
}

static dnnl_status_t refuse(const char *reason) {
    return verbose_check(dnnl_invalid_arguments, "cache_blob", "the cache blob %s", reason);
}

static dnnl_status_t check_size(size_t given, size_t wanted) {
    return given == wanted
                   ? dnnl_success
                   : verbose_check(dnnl_invalid_arguments, "cache_blob",
                             "the buffer has %zu bytes, but the blob has %zu", given, wanted);
}

static dnnl_status_t check_header(
        const identity_t *id, uint32_t kind, size_t size, const uint8_t *blob) {
    header_t header;
    if (size < sizeof header) return refuse("is too short");
    memcpy(&header, blob, sizeof header);
    if (memcmp(header.magic, magic, sizeof magic) || header.format != FORMAT)
        return refuse("was not written by this library");
    if (header.kind != kind)
        return refuse(kind == KIND_ENGINE ? "does not belong to an engine"
                                          : "does not belong to a primitive");
    if (header.size != size) return refuse("has another size than when it was written");
    if (header.content != hash_bytes(blob + sizeof header, size - sizeof header, CHECKSUM_SEED))
        return refuse("is damaged");
    return header.id == id_checksum(id)
                   ? dnnl_success
                   : refuse("belongs to another device, driver or library version");
}

dnnl_status_t engine_get_blob(device_core_t *core, size_t *size, uint8_t *blob) {
    const size_t total = sizeof(header_t) + sizeof core->caps;
    if (!blob) {
        *size = total;
        return dnnl_success;
    }
    identity_t id;
    dnnl_status_t status = check_size(*size, total);
    if (status == dnnl_success) status = id_of(core, &id);
    if (status != dnnl_success) return status;
    memcpy(blob + sizeof(header_t), &core->caps, sizeof core->caps);
    seal(blob, total, KIND_ENGINE, id_checksum(&id));
    return dnnl_success;
}

dnnl_status_t engine_check_blob(
        ze_driver_handle_t driver, ze_device_handle_t device, size_t size, const uint8_t *blob) {
    identity_t id;
    caps_t caps;
    dnnl_status_t status = identity_get(&id, driver, device);
    if (status == dnnl_success) status = device_caps(driver, device, &caps);
    return status == dnnl_success ? engine_check_blob_of(&id, &caps, size, blob) : status;
}

dnnl_status_t engine_check_blob_of(
        const identity_t *id, const caps_t *caps, size_t size, const uint8_t *blob) {
    const dnnl_status_t status = check_header(id, KIND_ENGINE, size, blob);
    if (status != dnnl_success) return status;
    /* The library chooses kernels by the capabilities, so it asks the device and does not believe a
     * file. */
    if (size != sizeof(header_t) + sizeof *caps ||
            memcmp(blob + sizeof(header_t), caps, sizeof *caps))
        return refuse("lists other capabilities than the device has");
    return dnnl_success;
}

/* The executables whose modules go into a blob: that of the primitive, with run-time dims those of
 * the shapes that it has executed, and the one that takes any address if it was needed. */
typedef struct {
    int n;
    executable_t *x[1 + EXECUTABLE_MAX_SHAPES];
} parts_t;

static void take_parts(parts_t *parts, executable_t *x) {
    executable_ref(x);
    parts->x[0] = x;
    parts->n = 1 + executable_shapes(x, parts->x + 1);
}

static void drop_parts(parts_t *parts) {
    while (parts->n) executable_unref(parts->x[--parts->n]);
}

static bool is_repeated(const parts_t *parts, int part, int step) {
    const module_t *module = parts->x[part]->steps[step].module;
    for (int p = 0; p <= part; p++) {
        const executable_t *x = parts->x[p];
        for (int i = 0; i < (p == part ? step : x->nsteps); i++)
            if (x->steps[i].module == module) return true;
    }
    return false;
}

/* Asks the driver for the size of the code each time, because the code must still fit. */
static dnnl_status_t write_module(const device_core_t *core, const module_t *module, uint8_t *blob,
        size_t capacity, size_t *size) {
    size_t native = 0;
    dnnl_status_t status = code_binary(core, module->handle, &native, NULL);
    if (status != dnnl_success) return status;
    const size_t at = *size;
    *size += sizeof(entry_t) + native;
    if (!blob) return dnnl_success;
    status = *size <= capacity ? dnnl_success : check_size(capacity, *size);
    if (status == dnnl_success)
        status = code_binary(core, module->handle, &native, blob + at + sizeof(entry_t));
    if (status != dnnl_success) return status;
    const entry_t entry = {module_key(module), native};
    memcpy(blob + at, &entry, sizeof entry);
    return dnnl_success;
}

/* With a NULL blob, computes only the size. */
static dnnl_status_t write_modules(
        const parts_t *parts, uint8_t *blob, size_t capacity, size_t *size) {
    dnnl_status_t status = dnnl_success;
    *size = sizeof(header_t);
    for (int p = 0; p < parts->n; p++)
        for (int i = 0; i < parts->x[p]->nsteps && status == dnnl_success; i++)
            if (!is_repeated(parts, p, i))
                status = write_module(
                        parts->x[p]->core, parts->x[p]->steps[i].module, blob, capacity, size);
    return status;
}

static dnnl_status_t write_blob(
        const device_core_t *core, const parts_t *parts, size_t *size, uint8_t *blob) {
    identity_t id;
    size_t total;
    dnnl_status_t status = write_modules(parts, NULL, 0, &total);
    if (status != dnnl_success) return status;
    if (!blob) {
        *size = total;
        return dnnl_success;
    }
    status = check_size(*size, total);
    if (status == dnnl_success) status = id_of(core, &id);
    if (status == dnnl_success) status = write_modules(parts, blob, total, &total);
    if (status == dnnl_success) seal(blob, total, KIND_PRIMITIVE, id_checksum(&id));
    return status;
}

dnnl_status_t executable_get_blob(executable_t *x, size_t *size, uint8_t *blob) {
    parts_t parts;
    take_parts(&parts, x);
    const dnnl_status_t status = write_blob(x->core, &parts, size, blob);
    drop_parts(&parts);
    return status;
}

/* Returns the number of modules, or -1 if the sizes in the blob are inconsistent. natives NULL:
 * only counts. */
static int read_modules(size_t size, const uint8_t *blob, native_entry_t *natives) {
    int n = 0;
    for (size_t at = sizeof(header_t); at < size;) {
        entry_t entry;
        if (size - at < sizeof entry) return -1;
        memcpy(&entry, blob + at, sizeof entry);
        at += sizeof entry;
        if (entry.size > size - at) return -1;
        if (natives) natives[n] = (native_entry_t){entry.key, {blob + at, entry.size}};
        n++;
        at += entry.size;
    }
    return n;
}

/* The caller frees the array. NULL: out of memory. n: the result of read_modules(). */
static native_entry_t *all_modules(size_t size, const uint8_t *blob, int n) {
    native_entry_t *natives = dz_calloc((size_t)n + 1, sizeof *natives);
    if (natives) read_modules(size, blob, natives);
    else verbose_error(dnnl_out_of_memory, "cache_blob", "no memory for a cache blob");
    return natives;
}

static bool has_module(const native_entry_t *natives, int n, uint64_t key) {
    for (int i = 0; i < n; i++)
        if (natives[i].key == key) return true;
    return false;
}

dnnl_status_t executable_check_blob(
        device_core_t *core, const pd_t *pd, size_t size, const uint8_t *blob) {
    identity_t id;
    dnnl_status_t status = id_of(core, &id);
    if (status == dnnl_success) status = check_header(&id, KIND_PRIMITIVE, size, blob);
    if (status != dnnl_success) return status;
    const int n = read_modules(size, blob, NULL);
    if (n < 0) return refuse("is damaged");
    native_entry_t *natives = all_modules(size, blob, n);
    if (!natives) return dnnl_out_of_memory;
    bool complete = true;
    for (int i = 0; i < pd->plan.nsteps; i++)
        complete =
                complete && has_module(natives, n, module_step_key(&pd->plan, &pd->plan.steps[i]));
    dz_free(natives);
    return complete ? dnnl_success : refuse("belongs to another primitive");
}

dnnl_status_t executable_from_blob(
        executable_t **out, device_core_t *core, pd_t *pd, size_t size, const uint8_t *blob) {
    const int n = read_modules(size, blob, NULL);
    native_entry_t *natives = all_modules(size, blob, n);
    if (!natives) return dnnl_out_of_memory;
    /* Those of shapes and of other addresses are built when they are executed; the blob is gone by
     * then. */
    const bool later = pd->by_shape || n > pd->plan.nsteps;
    for (int i = 0; i < n && later; i++)
        code_keep_in_memory(core, natives[i].key, &natives[i].code);
    const dnnl_status_t status = executable_create(out, core, pd, natives, n);
    dz_free(natives);
    return status;
}

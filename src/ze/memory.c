/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects and the host's access to them. */
#include "ze/memory.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/alloc.h"
#include "core/verbose.h"

/* The bytes of a buffer, including padding and everything before the first element. */
static dnnl_status_t extent(const md_t *md, int index, size_t *size) {
    *size = md_size(md, index);
    if (!*size || index || !md_is_blocked(md) || md->offset0 == 0) return dnnl_success;
    const uint64_t offset = md->offset0 > 0 ? (uint64_t)md->offset0 : 0;
    uint64_t bits;
    if (__builtin_mul_overflow(offset, (uint64_t)dt_bits(md->data_type), &bits) ||
            __builtin_add_overflow(*size, bits / 8 + (bits % 8 != 0), size))
        return verbose_check(dnnl_invalid_arguments, "memory", "the size of the buffer overflows");
    return dnnl_success;
}

/* The bytes that kernels use at most: no hole after the last row, nor after the last element of a
 * part of a larger tensor. */
static size_t used_bytes(const md_t *md, int index, size_t size) {
    if (index || !md_is_blocked(md) || md->extra.flags || md_has_zero_dim(md)) return size;
    return ((size_t)md_end(md) * (size_t)dt_bits(md->data_type) + 7) / 8;
}

/* Compares the `room` from a handle on with *size, the size that the descriptor has. *size becomes
 * what is there of it. */
static dnnl_status_t compare_room(
        const md_t *md, int index, const void *ptr, size_t room, size_t *size) {
    if (room >= *size) return dnnl_success;
    const size_t used = used_bytes(md, index, *size);
    if (room < used)
        return verbose_check(dnnl_invalid_arguments, "memory",
                "buffer %d: the descriptor needs %zu bytes from %p on, with its offset of %lld "
                "elements, and the allocation ends after %zu",
                index, used, ptr, (long long)(index ? 0 : md->offset0), room);
    *size = room;
    return dnnl_success;
}

/* Compares a buffer of the application with the allocation that it lies in, as above. */
static dnnl_status_t check_room(
        device_core_t *core, const md_t *md, int index, const void *ptr, size_t *size) {
    size_t room;
    if (!*size) return dnnl_success;
    const dnnl_status_t status = usm_room(core, ptr, &room);
    return status == dnnl_success ? compare_room(md, index, ptr, room, size) : status;
}

/* Takes a reference to a buffer of the application. */
static dnnl_status_t take_buffer(
        device_core_t *core, const md_t *md, int index, void *buffer, size_t *size) {
    size_t room;
    dnnl_status_t status = core->backend->take_buffer(core, buffer, &room);
    if (status != dnnl_success) return status;
    status = compare_room(md, index, buffer, room, size);
    if (status != dnnl_success) core->backend->drop_buffer(core, buffer);
    return status;
}

static dnnl_status_t init_buffer(dnnl_memory_t memory, int index, void *handle) {
    device_core_t *core = memory->engine->core;
    if (handle == DNNL_MEMORY_ALLOCATE) {
        if (!memory->size[index]) return dnnl_success;
        memory->owned[index] = true;
        return core->backend->alloc_buffer(core, memory->size[index], &memory->ptr[index]);
    }
    const dnnl_status_t status =
            take_buffer(core, &memory->md, index, handle, &memory->size[index]);
    if (status == dnnl_success) memory->ptr[index] = handle;
    return status;
}

static dnnl_status_t init_handle(dnnl_memory_t memory, int index, void *handle, bool check) {
    device_core_t *core = memory->engine->core;
    dnnl_status_t status = extent(&memory->md, index, &memory->size[index]);
    if (status != dnnl_success || handle == DNNL_MEMORY_NONE) return status;
    if (memory->is_buffer) return init_buffer(memory, index, handle);
    if (handle == DNNL_MEMORY_ALLOCATE) {
        if (!memory->size[index]) return dnnl_success;
        status = usm_alloc_device(core, memory->size[index], &memory->ptr[index]);
        memory->owned[index] = status == dnnl_success;
        return status;
    }
    usm_kind_t kind = USM_HOST;
    if (check && !core->caps.has_system_usm) status = usm_kind(core, handle, &kind);
    if (status == dnnl_success && kind == USM_NONE)
        return verbose_check(dnnl_invalid_arguments, "memory",
                "handle %d is not a USM pointer of the engine's context, and the device cannot "
                "read other memory",
                index);
    if (status == dnnl_success)
        status = check_room(core, &memory->md, index, handle, &memory->size[index]);
    if (status == dnnl_success) memory->ptr[index] = handle;
    return status;
}

/* Updates `fit` and `allocation`. Call it after each change of the buffers. */
static void note_buffers(dnnl_memory_t memory) {
    static atomic_uint_least64_t allocations;
    const uint64_t fit = memory_fit(memory->md_hash, memory->context);
    bool complete = true, owned = true;
    uintptr_t places = 0; /* all addresses, or-ed: aligned as the least aligned one */
    for (int i = 0; i < memory->nhandles; i++) {
        if (!memory->ptr[i] && memory->size[i]) complete = false;
        if (!memory->is_buffer) places |= (uintptr_t)memory->ptr[i];
        if (!memory->owned[i]) owned = false;
    }
    const fit_t alignment = places % MEMORY_LINE == 0     ? FIT_LINES
                            : places % MEMORY_VECTOR == 0 ? FIT_VECTORS
                                                          : FIT_ELEMENTS;
    memory->fit = complete && places % MEMORY_ALIGNMENT == 0 ? fit + alignment : ~fit;
    memory->allocation = owned ? atomic_fetch_add(&allocations, 1) + 1 : 0;
}

static dnnl_status_t memory_new(dnnl_memory_t *out, const md_t *md) {
    dnnl_memory_t memory = dz_calloc(1, sizeof *memory);
    if (!memory)
        return verbose_error(dnnl_out_of_memory, "memory", "no memory for a memory object");
    memory->md = *md;
    memory->md_hash = md_hash(md, 0);
    pthread_mutex_init(&memory->map_lock, NULL);
    *out = memory;
    return dnnl_success;
}

dnnl_status_t memory_create(dnnl_memory_t *out, const md_t *md, dnnl_engine_t engine, int nhandles,
        void *const *handles, handles_t kind) {
    dnnl_memory_t memory = NULL;
    dnnl_status_t status = memory_new(&memory, md);
    if (status != dnnl_success) return status;
    memory->engine = engine;
    engine_ref(engine);
    memory->context = engine->core->context;
    memory->nhandles = nhandles;
    memory->is_buffer = kind == HANDLES_BUFFERS;
    for (int i = 0; i < nhandles && status == dnnl_success; i++)
        status = init_handle(memory, i, handles[i], kind == HANDLES_CHECKED);
    note_buffers(memory);
    if (status == dnnl_success) *out = memory;
    else memory_free(memory);
    return status;
}

dnnl_status_t memory_create_scalar(dnnl_memory_t *out, const md_t *md, const void *value) {
    const dnnl_status_t status = memory_new(out, md);
    if (status != dnnl_success) return status;
    memcpy((*out)->scalar.bytes, value, dt_size(md->data_type));
    note_buffers(*out);
    return status;
}

static void mapping_free(device_core_t *core, mapping_t *mapping) {
    usm_free_host(core, mapping->host);
    dz_free(mapping);
}

/* Lets go of a buffer, which the device may still use. */
static void drop_handle(dnnl_memory_t memory, int index) {
    device_core_t *core = memory->engine->core;
    void *ptr = memory->ptr[index];
    if (ptr && memory->is_buffer) core->backend->drop_buffer(core, ptr);
    else if (memory->owned[index]) usm_free_unused(core, ptr);
}

void memory_free(dnnl_memory_t memory) {
    attached_end(&memory->attached);
    while (memory->mappings) {
        mapping_t *mapping = memory->mappings;
        memory->mappings = mapping->next;
        mapping_free(memory->engine->core, mapping);
    }
    for (int i = 0; i < memory->nhandles; i++) drop_handle(memory, i);
    pthread_mutex_destroy(&memory->map_lock);
    engine_unref(memory->engine);
    dz_free(memory);
}

dnnl_status_t memory_set_handle(dnnl_memory_t memory, int index, void *handle) {
    device_core_t *core = memory->engine->core;
    size_t size;
    if (memory->ptr[index] == handle) return dnnl_success;
    dnnl_status_t status = extent(&memory->md, index, &size);
    if (status == dnnl_success && handle)
        status = memory->is_buffer ? take_buffer(core, &memory->md, index, handle, &size)
                                   : check_room(core, &memory->md, index, handle, &size);
    if (status != dnnl_success) return status;
    drop_handle(memory, index);
    memory->owned[index] = false;
    memory->ptr[index] = handle;
    memory->size[index] = size;
    note_buffers(memory);
    return dnnl_success;
}

static dnnl_status_t read_device(dnnl_memory_t memory, const mapping_t *m) {
    device_core_t *core = memory->engine->core;
    if (memory->is_buffer) return core->backend->read_buffer(core, m->host, m->device, m->size);
    return core_copy(core, m->host, m->device, m->size);
}

static dnnl_status_t write_device(dnnl_memory_t memory, const mapping_t *m) {
    device_core_t *core = memory->engine->core;
    if (memory->is_buffer) return core->backend->write_buffer(core, m->host, m->device, m->size);
    return core_copy(core, m->device, m->host, m->size);
}

dnnl_status_t memory_map(dnnl_memory_t memory, int index, void **mapped) {
    const size_t size = memory->size[index];
    void *device = memory->ptr[index];
    if (!size || !device) {
        *mapped = NULL;
        return dnnl_success;
    }
    device_core_t *core = memory->engine->core;
    usm_kind_t kind = USM_DEVICE;
    dnnl_status_t status = memory->is_buffer ? dnnl_success : usm_kind(core, device, &kind);
    if (status != dnnl_success) return status;
    if (kind != USM_DEVICE) {
        *mapped = device;
        return dnnl_success;
    }
    mapping_t *mapping = dz_malloc(sizeof *mapping);
    if (!mapping) return verbose_error(dnnl_out_of_memory, "memory", "no memory for a mapping");
    *mapping = (mapping_t){.device = device, .size = size, .handle = index};
    status = usm_alloc_host(core, size, &mapping->host);
    if (status == dnnl_success) status = read_device(memory, mapping);
    if (status != dnnl_success) {
        mapping_free(core, mapping);
        return status;
    }
    pthread_mutex_lock(&memory->map_lock);
    mapping->next = memory->mappings;
    memory->mappings = mapping;
    pthread_mutex_unlock(&memory->map_lock);
    *mapped = mapping->host;
    return dnnl_success;
}

/* Takes the mapping out of the list. */
static mapping_t *take_mapping(dnnl_memory_t memory, int index, const void *mapped) {
    pthread_mutex_lock(&memory->map_lock);
    mapping_t **link = &memory->mappings;
    while (*link && ((*link)->host != mapped || (*link)->handle != index)) link = &(*link)->next;
    mapping_t *mapping = *link;
    if (mapping) *link = mapping->next;
    pthread_mutex_unlock(&memory->map_lock);
    return mapping;
}

dnnl_status_t memory_unmap(dnnl_memory_t memory, int index, void *mapped) {
    if (!mapped) return dnnl_success;
    device_core_t *core = memory->engine->core;
    mapping_t *mapping = take_mapping(memory, index, mapped);
    if (!mapping) {
        usm_kind_t kind = USM_DEVICE;
        dnnl_status_t status = dnnl_success;
        if (mapped == memory->ptr[index]) status = usm_kind(core, mapped, &kind);
        if (status != dnnl_success || kind != USM_DEVICE) return status;
        return verbose_check(
                dnnl_invalid_arguments, "memory", "the pointer to unmap was not mapped");
    }
    const dnnl_status_t status = write_device(memory, mapping);
    if (status == dnnl_success) {
        mapping_free(core, mapping);
        return status;
    }
    /* Keep what the host wrote: the caller may try again. */
    pthread_mutex_lock(&memory->map_lock);
    mapping->next = memory->mappings;
    memory->mappings = mapping;
    pthread_mutex_unlock(&memory->map_lock);
    return status;
}

/* Decodes a floating-point number with `exponent` and `mantissa` bits below its sign. */
static double decode(uint32_t bits, int exponent, int mantissa) {
    const uint32_t fraction = bits & ((1u << mantissa) - 1), top = (1u << exponent) - 1;
    const uint32_t e = bits >> mantissa & top;
    const int bias = (int)(top >> 1);
    double value;
    if (e == top) value = fraction ? NAN : INFINITY;
    else if (e) value = ldexp(1.0 + ldexp(fraction, -mantissa), (int)e - bias);
    else value = ldexp(fraction, 1 - bias - mantissa);
    return bits >> (exponent + mantissa) & 1 ? -value : value;
}

static double scalar_value(const struct dnnl_memory *memory) {
    const void *bytes = memory->scalar.bytes;
    union {
        float f32;
        double f64;
        int32_t s32;
        int64_t s64;
        uint16_t u16;
        int8_t s8;
        uint8_t u8;
    } v = {0};
    memcpy(&v, bytes, sizeof memory->scalar.bytes);
    switch ((int)memory->md.data_type) {
    case dnnl_f32: return v.f32;
    case dnnl_f64: return v.f64;
    case dnnl_s32: return v.s32;
    case dnnl_s64: return (double)v.s64;
    case dnnl_f16: return decode(v.u16, 5, 10);
    case dnnl_bf16: return decode(v.u16, 8, 7);
    case dnnl_s8: return v.s8;
    case dnnl_u8: return v.u8;
    default: return NAN;
    }
}

float memory_scalar_f32(const struct dnnl_memory *memory) {
    return (float)scalar_value(memory);
}

int64_t memory_scalar_s64(const struct dnnl_memory *memory) {
    int64_t value;
    if (memory->md.data_type != dnnl_s64) return memory_scalar_s32(memory);
    memcpy(&value, memory->scalar.bytes, sizeof value);
    return value;
}

int32_t memory_scalar_s32(const struct dnnl_memory *memory) {
    const double value = scalar_value(memory);
    if (!(value > (double)INT32_MIN)) return INT32_MIN;
    return value >= (double)INT32_MAX ? INT32_MAX : (int32_t)value;
}

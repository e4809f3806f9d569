/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates unified shared memory and queries its kind. */
#include "ze/usm.h"

#include "core/alloc.h"
#include "core/verbose.h"

enum { ALIGNMENT = 64 }; /* bytes: a cache line, and the alignment of 2D block loads */

static dnnl_status_t out_of_memory(size_t size, ze_result_t result, const char *call) {
    return verbose_error(ze_status(result), "memory", "%s of %zu bytes answers %s", call, size,
            ze_result_name(result));
}

dnnl_status_t usm_alloc_device(device_core_t *core, size_t size, void **out) {
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    if (size > core->caps.max_alloc_size && core->caps.max_alloc_size)
        return verbose_error(dnnl_out_of_memory, "memory",
                "%zu bytes exceed the device's largest allocation of %llu bytes", size,
                (unsigned long long)core->caps.max_alloc_size);
    if (core->backend) return core->backend->alloc(core, size, out);
    const ze_result_t result =
            ze.MemAllocDevice(core->context, &desc, size, ALIGNMENT, core->device, out);
    return result == ZE_RESULT_SUCCESS ? dnnl_success
                                       : out_of_memory(size, result, "zeMemAllocDevice");
}

dnnl_status_t usm_alloc_host(device_core_t *core, size_t size, void **out) {
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    if (core->backend) {
        *out = dz_malloc(size);
        if (*out) return dnnl_success;
        return verbose_error(dnnl_out_of_memory, "memory", "no memory of %zu bytes", size);
    }
    const ze_result_t result = ze.MemAllocHost(core->context, &desc, size, ALIGNMENT, out);
    return result == ZE_RESULT_SUCCESS ? dnnl_success
                                       : out_of_memory(size, result, "zeMemAllocHost");
}

void usm_free_host(device_core_t *core, void *ptr) {
    if (core->backend) dz_free(ptr);
    else usm_free(core, ptr);
}

void usm_free(device_core_t *core, void *ptr) {
    if (ptr && core->backend) core->backend->free(core, ptr);
    else if (ptr) ZE_CALL(MemFree, core->context, ptr);
}

typedef struct {
    in_flight_t link; /* must be the first member */
    device_core_t *core;
    void *ptr;
} buffer_t;

static void end_buffer(in_flight_t *thing) {
    buffer_t *buffer = (buffer_t *)thing;
    usm_free(buffer->core, buffer->ptr);
    dz_free(buffer);
}

/* Drivers may report the policy and refuse it all the same. */
static bool free_by_driver(device_core_t *core, void *ptr) {
    const ze_memory_free_ext_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
            .freePolicy = ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE};
    if (!core->caps.has_deferred_free || core->backend) return false;
    const ze_result_t result = ze.MemFreeExt(core->context, &desc, ptr);
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) return false;
    ze_check(result, "zeMemFreeExt");
    return true;
}

void usm_free_unused(device_core_t *core, void *ptr) {
    if (!ptr || ze_is_over || free_by_driver(core, ptr)) return;
    if (core->backend) {
        core->backend->free(core, ptr);
        return;
    }
    buffer_t *buffer = dz_malloc(sizeof *buffer);
    if (!buffer) {
        verbose_error(dnnl_out_of_memory, "memory",
                "no memory to note a buffer that the device may still use: the buffer is leaked");
        return;
    }
    *buffer = (buffer_t){.link = {.end = end_buffer}, .core = core, .ptr = ptr};
    flights_end(&core->flights, &buffer->link);
}

/* A driver may refuse a pointer that is not USM: its kind is USM_NONE. Other failures are errors,
 * because device memory must not be mistaken for memory that the host can read. */
dnnl_status_t usm_kind(device_core_t *core, const void *ptr, usm_kind_t *kind) {
    ze_memory_allocation_properties_t properties = {
            .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t device;
    *kind = USM_NONE;
    if (!ptr) return dnnl_success;
    if (core->backend) return core->backend->kind(core, ptr, kind);
    const ze_result_t result = ze.MemGetAllocProperties(core->context, ptr, &properties, &device);
    if (ze_is_refusal(result)) return dnnl_success;
    switch (properties.type) {
    case ZE_MEMORY_TYPE_HOST: *kind = USM_HOST; break;
    case ZE_MEMORY_TYPE_DEVICE: *kind = USM_DEVICE; break;
    case ZE_MEMORY_TYPE_SHARED: *kind = USM_SHARED; break;
    default: break;
    }
    return ze_check(result, "zeMemGetAllocProperties");
}

dnnl_status_t usm_room(device_core_t *core, const void *ptr, size_t *room) {
    usm_kind_t kind;
    void *base = NULL;
    size_t size = 0;
    *room = SIZE_MAX;
    if (core->backend) return core->backend->room(core, ptr, room);
    const dnnl_status_t status = usm_kind(core, ptr, &kind);
    if (status != dnnl_success || kind == USM_NONE) return status;
    const ze_result_t result = ze.MemGetAddressRange(core->context, ptr, &base, &size);
    if (ze_is_refusal(result)) return dnnl_success;
    const uintptr_t offset = (uintptr_t)ptr - (uintptr_t)base;
    if (result == ZE_RESULT_SUCCESS && base && offset < size) *room = size - offset;
    return ze_check(result, "zeMemGetAddressRange");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates unified shared memory and tells its kinds apart. */
#include "ze/usm.h"

#include "core/verbose.h"

enum { ALIGNMENT = 64 };

static dnnl_status_t out_of_memory(size_t size, ze_result_t result, const char *call) {
    return verbose_error(ze_status(result), "memory", "%s of %zu bytes answers %s", call, size,
            ze_result_name(result));
}

dnnl_status_t usm_alloc_device(device_core_t *core, size_t size, void **out) {
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    if (size > core->caps.max_alloc_size && core->caps.max_alloc_size)
        return verbose_error(dnnl_out_of_memory, "memory",
                "%zu bytes are more than the device's largest allocation, %llu", size,
                (unsigned long long)core->caps.max_alloc_size);
    const ze_result_t result =
            ze.MemAllocDevice(core->context, &desc, size, ALIGNMENT, core->device, out);
    return result == ZE_RESULT_SUCCESS ? dnnl_success
                                       : out_of_memory(size, result, "zeMemAllocDevice");
}

dnnl_status_t usm_alloc_host(device_core_t *core, size_t size, void **out) {
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    const ze_result_t result = ze.MemAllocHost(core->context, &desc, size, ALIGNMENT, out);
    return result == ZE_RESULT_SUCCESS ? dnnl_success
                                       : out_of_memory(size, result, "zeMemAllocHost");
}

void usm_free(device_core_t *core, void *ptr) {
    if (ptr) ZE_CALL(MemFree, core->context, ptr);
}

/* A pointer of another kind is no error of the driver's; where it cannot tell, memory of the device must not
 * be taken for memory that the host reads. */
dnnl_status_t usm_kind(device_core_t *core, const void *ptr, usm_kind_t *kind) {
    ze_memory_allocation_properties_t properties = {
            .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t device;
    *kind = USM_NONE;
    if (!ptr) return dnnl_success;
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

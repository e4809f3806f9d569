/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts. */
#include "device.h"

static object_pool_t contexts = OBJECT_POOL(OBJECT_CONTEXT, struct _ze_context_handle_t);

ze_result_t zeContextCreateEx(ze_driver_handle_t driver, const ze_context_desc_t *desc,
        uint32_t n_devices, ze_device_handle_t *devices, ze_context_handle_t *out) {
    CHECK_HANDLE(driver, OBJECT_DRIVER);
    CHECK_POINTER(desc);
    CHECK_POINTER(out);
    CHECK((desc->flags & ~(uint32_t)ZE_CONTEXT_FLAG_TBD) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK(devices || n_devices == 0, ZE_RESULT_ERROR_INVALID_SIZE);
    uint64_t visible = n_devices ? 0 : UINT64_MAX;
    for (uint32_t i = 0; i < n_devices; i++) {
        CHECK_HANDLE(devices[i], OBJECT_DEVICE);
        visible |= device_family(devices[i]);
    }
    ze_context_handle_t context = object_new(&contexts);
    CHECK(context, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    context->driver = driver;
    context->devices = visible;
    *out = context;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextCreate(
        ze_driver_handle_t driver, const ze_context_desc_t *desc, ze_context_handle_t *out) {
    return zeContextCreateEx(driver, desc, 0, NULL, out);
}

/* Lists and queues own everything that their commands need, so work in flight continues. */
ze_result_t zeContextDestroy(ze_context_handle_t context) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    object_delete(&contexts, context);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextGetStatus(ze_context_handle_t context) {
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    return atomic_load(&context->lost) ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

ze_result_t context_note(ze_context_handle_t context, ze_result_t result) {
    if (result == ZE_RESULT_ERROR_DEVICE_LOST) atomic_store(&context->lost, true);
    return result;
}

ze_result_t zeContextSystemBarrier(ze_context_handle_t context, ze_device_handle_t device) {
    CHECK_CONTEXT_AND_DEVICE(context, device);
    atomic_thread_fence(memory_order_seq_cst);
    return ZE_RESULT_SUCCESS;
}

/* All memory is resident in the sense of the specification, because the device reads it where it
 * is. */
ze_result_t zeContextMakeMemoryResident(
        ze_context_handle_t context, ze_device_handle_t device, void *pointer, size_t size) {
    CHECK_CONTEXT_AND_DEVICE(context, device);
    CHECK_POINTER(pointer);
    (void)size;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextEvictMemory(
        ze_context_handle_t context, ze_device_handle_t device, void *pointer, size_t size) {
    return zeContextMakeMemoryResident(context, device, pointer, size);
}

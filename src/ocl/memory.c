/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of OpenCL: pointers (Intel's USM, or SVM), and buffers. */
#include <string.h>

#include "core/alloc.h"
#include "core/status.h"
#include "core/verbose.h"
#include "ocl/core.h"

enum { ALIGNMENT = 64 }; /* bytes: a cache line */

static dnnl_status_t no_memory(size_t size, const char *call, cl_int result) {
    const dnnl_status_t status = result == CL_SUCCESS ? dnnl_out_of_memory : ocl_status(result);
    return verbose_error(status, "memory", "%s of %zu bytes answers %d", call, size, (int)result);
}

/* ---- pointers ---- */

dnnl_status_t ocl_alloc(device_core_t *base, size_t size, void **out) {
    ocl_core_t *core = ocl_core_of(base);
    cl_int result = CL_SUCCESS;
    const char *call = "clDeviceMemAllocINTEL";
    switch (core->pointers) {
    case POINTERS_NONE:
        return verbose_refuse(dnnl_unimplemented, "memory",
                "the OpenCL device has neither unified shared memory nor shared virtual memory, "
                "so that only buffers can be allocated");
    case POINTERS_USM:
        *out = core->usm.alloc_device(core->context, core->device, NULL, size, ALIGNMENT, &result);
        break;
    case POINTERS_SVM:
        call = "clSVMAlloc";
        *out = ocl.SVMAlloc(core->context, CL_MEM_READ_WRITE, size, ALIGNMENT);
        break;
    }
    return *out ? dnnl_success : no_memory(size, call, result);
}

void ocl_wait_for_all(device_core_t *base) {
    ocl_core_t *core = ocl_core_of(base);
    pthread_mutex_lock(&core->lock);
    for (ocl_stream_t *stream = core->streams; stream; stream = stream->next)
        OCL_CALL(Finish, stream->queue);
    pthread_mutex_unlock(&core->lock);
}

void ocl_free(device_core_t *base, void *ptr) {
    ocl_core_t *core = ocl_core_of(base);
    if (!ptr || ze_is_over) return;
    if (core->pointers == POINTERS_USM) {
        ocl_check(core->usm.free_blocking(core->context, ptr), "clMemBlockingFreeINTEL");
        return;
    }
    ocl_wait_for_all(base); /* clSVMFree() does not wait for the kernels that use the memory */
    ocl.SVMFree(core->context, ptr);
}

/* Memory whose event has not completed yet. It has its own reference to the context, because the
 * runtime may call back after the end of the core. */
typedef struct {
    cl_context context;
    cl_int (*free_usm)(cl_context, void *); /* NULL: it is SVM */
    void *ptr;
} awaiting_t;

static void free_awaiting(cl_event event, cl_int state, void *data) {
    awaiting_t *memory = data;
    (void)event, (void)state;
    if (!ze_is_over) {
        if (memory->free_usm) memory->free_usm(memory->context, memory->ptr);
        else ocl.SVMFree(memory->context, memory->ptr);
        ocl.ReleaseContext(memory->context);
    }
    dz_free(memory);
}

void ocl_free_after(device_core_t *base, void *ptr, void *event) {
    enum { COMPLETE = 0 };
    const ocl_core_t *core = ocl_core_of(base);
    if (!ptr || ze_is_over) return;
    awaiting_t *memory = dz_malloc(sizeof *memory);
    if (memory) {
        *memory = (awaiting_t){
                core->context, core->pointers == POINTERS_USM ? core->usm.free_at_once : NULL, ptr};
        if (OCL_CALL(RetainContext, core->context) == dnnl_success) {
            if (OCL_CALL(SetEventCallback, event, COMPLETE, free_awaiting, memory) == dnnl_success)
                return;
            OCL_CALL(ReleaseContext, core->context);
        }
        dz_free(memory);
    }
    ocl_free(base, ptr); /* waits */
}

/* OpenCL cannot tell where a pointer to SVM comes from, so that such memory is copied like a
 * device's. */
dnnl_status_t ocl_kind(device_core_t *base, const void *ptr, usm_kind_t *kind) {
    const ocl_core_t *core = ocl_core_of(base);
    cl_uint type = 0;
    *kind = core->pointers == POINTERS_SVM ? USM_DEVICE : USM_NONE;
    if (core->pointers != POINTERS_USM) return dnnl_success;
    const cl_int result =
            core->usm.info(core->context, ptr, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL);
    if (type == CL_MEM_TYPE_HOST_INTEL) *kind = USM_HOST;
    if (type == CL_MEM_TYPE_DEVICE_INTEL) *kind = USM_DEVICE;
    if (type == CL_MEM_TYPE_SHARED_INTEL) *kind = USM_SHARED;
    return ocl_check(result, "clGetMemAllocInfoINTEL");
}

dnnl_status_t ocl_room(device_core_t *base, const void *ptr, size_t *room) {
    const ocl_core_t *core = ocl_core_of(base);
    const char *start = NULL;
    size_t size = 0;
    *room = SIZE_MAX;
    if (core->pointers != POINTERS_USM) return dnnl_success;
    TRY(ocl_check(core->usm.info(core->context, ptr, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof start,
                          (void *)&start, NULL),
            "clGetMemAllocInfoINTEL"));
    TRY(ocl_check(
            core->usm.info(core->context, ptr, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, NULL),
            "clGetMemAllocInfoINTEL"));
    const size_t offset = (size_t)((const char *)ptr - start);
    if (start && offset < size) *room = size - offset;
    return dnnl_success;
}

/* ---- copies: each waits, under the lock of the core's queue for copies ---- */

static dnnl_status_t lock_copies(ocl_core_t *core) {
    cl_int result = CL_SUCCESS;
    pthread_mutex_lock(&core->lock);
    if (!core->copy_queue)
        core->copy_queue = ocl.CreateCommandQueue(core->context, core->device, 0, &result);
    if (result == CL_SUCCESS) return dnnl_success;
    core->copy_queue = NULL;
    pthread_mutex_unlock(&core->lock);
    return ocl_report(result, "clCreateCommandQueue");
}

dnnl_status_t ocl_copy(device_core_t *base, void *dst, const void *src, size_t size) {
    ocl_core_t *core = ocl_core_of(base);
    TRY(lock_copies(core));
    const bool is_usm = core->pointers == POINTERS_USM;
    const cl_int result = (is_usm ? core->usm.copy : ocl.EnqueueSVMMemcpy)(
            core->copy_queue, 1, dst, src, size, 0, NULL, NULL);
    pthread_mutex_unlock(&core->lock);
    return ocl_check(result, is_usm ? "clEnqueueMemcpyINTEL" : "clEnqueueSVMMemcpy");
}

dnnl_status_t ocl_read_buffer(device_core_t *base, void *host, void *buffer, size_t size) {
    ocl_core_t *core = ocl_core_of(base);
    TRY(lock_copies(core));
    const dnnl_status_t status =
            OCL_CALL(EnqueueReadBuffer, core->copy_queue, buffer, 1, 0, size, host, 0, NULL, NULL);
    pthread_mutex_unlock(&core->lock);
    return status;
}

dnnl_status_t ocl_write_buffer(device_core_t *base, const void *host, void *buffer, size_t size) {
    ocl_core_t *core = ocl_core_of(base);
    TRY(lock_copies(core));
    const dnnl_status_t status =
            OCL_CALL(EnqueueWriteBuffer, core->copy_queue, buffer, 1, 0, size, host, 0, NULL, NULL);
    pthread_mutex_unlock(&core->lock);
    return status;
}

/* ---- buffers ---- */

dnnl_status_t ocl_alloc_buffer(device_core_t *base, size_t size, void **buffer) {
    cl_int result;
    if (size > base->caps.max_alloc_size && base->caps.max_alloc_size)
        return verbose_error(dnnl_out_of_memory, "memory",
                "%zu bytes exceed the device's largest allocation of %llu bytes", size,
                (unsigned long long)base->caps.max_alloc_size);
    *buffer = ocl.CreateBuffer(ocl_core_of(base)->context, CL_MEM_READ_WRITE, size, NULL, &result);
    return result == CL_SUCCESS ? dnnl_success : no_memory(size, "clCreateBuffer", result);
}

dnnl_status_t ocl_take_buffer(device_core_t *base, void *buffer, size_t *size) {
    cl_context context = NULL;
    if (ocl.GetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL) !=
                    CL_SUCCESS ||
            context != ocl_core_of(base)->context)
        return verbose_check(dnnl_invalid_arguments, "memory",
                "the buffer does not belong to the context of the engine");
    TRY(OCL_CALL(GetMemObjectInfo, buffer, CL_MEM_SIZE, sizeof *size, size, NULL));
    return OCL_CALL(RetainMemObject, buffer);
}

/* The runtime keeps a buffer for as long as its commands use it. */
void ocl_drop_buffer(device_core_t *core, void *buffer) {
    (void)core;
    OCL_CALL(ReleaseMemObject, buffer);
}

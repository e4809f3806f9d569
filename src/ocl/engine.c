/* SPDX-License-Identifier: Apache-2.0 */
/* Cores of OpenCL engines, and the list of devices. */
#include <string.h>

#include "core/alloc.h"
#include "core/status.h"
#include "core/verbose.h"
#include "ocl/core.h"

static void core_fini(device_core_t *base) {
    ocl_core_t *core = ocl_core_of(base);
    if (core->copy_queue) OCL_CALL(ReleaseCommandQueue, core->copy_queue);
    if (core->context) OCL_CALL(ReleaseContext, core->context);
    pthread_mutex_destroy(&core->lock);
}

const backend_t ocl_backend = {.core_fini = core_fini,
        .alloc = ocl_alloc,
        .free = ocl_free,
        .free_after = ocl_free_after,
        .kind = ocl_kind,
        .room = ocl_room,
        .copy = ocl_copy,
        .alloc_buffer = ocl_alloc_buffer,
        .take_buffer = ocl_take_buffer,
        .drop_buffer = ocl_drop_buffer,
        .read_buffer = ocl_read_buffer,
        .write_buffer = ocl_write_buffer,
        .module_create = ocl_module_create,
        .module_binary = ocl_module_binary,
        .module_spills = ocl_module_spills,
        .module_destroy = ocl_module_destroy,
        .module_kernel = ocl_module_kernel,
        .kernel_create = ocl_kernel_create,
        .set_argument = ocl_set_argument,
        .kernel_destroy = ocl_kernel_destroy,
        .stream_create = ocl_stream_create,
        .stream_wait = ocl_stream_wait,
        .stream_free = ocl_stream_free,
        .wait_for_all = ocl_wait_for_all,
        .drop_event = ocl_drop_event,
        .profiling_data = ocl_profiling_data,
        .profiling_reset = ocl_profiling_reset,
        .launch = ocl_launch};

/* Which functions the platform of the device has. */
static void find_functions(ocl_core_t *core) {
    const int version = ocl_device_version(core->device);
    const cl_ulong svm = ocl_device_number(core->device, CL_DEVICE_SVM_CAPABILITIES);
    cl_platform_id platform = NULL;
    ocl.GetDeviceInfo(core->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
#define FIND(member, name)                                                                         \
    *(void **)&core->member = ocl.GetExtensionFunctionAddressForPlatform(platform, name)
    if (version >= 201) core->program_from_il = ocl.CreateProgramWithIL;
    if (!core->program_from_il) FIND(program_from_il, "clCreateProgramWithILKHR");
    if (version >= 200 && svm && ocl.SVMAlloc && ocl.SVMFree && ocl.SetKernelArgSVMPointer &&
            ocl.EnqueueSVMMemcpy)
        core->pointers = POINTERS_SVM;
    if (!ocl_device_has(core->device, "cl_intel_unified_shared_memory")) return;
    FIND(usm.alloc_device, "clDeviceMemAllocINTEL");
    FIND(usm.free_blocking, "clMemBlockingFreeINTEL");
    FIND(usm.free_at_once, "clMemFreeINTEL");
    FIND(usm.info, "clGetMemAllocInfoINTEL");
    FIND(usm.set_argument, "clSetKernelArgMemPointerINTEL");
    FIND(usm.copy, "clEnqueueMemcpyINTEL");
#undef FIND
    const ocl_usm_t *usm = &core->usm;
    if (usm->alloc_device && usm->free_blocking && usm->free_at_once && usm->info &&
            usm->set_argument && usm->copy)
        core->pointers = POINTERS_USM;
}

static dnnl_status_t take_context(ocl_core_t *core, cl_context context) {
    cl_int result = CL_SUCCESS;
    if (context) TRY(OCL_CALL(RetainContext, context));
    else context = ocl.CreateContext(NULL, 1, &core->device, NULL, NULL, &result);
    if (context) core->context = context;
    core->base.context = (ze_context_handle_t)(void *)context;
    return ocl_check(result, "clCreateContext");
}

static dnnl_status_t core_create(device_core_t **out, ze_driver_handle_t driver,
        ze_device_handle_t device, ze_context_handle_t context, int index) {
    ocl_core_t *core = dz_calloc(1, sizeof *core);
    if (!core) return verbose_error(dnnl_out_of_memory, "engine", "no memory for an engine");
    core_init(&core->base, driver, device, context, index);
    core->base.backend = &ocl_backend;
    core->base.owns_context = !context;
    core->device = (cl_device_id)(void *)device;
    pthread_mutex_init(&core->lock, NULL);
    dnnl_status_t status = ocl_device_caps(core->device, &core->base.caps);
    if (status == dnnl_success) status = ocl_device_identity(core->device, &core->base.identity);
    if (status == dnnl_success) status = take_context(core, (cl_context)(void *)context);
    if (status == dnnl_success) find_functions(core);
    if (status == dnnl_success && !core->program_from_il)
        status = verbose_refuse(dnnl_unimplemented, "engine",
                "the OpenCL loader or the driver has no clCreateProgramWithIL");
    core->base.compiles_together = core->base.caps.ip_version != 0;
    if (status == dnnl_success) *out = &core->base;
    else core_free(&core->base);
    return status;
}

/* A context has the devices that it was made for. */
static dnnl_status_t check_context(cl_device_id device, cl_context context) {
    size_t size = 0;
    TRY(OCL_CALL(GetContextInfo, context, CL_CONTEXT_DEVICES, 0, NULL, &size));
    cl_device_id *devices = dz_malloc(size + 1);
    if (!devices)
        return verbose_error(dnnl_out_of_memory, "engine", "no memory for the context's devices");
    dnnl_status_t status =
            OCL_CALL(GetContextInfo, context, CL_CONTEXT_DEVICES, size, devices, NULL);
    bool found = false;
    for (size_t i = 0; i < size / sizeof *devices && status == dnnl_success; i++)
        found = found || devices[i] == device;
    dz_free(devices);
    if (status != dnnl_success || found) return status;
    return verbose_check(
            dnnl_invalid_arguments, "engine", "the context was not created for the device");
}

dnnl_status_t ocl_engine_create(
        dnnl_engine_t *out, cl_device_id device, cl_context context, int index) {
    TRY(ze_check_process("engine"));
    TRY(ocl_load());
    if (context) TRY(check_context(device, context));
    return engine_create_by(out, NULL, (ze_device_handle_t)(void *)device,
            (ze_context_handle_t)(void *)context, index, core_create);
}

static void add_devices(
        cl_platform_id platform, cl_ulong type, cl_device_id devices[OCL_MOST_DEVICES], size_t *n) {
    cl_device_id found[OCL_MOST_DEVICES];
    cl_uint count = 0;
    if (ocl.GetDeviceIDs(platform, type, OCL_MOST_DEVICES, found, &count) != CL_SUCCESS) return;
    for (cl_uint i = 0; i < count && i < OCL_MOST_DEVICES && *n < OCL_MOST_DEVICES; i++)
        if (ocl_device_has_spirv(found[i])) devices[(*n)++] = found[i];
}

dnnl_status_t ocl_devices(cl_device_id devices[OCL_MOST_DEVICES], size_t *n) {
    enum { MOST_PLATFORMS = 16 };
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint count = 0;
    *n = 0;
    TRY(ze_check_process("engine"));
    TRY(ocl_load());
    /* Without a platform, the loader answers a number of its own. */
    if (ocl.GetPlatformIDs(MOST_PLATFORMS, platforms, &count) != CL_SUCCESS) return dnnl_success;
    if (count > MOST_PLATFORMS) count = MOST_PLATFORMS;
    for (cl_uint i = 0; i < count; i++) add_devices(platforms[i], CL_DEVICE_TYPE_GPU, devices, n);
    for (cl_uint i = 0; i < count; i++) add_devices(platforms[i], CL_DEVICE_TYPE_CPU, devices, n);
    return dnnl_success;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The application's objects of OpenCL, on the loader that the library opens. Their handles go
 * through the tests as those of Level Zero. */
#include "rt.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "ocl/loader.h"
#include "oneapi/dnnl/dnnl_ocl.h"

enum { CL_EVENT_STATUS = 0x11D3, CL_COMPLETE = 0, CL_MEM_SVM_FINE = 1 << 10 };

/* What applications call, and the library does not. */
static struct {
    cl_event (*CreateUserEvent)(cl_context, cl_int *);
    cl_int (*SetUserEventStatus)(cl_event, cl_int);
    cl_int (*Finish)(cl_command_queue); /* also where the library's fails */
    cl_int (*GetEventInfo)(cl_event, cl_uint, size_t, void *, size_t *);
    void *(*HostMemAlloc)(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
    cl_int (*MemFree)(cl_context, void *); /* both of USM; NULL: SVM is used */
} cl;

static cl_context context_of_app(void) {
    return (cl_context)(void *)app.context;
}

static cl_device_id device_of_app(void) {
    return (cl_device_id)(void *)app.device;
}

static bool find_functions(void) {
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW);
    cl_platform_id platform = NULL;
    if (!loader) return false;
    *(void **)&cl.CreateUserEvent = dlsym(loader, "clCreateUserEvent");
    *(void **)&cl.SetUserEventStatus = dlsym(loader, "clSetUserEventStatus");
    *(void **)&cl.Finish = dlsym(loader, "clFinish");
    *(void **)&cl.GetEventInfo = dlsym(loader, "clGetEventInfo");
    ocl.GetDeviceInfo(device_of_app(), CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    *(void **)&cl.HostMemAlloc =
            ocl.GetExtensionFunctionAddressForPlatform(platform, "clHostMemAllocINTEL");
    *(void **)&cl.MemFree =
            ocl.GetExtensionFunctionAddressForPlatform(platform, "clMemBlockingFreeINTEL");
    return cl.CreateUserEvent && cl.SetUserEventStatus && cl.GetEventInfo && cl.Finish;
}

/* The library's own engine says which device it takes first. */
static bool find_device(void) {
    dnnl_engine_t engine;
    cl_device_id device;
    cl_int result;
    if (!dnnl_engine_get_count(dnnl_gpu)) return false;
    assert_ok(dnnl_engine_create(&engine, dnnl_gpu, 0));
    assert_ok(dnnl_ocl_interop_get_device(engine, &device));
    assert_ok(dnnl_engine_destroy(engine));
    app.device = (ze_device_handle_t)(void *)device;
    cl_context context = ocl.CreateContext(NULL, 1, &device, NULL, NULL, &result);
    app.context = (ze_context_handle_t)(void *)context;
    return result == CL_SUCCESS && find_functions();
}

static void close_device(void) {
    assert_int_equal(ocl.ReleaseContext(context_of_app()), CL_SUCCESS);
}

static dnnl_status_t engine(dnnl_engine_t *out) {
    return dnnl_ocl_interop_engine_create(out, device_of_app(), context_of_app());
}

static dnnl_status_t engine_from_blob(dnnl_engine_t *out, size_t size, const uint8_t *blob) {
    return dnnl_ocl_interop_engine_create_from_cache_blob(
            out, device_of_app(), context_of_app(), size, blob);
}

static dnnl_status_t stream(dnnl_stream_t *out, dnnl_engine_t of, ze_command_list_handle_t list) {
    return dnnl_ocl_interop_stream_create(out, of, (cl_command_queue)(void *)list);
}

static dnnl_status_t queue_of(dnnl_stream_t of, ze_command_list_handle_t *list) {
    return dnnl_ocl_interop_stream_get_command_queue(of, (cl_command_queue *)(void *)list);
}

/* dnnl_memory_create() would take the pointer for a buffer. */
static dnnl_status_t memory(dnnl_memory_t *out, const md_t *md, dnnl_engine_t of, void *ptr) {
    return dnnl_ocl_interop_memory_create(out, md, of, dnnl_ocl_interop_usm, ptr);
}

/* ---- events that executions returned: the application releases them ---- */

static struct {
    pthread_mutex_t lock;
    cl_event *events;
    size_t n, room;
} returned = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void keep(cl_event event) {
    pthread_mutex_lock(&returned.lock);
    if (returned.n == returned.room) {
        returned.room = 2 * returned.room + 64;
        returned.events = realloc(returned.events, returned.room * sizeof *returned.events);
        assert_non_null(returned.events);
    }
    returned.events[returned.n++] = event;
    pthread_mutex_unlock(&returned.lock);
}

static void drop_events(void) {
    pthread_mutex_lock(&returned.lock);
    while (returned.n) ocl.ReleaseEvent(returned.events[--returned.n]);
    pthread_mutex_unlock(&returned.lock);
}

static dnnl_status_t execute_on_opencl(const_dnnl_primitive_t primitive, dnnl_stream_t of,
        int nargs, const dnnl_exec_arg_t *args, int ndeps, const ze_event_handle_t *deps,
        ze_event_handle_t *event) {
    cl_event made = NULL;
    const dnnl_status_t status = dnnl_ocl_interop_primitive_execute(primitive, of, nargs, args,
            (const cl_event *)(const void *)deps, ndeps, event ? &made : NULL);
    if (status != dnnl_success || !event) return status;
    keep(made);
    *event = (ze_event_handle_t)(void *)made;
    return status;
}

/* ---- */

static ze_command_list_handle_t queue(void) {
    cl_int result;
    cl_command_queue made = ocl.CreateCommandQueue(context_of_app(), device_of_app(), 0, &result);
    assert_int_equal(result, CL_SUCCESS);
    return (ze_command_list_handle_t)(void *)made;
}

static void release_queue(ze_command_list_handle_t list) {
    assert_int_equal(ocl.ReleaseCommandQueue((cl_command_queue)(void *)list), CL_SUCCESS);
}

static void *host_memory(size_t size) {
    cl_int result = CL_SUCCESS;
    const bool has_usm = cl.HostMemAlloc && cl.MemFree;
    void *ptr =
            has_usm ? cl.HostMemAlloc(context_of_app(), NULL, size, 64, &result)
                    : ocl.SVMAlloc(context_of_app(), CL_MEM_READ_WRITE | CL_MEM_SVM_FINE, size, 64);
    assert_non_null(ptr);
    return ptr;
}

static void free_memory(void *ptr) {
    if (cl.HostMemAlloc && cl.MemFree) cl.MemFree(context_of_app(), ptr);
    else ocl.SVMFree(context_of_app(), ptr);
}

static ze_event_handle_t user_event(ze_event_pool_handle_t *pool) {
    cl_int result;
    cl_event event = cl.CreateUserEvent(context_of_app(), &result);
    assert_int_equal(result, CL_SUCCESS);
    *pool = NULL;
    return (ze_event_handle_t)(void *)event;
}

static void release_event(ze_event_pool_handle_t pool, ze_event_handle_t event) {
    (void)pool;
    assert_int_equal(ocl.ReleaseEvent((cl_event)(void *)event), CL_SUCCESS);
}

static bool has_completed(ze_event_handle_t event) {
    cl_int status = -1;
    assert_int_equal(
            cl.GetEventInfo((cl_event)(void *)event, CL_EVENT_STATUS, sizeof status, &status, NULL),
            CL_SUCCESS);
    return status == CL_COMPLETE;
}

static bool synchronize(ze_event_handle_t event) {
    const cl_event waited = (cl_event)(void *)event;
    return ocl.WaitForEvents(1, &waited) == CL_SUCCESS;
}

static void set_complete(ze_event_handle_t event) {
    assert_int_equal(cl.SetUserEventStatus((cl_event)(void *)event, CL_COMPLETE), CL_SUCCESS);
}

static void settle(dnnl_stream_t of) {
    cl_command_queue waited;
    assert_ok(dnnl_ocl_interop_stream_get_command_queue(of, &waited));
    assert_int_equal(cl.Finish(waited), CL_SUCCESS);
}

const runtime_t opencl_runtime = {.find_device = find_device,
        .close_device = close_device,
        .engine = engine,
        .stream = stream,
        .list_of = queue_of,
        .memory = memory,
        .execute = execute_on_opencl,
        .engine_blob = dnnl_ocl_interop_engine_get_cache_blob,
        .engine_from_blob = engine_from_blob,
        .new_list = queue,
        .free_list = release_queue,
        .new_usm = host_memory,
        .free_usm = free_memory,
        .new_event = user_event,
        .free_event = release_event,
        .is_over = has_completed,
        .wait = synchronize,
        .signal = set_complete,
        .settle = settle,
        .drop_events = drop_events};

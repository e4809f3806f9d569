/* SPDX-License-Identifier: Apache-2.0 */
/* The Level Zero side of the examples. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "dnnl_debug.h"

/* Headers older than Level Zero 1.9 have no names for them. */
#define IN_ORDER ((ze_command_queue_flags_t)1 << 1)
#define LIST_IN_ORDER ((ze_command_list_flags_t)1 << 3)

void check_ze(ze_result_t result, const char *call, const char *file, int line) {
    if (result == ZE_RESULT_SUCCESS) return;
    fprintf(stderr, "%s:%d: %s: Level Zero error 0x%x\n", file, line, call, (unsigned)result);
    exit(1);
}

void check_dnnl(dnnl_status_t status, const char *call, const char *file, int line) {
    if (status == dnnl_success) return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, dnnl_status2str(status));
    exit(1);
}

int for_each_device(void (*visit)(void *arg, ze_driver_handle_t, ze_device_handle_t,
                            const ze_device_properties_t *),
        void *arg) {
    enum { MAX = 16 };
    ze_driver_handle_t drivers[MAX];
    uint32_t driver_count = MAX;
    int found = 0;
    if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&driver_count, drivers) != ZE_RESULT_SUCCESS)
        return 0;
    for (uint32_t i = 0; i < driver_count; i++) {
        ze_device_handle_t devices[MAX];
        uint32_t device_count = MAX;
        if (zeDeviceGet(drivers[i], &device_count, devices) != ZE_RESULT_SUCCESS) continue;
        for (uint32_t j = 0; j < device_count; j++) {
            ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
            CHECK_ZE(zeDeviceGetProperties(devices[j], &properties));
            if (properties.type != ZE_DEVICE_TYPE_GPU && properties.type != ZE_DEVICE_TYPE_CPU)
                continue;
            if (visit) visit(arg, drivers[i], devices[j], &properties);
            found++;
        }
    }
    return found;
}

static void prefer_gpu(void *arg, ze_driver_handle_t driver, ze_device_handle_t device,
        const ze_device_properties_t *properties) {
    app_t *app = arg;
    if (app->device &&
            (app->properties.type == ZE_DEVICE_TYPE_GPU || properties->type != ZE_DEVICE_TYPE_GPU))
        return;
    app->driver = driver;
    app->device = device;
    app->properties = *properties;
}

/* Counts the devices of a type, or sub-devices where a device has some, and takes one. */
typedef struct {
    app_t *app;
    ze_device_type_t type;
    int divided, index, count;
} search_t;

static void search(void *arg, ze_driver_handle_t driver, ze_device_handle_t device,
        const ze_device_properties_t *properties) {
    enum { MAX = 16 };
    search_t *s = arg;
    ze_device_handle_t parts[MAX];
    uint32_t count = MAX;
    if (properties->type != s->type) return;
    CHECK_ZE(zeDeviceGetSubDevices(device, &count, parts));
    if (!s->divided || !count) {
        parts[0] = device;
        count = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (s->count++ != s->index) continue;
        s->app->driver = driver;
        s->app->device = parts[i];
        CHECK_ZE(zeDeviceGetProperties(parts[i], &s->app->properties));
    }
}

static void take_part(app_t *app, int index, int parts) {
    search_t s = {.app = app, .type = app->properties.type, .index = -1};
    for_each_device(search, &s);
    if ((s.divided = s.count < parts)) {
        s.count = 0;
        for_each_device(search, &s);
    }
    s.index = index % s.count;
    s.count = 0;
    for_each_device(search, &s);
}

void app_open(app_t *app) {
    app_open_part(app, 0, 1);
}

void app_open_part(app_t *app, int index, int parts) {
    *app = (app_t){0};
    if (for_each_device(prefer_gpu, app) == 0) {
        fprintf(stderr,
                "no Level Zero GPU or CPU device (without a GPU: set ZE_ENABLE_ALT_DRIVERS to "
                "libze_cpu.so)\n");
        exit(1);
    }
    if (parts > 1) take_part(app, index, parts);
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK_ZE(zeContextCreate(app->driver, &desc, &app->context));
}

void app_close(app_t *app) {
    CHECK_ZE(zeContextDestroy(app->context));
}

ze_command_list_handle_t app_immediate_list(const app_t *app) {
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .flags = IN_ORDER,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list;
    ze_result_t result = zeCommandListCreateImmediate(app->context, app->device, &desc, &list);
    if (result == ZE_RESULT_ERROR_INVALID_ENUMERATION) {
        /* The driver is too old to know the flag: wait at each command. */
        desc.flags = 0;
        desc.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
        result = zeCommandListCreateImmediate(app->context, app->device, &desc, &list);
    }
    CHECK_ZE(result);
    return list;
}

ze_command_list_handle_t app_regular_list(const app_t *app, int *in_order) {
    ze_command_list_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .flags = LIST_IN_ORDER};
    ze_command_list_handle_t list;
    ze_result_t result = zeCommandListCreate(app->context, app->device, &desc, &list);
    *in_order = result == ZE_RESULT_SUCCESS;
    if (result == ZE_RESULT_ERROR_INVALID_ENUMERATION) { /* too old to know the flag */
        desc.flags = 0;
        result = zeCommandListCreate(app->context, app->device, &desc, &list);
    }
    CHECK_ZE(result);
    return list;
}

ze_command_queue_handle_t app_queue(const app_t *app) {
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_queue_handle_t queue;
    CHECK_ZE(zeCommandQueueCreate(app->context, app->device, &desc, &queue));
    return queue;
}

void *app_alloc_device(const app_t *app, size_t size) {
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *pointer;
    CHECK_ZE(zeMemAllocDevice(app->context, &desc, size, 64, app->device, &pointer));
    return pointer;
}

void *app_alloc_host(const app_t *app, size_t size) {
    ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer;
    CHECK_ZE(zeMemAllocHost(app->context, &desc, size, 64, &pointer));
    return pointer;
}

void app_free(const app_t *app, void *pointer) {
    CHECK_ZE(zeMemFree(app->context, pointer));
}

double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

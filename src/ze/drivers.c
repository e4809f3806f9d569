/* SPDX-License-Identifier: Apache-2.0 */
/* Lists drivers and devices. */
#include "ze/drivers.h"

#include <stdatomic.h>

#include "core/alloc.h"
#include "core/status.h"
#include "core/verbose.h"
#include "ze/runtime.h"

/* No lock is needed: a thread makes the list and publishes it once, if it has devices. If two
 * threads make it at the same time, one of the two copies is freed. */
static _Atomic(device_list_t *) published;

static void list_free(device_list_t *list) {
    if (!list) return;
    dz_free(list->drivers);
    dz_free(list->devices);
    dz_free(list);
}

static dnnl_status_t out_of_memory(void) {
    return verbose_error(dnnl_out_of_memory, "engine", "no memory for the list of devices");
}

/* A machine without a driver is not an error: it has no engines. */
static bool means_none(ze_result_t result) {
    return result == ZE_RESULT_ERROR_UNINITIALIZED ||
           result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE ||
           result == ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE ||
           result == ZE_RESULT_ERROR_DEVICE_LOST;
}

static dnnl_status_t drivers_from_init(device_list_t *list) {
    const ze_result_t result = ze.Init(0);
    list->init = result;
    if (means_none(result)) return dnnl_success;
    if (result != ZE_RESULT_SUCCESS) return ze_report(result, "zeInit");
    uint32_t count = 0;
    dnnl_status_t status = ZE_CALL(DriverGet, &count, NULL);
    if (status != dnnl_success || !count) return status;
    list->drivers = dz_calloc(count, sizeof *list->drivers);
    if (!list->drivers) return out_of_memory();
    status = ZE_CALL(DriverGet, &count, list->drivers);
    list->ndrivers = count;
    return status;
}

/* Asks for drivers of GPUs only, so that the loader does not start other drivers in vain. Loader
 * 1.20 crashes in a second zeInitDrivers() if the first one failed: then only zeInit() is tried
 * again. */
static dnnl_status_t drivers_from_init_drivers(device_list_t *list) {
    static atomic_bool failed;
    if (failed) return dnnl_success;
    ze_init_desc_t desc = {(ze_structure_type_t)ZE_STYPE_INIT_DESC, NULL, ZE_INIT_GPU};
    uint32_t count = 0;
    ze_result_t result = ze.InitDrivers(&count, NULL, &desc);
    failed = result != ZE_RESULT_SUCCESS;
    if (failed || !count) return dnnl_success;
    list->drivers = dz_calloc(count, sizeof *list->drivers);
    if (!list->drivers) return out_of_memory();
    list->ndrivers = count;
    return ZE_CALL(InitDrivers, &count, list->drivers, &desc);
}

static dnnl_status_t device_type(ze_device_handle_t device, ze_device_type_t *type) {
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    const dnnl_status_t status = ZE_CALL(DeviceGetProperties, device, &properties);
    *type = properties.type;
    return status;
}

/* Writes an array of the driver's devices, which the caller frees. If the driver cannot list its
 * devices, the array is empty. */
static dnnl_status_t devices_of(
        ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t **devices) {
    *count = 0;
    *devices = NULL;
    const ze_result_t result = ze.DeviceGet(driver, count, NULL);
    if (ze_status(result) == dnnl_out_of_memory) return ze_report(result, "zeDeviceGet");
    if (result != ZE_RESULT_SUCCESS || !*count) {
        *count = 0;
        return dnnl_success;
    }
    *devices = dz_calloc(*count, sizeof **devices);
    if (!*devices) return out_of_memory();
    const dnnl_status_t status = ZE_CALL(DeviceGet, driver, count, *devices);
    if (status != dnnl_success) dz_free(*devices);
    return status;
}

static dnnl_status_t add_devices(device_list_t *list, ze_driver_handle_t driver) {
    uint32_t count;
    ze_device_handle_t *devices;
    dnnl_status_t status = devices_of(driver, &count, &devices);
    if (status != dnnl_success || !count) return status;
    root_device_t *grown = dz_realloc(list->devices, (list->ndevices + count) * sizeof *grown);
    if (!grown) status = out_of_memory();
    else list->devices = grown;
    for (uint32_t i = 0; i < count && status == dnnl_success; i++) {
        ze_device_type_t type;
        status = device_type(devices[i], &type);
        if (status != dnnl_success || (type != ZE_DEVICE_TYPE_GPU && type != ZE_DEVICE_TYPE_CPU))
            continue;
        list->devices[list->ndevices++] =
                (root_device_t){driver, devices[i], type == ZE_DEVICE_TYPE_CPU};
    }
    dz_free(devices);
    return status;
}

static void gpus_first(device_list_t *list) {
    for (size_t i = 1; i < list->ndevices; i++) {
        const root_device_t device = list->devices[i];
        size_t j = i;
        for (; !device.is_cpu && j > 0 && list->devices[j - 1].is_cpu; j--)
            list->devices[j] = list->devices[j - 1];
        list->devices[j] = device;
    }
}

static dnnl_status_t fill(device_list_t *list) {
    dnnl_status_t status = dnnl_success;
    if (ze.InitDrivers) status = drivers_from_init_drivers(list);
    if (status == dnnl_success && !list->ndrivers) status = drivers_from_init(list);
    for (size_t i = 0; i < list->ndrivers && status == dnnl_success; i++)
        status = add_devices(list, list->drivers[i]);
    gpus_first(list);
    return status;
}

/* What is known of a machine without devices. */
static const device_list_t *empty_list(const device_list_t *made) {
    static _Thread_local device_list_t empty;
    empty = (device_list_t){.init = made->init, .drivers_seen = made->ndrivers};
    return &empty;
}

dnnl_status_t device_list(const device_list_t **list) {
    TRY(ze_check_process("engine"));
    *list = atomic_load_explicit(&published, memory_order_acquire);
    if (*list) return dnnl_success;
    dnnl_status_t status = ze_load();
    if (status != dnnl_success) return status;
    device_list_t *made = dz_calloc(1, sizeof *made);
    if (!made) return out_of_memory();
    status = fill(made);
    device_list_t *first = NULL;
    if (status != dnnl_success) {
        list_free(made);
    } else if (!made->ndevices) {
        *list = empty_list(made);
        list_free(made);
    } else {
        if (!atomic_compare_exchange_strong(&published, &first, made)) list_free(made);
        else first = made;
        *list = first;
    }
    return status;
}

/* Sub-devices can have sub-devices of their own. */
static dnnl_status_t has_sub_device(
        ze_device_handle_t root, ze_device_handle_t device, int depth, bool *found) {
    uint32_t count = 0;
    if (depth == 0 || ze.DeviceGetSubDevices(root, &count, NULL) != ZE_RESULT_SUCCESS || !count)
        return dnnl_success;
    ze_device_handle_t *subs = dz_calloc(count, sizeof *subs);
    if (!subs) return out_of_memory();
    dnnl_status_t status = ZE_CALL(DeviceGetSubDevices, root, &count, subs);
    for (uint32_t i = 0; i < count && status == dnnl_success && !*found; i++) {
        *found = subs[i] == device;
        if (!*found) status = has_sub_device(subs[i], device, depth - 1, found);
    }
    dz_free(subs);
    return status;
}

static bool list_has_driver(const device_list_t *list, ze_driver_handle_t driver) {
    for (size_t i = 0; i < list->ndrivers; i++)
        if (list->drivers[i] == driver) return true;
    return false;
}

dnnl_status_t device_find(
        ze_driver_handle_t driver, ze_device_handle_t device, bool *found, int *index) {
    enum { SUB_DEVICE_LEVELS = 2 };
    const device_list_t *list;
    *found = false;
    dnnl_status_t status = device_list(&list);
    if (status != dnnl_success || !list_has_driver(list, driver)) return status;
    for (size_t i = 0; i < list->ndevices && status == dnnl_success && !*found; i++) {
        const root_device_t *root = &list->devices[i];
        if (root->driver != driver) continue;
        *found = root->device == device;
        if (!*found) status = has_sub_device(root->device, device, SUB_DEVICE_LEVELS, found);
        *index = (int)i;
    }
    return status;
}

/* The device lines of the log's header. */
static void verbose_devices(void) {
    const device_list_t *list;
    const size_t count = device_list(&list) == dnnl_success ? list->ndevices : 0;
    verbose_line("info,gpu,engine,level zero device count:%zu %s", count,
            count ? "" : "- no devices available.");
    for (size_t i = 0; i < count; i++) {
        device_id_t id;
        if (device_id(list->devices[i].driver, list->devices[i].device, &id) != dnnl_success)
            continue;
        const uint32_t v = id.driver_version;
        verbose_line("info,gpu,engine,%zu,name:%s,driver_version:%u.%u.%u", i, id.name, v >> 24,
                v >> 16 & 255, v & 65535);
    }
}

/* When the library is loaded: the first line of the log may be written before anybody asks for a
 * device. */
__attribute__((constructor)) static void register_verbose_devices(void) {
    verbose_set_devices(verbose_devices);
}

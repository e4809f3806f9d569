/* SPDX-License-Identifier: Apache-2.0 */
/* System management: lists devices, and names them. A host CPU has no sensors or ports here. */
#include "sysman.h"
#include "device.h"

#include <string.h>

enum { MOST = 64 }; /* devices, as topology.c makes them */

static ze_driver_handle_t core_driver(zes_driver_handle_t driver) {
    return (ze_driver_handle_t)(void *)driver;
}

static ze_device_handle_t core_device(zes_device_handle_t device) {
    return (ze_device_handle_t)(void *)device;
}

ze_result_t cpu_sysman_init(uint32_t flags) {
    CHECK(flags == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    return zeInit(0);
}

ze_result_t cpu_sysman_drivers(uint32_t *count, zes_driver_handle_t *drivers) {
    return zeDriverGet(count, (ze_driver_handle_t *)(void *)drivers);
}

ze_result_t cpu_sysman_devices(
        zes_driver_handle_t driver, uint32_t *count, zes_device_handle_t *devices) {
    return zeDeviceGet(core_driver(driver), count, (ze_device_handle_t *)(void *)devices);
}

static void set_text(char *to, size_t size, const char *text) {
    memset(to, 0, size);
    memcpy(to, text, strnlen(text, size - 1));
}

ze_result_t zesDeviceGetProperties(zes_device_handle_t device, zes_device_properties_t *out) {
    CHECK_POINTER(out);
    out->core = (ze_device_properties_t){.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    TRY(zeDeviceGetProperties(core_device(device), &out->core));
    out->numSubdevices = 0;
    TRY(zeDeviceGetSubDevices(core_device(device), &out->numSubdevices, NULL));
    set_text(out->serialNumber, sizeof out->serialNumber, "unknown");
    set_text(out->boardNumber, sizeof out->boardNumber, "unknown");
    set_text(out->brandName, sizeof out->brandName, "unknown");
    set_text(out->modelName, sizeof out->modelName, out->core.name);
    set_text(out->vendorName, sizeof out->vendorName, "unknown");
    set_text(out->driverVersion, sizeof out->driverVersion, "unknown");
    return ZE_RESULT_SUCCESS;
}

ze_result_t zesDeviceEnumMemoryModules(
        zes_device_handle_t device, uint32_t *count, zes_mem_handle_t *modules) {
    CHECK_HANDLE(core_device(device), OBJECT_DEVICE);
    CHECK_POINTER(count);
    (void)modules;
    *count = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zesDeviceEnumFabricPorts(
        zes_device_handle_t device, uint32_t *count, zes_fabric_port_handle_t *ports) {
    return zesDeviceEnumMemoryModules(device, count, (zes_mem_handle_t *)(void *)ports);
}

/* Whether the device has the identifier. */
static bool has_uuid(ze_device_handle_t device, const cpu_uuid_t *uuid) {
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    return zeDeviceGetProperties(device, &p) == ZE_RESULT_SUCCESS &&
           memcmp(p.uuid.id, uuid->id, sizeof uuid->id) == 0;
}

ze_result_t cpu_sysman_find(zes_driver_handle_t driver, cpu_uuid_t uuid, zes_device_handle_t *out,
        ze_bool_t *is_sub_device, uint32_t *number) {
    CHECK_POINTER(out);
    CHECK_POINTER(is_sub_device);
    CHECK_POINTER(number);
    ze_device_handle_t roots[MOST], subs[MOST];
    uint32_t n_roots = MOST;
    TRY(zeDeviceGet(core_driver(driver), &n_roots, roots));
    for (uint32_t i = 0; i < n_roots; i++) {
        uint32_t n_subs = MOST, k = 0;
        TRY(zeDeviceGetSubDevices(roots[i], &n_subs, subs));
        const bool is_root = has_uuid(roots[i], &uuid);
        while (!is_root && k < n_subs && !has_uuid(subs[k], &uuid)) k++;
        if (!is_root && k == n_subs) continue;
        *out = (zes_device_handle_t)(void *)(is_root ? roots[i] : subs[k]);
        *is_sub_device = !is_root;
        *number = k;
        return ZE_RESULT_SUCCESS;
    }
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of the machine: which there are, in which order, who owns them, what they can do. */
#ifndef ZE_DRIVERS_H
#define ZE_DRIVERS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/caps.h"
#include "ze/loader.h"

typedef struct {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    bool is_cpu;
} root_device_t;

/* Devices that run kernels, and drivers of any kind. Made once and never freed, since drivers and devices
 * live as long as the process. Devices come in the order of the loader's drivers and each driver's devices,
 * GPUs before CPUs: on a machine with a GPU, engine 0 is one. */
typedef struct {
    size_t ndrivers, ndevices;
    ze_driver_handle_t *drivers;
    root_device_t *devices;
} device_list_t;

/* Loads the loader if need be. An empty list is a success. */
dnnl_status_t device_list(const device_list_t **list);

/* Place of a device in the list, of its root device for a sub-device; -1 if the driver is not one of the
 * machine's, or the device is not one of the driver's. */
dnnl_status_t device_find(
        ze_driver_handle_t driver, ze_device_handle_t device, bool *found, int *index);

/* What a device can do, without holes: equal devices give equal bytes. */
dnnl_status_t device_caps(ze_driver_handle_t driver, ze_device_handle_t device, caps_t *caps);

/* The ordinal of the first group of command queues that runs kernels. */
dnnl_status_t device_compute_ordinal(ze_device_handle_t device, uint32_t *ordinal);

/* What compiled code and measurements of a device depend on, the same in every run. */
typedef struct {
    uint32_t vendor, device, driver_version, ip_version;
    char name[ZE_MAX_DEVICE_NAME];
} device_id_t;
dnnl_status_t device_id(ze_driver_handle_t driver, ze_device_handle_t device, device_id_t *id);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of the machine: their order, their drivers, and their capabilities. */
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

/* All devices that run kernels, and all drivers. A list with devices is made once and never freed,
 * because drivers and devices live as long as the process. An empty list does not last: the next
 * call looks again. Devices are in the order of the loader's drivers
 * and of each driver's devices, with GPUs before CPUs: on a machine with a GPU, engine 0 is a
 * GPU. */
typedef struct {
    size_t ndrivers, ndevices;
    ze_driver_handle_t *drivers;
    root_device_t *devices;
    size_t drivers_seen; /* also those of an empty list, whose handles are not kept */
    ze_result_t init;    /* what zeInit() answered; SUCCESS: it was not called either */
} device_list_t;

/* Loads the loader if necessary. An empty list is a success, and valid until this thread's next
 * call. */
dnnl_status_t device_list(const device_list_t **list);

/* Writes a sentence for a user whose list of devices is empty: what was tried, and what to
 * install. */
void device_explain_none(const device_list_t *list, char *text, size_t size);

/* Finds a device, or the root device of a sub-device, and writes its index in the list. *found is
 * false if the driver is not in the list, or the device does not belong to the driver. */
dnnl_status_t device_find(
        ze_driver_handle_t driver, ze_device_handle_t device, bool *found, int *index);

/* The capabilities of a device. Padding is zeroed, so that equal devices give equal bytes. */
dnnl_status_t device_caps(ze_driver_handle_t driver, ze_device_handle_t device, caps_t *caps);

/* The ordinal of the first group of command queues that runs kernels. */
dnnl_status_t device_compute_ordinal(ze_device_handle_t device, uint32_t *ordinal);

/* The properties of a device that compiled code and measurements depend on; the same in every
 * run. */
typedef struct {
    uint32_t vendor, device, driver_version, ip_version;
    char name[ZE_MAX_DEVICE_NAME];
} device_id_t;
dnnl_status_t device_id(ze_driver_handle_t driver, ze_device_handle_t device, device_id_t *id);

#endif

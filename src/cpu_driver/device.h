/* SPDX-License-Identifier: Apache-2.0 */
/* The driver, its devices and contexts. */
#ifndef ZE_CPU_DEVICE_H
#define ZE_CPU_DEVICE_H

#include "object.h"

struct _ze_driver_handle_t {
    object_t object;
};

struct _ze_device_handle_t {
    object_t object;
    ze_driver_handle_t driver;
    ze_device_handle_t root; /* NULL: this is a root device */
    uint32_t id;
};

struct _ze_context_handle_t {
    object_t object;
    ze_driver_handle_t driver;
    uint64_t devices;  /* the devices it was created for, one bit for each id */
    _Atomic bool lost; /* a failure of its work was reported */
};

/* With several drivers, the loader does not check that context and device belong to the same
 * driver. */
#define CHECK_CONTEXT_AND_DEVICE(context, device)                                                  \
    do {                                                                                           \
        CHECK_HANDLE(context, OBJECT_CONTEXT);                                                     \
        CHECK_HANDLE(device, OBJECT_DEVICE);                                                       \
        CHECK((context)->driver == (device)->driver, ZE_RESULT_ERROR_INVALID_ARGUMENT);            \
        CHECK((context)->devices >> (device)->id & 1, ZE_RESULT_ERROR_INVALID_ARGUMENT);           \
    } while (0)

enum {
    QUEUE_GROUPS = 1,    /* a single group, for compute and copy */
    QUEUES_IN_GROUP = 4, /* queues that run concurrently */
};

extern struct _ze_driver_handle_t cpu_driver;

/* Returns `result`, the result of a wait. If it is DEVICE_LOST, zeContextGetStatus() reports that
 * from now on. */
ze_result_t context_note(ze_context_handle_t context, ze_result_t result);

/* The device and its sub-devices, one bit for each id. */
uint64_t device_family(ze_device_handle_t device);
/* 0: a root device; 1 and up: a sub-device. */
uint32_t device_part(ze_device_handle_t device);
/* The number of sub-devices that share the root device, or 1 for a root device. */
uint32_t device_parts(ze_device_handle_t device);
/* Whether the device can read and write memory of `peer`. */
bool device_reaches(ze_device_handle_t device, ze_device_handle_t peer);

#endif

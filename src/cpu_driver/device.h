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
    ze_device_handle_t root; /* NULL: it is one itself */
    uint32_t id;
};

struct _ze_context_handle_t {
    object_t object;
    ze_driver_handle_t driver;
    uint64_t devices;  /* those it was made for, a bit for each id */
    _Atomic bool lost; /* somebody was told that work of it has failed */
};

/* With several drivers the loader lets a context of one come with a device of another. */
#define CHECK_CONTEXT_AND_DEVICE(context, device)                                                  \
    do {                                                                                           \
        CHECK_HANDLE(context, OBJECT_CONTEXT);                                                     \
        CHECK_HANDLE(device, OBJECT_DEVICE);                                                       \
        CHECK((context)->driver == (device)->driver, ZE_RESULT_ERROR_INVALID_ARGUMENT);            \
        CHECK((context)->devices >> (device)->id & 1, ZE_RESULT_ERROR_INVALID_ARGUMENT);           \
    } while (0)

enum {
    QUEUE_GROUPS = 1,   /* one group: compute and copy */
    QUEUES_IN_GROUP = 4 /* what the device runs side by side */
};

extern struct _ze_driver_handle_t cpu_driver;

/* Hands on the result of a wait; a context whose work has failed says so from then on when it is asked. */
ze_result_t context_note(ze_context_handle_t context, ze_result_t result);

uint64_t device_family(
        ze_device_handle_t device); /* the device and its sub-devices, a bit for each id */
uint32_t device_part(ze_device_handle_t device); /* 0: the whole; 1 and up: a sub-device */
uint32_t device_parts(
        ze_device_handle_t device); /* how many of its kind the root device is made of */
bool device_reaches(
        ze_device_handle_t device, ze_device_handle_t peer); /* reads and writes its memory */

#endif

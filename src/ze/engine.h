/* SPDX-License-Identifier: Apache-2.0 */
/* Engines, and what engines on the same device and context share. */
#ifndef ZE_ENGINE_H
#define ZE_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/caps.h"
#include "ze/identity.h"
#include "ze/runtime.h"

struct module;

/* How events are made that stand for a place in an in-order list, which need no memory of their own to be
 * signalled in. */
typedef enum {
    COUNTED_NONE,
    COUNTED_BY_POOL, /* of a pool that is made for them */
    COUNTED_BY_CALL, /* each by itself */
} counted_events_t;

/* One for each (driver, device, context) that has an engine. `refs` and `next` are guarded by the lock of the
 * list of cores, in engine.c; what is above the first lock here is constant. */
typedef struct device_core {
    int refs;
    struct device_core *next;

    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    bool owns_context;
    bool has_in_order_lists;
    counted_events_t counted_events;
    int index; /* in the list of devices */
    uint32_t compute_ordinal;
    caps_t caps;
    identity_t identity;
    /* Entry points of the loader, or of the driver where the loader is older; NULL: not there. */
    __typeof__(ze.CommandListIsImmediate) is_immediate;
    __typeof__(ze.CommandListImmediateGetFlags) get_list_flags;
    __typeof__(ze.CommandListAppendLaunchKernelWithArguments) launch_with_arguments;
    __typeof__(ze.CommandListGetNextCommandIdExp) next_command_id;
    __typeof__(ze.CommandListUpdateMutableCommandsExp) update_commands;
    __typeof__(ze.CommandListIsMutableExp) is_mutable;

    pthread_mutex_t module_lock; /* guards: */
    pthread_cond_t module_done;  /* a module was built, or could not be */
    struct module *modules;

    pthread_mutex_t copy_lock;          /* guards: */
    ze_command_list_handle_t copy_list; /* synchronous; NULL until the first copy */
} device_core_t;

struct dnnl_engine {
    atomic_int refs;
    device_core_t *core;
};

/* On the caller's objects (checked by the caller of this function) or, with a NULL context, on the one that
 * the library makes for a device: its engines share it, so that they can work on each other's memory. */
dnnl_status_t engine_create(dnnl_engine_t *out, ze_driver_handle_t driver,
        ze_device_handle_t device, ze_context_handle_t context, int index);
/* invalid_arguments unless the driver owns the device and the context works with both. */
dnnl_status_t engine_check_handles(ze_driver_handle_t driver, ze_device_handle_t device,
        ze_context_handle_t context, int *index);

/* Copies between any USM or host memory, and waits for it. */
dnnl_status_t core_copy(device_core_t *core, void *dst, const void *src, size_t size);

/* What lines of the verbose log call the device: its index, or -1 where there is only one. */
int core_log_index(const device_core_t *core);

#endif

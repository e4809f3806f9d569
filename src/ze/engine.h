/* SPDX-License-Identifier: Apache-2.0 */
/* Engines, and the core that engines on the same device and context share. */
#ifndef ZE_ENGINE_H
#define ZE_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/caps.h"
#include "ze/attached.h"
#include "ze/backend.h"
#include "ze/identity.h"
#include "ze/in_flight.h"
#include "ze/runtime.h"

struct module;

/* How counter-based events are created. Such an event stands for a place in an in-order list, and
 * needs no memory of its own for its signal. */
typedef enum {
    COUNTED_NONE,
    COUNTED_BY_POOL, /* from a counter-based pool */
    COUNTED_BY_CALL, /* one by one, without a pool */
} counted_events_t;

/* There is one core for each (driver, device, context) that has an engine. The lock of the list of
 * cores, in engine.c, guards `refs` and `next`; the other members above the first lock are
 * constant. In a core of another runtime the three handles are that runtime's, and only compared
 * here. */
typedef struct device_core {
    int refs;
    struct device_core *next;
    const backend_t *backend; /* NULL: Level Zero */

    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    bool owns_context;
    bool has_in_order_lists;
    counted_events_t counted_events;
    int index; /* of the device in device_list() */
    uint32_t compute_ordinal;
    caps_t caps;
    bool compiles_together; /* modules may be compiled on several threads: build_threads.c */
    identity_t identity;
    /* Entry points of the loader, or of the driver if the loader is too old; NULL: missing. */
    __typeof__(ze.CommandListHostSynchronize) synchronize_list;
    __typeof__(ze.CommandListIsImmediate) is_immediate;
    __typeof__(ze.CommandListImmediateGetFlags) get_list_flags;
    __typeof__(ze.CommandListAppendLaunchKernelWithArguments) launch_with_arguments;
    __typeof__(ze.CommandListGetNextCommandIdExp) next_command_id;
    __typeof__(ze.CommandListUpdateMutableCommandsExp) update_commands;
    __typeof__(ze.CommandListIsMutableExp) is_mutable;

    flights_t flights; /* has a lock of its own */

    pthread_mutex_t module_lock; /* guards: */
    pthread_cond_t module_done;  /* signalled when a module is built or has failed */
    struct module *modules;

    pthread_mutex_t copy_lock;          /* guards: */
    ze_command_list_handle_t copy_list; /* synchronous; created by the first copy */
} device_core_t;

struct dnnl_engine {
    atomic_int refs;
    device_core_t *core;
    /* Functions of the program that allocate for the Graph API, which knows their types, set before
     * anybody else has the engine; NULL: the library allocates. */
    void (*allocate)(void);
    void (*deallocate)(void);
    layer_allocator_t *layer_allocator; /* one reference; in place of the two functions, or NULL */
    attached_t attached;                /* ends after the core, which may use objects of its data */
    /* Called when the program destroys the engine, which others may still refer to. NULL: none. */
    void (*_Atomic at_end)(dnnl_engine_t engine);
};

/* Creates an engine on the caller's objects, which the caller of this function has checked. With a
 * NULL context, the library creates one context for each device, so that all its engines can use
 * each other's memory. */
dnnl_status_t engine_create(dnnl_engine_t *out, ze_driver_handle_t driver,
        ze_device_handle_t device, ze_context_handle_t context, int index);
/* Returns invalid_arguments unless the driver owns the device and the context works with both. */
dnnl_status_t engine_check_handles(ze_driver_handle_t driver, ze_device_handle_t device,
        ze_context_handle_t context, int *index);

/* The same for any runtime: `make` creates the core, if there is none yet. A core begins with
 * core_init(), and is freed with core_free() if it cannot be completed. */
typedef dnnl_status_t (*core_maker_t)(device_core_t **out, ze_driver_handle_t driver,
        ze_device_handle_t device, ze_context_handle_t context, int index);
dnnl_status_t engine_create_by(dnnl_engine_t *out, ze_driver_handle_t driver,
        ze_device_handle_t device, ze_context_handle_t context, int index, core_maker_t make);
void core_init(device_core_t *core, ze_driver_handle_t driver, ze_device_handle_t device,
        ze_context_handle_t context, int index);
void core_free(device_core_t *core);
/* Returns invalid_arguments, with a sentence, for an engine of another runtime than `backend`. */
dnnl_status_t engine_check_backend(const struct dnnl_engine *engine, const backend_t *backend);

/* Copies between any USM or host memory, and waits for the copy. */
dnnl_status_t core_copy(device_core_t *core, void *dst, const void *src, size_t size);

/* The index of the device in lines of the verbose log, or -1 if there is only one device. */
int core_log_index(const device_core_t *core);

#endif

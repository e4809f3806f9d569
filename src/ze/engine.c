/* SPDX-License-Identifier: Apache-2.0 */
/* Engines and their shared cores. */
#include "ze/engine.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/lru.h"
#include "core/verbose.h"

/* All cores. The lock is held for look-ups and counting only, never during a driver call or a log
 * line. */
static pthread_mutex_t cores_lock = PTHREAD_MUTEX_INITIALIZER;
static device_core_t *cores;

/* context NULL: the core whose context the library created. */
static device_core_t *find_core(
        ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context) {
    device_core_t *core = cores;
    while (core && (core->driver != driver || core->device != device ||
                           (context ? core->context != context : !core->owns_context)))
        core = core->next;
    return core;
}

void core_free(device_core_t *core) {
    flights_fini(&core->flights);
    if (core->backend) core->backend->core_fini(core);
    if (core->copy_list) ZE_CALL(CommandListDestroy, core->copy_list);
    if (core->owns_context && !core->backend) ZE_CALL(ContextDestroy, core->context);
    pthread_mutex_destroy(&core->module_lock);
    pthread_cond_destroy(&core->module_done);
    pthread_mutex_destroy(&core->copy_lock);
    dz_free(core);
}

static void core_unref(device_core_t *core) {
    pthread_mutex_lock(&cores_lock);
    const bool last = --core->refs == 0;
    if (last) {
        device_core_t **link = &cores;
        while (*link != core) link = &(*link)->next;
        *link = core->next;
    }
    pthread_mutex_unlock(&cores_lock);
    if (!last) return;
    /* Cached primitives hold kernels of this context, which is destroyed now. */
    caches_evict(core);
    core_free(core);
}

static dnnl_status_t create_context(device_core_t *core) {
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const dnnl_status_t status = ZE_CALL(ContextCreate, core->driver, &desc, &core->context);
    core->owns_context = status == dnnl_success;
    return status;
}

/* Returns an entry point of version 1.`minor` of the API, from the loader or from the driver. The
 * driver's entry point only accepts handles that the loader does not wrap. */
static void *newer_entry(const device_core_t *core, const char *name, void *of_loader,
        uint32_t version, uint32_t minor) {
    void *own = NULL;
    if (of_loader && version >= (uint32_t)ZE_MAKE_VERSION(1, minor)) return of_loader;
    if (ze_wraps_handles(core->context)) return NULL;
    if (ze.DriverGetExtensionFunctionAddress(core->driver, name, &own) != ZE_RESULT_SUCCESS)
        return NULL;
    return own;
}

/* A driver may have the function before it has that version of the API. The call always goes
 * through the loader, because the loader's layers must see the creation of every event. */
static counted_events_t find_counted_events(const device_core_t *core, uint32_t version) {
    void *own;
    if (ze.EventCounterBasedCreate &&
            (version >= (uint32_t)ZE_MAKE_VERSION(1, 15) ||
                    ze.DriverGetExtensionFunctionAddress(
                            core->driver, "zeEventCounterBasedCreate", &own) == ZE_RESULT_SUCCESS))
        return COUNTED_BY_CALL;
    return core->caps.has_counted_pools ? COUNTED_BY_POOL : COUNTED_NONE;
}

static dnnl_status_t ask_version(device_core_t *core) {
    ze_api_version_t answer = ZE_API_VERSION_1_0;
    const dnnl_status_t status = ZE_CALL(DriverGetApiVersion, core->driver, &answer);
    const uint32_t version = (uint32_t)answer;
    if (status != dnnl_success) return status;
    /* Older drivers ignore the in-order flag and run commands in any order. */
    core->has_in_order_lists = version >= (uint32_t)ZE_MAKE_VERSION(1, 6);
    core->counted_events = find_counted_events(core, version);
#define FIND(member, name, minor)                                                                  \
    *(void **)&core->member = newer_entry(core, "ze" #name, *(void **)&ze.name, version, minor)
    FIND(synchronize_list, CommandListHostSynchronize, 6);
    FIND(is_immediate, CommandListIsImmediate, 9);
    FIND(get_list_flags, CommandListImmediateGetFlags, 15);
    FIND(launch_with_arguments, CommandListAppendLaunchKernelWithArguments, 14);
    if (core->caps.has_mutable_arguments) {
        /* These belong to an extension, which may exist in any version of the API. */
        FIND(next_command_id, CommandListGetNextCommandIdExp, 0);
        FIND(update_commands, CommandListUpdateMutableCommandsExp, 0);
        FIND(is_mutable, CommandListIsMutableExp, 0);
    }
#undef FIND
    return status;
}

void core_init(device_core_t *core, ze_driver_handle_t driver, ze_device_handle_t device,
        ze_context_handle_t context, int index) {
    core->refs = 1;
    core->driver = driver;
    core->device = device;
    core->context = context;
    core->index = index;
    flights_init(&core->flights);
    pthread_mutex_init(&core->module_lock, NULL);
    pthread_cond_init(&core->module_done, NULL);
    pthread_mutex_init(&core->copy_lock, NULL);
}

/* The validation layer's table of handles has no lock: up to loader 1.32, modules that are created
 * on two threads get lost in it, and their context cannot be destroyed. */
static bool layer_tracks_handles(void) {
    const char *setting = getenv("ZE_ENABLE_HANDLE_LIFETIME");
    return setting && !strcmp(setting, "1");
}

static dnnl_status_t core_create(device_core_t **out, ze_driver_handle_t driver,
        ze_device_handle_t device, ze_context_handle_t context, int index) {
    device_core_t *core = dz_calloc(1, sizeof *core);
    if (!core) return verbose_error(dnnl_out_of_memory, "engine", "no memory for an engine");
    core_init(core, driver, device, context, index);
    dnnl_status_t status = device_caps(driver, device, &core->caps);
    if (status == dnnl_success) status = identity_get(&core->identity, driver, device);
    if (status == dnnl_success) status = device_compute_ordinal(device, &core->compute_ordinal);
    if (status == dnnl_success && !context) status = create_context(core);
    if (status == dnnl_success) status = ask_version(core);
    core->compiles_together = core->caps.ip_version && !layer_tracks_handles();
    if (status == dnnl_success) *out = core;
    else core_free(core);
    return status;
}

static device_core_t *core_share(
        ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context) {
    pthread_mutex_lock(&cores_lock);
    device_core_t *core = find_core(driver, device, context);
    if (core) core->refs++;
    pthread_mutex_unlock(&cores_lock);
    return core;
}

/* If another thread has published the same core in the meantime, returns that one and frees
 * `made`. */
static device_core_t *core_publish(device_core_t *made) {
    pthread_mutex_lock(&cores_lock);
    device_core_t *core =
            find_core(made->driver, made->device, made->owns_context ? NULL : made->context);
    if (core) {
        core->refs++;
    } else {
        core = made;
        core->next = cores;
        cores = core;
    }
    pthread_mutex_unlock(&cores_lock);
    if (core != made) core_free(made);
    return core;
}

dnnl_status_t engine_create_by(dnnl_engine_t *out, ze_driver_handle_t driver,
        ze_device_handle_t device, ze_context_handle_t context, int index, core_maker_t make) {
    dnnl_engine_t engine = dz_calloc(1, sizeof *engine);
    if (!engine) return verbose_error(dnnl_out_of_memory, "engine", "no memory for an engine");
    atomic_init(&engine->refs, 1);
    engine->core = core_share(driver, device, context);
    if (!engine->core) {
        device_core_t *made = NULL;
        const dnnl_status_t status = make(&made, driver, device, context, index);
        if (status != dnnl_success) {
            dz_free(engine);
            return status;
        }
        engine->core = core_publish(made);
    }
    *out = engine;
    return dnnl_success;
}

dnnl_status_t engine_create(dnnl_engine_t *out, ze_driver_handle_t driver,
        ze_device_handle_t device, ze_context_handle_t context, int index) {
    return engine_create_by(out, driver, device, context, index, core_create);
}

dnnl_status_t engine_check_backend(const struct dnnl_engine *engine, const backend_t *backend) {
    if (engine->core->backend == backend) return dnnl_success;
    return verbose_check(dnnl_invalid_arguments, "engine", "the engine is one of %s",
            engine->core->backend ? "another runtime than Level Zero" : "Level Zero");
}

/* Whether the context can allocate memory on the device. */
static dnnl_status_t probe_context(ze_device_handle_t device, ze_context_handle_t context) {
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *ptr = NULL;
    const char *call = "zeContextGetStatus";
    ze_result_t result = ze.ContextGetStatus(context);
    if (result == ZE_RESULT_SUCCESS) {
        call = "zeMemAllocDevice";
        result = ze.MemAllocDevice(context, &desc, 64, 64, device, &ptr);
    }
    if (result == ZE_RESULT_SUCCESS) return ZE_CALL(MemFree, context, ptr);
    if (!ze_is_refusal(result)) return ze_report(result, call);
    return verbose_check(dnnl_invalid_arguments, "engine",
            "the context does not work with the device: %s", ze_result_name(result));
}

dnnl_status_t engine_check_handles(ze_driver_handle_t driver, ze_device_handle_t device,
        ze_context_handle_t context, int *index) {
    bool found;
    const dnnl_status_t status = device_find(driver, device, &found, index);
    if (status != dnnl_success) return status;
    if (!found)
        return verbose_check(
                dnnl_invalid_arguments, "engine", "the device does not belong to the driver");
    return probe_context(device, context);
}

static dnnl_status_t copy_list_create(device_core_t *core) {
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .ordinal = core->compute_ordinal,
            .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    return ZE_CALL(
            CommandListCreateImmediate, core->context, core->device, &desc, &core->copy_list);
}

dnnl_status_t core_copy(device_core_t *core, void *dst, const void *src, size_t size) {
    dnnl_status_t status = dnnl_success;
    if (core->backend) return core->backend->copy(core, dst, src, size);
    pthread_mutex_lock(&core->copy_lock);
    if (!core->copy_list) status = copy_list_create(core);
    if (status == dnnl_success)
        status = ZE_CALL(
                CommandListAppendMemoryCopy, core->copy_list, dst, src, size, NULL, 0, NULL);
    pthread_mutex_unlock(&core->copy_lock);
    return status;
}

const caps_t *engine_caps(dnnl_engine_t engine) {
    return &engine->core->caps;
}

const void *engine_core(dnnl_engine_t engine) {
    return engine->core;
}

bool engine_reaches(dnnl_engine_t engine, dnnl_engine_t other) {
    const device_core_t *a = engine->core, *b = other->core;
    ze_bool_t peer = false;
    if (a->context != b->context) return false;
    if (a->device == b->device || a->backend) return a->device == b->device;
    return ze.DeviceCanAccessPeer(a->device, b->device, &peer) == ZE_RESULT_SUCCESS && peer;
}

int engine_index(dnnl_engine_t engine) {
    return engine->core->index;
}

int core_log_index(const device_core_t *core) {
    const device_list_t *list;
    if (core->backend) return -1;
    return device_list(&list) == dnnl_success && list->ndevices == 1 ? -1 : core->index;
}

void engine_ref(dnnl_engine_t engine) {
    atomic_fetch_add_explicit(&engine->refs, 1, memory_order_relaxed);
}

void engine_unref(dnnl_engine_t engine) {
    if (!engine || atomic_fetch_sub_explicit(&engine->refs, 1, memory_order_acq_rel) != 1) return;
    core_unref(engine->core);
    layer_allocator_unref(engine->layer_allocator);
    attached_end(&engine->attached);
    dz_free(engine);
}

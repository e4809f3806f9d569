/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the Level Zero loader and its entry points. */
#include "ze/loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/verbose.h"
#include "ze/runtime.h"

#define LIBRARY "libze_loader.so.1"

ze_table_t ze;
atomic_bool ze_is_over;

static const struct {
    const char *name;
    size_t offset;
    int required;
} entries[] = {
#define X(name) {"ze" #name, offsetof(ze_table_t, name), 1},
        ZE_ENTRY_POINTS(X)
#undef X
#define X(name, params) {"ze" #name, offsetof(ze_table_t, name), 0},
                ZE_OPTIONAL_ENTRY_POINTS(X)
#undef X
                        {"zelLoaderTranslateHandle", offsetof(ze_table_t, loader_translate_handle),
                                0},
};

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER; /* guards `ze` until it is loaded */
static atomic_bool loaded;

static void note_exit(void) {
    ze_is_over = true;
}

/* ---- processes that were forked ----
 *
 * A child has neither the driver's threads nor those of the program, and locks that these held stay
 * locked. So it takes no lock of the library and calls no driver: exported functions ask
 * ze_check_process() first, and objects that it destroys are left as they are. */

static atomic_bool forked;

static void note_fork(void) {
    forked = true;
    verbose_set_no_device();
}

bool ze_is_forked(void) {
    return atomic_load_explicit(&forked, memory_order_relaxed);
}

dnnl_status_t ze_check_process(const char *component) {
    if (LIKELY(!ze_is_forked())) return dnnl_success;
    return verbose_error(dnnl_runtime_error, component,
            "this process was forked from one that had used the device, which no driver supports: "
            "fork before the first engine, or call exec()");
}

/* ---- loading ---- */

/* With the lock held, like the next function. Returns NULL, or what failed. */
static const char *watch(void) {
    static bool at_exit, at_fork;
    /* This handler is registered after the loader's own handlers, so it runs before them. */
    if (!at_exit && atexit(note_exit)) return "there is no memory to be told of the exit";
    at_exit = true;
    /* In a child, the settings of the log must have been read, since that takes a lock. */
    verbose_on(VERBOSE_ERROR);
    if (!at_fork && pthread_atfork(NULL, NULL, note_fork))
        return "there is no memory to be told of forks";
    at_fork = true;
    return NULL;
}

/* Returns NULL, or what failed. With the lock held, so that it writes nothing to the log, whose
 * header lists the devices. */
static const char *load(char failure[256]) {
    /* The loader is never closed: drivers do not support being unloaded. */
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(failure, 256,
                "the Level Zero loader %s cannot be loaded (Debian: apt install libze1): %s",
                LIBRARY, reason ? reason : "no reason given");
        return failure;
    }
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *entry = dlsym(library, entries[i].name);
        *(void **)((char *)&ze + entries[i].offset) = entry;
        if (entry || !entries[i].required) continue;
        snprintf(failure, 256, "%s has no %s", LIBRARY, entries[i].name);
        return failure;
    }
    return watch();
}

dnnl_status_t ze_watch_process(void) {
    pthread_mutex_lock(&load_lock);
    const char *failure = watch();
    pthread_mutex_unlock(&load_lock);
    return failure ? verbose_error(dnnl_out_of_memory, "engine", "%s", failure) : dnnl_success;
}

/* A failure does not last, since files or memory may have been missing: the next call tries
 * again. */
dnnl_status_t ze_load(void) {
    char text[256];
    const char *failure = NULL;
    if (atomic_load_explicit(&loaded, memory_order_acquire)) return dnnl_success;
    pthread_mutex_lock(&load_lock);
    if (!atomic_load(&loaded)) failure = load(text);
    if (!failure) atomic_store_explicit(&loaded, true, memory_order_release);
    pthread_mutex_unlock(&load_lock);
    return failure ? verbose_error(dnnl_runtime_error, "engine", "%s", failure) : dnnl_success;
}

bool ze_wraps_handles(ze_context_handle_t context) {
    enum { KIND_CONTEXT = 2 };
    void *raw = context;
    return ze.loader_translate_handle &&
           ze.loader_translate_handle(KIND_CONTEXT, context, &raw) == ZE_RESULT_SUCCESS &&
           raw != context;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "ze/library.h"

#include <dlfcn.h>
#include <stdio.h>

#include "core/util.h"
#include "core/verbose.h"

/* Returns NULL, or what failed. With the lock held, so that it writes nothing to the log, whose
 * header lists the devices. */
static const char *load(library_t *library, char failure[LIBRARY_FAILURE]) {
    /* It is never closed: drivers do not support being unloaded. */
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(failure, LIBRARY_FAILURE,
                "the %s %s cannot be loaded (Debian: apt install %s): %s", library->what,
                library->file, library->package, reason ? reason : "no reason given");
        return failure;
    }
    for (size_t i = 0; i < library->nentries; i++) {
        const entry_point_t *entry = &library->entries[i];
        void *address = dlsym(handle, entry->name);
        *(void **)((char *)library->table + entry->offset) = address;
        if (address || !entry->required) continue;
        snprintf(failure, LIBRARY_FAILURE, "%s has no %s", library->file, entry->name);
        return failure;
    }
    return library->watch ? library->watch() : NULL;
}

dnnl_status_t library_load(library_t *library) {
    char text[LIBRARY_FAILURE];
    const char *failure = NULL;
    if (LIKELY(atomic_load_explicit(&library->loaded, memory_order_acquire))) return dnnl_success;
    pthread_mutex_lock(&library->lock);
    if (!atomic_load(&library->loaded)) failure = load(library, text);
    if (!failure) atomic_store_explicit(&library->loaded, true, memory_order_release);
    pthread_mutex_unlock(&library->lock);
    return failure ? verbose_error(dnnl_runtime_error, "engine", "%s", failure) : dnnl_success;
}

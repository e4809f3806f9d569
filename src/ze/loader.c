/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the Level Zero loader and its entry points. */
#include "ze/loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/verbose.h"

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

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256]; /* empty: loaded */

static void note_exit(void) {
    ze_is_over = true;
}

static void load(void) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(failure, sizeof failure, "the Level Zero loader %s cannot be loaded: %s", LIBRARY,
                reason ? reason : "no reason given");
        return;
    }
    /* The loader is never closed: drivers do not support being unloaded. */
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *entry = dlsym(library, entries[i].name);
        *(void **)((char *)&ze + entries[i].offset) = entry;
        if (entry || !entries[i].required) continue;
        snprintf(failure, sizeof failure, "%s has no %s", LIBRARY, entries[i].name);
        return;
    }
    /* This handler is registered after the loader's own handlers, so it runs before them. */
    atexit(note_exit);
}

dnnl_status_t ze_load(void) {
    pthread_once(&once, load);
    if (!*failure) return dnnl_success;
    return verbose_error(dnnl_runtime_error, "engine", "%s", failure);
}

bool ze_wraps_handles(ze_context_handle_t context) {
    enum { KIND_CONTEXT = 2 };
    void *raw = context;
    return ze.loader_translate_handle &&
           ze.loader_translate_handle(KIND_CONTEXT, context, &raw) == ZE_RESULT_SUCCESS &&
           raw != context;
}

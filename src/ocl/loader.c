/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the OpenCL loader and its entry points. */
#include "ocl/loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "core/status.h"
#include "core/verbose.h"

#define LIBRARY "libOpenCL.so.1"

ocl_table_t ocl;

static const struct {
    const char *name;
    size_t offset;
    int required;
} entries[] = {
#define X(name, type, params) {"cl" #name, offsetof(ocl_table_t, name), 1},
        OCL_ENTRY_POINTS(X)
#undef X
#define X(name, type, params) {"cl" #name, offsetof(ocl_table_t, name), 0},
                OCL_OPTIONAL_ENTRY_POINTS(X)
#undef X
};

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER; /* guards `ocl` until it is loaded */
static atomic_bool loaded;

/* Returns NULL, or what failed. With the lock held, so that it writes nothing to the log. */
static const char *load(char failure[256]) {
    /* The loader is never closed: drivers do not support being unloaded. */
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(failure, 256,
                "the OpenCL loader %s cannot be loaded (Debian: apt install ocl-icd-libopencl1): "
                "%s",
                LIBRARY, reason ? reason : "no reason given");
        return failure;
    }
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *entry = dlsym(library, entries[i].name);
        *(void **)((char *)&ocl + entries[i].offset) = entry;
        if (entry || !entries[i].required) continue;
        snprintf(failure, 256, "%s has no %s", LIBRARY, entries[i].name);
        return failure;
    }
    return NULL;
}

dnnl_status_t ocl_load(void) {
    char text[256];
    const char *failure = NULL;
    if (atomic_load_explicit(&loaded, memory_order_acquire)) return dnnl_success;
    TRY(ze_watch_process());
    pthread_mutex_lock(&load_lock);
    if (!atomic_load(&loaded)) failure = load(text);
    if (!failure) atomic_store_explicit(&loaded, true, memory_order_release);
    pthread_mutex_unlock(&load_lock);
    return failure ? verbose_error(dnnl_runtime_error, "engine", "%s", failure) : dnnl_success;
}

dnnl_status_t ocl_report(cl_int result, const char *call) {
    const bool memory = result == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                        result == CL_OUT_OF_RESOURCES || result == CL_OUT_OF_HOST_MEMORY;
    return verbose_error(memory ? dnnl_out_of_memory : dnnl_runtime_error, "ocl", "%s answers %d%s",
            call, (int)result, memory ? ", which means that memory or resources are missing" : "");
}

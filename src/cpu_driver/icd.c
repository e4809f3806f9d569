/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the OpenCL loader. */
#define _GNU_SOURCE
#include "icd.h"
#include "common.h"
#include "say.h"

#include <dlfcn.h>

#define LIBRARY "libOpenCL.so.1"

icd_t icd;
static void *library;

static const struct {
    const char *name;
    size_t offset;
} entries[] = {
#define X(name) {"cl" #name, offsetof(icd_t, name)},
        ICD_CALLS(X)
#undef X
};

bool icd_open(void) {
    if (!library) library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        say("the OpenCL loader " LIBRARY " cannot be loaded: %s. The driver needs it and PoCL "
            "(Debian: apt install ocl-icd-libopencl1 pocl-opencl-icd)",
                reason ? reason : "no reason given");
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(entries); i++) {
        /* A library that was preloaded, such as Oclgrind's, goes first. */
        void *entry = dlsym(RTLD_DEFAULT, entries[i].name);
        if (!entry) entry = dlsym(library, entries[i].name);
        *(void **)(void *)((char *)&icd + entries[i].offset) = entry;
        if (entry) continue;
        say("the OpenCL loader " LIBRARY " has no %s: it is older than version 2.1 of OpenCL",
                entries[i].name);
        return false;
    }
    return true;
}

void icd_close(void) {
    if (library) dlclose(library);
    library = NULL;
}

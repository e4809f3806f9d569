/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the LLVM library that PoCL has loaded. */
#include "llvm_api.h"
#include "common.h"

#include <dlfcn.h>
#include <pthread.h>

static llvm_api_t api;
static bool usable;

static void find_llvm(void) {
    if (env_long("ZE_CPU_FOLD", 1) == 0) return;
    static const char *const names[] = {"libLLVM-15.so.1", "libLLVM-14.so.1"};
    void *library = NULL;
    for (size_t i = 0; i < COUNT_OF(names) && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!library) return;
    usable = true;
#define FIND(type, name, args)                                                                     \
    *(void **)&api.name = dlsym(library, "LLVM" #name);                                            \
    usable &= api.name != NULL;
    LLVM_FUNCTIONS(FIND)
}

const llvm_api_t *llvm_api(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_llvm);
    return usable ? &api : NULL;
}

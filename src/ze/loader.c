/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the Level Zero loader and its entry points. */
#include "ze/loader.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/verbose.h"
#include "ze/library.h"
#include "ze/runtime.h"

ze_table_t ze;
atomic_bool ze_is_over;

static const entry_point_t entries[] = {
#define X(name) {"ze" #name, offsetof(ze_table_t, name), true},
        ZE_ENTRY_POINTS(X)
#undef X
#define X(name, params) {"ze" #name, offsetof(ze_table_t, name), false},
                ZE_OPTIONAL_ENTRY_POINTS(X)
#undef X
                        {"zelLoaderTranslateHandle", offsetof(ze_table_t, loader_translate_handle),
                                false},
};

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

/* With the library's lock held. Returns NULL, or what failed. */
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

static library_t library = {.file = "libze_loader.so.1",
        .what = "Level Zero loader",
        .package = "libze1",
        .entries = entries,
        .nentries = sizeof entries / sizeof *entries,
        .table = &ze,
        .watch = watch,
        .lock = PTHREAD_MUTEX_INITIALIZER};

dnnl_status_t ze_watch_process(void) {
    pthread_mutex_lock(&library.lock);
    const char *failure = watch();
    pthread_mutex_unlock(&library.lock);
    return failure ? verbose_error(dnnl_out_of_memory, "engine", "%s", failure) : dnnl_success;
}

dnnl_status_t ze_load(void) {
    return library_load(&library);
}

bool ze_wraps_handles(ze_context_handle_t context) {
    enum { KIND_CONTEXT = 2 };
    void *raw = context;
    return ze.loader_translate_handle &&
           ze.loader_translate_handle(KIND_CONTEXT, context, &raw) == ZE_RESULT_SUCCESS &&
           raw != context;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Explains why there is no device: what was tried, and what to install. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"
#include "ze/drivers.h"

/* What is wrong with a file that shall be a driver. The loader has opened it before, so that
 * opening it once more does nothing new. */
static void explain_driver(text_t *text, const char *path) {
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    const char *reason = library ? NULL : dlerror();
    if (!library) {
        text_add(text, "%s cannot be opened (%s)", path, reason ? reason : "no reason given");
        return;
    }
    if (dlsym(library, "zeGetGlobalProcAddrTable")) text_add(text, "%s is a driver", path);
    else text_add(text, "%s is no Level Zero driver", path);
    dlclose(library);
}

static void explain_drivers(text_t *text, const char *paths) {
    char path[1024];
    while (*paths) {
        const size_t length = strcspn(paths, ",");
        if (length && length < sizeof path) {
            memcpy(path, paths, length);
            path[length] = 0;
            text_add(text, "; ");
            explain_driver(text, path);
        }
        paths += length + (paths[length] == ',');
    }
}

void device_explain_none(const device_list_t *list, char *buffer, size_t size) {
    text_t text = text_start(buffer, size);
    const char *paths = getenv("ZE_ENABLE_ALT_DRIVERS");
    text_add(&text, "no Level Zero device was found: zeInit answers %s (0x%x)",
            ze_result_name(list->init), (unsigned)list->init);
    if (list->init == ZE_RESULT_SUCCESS)
        text_add(&text, " and %zu driver%s without a GPU or a CPU", list->drivers_seen,
                list->drivers_seen == 1 ? "" : "s");
    if (paths && *paths) {
        text_add(&text, "; the loader looks only at ZE_ENABLE_ALT_DRIVERS=%s", paths);
        explain_drivers(&text, paths);
    } else {
        text_add(&text, "; ZE_ENABLE_ALT_DRIVERS names no other driver");
    }
    text_add(&text,
            "; an Intel GPU needs its driver (Debian: libze-intel-gpu1), libze_cpu.so needs "
            "PoCL (Debian: pocl-opencl-icd)");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A machine without the Level Zero loader. */
#include "check.h"

#include <dlfcn.h>

/* Takes the place of libc's. */
__attribute__((visibility("default"))) void *dlopen(const char *name, int flags) {
    (void)name;
    (void)flags;
    return NULL;
}

int main(void) {
    const char *const said[] = {"libze_loader.so.1", "libze1", NULL};
    return check_absent(said);
}

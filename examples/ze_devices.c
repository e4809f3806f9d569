/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the Level Zero devices that a program on this machine can use; exit code 1 if there is
 * none. */
#include <stdio.h>

#include "common.h"

static void print(void *arg, ze_driver_handle_t driver, ze_device_handle_t device,
        const ze_device_properties_t *p) {
    (void)arg, (void)driver, (void)device;
    printf("%s: %s\n", p->type == ZE_DEVICE_TYPE_GPU ? "GPU" : "CPU", p->name);
}

int main(void) {
    if (for_each_device(print, NULL) > 0) return 0;
    fprintf(stderr, "no Level Zero GPU or CPU device\n");
    return 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples share: an application's own Level Zero objects, and checks that end the
 * program with a sentence. */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#include <level_zero/ze_api.h>

#include "dnnl.h"

#define CHECK_ZE(call) check_ze((call), #call, __FILE__, __LINE__)
#ifndef CHECK_DNNL /* a test brings its own, which calls again what fails */
#define CHECK_DNNL(call) check_dnnl((call), #call, __FILE__, __LINE__)
#endif
void check_ze(ze_result_t result, const char *call, const char *file, int line);
void check_dnnl(dnnl_status_t status, const char *call, const char *file, int line);

typedef struct {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_device_properties_t properties;
} app_t;

/* Returns the number of GPU and CPU devices of all drivers; calls visit for each (NULL: only
 * count). */
int for_each_device(void (*visit)(void *arg, ze_driver_handle_t, ze_device_handle_t,
                            const ze_device_properties_t *),
        void *arg);

/* Takes the first GPU, or else the first CPU device, and creates a context on its driver. Ends
 * the program if there is none. */
void app_open(app_t *app);
/* The same for one of `parts` processes of this machine, each with another index: devices of that
 * kind in turn or, if there are more processes than devices, devices and sub-devices. */
void app_open_part(app_t *app, int index, int parts);
void app_close(app_t *app);

/* An in-order immediate command list on compute queue group 0; asynchronous where the loader and
 * the driver know in-order lists. */
ze_command_list_handle_t app_immediate_list(const app_t *app);

/* A regular list, to be closed and given to a queue on the same group; *in_order says whether it
 * keeps its commands in order, or the loader or the driver know no such lists. */
ze_command_list_handle_t app_regular_list(const app_t *app, int *in_order);
ze_command_queue_handle_t app_queue(const app_t *app);

void *app_alloc_device(const app_t *app, size_t size);
void *app_alloc_host(const app_t *app, size_t size); /* the host and the device read and write it */
void app_free(const app_t *app, void *pointer);

double now_ms(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The device, the driver and the version of this library: compiled code depends on all three. */
#ifndef ZE_IDENTITY_H
#define ZE_IDENTITY_H

#include "ze/drivers.h"

/* Padding is zeroed, so that equal identities have equal bytes in every process. */
typedef struct {
    int32_t version[3];
    char hash[64];
    device_id_t device;
} identity_t;
dnnl_status_t identity_get(identity_t *id, ze_driver_handle_t driver, ze_device_handle_t device);

#endif

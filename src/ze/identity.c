/* SPDX-License-Identifier: Apache-2.0 */
/* Fills in the identity of a device and of this library. */
#include "ze/identity.h"

#include <string.h>

#include "oneapi/dnnl/dnnl_version.h"
#include "oneapi/dnnl/dnnl_version_hash.h"

dnnl_status_t identity_get(identity_t *id, ze_driver_handle_t driver, ze_device_handle_t device) {
    static const char hash[] = DNNL_VERSION_HASH;
    memset(id, 0, sizeof *id);
    id->version[0] = DNNL_VERSION_MAJOR;
    id->version[1] = DNNL_VERSION_MINOR;
    id->version[2] = DNNL_VERSION_PATCH;
    memcpy(id->hash, hash, sizeof hash < sizeof id->hash ? sizeof hash : sizeof id->hash - 1);
    return device_id(driver, device, &id->device);
}

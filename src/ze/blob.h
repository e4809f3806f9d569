/* SPDX-License-Identifier: Apache-2.0 */
/* Cache blobs: bytes that save a later run with the same device, driver and library version from
 * doing the same work. */
#ifndef ZE_BLOB_H
#define ZE_BLOB_H

#include "ze/executable.h"

/* With a NULL blob, writes the size; otherwise *size must be that size. */
dnnl_status_t engine_get_blob(device_core_t *core, size_t *size, uint8_t *blob);
/* Returns invalid_arguments, and logs the reason, for a blob of another device or library
 * version. */
dnnl_status_t engine_check_blob(
        ze_driver_handle_t driver, ze_device_handle_t device, size_t size, const uint8_t *blob);
/* The same for a device of which the identity and the capabilities are known. */
dnnl_status_t engine_check_blob_of(
        const identity_t *id, const caps_t *caps, size_t size, const uint8_t *blob);

dnnl_status_t executable_get_blob(executable_t *x, size_t *size, uint8_t *blob);
/* Like engine_check_blob(), and also refuses blobs of other primitives. */
dnnl_status_t executable_check_blob(
        device_core_t *core, const pd_t *pd, size_t size, const uint8_t *blob);
/* The caller has checked the blob. */
dnnl_status_t executable_from_blob(
        executable_t **out, device_core_t *core, pd_t *pd, size_t size, const uint8_t *blob);

#endif

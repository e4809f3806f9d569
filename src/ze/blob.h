/* SPDX-License-Identifier: Apache-2.0 */
/* Cache blobs: bytes that a later run on the same device, driver and library version takes instead of work.
 */
#ifndef ZE_BLOB_H
#define ZE_BLOB_H

#include "ze/executable.h"

/* Answers the size for a NULL blob; else *size has to be it. */
dnnl_status_t engine_get_blob(device_core_t *core, size_t *size, uint8_t *blob);
/* invalid_arguments, with the reason in the log, for a blob that is not of this device and library. */
dnnl_status_t engine_check_blob(
        ze_driver_handle_t driver, ze_device_handle_t device, size_t size, const uint8_t *blob);

dnnl_status_t executable_get_blob(executable_t *x, size_t *size, uint8_t *blob);
/* As engine_check_blob(); also refuses blobs of other primitives. */
dnnl_status_t executable_check_blob(
        device_core_t *core, const pd_t *pd, size_t size, const uint8_t *blob);
/* The blob has been checked. */
dnnl_status_t executable_from_blob(
        executable_t **out, device_core_t *core, pd_t *pd, size_t size, const uint8_t *blob);

#endif

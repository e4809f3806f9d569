/* SPDX-License-Identifier: Apache-2.0 */
/* Unified shared memory. */
#ifndef ZE_USM_H
#define ZE_USM_H

#include "ze/engine.h"

dnnl_status_t usm_alloc_device(device_core_t *core, size_t size, void **out);
/* Memory for copies, which usm_free_host() frees. */
dnnl_status_t usm_alloc_host(device_core_t *core, size_t size, void **out);
void usm_free_host(device_core_t *core, void *ptr);
/* ptr may be NULL. The device must be done with the memory. */
void usm_free(device_core_t *core, void *ptr);
/* The same for memory that the device may still use: it lives until the work that was submitted
 * before is over. */
void usm_free_unused(device_core_t *core, void *ptr);
dnnl_status_t usm_kind(device_core_t *core, const void *ptr, usm_kind_t *kind);
/* Bytes from ptr to the end of its allocation; SIZE_MAX: the driver does not know the pointer. */
dnnl_status_t usm_room(device_core_t *core, const void *ptr, size_t *room);

#endif

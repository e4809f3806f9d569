/* SPDX-License-Identifier: Apache-2.0 */
/* Unified shared memory. */
#ifndef ZE_USM_H
#define ZE_USM_H

#include "ze/engine.h"

typedef enum {
    USM_NONE,
    USM_HOST,
    USM_DEVICE,
    USM_SHARED
} usm_kind_t; /* NONE: not an allocation of the context */

dnnl_status_t usm_alloc_device(device_core_t *core, size_t size, void **out);
dnnl_status_t usm_alloc_host(device_core_t *core, size_t size, void **out);
void usm_free(device_core_t *core, void *ptr); /* ptr may be NULL */
dnnl_status_t usm_kind(device_core_t *core, const void *ptr, usm_kind_t *kind);

#endif

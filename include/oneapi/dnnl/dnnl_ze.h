/* SPDX-License-Identifier: Apache-2.0 */
/* Interoperation with Level Zero. */
#ifndef ONEAPI_DNNL_DNNL_ZE_H
#define ONEAPI_DNNL_DNNL_ZE_H

#include "oneapi/dnnl/dnnl.h"
#include <level_zero/ze_api.h>

#ifdef __cplusplus
extern "C" {
#endif

DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_cache_blob_id(
        ze_driver_handle_t driver, ze_device_handle_t device, size_t *size, uint8_t *cache_blob_id);
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_cache_blob(
        dnnl_engine_t engine, size_t *size, uint8_t *cache_blob);
DNNL_API dnnl_status_t dnnl_ze_interop_engine_create_from_cache_blob(dnnl_engine_t *engine,
        ze_driver_handle_t driver, ze_device_handle_t device, ze_context_handle_t context, size_t size,
        const uint8_t *cache_blob);
DNNL_API dnnl_status_t dnnl_ze_interop_engine_create(dnnl_engine_t *engine, ze_driver_handle_t driver,
        ze_device_handle_t device, ze_context_handle_t context);
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_context(dnnl_engine_t engine, ze_context_handle_t *context);
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_device(dnnl_engine_t engine, ze_device_handle_t *device);
DNNL_API dnnl_status_t dnnl_ze_interop_engine_get_driver(dnnl_engine_t engine, ze_driver_handle_t *driver);
DNNL_API dnnl_status_t dnnl_ze_interop_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, ze_command_list_handle_t list, int profiling);
DNNL_API dnnl_status_t dnnl_ze_interop_stream_get_list(dnnl_stream_t stream, ze_command_list_handle_t *list);
DNNL_API dnnl_status_t dnnl_ze_interop_memory_create(dnnl_memory_t *memory,
        const_dnnl_memory_desc_t memory_desc, dnnl_engine_t engine, int nhandles, void **handles);
DNNL_API dnnl_status_t dnnl_ze_interop_primitive_execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args, int ndeps,
        const ze_event_handle_t *deps, ze_event_handle_t *return_event);

#ifdef __cplusplus
}
#endif

#endif

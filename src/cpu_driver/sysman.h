/* SPDX-License-Identifier: Apache-2.0 */
/* System management: what tells programs which devices there are. Its handles are those of
 * drivers and devices. The oldest supported header (1.4) declares the query of properties alone. */
#ifndef ZE_CPU_SYSMAN_H
#define ZE_CPU_SYSMAN_H

#include "common.h"

#include <level_zero/zes_api.h>

typedef struct {
    uint8_t id[ZE_MAX_DEVICE_UUID_SIZE];
} cpu_uuid_t;

/* zesInit, zesDriverGet, zesDeviceGet */
ze_result_t cpu_sysman_init(uint32_t flags);
ze_result_t cpu_sysman_drivers(uint32_t *count, zes_driver_handle_t *drivers);
ze_result_t cpu_sysman_devices(
        zes_driver_handle_t driver, uint32_t *count, zes_device_handle_t *devices);
/* zesDriverGetDeviceByUuidExp */
ze_result_t cpu_sysman_find(zes_driver_handle_t driver, cpu_uuid_t uuid, zes_device_handle_t *out,
        ze_bool_t *is_sub_device, uint32_t *number);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Entry points that the oldest supported header (1.4) does not declare. The number before each
 * group is the version of the specification that added it. A newer header declares them as well,
 * and so checks these declarations. */
#ifndef ZE_CPU_NEWER_H
#define ZE_CPU_NEWER_H

#include "common.h"

#define NEWER ZE_APIEXPORT ze_result_t
/* 1.10: zeInitDrivers. The old header lacks the type of the descriptor; the driver reads only the
 * flags, which follow stype and pNext. */
NEWER cpu_init_drivers(uint32_t *count, ze_driver_handle_t *drivers, const void *desc);
/* 1.6 */
NEWER zeDriverGetLastErrorDescription(ze_driver_handle_t driver, const char **text);
NEWER zeCommandListHostSynchronize(ze_command_list_handle_t list, uint64_t timeout);
/* 1.7 */
NEWER zeDeviceGetRootDevice(ze_device_handle_t device, ze_device_handle_t *root);
/* 1.9 */
NEWER zeCommandListGetDeviceHandle(ze_command_list_handle_t list, ze_device_handle_t *out);
NEWER zeCommandListGetContextHandle(ze_command_list_handle_t list, ze_context_handle_t *out);
NEWER zeCommandListGetOrdinal(ze_command_list_handle_t list, uint32_t *out);
NEWER zeCommandListImmediateGetIndex(ze_command_list_handle_t list, uint32_t *out);
NEWER zeCommandListIsImmediate(ze_command_list_handle_t list, ze_bool_t *out);
NEWER zeCommandQueueGetOrdinal(ze_command_queue_handle_t queue, uint32_t *out);
NEWER zeCommandQueueGetIndex(ze_command_queue_handle_t queue, uint32_t *out);
NEWER zeCommandListImmediateAppendCommandListsExp(ze_command_list_handle_t immediate, uint32_t n,
        ze_command_list_handle_t *lists, ze_event_handle_t signal, uint32_t n_waits,
        ze_event_handle_t *waits);
NEWER zeEventGetEventPool(ze_event_handle_t event, ze_event_pool_handle_t *out);
NEWER zeEventGetSignalScope(ze_event_handle_t event, ze_event_scope_flags_t *out);
NEWER zeEventGetWaitScope(ze_event_handle_t event, ze_event_scope_flags_t *out);
NEWER zeEventPoolGetContextHandle(ze_event_pool_handle_t pool, ze_context_handle_t *out);
NEWER zeEventPoolGetFlags(ze_event_pool_handle_t pool, ze_event_pool_flags_t *out);
/* 1.14: zeCommandListAppendLaunchKernelWithArguments. Old headers lack the type of the group
 * size. */
typedef struct {
    uint32_t x, y, z;
} cpu_group_size_t;
NEWER cpu_launch_with_arguments(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
        ze_group_count_t groups, cpu_group_size_t size, void **arguments, const void *next,
        ze_event_handle_t signal, uint32_t n_waits, ze_event_handle_t *waits);
/* 1.8: ze_event_pool_counter_based_exp_desc_t */
typedef struct cpu_counted_pool {
    ze_structure_type_t stype;
    const struct cpu_counted_pool *next;
    uint32_t flags;
} cpu_counted_pool_t;
/* 1.15: ze_event_counter_based_desc_t */
typedef struct {
    ze_structure_type_t stype;
    const void *next;
    uint32_t flags, signal, wait;
} cpu_counted_event_t;
enum {
    CPU_STYPE_COUNTED_POOL = 0x00020014,
    CPU_COUNTED_POOL_FLAGS_ALL = 0x3,
    CPU_COUNTED_FLAGS_ALL = 0x7f,
    CPU_COUNTED_SHARED = 0x48, /* shared with other processes, or with graphs */
    CPU_COUNTED_TIMED = 0x30,  /* two flags, of which one may be set */
};
NEWER cpu_counted_event_create(ze_context_handle_t context, ze_device_handle_t device,
        const cpu_counted_event_t *desc, ze_event_handle_t *out); /* zeEventCounterBasedCreate */
/* 1.9: ze_mutable_command_list_exp_properties_t, ze_mutable_command_list_exp_desc_t,
 * ze_mutable_command_id_exp_desc_t, ze_mutable_commands_exp_desc_t and the structures chained to
 * it */
typedef struct cpu_chain {
    ze_structure_type_t stype;
    const struct cpu_chain *next;
} cpu_chain_t;
typedef struct {
    cpu_chain_t head;
    uint32_t list_flags, command_flags;
} cpu_mutable_properties_t;
typedef struct {
    cpu_chain_t head;
    uint32_t flags;
} cpu_mutable_desc_t;
typedef struct {
    cpu_chain_t head;
    uint64_t id;
    uint32_t index;
    size_t size;
    const void *value;
} cpu_mutable_argument_t;
typedef struct {
    cpu_chain_t head;
    uint64_t id;
    const ze_group_count_t *groups;
} cpu_mutable_groups_t;
enum {
    CPU_STYPE_MUTABLE_PROPERTIES = 0x00020015,
    CPU_STYPE_MUTABLE_LIST = 0x00020016,
    CPU_STYPE_MUTABLE_COMMANDS = 0x00020018,
    CPU_STYPE_MUTABLE_ARGUMENT = 0x00020019,
    CPU_STYPE_MUTABLE_GROUPS = 0x0002001a,
    CPU_MUTABLE_ARGUMENTS = 0x1,
    CPU_MUTABLE_GROUPS = 0x2,
    CPU_MUTABLE_ALL = 0xff,
};
NEWER cpu_next_command_id(
        ze_command_list_handle_t list, const cpu_mutable_desc_t *desc, uint64_t *id);
NEWER cpu_update_commands(ze_command_list_handle_t list, const cpu_mutable_desc_t *desc);
/* 1.17 */
NEWER cpu_list_is_mutable(ze_command_list_handle_t list, ze_bool_t *out);
/* 1.15 */
NEWER zeCommandListImmediateGetFlags(ze_command_list_handle_t list, ze_command_queue_flags_t *out);

#endif

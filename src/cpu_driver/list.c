/* SPDX-License-Identifier: Apache-2.0 */
/* Command lists: creation, destruction, submission, queries. */
#include "queue.h"
#include "newer.h"
#include "order.h"

static object_pool_t lists = OBJECT_POOL(OBJECT_LIST, struct _ze_command_list_handle_t);

static ze_command_list_handle_t new_list(ze_context_handle_t context, ze_device_handle_t device) {
    ze_command_list_handle_t list = object_new(&lists);
    if (!list) return NULL;
    list->context = context;
    list->device = device;
    return list;
}

ze_result_t zeCommandListCreate(ze_context_handle_t context, ze_device_handle_t device,
        const ze_command_list_desc_t *desc, ze_command_list_handle_t *out) {
    CHECK_CONTEXT_AND_DEVICE(context, device);
    CHECK_POINTER(desc);
    CHECK_POINTER(out);
    CHECK((desc->flags & ~CPU_LIST_FLAGS_ALL) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    const uint32_t exclusive = CPU_LIST_FLAG_IN_ORDER | CPU_LIST_FLAG_RELAXED_ORDERING;
    CHECK((desc->flags & exclusive) != exclusive, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK(desc->commandQueueGroupOrdinal < QUEUE_GROUPS, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ze_command_list_handle_t list = new_list(context, device);
    CHECK(list, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    list->sequence = cmd_sequence_new();
    if (!list->sequence) {
        object_delete(&lists, list);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    list->ordinal = desc->commandQueueGroupOrdinal;
    list->in_order = desc->flags & CPU_LIST_FLAG_IN_ORDER;
    for (const cpu_chain_t *more = desc->pNext; more; more = more->next)
        if ((unsigned)more->stype == CPU_STYPE_MUTABLE_LIST) list->is_mutable = true;
    *out = list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t check_queue_desc(const ze_command_queue_desc_t *desc) {
    CHECK_POINTER(desc);
    CHECK((desc->flags & ~CPU_QUEUE_FLAGS_ALL) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK((unsigned)desc->mode <= ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK((unsigned)desc->priority <= ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH,
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK(desc->ordinal < QUEUE_GROUPS && desc->index < QUEUES_IN_GROUP,
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
        const ze_command_queue_desc_t *desc, ze_command_list_handle_t *out) {
    CHECK_CONTEXT_AND_DEVICE(context, device);
    TRY(check_queue_desc(desc));
    CHECK_POINTER(out);
    ze_command_list_handle_t list = new_list(context, device);
    lane_t *lane = list ? lane_new(desc->flags & CPU_QUEUE_FLAG_IN_ORDER) : NULL;
    if (!lane) {
        if (list) object_delete(&lists, list);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    list->lane = lane;
    list->ordinal = desc->ordinal;
    list->index = desc->index;
    list->in_order = desc->flags & CPU_QUEUE_FLAG_IN_ORDER;
    list->synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    *out = list;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListDestroy(ze_command_list_handle_t list) {
    CHECK_HANDLE(list, OBJECT_LIST);
    if (list->lane) lane_release(list->lane);
    cmd_sequence_release(list->sequence);
    object_delete(&lists, list);
    return ZE_RESULT_SUCCESS;
}

/* Whether each command starts when all earlier ones are over, and none waits for an event. A lane
 * can be parked only between commands, so a sequence with waits cannot run as one command. */
static bool is_serial(ze_command_list_handle_t list) {
    bool behind_barrier = true;
    for (const cmd_t *cmd = list->sequence->first; cmd; cmd = cmd->next) {
        if (cmd->n_waits) return false;
        if (!list->in_order && !behind_barrier && !cmd->after_all) return false;
        behind_barrier = cmd->after_all && cmd->kind == CMD_NOTHING;
    }
    return !order_is_changed(); /* a changed order picks single commands */
}

ze_result_t zeCommandListClose(ze_command_list_handle_t list) {
    CHECK_HANDLE(list, OBJECT_LIST);
    if (!list->closed && list->sequence) list->sequence->is_serial = is_serial(list);
    list->closed = true;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListReset(ze_command_list_handle_t list) {
    CHECK_HANDLE(list, OBJECT_LIST);
    if (list->sequence) {
        cmd_sequence_t *fresh = cmd_sequence_new();
        CHECK(fresh, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
        cmd_sequence_release(list->sequence);
        list->sequence = fresh;
    }
    list->closed = false;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListHostSynchronize(ze_command_list_handle_t list, uint64_t timeout) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK(list->lane, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    return context_note(list->context, lane_wait(list->lane, timeout));
}

ze_result_t check_closed_lists(uint32_t n, ze_command_list_handle_t *lists, uint32_t ordinal) {
    for (uint32_t i = 0; i < n; i++) {
        CHECK_HANDLE(lists[i], OBJECT_LIST);
        CHECK(!lists[i]->lane && lists[i]->closed, ZE_RESULT_ERROR_INVALID_ARGUMENT);
        CHECK(lists[i]->ordinal == ordinal, ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
    }
    return ZE_RESULT_SUCCESS;
}

/* Submits a sequence as one command between barriers. Most lists begin and end with a barrier
 * anyway. */
static ze_result_t submit_as_it_is(cmd_sequence_t *sequence, lane_t *lane) {
    cmd_t *cmd = lane_begin(lane);
    CHECK(cmd, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    cmd_set(cmd, CMD_SEQUENCE, NULL, 0, NULL, NULL, 0);
    cmd->after_all = true;
    cmd->u.sequence = sequence;
    cmd_sequence_retain(sequence);
    lane_commit(lane, cmd);
    return ZE_RESULT_SUCCESS;
}

ze_result_t list_submit(ze_command_list_handle_t list, lane_t *lane) {
    cmd_sequence_t *sequence = list->sequence;
    if (!sequence->first) return ZE_RESULT_SUCCESS;
    if (sequence->is_serial) return submit_as_it_is(sequence, lane);
    for (const cmd_t *from = sequence->first; from; from = from->next) {
        cmd_t *cmd = lane_begin(lane);
        CHECK(cmd, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
        if (!cmd_copy(cmd, from)) {
            lane_drop(lane, cmd);
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
        if (list->in_order && from != sequence->first) cmd->after_all = true;
        lane_commit(lane, cmd);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListGetDeviceHandle(ze_command_list_handle_t list, ze_device_handle_t *out) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(out);
    *out = list->device;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListGetContextHandle(ze_command_list_handle_t list, ze_context_handle_t *out) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(out);
    *out = list->context;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListGetOrdinal(ze_command_list_handle_t list, uint32_t *out) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(out);
    *out = list->ordinal;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListImmediateGetIndex(ze_command_list_handle_t list, uint32_t *out) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(out);
    CHECK(list->lane, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    *out = list->index;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListIsImmediate(ze_command_list_handle_t list, ze_bool_t *out) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(out);
    *out = list->lane != NULL;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListImmediateGetFlags(
        ze_command_list_handle_t list, ze_command_queue_flags_t *out) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(out);
    CHECK(list->lane, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    *out = list->in_order ? CPU_QUEUE_FLAG_IN_ORDER : 0;
    return ZE_RESULT_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Mutable command lists: a command that got a number before it was appended can get other values
 * later. */
#include "memory.h"
#include "module.h"
#include "newer.h"
#include "queue.h"

#include <stdlib.h>
#include <string.h>

ze_result_t cpu_list_is_mutable(ze_command_list_handle_t list, ze_bool_t *out) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(out);
    *out = list->is_mutable;
    return ZE_RESULT_SUCCESS;
}

ze_result_t cpu_next_command_id(
        ze_command_list_handle_t list, const cpu_mutable_desc_t *desc, uint64_t *id) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(desc);
    CHECK_POINTER(id);
    CHECK((desc->flags & ~(uint32_t)CPU_MUTABLE_ALL) == 0, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK(list->is_mutable && !list->closed, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    cmd_sequence_t *sequence = list->sequence;
    if (sequence->n_numbered == sequence->room) {
        const uint32_t room = sequence->room ? 2 * sequence->room : 64;
        cmd_t **grown = realloc(sequence->numbered, room * sizeof(cmd_t *));
        CHECK(grown, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
        sequence->numbered = grown;
        sequence->room = room;
    }
    sequence->numbered[sequence->n_numbered++] = NULL;
    sequence->numbers_next = true;
    *id = sequence->n_numbered; /* numbers begin at 1 */
    return ZE_RESULT_SUCCESS;
}

/* Finds the launch with that number; NULL: there is none. */
static cmd_t *find_launch(ze_command_list_handle_t list, uint64_t id) {
    const cmd_sequence_t *sequence = list->sequence;
    cmd_t *cmd = id > 0 && id <= sequence->n_numbered ? sequence->numbered[id - 1] : NULL;
    if (!cmd || cmd->kind != CMD_LAUNCH) {
        COMPLAIN("no kernel of the list %p has the number %llu", (void *)list,
                (unsigned long long)id);
        return NULL;
    }
    return cmd;
}

static ze_result_t set_argument(cmd_t *cmd, const cpu_mutable_argument_t *change, bool only_check) {
    kernel_exec_t *kernel = cmd->u.launch.kernel;
    CHECK(change->index < kernel->info->n_args, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    const arg_info_t *arg = &kernel->info->args[change->index];
    uint8_t *to = cmd->bytes + kernel->offsets[change->index];
    CHECK(arg->kind != ARG_LOCAL, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK(change->size == arg->size, ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    CHECK(change->value || arg->kind == ARG_POINTER, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    void *pointer = NULL;
    if (arg->kind == ARG_POINTER && change->value) memcpy(&pointer, change->value, sizeof pointer);
    CHECK(memory_check(pointer, 1, "a new argument", false), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    if (only_check) return ZE_RESULT_SUCCESS;
    if (change->value) memcpy(to, change->value, arg->size);
    else memset(to, 0, arg->size);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t change(ze_command_list_handle_t list, const cpu_chain_t *what, bool only_check) {
    if ((unsigned)what->stype == CPU_STYPE_MUTABLE_ARGUMENT) {
        const cpu_mutable_argument_t *argument = (const cpu_mutable_argument_t *)what;
        cmd_t *cmd = find_launch(list, argument->id);
        return cmd ? set_argument(cmd, argument, only_check) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    CHECK((unsigned)what->stype == CPU_STYPE_MUTABLE_GROUPS, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    const cpu_mutable_groups_t *groups = (const cpu_mutable_groups_t *)what;
    cmd_t *cmd = find_launch(list, groups->id);
    CHECK(cmd && !cmd->u.launch.indirect, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_POINTER(groups->groups);
    if (!only_check) cmd->u.launch.groups = *groups->groups;
    return ZE_RESULT_SUCCESS;
}

/* Makes all changes or none. The application must close the list again. */
ze_result_t cpu_update_commands(ze_command_list_handle_t list, const cpu_mutable_desc_t *desc) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(desc);
    CHECK(list->is_mutable, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    for (const cpu_chain_t *what = desc->head.next; what; what = what->next)
        TRY(change(list, what, true));
    for (const cpu_chain_t *what = desc->head.next; what; what = what->next)
        TRY(change(list, what, false));
    list->closed = false;
    return ZE_RESULT_SUCCESS;
}

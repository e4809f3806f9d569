/* SPDX-License-Identifier: Apache-2.0 */
/* Appends commands to lists. */
#include "memory.h"
#include "module.h"
#include "newer.h"
#include "queue.h"
#include "say.h"
#include "subgroups.h"
#include "svm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The event arguments of every append function. */
typedef struct {
    ze_event_handle_t signal;
    uint32_t n_waits;
    ze_event_handle_t *waits;
} events_t;

/* A counter-based event counts the commands of an in-order immediate list, so no other list can
 * signal it. */
static ze_result_t check_counting(ze_command_list_handle_t list, ze_event_handle_t event) {
    const bool counts = list->lane && list->in_order;
    if (!counts)
        COMPLAIN("the event %p is counter-based, but the list %p is %s", (void *)event,
                (void *)list, list->lane ? "not in order" : "not immediate");
    if (!counts) say("only in-order immediate lists signal counter-based events");
    CHECK(counts, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    return ZE_RESULT_SUCCESS;
}

/* Starts a command at the end of the list: the caller fills in the rest and calls end(). A launch
 * must get its kernel before anything can fail, because clearing the command releases the
 * kernel. */
static ze_result_t begin(ze_command_list_handle_t list, cmd_kind_t kind, events_t events,
        const void *bytes, size_t n_bytes, cmd_t **out) {
    if (list->closed) COMPLAIN("the list %p is closed", (void *)list);
    CHECK(!list->closed, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK(n_bytes <= UINT32_MAX, ZE_RESULT_ERROR_INVALID_SIZE);
    TRY(check_events(events.signal, events.n_waits, events.waits));
    const bool counted = events.signal && events.signal->counted;
    if (counted) TRY(check_counting(list, events.signal));
    cmd_t *cmd = list->lane ? lane_begin(list->lane) : cmd_store_take(&list->sequence->store);
    CHECK(cmd, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    if (!cmd_set(cmd, kind, events.signal, events.n_waits, events.waits, bytes, n_bytes) ||
            (counted && !lane_count(list->lane, events.signal))) {
        cmd->kind = CMD_NOTHING; /* the command has no kernel to release */
        if (list->lane) lane_drop(list->lane, cmd);
        else cmd_store_give(&list->sequence->store, cmd);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *out = cmd;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t end(ze_command_list_handle_t list, cmd_t *cmd) {
    if (list->lane) {
        lane_commit(list->lane, cmd);
        return list->synchronous ? context_note(list->context, lane_wait(list->lane, UINT64_MAX))
                                 : ZE_RESULT_SUCCESS;
    }
    cmd_sequence_append(list->sequence, cmd);
    return ZE_RESULT_SUCCESS;
}

/* Appends a command that does no work: it orders others and signals. */
static ze_result_t append_nothing(ze_command_list_handle_t list, events_t events, bool after_all) {
    cmd_t *cmd;
    TRY(begin(list, CMD_NOTHING, events, NULL, 0, &cmd));
    cmd->after_all = after_all;
    return end(list, cmd);
}

ze_result_t zeCommandListAppendBarrier(ze_command_list_handle_t list, ze_event_handle_t signal,
        uint32_t n_waits, ze_event_handle_t *waits) {
    CHECK_HANDLE(list, OBJECT_LIST);
    return append_nothing(list, (events_t){signal, n_waits, waits}, true);
}

ze_result_t zeCommandListAppendMemoryRangesBarrier(ze_command_list_handle_t list, uint32_t n,
        const size_t *sizes, const void **ranges, ze_event_handle_t signal, uint32_t n_waits,
        ze_event_handle_t *waits) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(sizes);
    CHECK_POINTER(ranges);
    (void)n; /* a barrier for all memory covers any range */
    return append_nothing(list, (events_t){signal, n_waits, waits}, true);
}

/* Signals when all earlier commands are over. For lists that are not in order, this is stricter
 * than the specification. */
ze_result_t zeCommandListAppendSignalEvent(ze_command_list_handle_t list, ze_event_handle_t event) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_HANDLE(event, OBJECT_EVENT);
    return append_nothing(list, (events_t){.signal = event}, true);
}

ze_result_t zeCommandListAppendWaitOnEvents(
        ze_command_list_handle_t list, uint32_t n, ze_event_handle_t *events) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(events);
    return append_nothing(list, (events_t){.n_waits = n, .waits = events}, false);
}

ze_result_t zeCommandListAppendEventReset(ze_command_list_handle_t list, ze_event_handle_t event) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_HANDLE(event, OBJECT_EVENT);
    if (event->counted) COMPLAIN("the event %p is counter-based", (void *)event);
    CHECK(!event->counted, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    cmd_t *cmd;
    TRY(begin(list, CMD_RESET_EVENT, (events_t){0}, NULL, 0, &cmd));
    cmd->after_all = true;
    cmd->u.event = event;
    return end(list, cmd);
}

ze_result_t zeCommandListAppendWriteGlobalTimestamp(ze_command_list_handle_t list, uint64_t *to,
        ze_event_handle_t signal, uint32_t n_waits, ze_event_handle_t *waits) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(to);
    cmd_t *cmd;
    TRY(begin(list, CMD_WRITE_TIMESTAMP, (events_t){signal, n_waits, waits}, NULL, 0, &cmd));
    cmd->u.timestamp = to;
    return end(list, cmd);
}

ze_result_t zeCommandListAppendQueryKernelTimestamps(ze_command_list_handle_t list, uint32_t n,
        ze_event_handle_t *events, void *to, const size_t *offsets, ze_event_handle_t signal,
        uint32_t n_waits, ze_event_handle_t *waits) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(events);
    CHECK_POINTER(to);
    TRY(check_events(NULL, n, events));
    for (uint32_t i = 0; i < n; i++)
        CHECK(event_has_timestamps(events[i]), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    size_t events_size = n * sizeof *events, offsets_size = offsets ? n * sizeof *offsets : 0;
    char *bytes = malloc(events_size + offsets_size + 1);
    CHECK(bytes, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    memcpy(bytes, events, events_size);
    if (offsets) memcpy(bytes + events_size, offsets, offsets_size);
    cmd_t *cmd;
    ze_result_t result = begin(list, CMD_QUERY_TIMESTAMPS, (events_t){signal, n_waits, waits},
            bytes, events_size + offsets_size, &cmd);
    free(bytes);
    TRY(result);
    cmd->u.query.to = to;
    cmd->u.query.n = n;
    cmd->u.query.has_offsets = offsets != NULL;
    return end(list, cmd);
}

ze_result_t zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void *to, const void *from,
        size_t size, ze_event_handle_t signal, uint32_t n_waits, ze_event_handle_t *waits) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(to);
    CHECK_POINTER(from);
    CHECK(memory_check(to, size, "the destination", false) &&
                    memory_check(from, size, "the source", false),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
    cmd_t *cmd;
    TRY(begin(list, CMD_COPY, (events_t){signal, n_waits, waits}, NULL, 0, &cmd));
    cmd->u.copy.to = to;
    cmd->u.copy.from = from;
    cmd->u.copy.size = size;
    return end(list, cmd);
}

ze_result_t zeCommandListAppendMemoryCopyFromContext(ze_command_list_handle_t list, void *to,
        ze_context_handle_t context, const void *from, size_t size, ze_event_handle_t signal,
        uint32_t n_waits, ze_event_handle_t *waits) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_HANDLE(context, OBJECT_CONTEXT);
    return zeCommandListAppendMemoryCopy(list, to, from, size, signal, n_waits, waits);
}

ze_result_t zeCommandListAppendMemoryFill(ze_command_list_handle_t list, void *to,
        const void *pattern, size_t pattern_size, size_t size, ze_event_handle_t signal,
        uint32_t n_waits, ze_event_handle_t *waits) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(to);
    CHECK_POINTER(pattern);
    CHECK(pattern_size > 0, ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK(memory_check(to, size, "the destination", false), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    cmd_t *cmd;
    TRY(begin(list, CMD_FILL, (events_t){signal, n_waits, waits}, pattern, pattern_size, &cmd));
    cmd->u.fill.to = to;
    cmd->u.fill.size = size;
    return end(list, cmd);
}

/* Checks that the memory reaches from its beginning to the end of the region. */
static bool check_region(const void *memory, const ze_copy_region_t *at, vec3_t extent,
        size_t pitch, size_t slice, const char *what) {
    const size_t last = (at->originZ + extent.z - 1) * slice +
                        (at->originY + extent.y - 1) * pitch + at->originX;
    return extent.x == 0 || memory_check(memory, last + extent.x, what, false);
}

ze_result_t zeCommandListAppendMemoryCopyRegion(ze_command_list_handle_t list, void *to,
        const ze_copy_region_t *at, uint32_t to_pitch, uint32_t to_slice, const void *from,
        const ze_copy_region_t *from_at, uint32_t from_pitch, uint32_t from_slice,
        ze_event_handle_t signal, uint32_t n_waits, ze_event_handle_t *waits) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(to);
    CHECK_POINTER(at);
    CHECK_POINTER(from);
    CHECK_POINTER(from_at);
    CHECK(at->width == from_at->width && at->height == from_at->height &&
                    at->depth == from_at->depth,
            ZE_RESULT_ERROR_INVALID_SIZE);
    /* A height or depth of 0 means that the region does not have this dimension. */
    const vec3_t extent = {at->width, at->height ? at->height : 1, at->depth ? at->depth : 1};
    CHECK(check_region(to, at, extent, to_pitch, to_slice, "the destination") &&
                    check_region(from, from_at, extent, from_pitch, from_slice, "the source"),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
    cmd_t *cmd;
    TRY(begin(list, CMD_COPY_REGION, (events_t){signal, n_waits, waits}, NULL, 0, &cmd));
    cmd->u.region.to = (char *)to + (size_t)at->originZ * to_slice +
                       (size_t)at->originY * to_pitch + at->originX;
    cmd->u.region.from = (const char *)from + (size_t)from_at->originZ * from_slice +
                         (size_t)from_at->originY * from_pitch + from_at->originX;
    cmd->u.region.extent = extent;
    cmd->u.region.to_pitch = to_pitch;
    cmd->u.region.to_slice = to_slice;
    cmd->u.region.from_pitch = from_pitch;
    cmd->u.region.from_slice = from_slice;
    return end(list, cmd);
}

ze_result_t zeCommandListAppendMemoryPrefetch(
        ze_command_list_handle_t list, const void *pointer, size_t size) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(pointer);
    (void)size; /* the device reads memory where it is */
    return append_nothing(list, (events_t){0}, false);
}

ze_result_t zeCommandListAppendMemAdvise(ze_command_list_handle_t list, ze_device_handle_t device,
        const void *pointer, size_t size, ze_memory_advice_t advice) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(pointer);
    CHECK((unsigned)advice <= 0xff, ZE_RESULT_ERROR_INVALID_ENUMERATION);
    (void)size;
    return append_nothing(list, (events_t){0}, false);
}

static void complain_of_arguments(ze_kernel_handle_t kernel) {
    const kernel_info_t *info = kernel->exec->info;
    for (uint32_t i = 0; i < info->n_args; i++)
        if (!kernel->is_set[i])
            COMPLAIN("argument %u of kernel \"%s\" was never set", i, info->name);
}

/* False if an argument points into freed memory. */
static bool check_arguments(ze_kernel_handle_t kernel) {
    const kernel_exec_t *exec = kernel->exec;
    for (uint32_t i = 0; i < exec->info->n_args; i++) {
        char what[256];
        void *pointer;
        if (exec->info->args[i].kind != ARG_POINTER) continue;
        memcpy(&pointer, kernel->args + exec->offsets[i], sizeof pointer);
        snprintf(what, sizeof what, "argument %u of kernel \"%s\",", i, exec->info->name);
        if (!memory_check(pointer, 1, what, false)) return false;
    }
    return true;
}

/* Starts a launch, which copies the arguments, the group size and the offset of its kernel. */
static ze_result_t begin_launch(
        ze_command_list_handle_t list, ze_kernel_handle_t kernel, events_t events, cmd_t **out) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    if (kernel->n_unset) complain_of_arguments(kernel);
    CHECK(kernel->n_unset == 0, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK(!strict_level || check_arguments(kernel), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK(kernel->local_memory <= ocl_get()->local_memory, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    CHECK(subgroups_fit(kernel->exec->info, kernel->group_size),
            ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    TRY(begin(list, CMD_LAUNCH, events, kernel->args, kernel->exec->n_bytes, out));
    cmd_t *cmd = *out;
    kernel_exec_retain(kernel->exec);
    cmd->u.launch.kernel = kernel->exec;
    cmd->u.launch.group_size =
            (vec3_t){kernel->group_size[0], kernel->group_size[1], kernel->group_size[2]};
    cmd->u.launch.offset = (vec3_t){kernel->offset[0], kernel->offset[1], kernel->offset[2]};
    cmd->u.launch.indirect = NULL;
    cmd->u.launch.values = 0;
    cmd->u.launch.finds_pointers = kernel->indirect_access & ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListAppendLaunchKernel(ze_command_list_handle_t list,
        ze_kernel_handle_t kernel, const ze_group_count_t *groups, ze_event_handle_t signal,
        uint32_t n_waits, ze_event_handle_t *waits) {
    CHECK_PROCESS();
    strict_enter(__func__);
    CHECK(list && kernel, ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_POINTER(groups);
    CHECK_HANDLE(kernel, OBJECT_KERNEL);
    CHECK(svm_takes_grid(kernel->exec, groups), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    cmd_t *cmd;
    TRY(begin_launch(list, kernel, (events_t){signal, n_waits, waits}, &cmd));
    cmd->u.launch.groups = *groups;
    return end(list, cmd);
}

/* Work-groups may run one after another, so a cooperative launch can have only one group. */
ze_result_t zeCommandListAppendLaunchCooperativeKernel(ze_command_list_handle_t list,
        ze_kernel_handle_t kernel, const ze_group_count_t *groups, ze_event_handle_t signal,
        uint32_t n_waits, ze_event_handle_t *waits) {
    CHECK_PROCESS();
    strict_enter(__func__);
    CHECK(list && kernel, ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_POINTER(groups);
    CHECK((uint64_t)groups->groupCountX * groups->groupCountY * groups->groupCountZ <= 1,
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
    return zeCommandListAppendLaunchKernel(list, kernel, groups, signal, n_waits, waits);
}

ze_result_t zeCommandListAppendLaunchKernelIndirect(ze_command_list_handle_t list,
        ze_kernel_handle_t kernel, const ze_group_count_t *groups, ze_event_handle_t signal,
        uint32_t n_waits, ze_event_handle_t *waits) {
    CHECK_PROCESS();
    strict_enter(__func__);
    CHECK(list && kernel, ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_POINTER(groups);
    cmd_t *cmd = NULL;
    TRY(begin_launch(list, kernel, (events_t){signal, n_waits, waits}, &cmd));
    cmd->u.launch.indirect = groups;
    return end(list, cmd);
}

/* The waits hold back all later commands of the list, and the event is signalled after all earlier
 * ones. */
ze_result_t zeCommandListImmediateAppendCommandListsExp(ze_command_list_handle_t list, uint32_t n,
        ze_command_list_handle_t *lists, ze_event_handle_t signal, uint32_t n_waits,
        ze_event_handle_t *waits) {
    CHECK_HANDLE(list, OBJECT_LIST);
    CHECK_POINTER(lists);
    CHECK(n > 0, ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK(list->lane && !list->closed, ZE_RESULT_ERROR_INVALID_ARGUMENT);
    TRY(check_events(signal, n_waits, waits));
    TRY(check_closed_lists(n, lists, list->ordinal));
    if (n_waits) TRY(append_nothing(list, (events_t){.n_waits = n_waits, .waits = waits}, false));
    for (uint32_t i = 0; i < n; i++) TRY(list_submit(lists[i], list->lane));
    if (signal) return append_nothing(list, (events_t){.signal = signal}, true);
    return list->synchronous ? lane_wait(list->lane, UINT64_MAX) : ZE_RESULT_SUCCESS;
}

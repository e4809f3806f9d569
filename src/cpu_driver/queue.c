/* SPDX-License-Identifier: Apache-2.0 */
/* Command queues and fences. */
#include "queue.h"
#include "newer.h"
#include "order.h"
#include "sched.h"

static object_pool_t queues = OBJECT_POOL(OBJECT_QUEUE, struct _ze_command_queue_handle_t);
static object_pool_t fences =
        OBJECT_POOL_KEEPING(OBJECT_FENCE, struct _ze_fence_handle_t, progress);

ze_result_t zeCommandQueueCreate(ze_context_handle_t context, ze_device_handle_t device,
        const ze_command_queue_desc_t *desc, ze_command_queue_handle_t *out) {
    CHECK_CONTEXT_AND_DEVICE(context, device);
    TRY(check_queue_desc(desc));
    CHECK_POINTER(out);
    ze_command_queue_handle_t queue = object_new(&queues);
    CHECK(queue, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    queue->lane = lane_new(desc->flags & CPU_QUEUE_FLAG_IN_ORDER);
    if (!queue->lane) {
        object_delete(&queues, queue);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    queue->context = context;
    queue->device = device;
    queue->ordinal = desc->ordinal;
    queue->index = desc->index;
    queue->synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    *out = queue;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandQueueDestroy(ze_command_queue_handle_t queue) {
    CHECK_HANDLE(queue, OBJECT_QUEUE);
    lane_release(queue->lane);
    object_delete(&queues, queue);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t queue, uint32_t n,
        ze_command_list_handle_t *lists, ze_fence_handle_t fence) {
    CHECK_HANDLE(queue, OBJECT_QUEUE);
    CHECK_POINTER(lists);
    CHECK(n > 0, ZE_RESULT_ERROR_INVALID_SIZE);
    if (fence) CHECK_HANDLE(fence, OBJECT_FENCE);
    TRY(check_closed_lists(n, lists, queue->ordinal));
    if (fence) CHECK(fence->queue == queue, ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT);
    for (uint32_t i = 0; i < n; i++) TRY(list_submit(lists[i], queue->lane));
    if (fence) {
        cmd_t *cmd = lane_begin(queue->lane);
        CHECK(cmd, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
        cmd_set(cmd, CMD_SIGNAL_FENCE, NULL, 0, NULL, NULL, 0);
        cmd->after_all = true;
        cmd->u.fence = fence;
        lane_commit(queue->lane, cmd);
    }
    return queue->synchronous ? context_note(queue->context, lane_wait(queue->lane, UINT64_MAX))
                              : ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandQueueSynchronize(ze_command_queue_handle_t queue, uint64_t timeout) {
    CHECK_HANDLE(queue, OBJECT_QUEUE);
    return context_note(queue->context, lane_wait(queue->lane, timeout));
}

ze_result_t zeCommandQueueGetOrdinal(ze_command_queue_handle_t queue, uint32_t *out) {
    CHECK_HANDLE(queue, OBJECT_QUEUE);
    CHECK_POINTER(out);
    *out = queue->ordinal;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandQueueGetIndex(ze_command_queue_handle_t queue, uint32_t *out) {
    CHECK_HANDLE(queue, OBJECT_QUEUE);
    CHECK_POINTER(out);
    *out = queue->index;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeFenceCreate(
        ze_command_queue_handle_t queue, const ze_fence_desc_t *desc, ze_fence_handle_t *out) {
    CHECK_HANDLE(queue, OBJECT_QUEUE);
    CHECK_POINTER(desc);
    CHECK_POINTER(out);
    CHECK((desc->flags & ~(uint32_t)ZE_FENCE_FLAG_SIGNALED) == 0,
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    ze_fence_handle_t fence = object_new(&fences);
    CHECK(fence, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    fence->queue = queue;
    atomic_store(&fence->state, desc->flags & ZE_FENCE_FLAG_SIGNALED ? SIGNAL_DONE : SIGNAL_NONE);
    *out = fence;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeFenceDestroy(ze_fence_handle_t fence) {
    CHECK_HANDLE(fence, OBJECT_FENCE);
    object_delete(&fences, fence);
    return ZE_RESULT_SUCCESS;
}

static bool fence_done(const void *fence) {
    return atomic_load(&((struct _ze_fence_handle_t *)(uintptr_t)fence)->state) != SIGNAL_NONE;
}

static ze_result_t fence_answer(ze_fence_handle_t fence) {
    const signal_t state = (signal_t)atomic_load(&fence->state);
    if (state == SIGNAL_FAILED)
        return context_note(fence->queue->context, ZE_RESULT_ERROR_DEVICE_LOST);
    return state == SIGNAL_NONE ? ZE_RESULT_NOT_READY : ZE_RESULT_SUCCESS;
}

ze_result_t zeFenceHostSynchronize(ze_fence_handle_t fence, uint64_t timeout) {
    CHECK_HANDLE(fence, OBJECT_FENCE);
    order_host_waits();
    if (progress_wait(&fence->progress, fence_done, fence, timeout)) return fence_answer(fence);
    if (!strict_level || timeout != UINT64_MAX || sched_has_stopped()) return ZE_RESULT_NOT_READY;
    COMPLAIN("nothing will signal the fence %p", (void *)fence);
    return ZE_RESULT_ERROR_DEVICE_LOST;
}

ze_result_t zeFenceQueryStatus(ze_fence_handle_t fence) {
    CHECK_HANDLE(fence, OBJECT_FENCE);
    order_host_waits();
    return fence_answer(fence);
}

ze_result_t zeFenceReset(ze_fence_handle_t fence) {
    CHECK_HANDLE(fence, OBJECT_FENCE);
    atomic_store(&fence->state, SIGNAL_NONE);
    return ZE_RESULT_SUCCESS;
}

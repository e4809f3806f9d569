/* SPDX-License-Identifier: Apache-2.0 */
/* Executes commands: kernels through OpenCL, all others on the thread of the worker. */
#include "exec.h"
#include "bind.h"
#include "direct.h"
#include "fault.h"
#include "memory.h"
#include "mirror.h"
#include "module.h"
#include "needs.h"
#include "strict.h"
#include "svm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct exec {
    cl_command_queue queue; /* in-order; created for the first kernel */
    bool in_flight;
};

exec_t *exec_new(void) {
    return calloc(1, sizeof(exec_t));
}

void exec_delete(exec_t *exec) {
    if (!exec) return;
    if (exec->queue) icd.ReleaseCommandQueue(exec->queue);
    free(exec);
}

ze_result_t exec_finish(exec_t *exec) {
    if (!exec->in_flight) return ZE_RESULT_SUCCESS;
    exec->in_flight = false;
    return icd.Finish(exec->queue) == CL_SUCCESS ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST;
}

/* The value of a pointer argument; NULL for other arguments. */
static const void *pointer_argument(const cmd_t *cmd, uint32_t index) {
    const kernel_exec_t *kernel = cmd->u.launch.kernel;
    void *pointer = NULL;
    if (kernel->info->args[index].kind == ARG_POINTER)
        memcpy(&pointer, cmd->bytes + kernel->offsets[index], sizeof pointer);
    return pointer;
}

static const char launch_call[] = "zeCommandListAppendLaunchKernel";

/* Launches a kernel in strict mode, and unlocks it. Waits for the kernel, and then checks the bytes
 * around its arguments. */
static cl_int launch_watched(exec_t *exec, const cmd_t *cmd, const size_t *offset,
        const size_t *global, const size_t *local, cl_event *event) {
    const kernel_info_t *info = cmd->u.launch.kernel->info;
    strict_enter(launch_call);
    char what[256];
    snprintf(what, sizeof what, "kernel \"%s\" starts now, and its argument", info->name);
    for (uint32_t i = 0; i < info->n_args; i++)
        if (!memory_check(pointer_argument(cmd, i), 1, what, true)) {
            pthread_mutex_unlock(&cmd->u.launch.kernel->lock);
            return CL_INVALID_ARG_VALUE;
        }
    if (cmd->u.launch.finds_pointers) memory_open(true);
    const int number = fault_kernel_begins(info->name);
    cl_int status = icd.EnqueueNDRangeKernel(
            exec->queue, cmd->u.launch.kernel->cl, 3, offset, global, local, 0, NULL, event);
    pthread_mutex_unlock(&cmd->u.launch.kernel->lock); /* other threads may run it as well */
    if (status == CL_SUCCESS) status = icd.Finish(exec->queue);
    fault_kernel_ends(number);
    if (cmd->u.launch.finds_pointers) memory_open(false);
    for (uint32_t i = 0; i < info->n_args; i++) {
        const void *pointer = pointer_argument(cmd, i);
        if (pointer && memory_is_broken(pointer, launch_call, info->name))
            status = CL_OUT_OF_RESOURCES;
    }
    return status;
}

/* PoCL compiles a kernel at its first launch in each group size. Called with the lock of the kernel
 * held. */
static ze_result_t compile_if_new(kernel_exec_t *kernel, const size_t *local) {
    if (memcmp(kernel->compiled_for, local, sizeof kernel->compiled_for) == 0)
        return ZE_RESULT_SUCCESS;
    TRY(needs_files());
    memcpy(kernel->compiled_for, local, sizeof kernel->compiled_for);
    return ZE_RESULT_SUCCESS;
}

static bool has_queue(exec_t *exec) {
    const ocl_t *ocl = ocl_get();
    if (!exec->queue)
        exec->queue = icd.CreateCommandQueueWithProperties(ocl->context, ocl->device, NULL, NULL);
    return exec->queue != NULL;
}

static ze_result_t launch_by_pocl(exec_t *exec, const cmd_t *cmd, cl_event *event) {
    kernel_exec_t *kernel = cmd->u.launch.kernel;
    ze_group_count_t groups = cmd->u.launch.groups;
    if (cmd->u.launch.indirect)
        groups = *(const ze_group_count_t *)memory_view(cmd->u.launch.indirect);
    if (groups.groupCountX == 0 || groups.groupCountY == 0 || groups.groupCountZ == 0)
        return ZE_RESULT_SUCCESS;
    vec3_t size = cmd->u.launch.group_size, from = cmd->u.launch.offset;
    size_t local[3] = {size.x, size.y, size.z};
    size_t offset[3] = {from.x, from.y, from.z};
    size_t global[3] = {local[0] * groups.groupCountX, local[1] * groups.groupCountY,
            local[2] * groups.groupCountZ};
    bool has_offset = from.x || from.y || from.z;

    const ocl_t *ocl = ocl_get();
    if (!has_queue(exec)) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&kernel->lock);
    const ze_result_t ready = compile_if_new(kernel, local);
    if (ready != ZE_RESULT_SUCCESS) {
        pthread_mutex_unlock(&kernel->lock);
        return ready;
    }
    if (ocl->memory == MEMORY_COPIED) {
        cl_int done = mirror_launch(
                kernel, cmd->bytes, exec->queue, has_offset ? offset : NULL, global, local);
        pthread_mutex_unlock(&kernel->lock);
        return done == CL_SUCCESS ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST;
    }
    cl_int status = bind_changed_arguments(kernel, cmd->bytes);
    if (strict_level && status == CL_SUCCESS) {
        status = launch_watched(exec, cmd, has_offset ? offset : NULL, global, local, event);
        return status == CL_SUCCESS ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST;
    }
    if (status == CL_SUCCESS && ocl->is_gpu)
        status = svm_launch(exec->queue, cmd, offset, global, local, event);
    else if (status == CL_SUCCESS)
        status = icd.EnqueueNDRangeKernel(exec->queue, kernel->cl, 3, has_offset ? offset : NULL,
                global, local, 0, NULL, event);
    pthread_mutex_unlock(&kernel->lock);
    if (status != CL_SUCCESS) return ZE_RESULT_ERROR_DEVICE_LOST;
    exec->in_flight = true;
    icd.Flush(exec->queue);
    return ZE_RESULT_SUCCESS;
}

/* A launch of PoCL that is under way and waited for: a first one, or any one in strict mode. */
typedef struct under_way {
    const cmd_t *cmd;
    struct under_way *next;
} under_way_t;

static struct {
    pthread_mutex_t lock; /* guards: */
    pthread_cond_t ended; /* one of them has ended */
    under_way_t *first;
} under_way = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static bool may_wait(const cmd_t *cmd) {
    return cmd->u.launch.kernel->program->info.may_wait;
}

/* PoCL 3.1 counts the users of a kernel's library wrongly, and ends the process, if launches of one
 * kernel with grids of different sizes are under way at the same time. Launches that may wait for
 * each other follow one another in this case alone. */
static bool excludes(const cmd_t *a, const cmd_t *b) {
    if (!strict_level && !may_wait(a) && !may_wait(b)) return true;
    if (strcmp(a->u.launch.kernel->info->name, b->u.launch.kernel->info->name) != 0) return false;
    const ze_group_count_t *n = &a->u.launch.groups, *m = &b->u.launch.groups;
    return a->u.launch.indirect || b->u.launch.indirect || n->groupCountX != m->groupCountX ||
           n->groupCountY != m->groupCountY || n->groupCountZ != m->groupCountZ;
}

static bool is_excluded(const cmd_t *cmd) {
    for (const under_way_t *u = under_way.first; u; u = u->next)
        if (excludes(cmd, u->cmd)) return true;
    return false;
}

static void begin_apart(under_way_t *launch) {
    pthread_mutex_lock(&under_way.lock);
    while (is_excluded(launch->cmd)) pthread_cond_wait(&under_way.ended, &under_way.lock);
    launch->next = under_way.first;
    under_way.first = launch;
    pthread_mutex_unlock(&under_way.lock);
}

static void end_apart(under_way_t *launch) {
    pthread_mutex_lock(&under_way.lock);
    under_way_t **link = &under_way.first;
    while (*link != launch) link = &(*link)->next;
    *link = launch->next;
    pthread_cond_broadcast(&under_way.ended);
    pthread_mutex_unlock(&under_way.lock);
}

/* Launches a kernel through PoCL, waits for it, and learns how to run it without PoCL. */
static ze_result_t launch_and_learn(exec_t *exec, const cmd_t *cmd) {
    direct_watch_t watch;
    under_way_t first = {.cmd = cmd};
    begin_apart(&first);
    direct_watch(&watch, cmd);
    ze_result_t result = launch_by_pocl(exec, cmd, NULL);
    if (result == ZE_RESULT_SUCCESS) result = exec_finish(exec);
    direct_found(&watch, cmd);
    end_apart(&first);
    return result;
}

/* In strict mode, where a launch is waited for. */
static ze_result_t launch_strictly(exec_t *exec, const cmd_t *cmd, cl_event *event) {
    under_way_t own = {.cmd = cmd};
    begin_apart(&own);
    const ze_result_t result = launch_by_pocl(exec, cmd, event);
    end_apart(&own);
    return result;
}

/* While a kernel of PoCL is in flight, the next one follows it there at little cost. */
static ze_result_t launch(exec_t *exec, const cmd_t *cmd, cl_event *event) {
    direct_t *direct;
    const direct_advice_t advice = exec->in_flight ? DIRECT_NEVER : direct_advise(cmd, &direct);
    if (advice == DIRECT_FIND) return launch_and_learn(exec, cmd);
    if (strict_level) return launch_strictly(exec, cmd, event);
    if (advice == DIRECT_NEVER) return launch_by_pocl(exec, cmd, event);
    direct_run(direct, cmd);
    return ZE_RESULT_SUCCESS;
}

bool exec_waits(const exec_t *exec, const cmd_t *cmd) {
    direct_t *direct;
    if (cmd->kind != CMD_LAUNCH) return true;
    const direct_advice_t advice = direct_advise(cmd, &direct);
    return advice == DIRECT_FIND || (advice == DIRECT_RUN && !exec->in_flight);
}

static void copy(exec_t *exec, const cmd_t *cmd) {
    void *to = cmd->u.copy.to;
    const void *from = cmd->u.copy.from;
    const size_t size = cmd->u.copy.size;
    if (svm_is_used() && has_queue(exec) && svm_copy(exec->queue, to, from, size)) return;
    memmove(memory_view(to), memory_view(from), size);
}

/* Fills memory with a pattern of any size: writes it once, and then copies what is there to double
 * it. */
static void fill_by_host(char *to, size_t size, const void *pattern, size_t pattern_size) {
    if (pattern_size == 1) {
        memset(to, *(const unsigned char *)pattern, size);
        return;
    }
    size_t done = pattern_size < size ? pattern_size : size;
    memcpy(to, pattern, done);
    /* The block that is copied stops growing at 64 KiB: copying from the cache is faster. */
    size_t block = done;
    while (done < size) {
        size_t n = size - done < block ? size - done : block;
        memcpy(to + done, to, n);
        done += n;
        if (block < 65536) block = done;
    }
}

static void fill(exec_t *exec, const cmd_t *cmd) {
    void *to = cmd->u.fill.to;
    const size_t size = cmd->u.fill.size, n = cmd->n_bytes;
    if (svm_is_used() && has_queue(exec) && svm_fill(exec->queue, to, size, cmd->bytes, n)) return;
    fill_by_host(memory_view(to), size, cmd->bytes, n);
}

static void copy_region(const cmd_t *cmd) {
    vec3_t extent = cmd->u.region.extent;
    char *to = memory_view(cmd->u.region.to);
    const char *from = memory_view(cmd->u.region.from);
    for (uint32_t z = 0; z < extent.z; z++)
        for (uint32_t y = 0; y < extent.y; y++)
            memmove(to + z * cmd->u.region.to_slice + y * cmd->u.region.to_pitch,
                    from + z * cmd->u.region.from_slice + y * cmd->u.region.from_pitch, extent.x);
}

static void query_timestamps(const cmd_t *cmd) {
    uint32_t n = cmd->u.query.n;
    char *to = memory_view(cmd->u.query.to);
    for (uint32_t i = 0; i < n; i++) {
        ze_event_handle_t event;
        memcpy(&event, cmd->bytes + i * sizeof event, sizeof event);
        ze_kernel_timestamp_result_t result = event_timestamps(event);
        size_t at = i * sizeof result;
        if (cmd->u.query.has_offsets)
            memcpy(&at, cmd->bytes + n * sizeof event + i * sizeof at, sizeof at);
        memcpy(to + at, &result, sizeof result);
    }
}

ze_result_t exec_start(exec_t *exec, const cmd_t *cmd) {
    switch ((cmd_kind_t)cmd->kind) {
    case CMD_LAUNCH: return launch(exec, cmd, NULL);
    case CMD_COPY: copy(exec, cmd); break;
    case CMD_COPY_REGION: copy_region(cmd); break;
    case CMD_FILL: fill(exec, cmd); break;
    case CMD_RESET_EVENT: event_reset(cmd->u.event); break;
    case CMD_WRITE_TIMESTAMP: *(uint64_t *)memory_view(cmd->u.timestamp) = clock_ns(); break;
    case CMD_QUERY_TIMESTAMPS: query_timestamps(cmd); break;
    case CMD_NOTHING:
    case CMD_SIGNAL_FENCE:
    case CMD_SEQUENCE: break; /* lane_run.c starts its commands one by one */
    }
    return ZE_RESULT_SUCCESS;
}

/* A mark is an OpenCL event. */
ze_result_t exec_start_marked(exec_t *exec, const cmd_t *cmd, exec_mark_t **mark) {
    cl_event event = NULL;
    ze_result_t result = launch(exec, cmd, &event);
    *mark = (exec_mark_t *)(void *)event;
    return result;
}

ze_result_t exec_wait(exec_mark_t *mark) {
    cl_event event = (cl_event)(void *)mark;
    cl_int status = icd.WaitForEvents(1, &event);
    icd.ReleaseEvent(event);
    return status == CL_SUCCESS ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST;
}

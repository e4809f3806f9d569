/* SPDX-License-Identifier: Apache-2.0 */
/* Enqueues the steps of a primitive. Kernels keep the values of their arguments until they are
 * enqueued, so that both happen under the lock of the executable. */
#include "core/alloc.h"
#include "core/status.h"
#include "core/verbose.h"
#include "ocl/core.h"
#include "ze/executable.h"

/* One execution. */
typedef struct {
    executable_t *x;
    ocl_core_t *core;
    ocl_stream_t *stream;
    const plan_t *plan;
    const launch_t *launch;
    void *scratch;       /* of the stream, or NULL */
    bool shares_scratch; /* uses it */
    bool chained;        /* each kernel waits for the event of its predecessor */
    cl_event before;     /* the event of the latest kernel, with a reference; NULL: none */
    int nparts;
    cl_mem *parts; /* of buffers: arguments of the kernel that is enqueued next */
} run_t;

/* ---- arguments ---- */

static dnnl_status_t set_null(cl_kernel kernel, cl_uint argument) {
    return OCL_CALL(SetKernelArg, kernel, argument, sizeof(cl_mem), NULL);
}

static dnnl_status_t set_pointer(
        const ocl_core_t *core, cl_kernel kernel, cl_uint argument, const char *ptr) {
    if (core->pointers == POINTERS_USM)
        return ocl_check(
                core->usm.set_argument(kernel, argument, ptr), "clSetKernelArgMemPointerINTEL");
    if (core->pointers == POINTERS_SVM)
        return OCL_CALL(SetKernelArgSVMPointer, kernel, argument, ptr);
    return verbose_exec_check(
            dnnl_unimplemented, "ocl", "the OpenCL device has no pointers to its memory");
}

/* A part of a buffer is a buffer of its own; the part of a part belongs to the whole. */
static dnnl_status_t part_of(cl_mem buffer, size_t offset, cl_mem *part) {
    cl_mem whole = NULL;
    size_t size = 0, origin = 0;
    cl_int result;
    TRY(OCL_CALL(GetMemObjectInfo, buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
    TRY(OCL_CALL(GetMemObjectInfo, buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole,
            (void *)&whole, NULL));
    if (whole) TRY(OCL_CALL(GetMemObjectInfo, buffer, CL_MEM_OFFSET, sizeof origin, &origin, NULL));
    if (offset >= size)
        return verbose_exec_check(dnnl_invalid_arguments, "ocl",
                "a buffer of %zu bytes is used from byte %zu on", size, offset);
    const cl_region_t region = {origin + offset, size - offset};
    *part = ocl.CreateSubBuffer(
            whole ? whole : buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &result);
    if (result == CL_MISALIGNED_SUB_BUFFER_OFFSET)
        return verbose_exec_check(dnnl_unimplemented, "ocl",
                "a tensor begins at byte %zu of its buffer, which the device's buffers cannot: use "
                "a pointer (USM or SVM) instead of a buffer",
                region.origin);
    return ocl_check(result, "clCreateSubBuffer");
}

static dnnl_status_t set_buffer(
        run_t *run, cl_kernel kernel, cl_uint argument, cl_mem buffer, size_t offset) {
    if (!offset) return OCL_CALL(SetKernelArg, kernel, argument, sizeof buffer, (void *)&buffer);
    if (run->nparts == ROOM_BINDINGS)
        return verbose_exec_check(
                dnnl_unimplemented, "ocl", "a kernel has too many parts of buffers");
    cl_mem *part = &run->parts[run->nparts];
    TRY(part_of(buffer, offset, part));
    run->nparts++;
    return OCL_CALL(SetKernelArg, kernel, argument, sizeof *part, (void *)part);
}

/* A kernel that has been enqueued keeps its buffers itself. */
static void drop_parts(run_t *run) {
    while (run->nparts) OCL_CALL(ReleaseMemObject, run->parts[--run->nparts]);
}

static dnnl_status_t set_memory(run_t *run, cl_kernel kernel, cl_uint argument,
        const struct dnnl_memory *memory, int handle, uint64_t offset) {
    void *ptr = memory ? memory->ptr[handle] : NULL;
    if (!ptr) return set_null(kernel, argument);
    if (memory->is_buffer) return set_buffer(run, kernel, argument, ptr, (size_t)offset);
    return set_pointer(run->core, kernel, argument, (const char *)ptr + offset);
}

static dnnl_status_t set_live(
        run_t *run, const exec_step_t *step, cl_kernel kernel, const live_binding_t *live) {
    const binding_t *binding = &run->plan->bindings[live->binding];
    const executable_t *x = run->x;
    const dnnl_exec_arg_t *args = run->launch->args;
    const struct dnnl_memory *memory = binding->slot >= 0 ? args[binding->slot].memory : NULL;
    switch ((bind_kind_t)binding->kind) {
    case BIND_ARG:
        return set_memory(run, kernel, live->argument, memory, binding->handle, binding->offset);
    case BIND_SCRATCH:
        if (x->scratch_slot >= 0)
            return set_memory(
                    run, kernel, live->argument, args[x->scratch_slot].memory, 0, binding->offset);
        if (!run->scratch) return set_null(kernel, live->argument);
        return set_pointer(
                run->core, kernel, live->argument, (const char *)run->scratch + binding->offset);
    case BIND_CONST: {
        uint8_t room[SLIM_VALUE_ROOM];
        size_t size;
        const void *value = executable_const(run->x, step, live->binding, run->plan, room, &size);
        return OCL_CALL(SetKernelArg, kernel, live->argument, size, value);
    }
    default: break;
    }
    const uint64_t value = binding_scalar(binding, memory);
    return OCL_CALL(SetKernelArg, kernel, live->argument, 4, &value);
}

/* ---- steps ---- */

/* Replaces *kept, which has a reference, by another event. */
static void keep_event(cl_event *kept, cl_event event) {
    if (*kept) OCL_CALL(ReleaseEvent, *kept);
    *kept = event;
}

/* What the first step waits for: the caller's events and, out of order, the latest user of the
 * scratchpad. */
enum { MAX_WAITS = 16 };
static dnnl_status_t first_waits(
        const run_t *run, cl_event *room, cl_uint *n, const cl_event **waits) {
    const cl_event *deps = (const cl_event *)(const void *)run->launch->deps;
    cl_event user = run->stream->scratch_user;
    *n = run->launch->ndeps;
    *waits = *n ? deps : NULL;
    if (!run->chained || !run->shares_scratch || !user) return dnnl_success;
    if (*n >= MAX_WAITS) return OCL_CALL(WaitForEvents, 1, &user);
    for (cl_uint i = 0; i < *n; i++) room[i] = deps[i];
    room[(*n)++] = user;
    *waits = room;
    return dnnl_success;
}

static dnnl_status_t enqueue(run_t *run, const exec_step_t *step, bool wants_event, cl_uint nwaits,
        const cl_event *waits, cl_event *event) {
    const plan_step_t *planned = &run->plan->steps[step->index];
    cl_kernel kernel = (cl_kernel)(void *)step->kernel;
    size_t global[3], local[3];
    for (int i = 0; i < 3; i++) {
        local[i] = planned->group_size[i];
        global[i] = local[i] * planned->group_count[i];
    }
    const live_binding_t *live = run->x->live + step->first_live;
    for (int i = 0; i < step->nlive; i++) TRY(set_live(run, step, kernel, &live[i]));
    return OCL_CALL(EnqueueNDRangeKernel, run->stream->queue, kernel, 3, NULL, global, local,
            nwaits, waits, wants_event ? event : NULL);
}

static dnnl_status_t run_step(run_t *run, int index, bool first, bool last) {
    cl_event room[MAX_WAITS], event = NULL;
    const bool profiles = run->stream->base.profiling;
    const bool wants_event =
            run->chained || profiles || (last && (run->launch->return_event || run->launch->log));
    const cl_event *waits = run->chained && run->before ? &run->before : NULL;
    cl_uint nwaits = waits != NULL;
    if (first) TRY(first_waits(run, room, &nwaits, &waits));
    const dnnl_status_t status =
            enqueue(run, &run->x->steps[index], wants_event, nwaits, waits, &event);
    drop_parts(run);
    if (status != dnnl_success) return status;
    if (event) keep_event(&run->before, event);
    return profiles ? ocl_profiling_note(run->stream, event, last) : dnnl_success;
}

static dnnl_status_t run_nothing(run_t *run) {
    const launch_t *launch = run->launch;
    if (launch->return_event || launch->ndeps)
        TRY(OCL_CALL(EnqueueMarkerWithWaitList, run->stream->queue, launch->ndeps,
                launch->ndeps ? (const cl_event *)(const void *)launch->deps : NULL, &run->before));
    return run->stream->base.profiling ? ocl_profiling_note(run->stream, NULL, true) : dnnl_success;
}

/* With the locks of the stream and of the executable held. */
static dnnl_status_t run_steps(run_t *run) {
    const int last = executable_last_step(run->x, run->plan);
    bool first = true;
    if (last < 0) return run_nothing(run);
    run->chained = run->stream->base.order == ORDER_BY_CALLER && (last > 0 || run->shares_scratch);
    for (int i = 0; i <= last; i++) {
        if (plan_step_is_empty(&run->plan->steps[run->x->steps[i].index])) continue;
        TRY(run_step(run, i, first, i == last));
        first = false;
    }
    if (run->chained && run->shares_scratch) {
        TRY(OCL_CALL(RetainEvent, run->before));
        keep_event(&run->stream->scratch_user, run->before);
    }
    return dnnl_success;
}

/* The line has the time until the end, so that a logged execution waits. */
static dnnl_status_t print_log(run_t *run) {
    exec_log_t *log = run->launch->log;
    if (!log) return dnnl_success;
    if (run->before) TRY(OCL_CALL(WaitForEvents, 1, &run->before));
    verbose_profile(
            "exec", log->engine_index, log->text, log->start, verbose_now_ms() - log->start);
    dz_free(log);
    return dnnl_success;
}

dnnl_status_t ocl_launch(
        executable_t *x, dnnl_stream_t base, const plan_t *plan, const launch_t *launch) {
    ocl_stream_t *stream = (ocl_stream_t *)base;
    cl_mem parts[ROOM_BINDINGS];
    run_t run = {.x = x,
            .core = ocl_core_of(x->core),
            .stream = stream,
            .plan = plan,
            .launch = launch,
            .parts = parts,
            .shares_scratch = x->scratch_slot < 0 && x->pd->scratchpad_size};
    dnnl_status_t status = dnnl_success;
    short_lock_take(&base->lock);
    if (run.shares_scratch) status = stream_scratch(base, x->pd->scratchpad_size, &run.scratch);
    if (status == dnnl_success) {
        short_lock_take(&x->lock);
        status = run_steps(&run);
        short_lock_drop(&x->lock);
    }
    short_lock_drop(&base->lock);
    /* The application may wait for the event in another queue, which sees flushed work only. */
    if (status == dnnl_success && launch->return_event) status = OCL_CALL(Flush, stream->queue);
    if (status == dnnl_success) status = print_log(&run);
    if (status == dnnl_success && launch->return_event) {
        *launch->return_event = (ze_event_handle_t)(void *)run.before;
        run.before = NULL;
    }
    keep_event(&run.before, NULL);
    return status;
}

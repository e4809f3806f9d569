/* SPDX-License-Identifier: Apache-2.0 */
/* Appends the steps of a primitive to a command list. Allocates only events that the caller asks
 * for, profiling data, and a scratchpad that is larger than the stream's current one. */
#include <string.h>

#include "core/util.h"
#include "core/verbose.h"
#include "ze/executable.h"

#define ONE_CALL "zeCommandListAppendLaunchKernelWithArguments"

static inline uint64_t pointer_value(const void *ptr, uint64_t offset) {
    return ptr ? (uint64_t)(uintptr_t)ptr + offset : 0;
}

uint64_t binding_scalar(const binding_t *binding, const struct dnnl_memory *memory) {
    union {
        float f32;
        int32_t s32;
        uint64_t bits;
    } scalar = {.bits = 0};
    switch ((bind_kind_t)binding->kind) {
    case BIND_SCALAR_F32: scalar.f32 = memory ? memory_scalar_f32(memory) : 1.0f; break;
    case BIND_SCALAR_S32: scalar.s32 = memory ? memory_scalar_s32(memory) : 0; break;
    case BIND_SCALAR_LOW: scalar.bits = memory ? (uint32_t)memory_scalar_s64(memory) : 0; break;
    case BIND_SCALAR_HIGH:
        scalar.bits = memory ? (uint64_t)memory_scalar_s64(memory) >> 32 : 0;
        break;
    default: break;
    }
    return scalar.bits;
}

static __attribute__((noinline)) uint64_t other_value(const executable_t *x,
        const binding_t *binding, const launch_t *launch, const void *scratch) {
    const struct dnnl_memory *memory =
            binding->slot >= 0 ? launch->args[binding->slot].memory : NULL;
    if (binding->kind != BIND_SCRATCH) return binding_scalar(binding, memory);
    memory = x->scratch_slot >= 0 ? launch->args[x->scratch_slot].memory : NULL;
    return pointer_value(memory ? memory->ptr[0] : scratch, binding->offset);
}

static inline uint64_t live_value(const executable_t *x, const binding_t *binding,
        const launch_t *launch, const void *scratch) {
    if (binding->kind != BIND_ARG) return other_value(x, binding, launch, scratch);
    const struct dnnl_memory *memory =
            binding->slot >= 0 ? launch->args[binding->slot].memory : NULL;
    return memory ? pointer_value(memory->ptr[binding->handle], binding->offset) : 0;
}

static dnnl_status_t set_const(
        executable_t *x, const exec_step_t *step, live_binding_t *live, const plan_t *plan) {
    uint8_t room[SLIM_VALUE_ROOM], *now = x->consts + x->const_at[live->binding];
    size_t size;
    const void *wanted = executable_const(x, step, live->binding, plan, room, &size);
    if (live->known && !memcmp(now, wanted, size)) return dnnl_success;
    const dnnl_status_t status =
            ZE_CALL(KernelSetArgumentValue, step->kernel, live->argument, size, wanted);
    live->known = status == dnnl_success;
    memcpy(now, wanted, size);
    return status;
}

/* Allocation id of the buffer, or 0 if the application owns it and may reuse the address. */
static inline uint64_t allocation_of(const binding_t *binding, const launch_t *launch) {
    const struct dnnl_memory *memory = binding->kind == BIND_ARG && binding->slot >= 0
                                               ? launch->args[binding->slot].memory
                                               : NULL;
    return memory ? memory->allocation : 0;
}

/* Sets the arguments whose values change. Called with the lock of the executable held. A pointer to
 * memory of the application is set each time, even if the address is the same: it may belong to a
 * new allocation, and drivers note the allocation when a pointer is set. */
static dnnl_status_t set_arguments(executable_t *x, const exec_step_t *step, const plan_t *plan,
        const launch_t *launch, const void *scratch) {
    live_binding_t *live = x->live + step->first_live;
    for (int i = 0; i < step->nlive; i++, live++) {
        const binding_t *binding = &plan->bindings[live->binding];
        if (binding->kind == BIND_CONST) {
            const dnnl_status_t status = set_const(x, step, live, plan);
            if (status != dnnl_success) return status;
            continue;
        }
        const bool scalar = binding->kind != BIND_ARG && binding->kind != BIND_SCRATCH;
        const uint64_t value = live_value(x, binding, launch, scratch);
        const uint64_t allocation = allocation_of(binding, launch);
        if (scalar && live->known && live->value == value) continue;
        if (allocation && live->allocation == allocation) continue;
        live->known = false;
        live->allocation = 0;
        const dnnl_status_t status = ZE_CALL(KernelSetArgumentValue, step->kernel, live->argument,
                scalar ? 4 : sizeof(void *), scalar || value ? &value : NULL);
        if (status != dnnl_success) return status;
        live->known = true;
        live->value = value;
        live->allocation = allocation;
    }
    return dnnl_success;
}

/* The next call passes all arguments, so the recorded values are no longer valid. */
static void forget_arguments(executable_t *x, const exec_step_t *step) {
    for (int i = 0; i < step->nlive; i++) {
        x->live[step->first_live + i].known = false;
        x->live[step->first_live + i].allocation = 0;
    }
}

/* Called with the lock of the executable held. */
static ze_result_t launch_in_one_call(executable_t *x, dnnl_stream_t stream,
        const exec_step_t *step, const plan_t *plan, const launch_t *launch, const void *scratch,
        ze_event_handle_t signal, uint32_t nwaits, const ze_event_handle_t *waits) {
    const plan_step_t *planned = &plan->steps[step->index];
    const uint32_t *groups = planned->group_count, *size = planned->group_size;
    const ze_group_count_t count = {groups[0], groups[1], groups[2]};
    const ze_group_dims_t dims = {size[0], size[1], size[2]};
    uint64_t values[EXECUTABLE_ONE_CALL];
    void *arguments[EXECUTABLE_ONE_CALL];
    for (uint32_t i = 0, n = 0; i < planned->nbindings; i++) {
        const uint32_t number = planned->first_binding + i;
        const binding_t *binding = &plan->bindings[number];
        if (executable_is_dropped(step, i)) continue;
        if (binding->kind == BIND_CONST) {
            size_t unused;
            arguments[n++] =
                    (void *)(uintptr_t)executable_const(x, step, number, plan, NULL, &unused);
            continue;
        }
        values[n] = live_value(x, binding, launch, scratch);
        arguments[n] = &values[n];
        n++;
    }
    forget_arguments(x, step);
    return x->core->launch_with_arguments(stream->list, step->kernel, count, dims, arguments, NULL,
            signal, nwaits, (ze_event_handle_t *)(uintptr_t)waits);
}

static dnnl_status_t set_and_launch(executable_t *x, dnnl_stream_t stream, const exec_step_t *step,
        const plan_t *plan, const launch_t *launch, const void *scratch, ze_event_handle_t signal,
        uint32_t nwaits, const ze_event_handle_t *waits) {
    if (step->in_one_call && !ze_is_over) {
        const ze_result_t result =
                launch_in_one_call(x, stream, step, plan, launch, scratch, signal, nwaits, waits);
        if (result == ZE_RESULT_SUCCESS) return dnnl_success;
        /* A layer of the loader may be older than the driver. */
        if (result != ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) return ze_report(result, ONE_CALL);
    }
    const uint32_t *groups = plan->steps[step->index].group_count;
    const ze_group_count_t count = {groups[0], groups[1], groups[2]};
    const dnnl_status_t status = set_arguments(x, step, plan, launch, scratch);
    if (status != dnnl_success) return status;
    return ZE_CALL(CommandListAppendLaunchKernel, stream->list, step->kernel, &count, signal,
            nwaits, (ze_event_handle_t *)(uintptr_t)waits);
}

/* Launches into a list whose buffers can be exchanged, and notes the number of the kernel and its
 * buffers. */
static dnnl_status_t launch_noted(executable_t *x, dnnl_stream_t stream, const exec_step_t *step,
        const plan_t *plan, const launch_t *launch, const void *scratch, ze_event_handle_t signal,
        uint32_t nwaits, const ze_event_handle_t *waits) {
    const plan_step_t *planned = &plan->steps[step->index];
    const binding_t *bindings = &plan->bindings[planned->first_binding];
    exec_step_t call_by_call = *step;
    uint64_t command = 0;
    dnnl_status_t status = recording_reserve(stream->buffers, planned->nbindings);
    if (status == dnnl_success) status = recording_next(x->core, stream->list, &command);
    call_by_call.in_one_call = false; /* the extension is older than that call */
    if (status == dnnl_success)
        status = set_and_launch(
                x, stream, &call_by_call, plan, launch, scratch, signal, nwaits, waits);
    if (status != dnnl_success) return status;
    for (uint32_t i = 0; i < planned->nbindings; i++) {
        const binding_t *binding = &bindings[i];
        const bool is_scratch = binding->kind == BIND_SCRATCH;
        int slot = binding->kind == BIND_ARG ? binding->slot : -1;
        if (is_scratch) slot = x->scratch_slot;
        const int handle = is_scratch ? 0 : binding->handle;
        const struct dnnl_memory *memory = slot >= 0 ? launch->args[slot].memory : NULL;
        if (memory && memory->ptr[handle])
            recording_note(stream->buffers, command, i, memory, handle, binding);
    }
    return status;
}

static dnnl_status_t barrier(dnnl_stream_t stream, ze_event_handle_t signal, uint32_t ndeps,
        const ze_event_handle_t *deps) {
    return ZE_CALL(
            CommandListAppendBarrier, stream->list, signal, ndeps, (ze_event_handle_t *)deps);
}

/* A list that runs again signals its events again, so each run first resets them. */
static dnnl_status_t reset_in_list(dnnl_stream_t stream, ze_event_handle_t event) {
    return ZE_CALL(CommandListAppendEventReset, stream->list, event);
}

/* One execution. */
typedef struct {
    executable_t *x;
    dnnl_stream_t stream;
    const plan_t *plan;
    const launch_t *launch;
    const void *scratch;
    ze_event_handle_t signal; /* event for the application, or NULL */
    bool shares_scratch;      /* uses the scratchpad of the stream */
    bool timed;               /* each kernel signals an event with timestamps */
    bool chained;             /* each kernel waits for the event of its predecessor */
    int last;                 /* index of the last step; -1: no step runs */
} run_t;

/* Fills in the tracker's entry of a step. Its event is the one that the step signals, or NULL if
 * nobody needs one. */
static dnnl_status_t step_event(const run_t *run, bool last, tracked_t *entry) {
    dnnl_stream_t stream = run->stream;
    *entry = (tracked_t){.timed = run->timed,
            .scratch = run->chained && run->shares_scratch,
            .last = last,
            .log = last ? run->launch->log : NULL};
    if (last && run->signal) {
        entry->event = run->signal;
        return dnnl_success;
    }
    if (!run->timed && !run->chained) return dnnl_success;
    entry->supply = run->timed ? &stream->timed : &stream->internal;
    if (!events_has_spare(entry->supply)) track_collect_some(stream);
    const dnnl_status_t status = events_take(entry->supply, &entry->event);
    if (status != dnnl_success || !stream->recording) return status;
    const dnnl_status_t reset = reset_in_list(stream, entry->event);
    if (reset != dnnl_success) events_return(entry->supply, entry->event);
    return reset;
}

/* Collects the events that the first step waits for: the caller's events and, on an out-of-order
 * list, the event of the latest user of the scratchpad. With MAX_WAITS events or more, a barrier
 * waits for the scratchpad instead. */
enum { MAX_WAITS = 16 };
static dnnl_status_t first_waits(
        const run_t *run, ze_event_handle_t *room, uint32_t *n, const ze_event_handle_t **waits) {
    dnnl_stream_t stream = run->stream;
    *n = run->launch->ndeps;
    *waits = run->launch->deps;
    if (!run->chained || !run->shares_scratch || !stream->scratch_user) return dnnl_success;
    if (*n >= MAX_WAITS) return barrier(stream, NULL, 1, &stream->scratch_user);
    for (uint32_t i = 0; i < *n; i++) room[i] = run->launch->deps[i];
    room[(*n)++] = stream->scratch_user;
    *waits = room;
    return dnnl_success;
}

/* Whether a barrier must separate the next kernel from the earlier ones. Events cannot do this if
 * the list may be a regular one: a regular list runs many times, and the events stay signalled
 * after the first run. */
static bool needs_barrier(const run_t *run, bool first) {
    if (run->stream->order == ORDER_BY_LIST || run->chained) return false;
    return run->stream->order == ORDER_BY_BARRIERS || !first || run->shares_scratch;
}

static dnnl_status_t append_step(
        const run_t *run, int index, bool first, ze_event_handle_t *before) {
    dnnl_stream_t stream = run->stream;
    const exec_step_t *step = &run->x->steps[index];
    const plan_t *plan = run->plan;
    ze_event_handle_t room[MAX_WAITS];
    const ze_event_handle_t *waits = before;
    uint32_t nwaits = run->chained;
    tracked_t entry;
    dnnl_status_t status = step_event(run, index == run->last, &entry);
    if (status != dnnl_success) return status;
    if (needs_barrier(run, first)) status = barrier(stream, NULL, 0, NULL);
    if (status == dnnl_success && first) status = first_waits(run, room, &nwaits, &waits);
    if (status == dnnl_success)
        status = (stream->buffers ? launch_noted : set_and_launch)(
                run->x, stream, step, plan, run->launch, run->scratch, entry.event, nwaits, waits);
    if (status != dnnl_success) {
        if (entry.supply) events_return(entry.supply, entry.event);
        return status;
    }
    if (run->timed || run->chained) track_add(stream, &entry);
    if (entry.scratch) stream->scratch_user = entry.event;
    *before = entry.event;
    return status;
}

static dnnl_status_t append_nothing(const run_t *run) {
    const launch_t *launch = run->launch;
    dnnl_status_t status = dnnl_success;
    /* Later work must wait as if the primitive had run a kernel. */
    if (run->signal || launch->ndeps)
        status = barrier(run->stream, run->signal, launch->ndeps, launch->deps);
    if (status == dnnl_success && launch->log)
        track_add(
                run->stream, &(tracked_t){.event = run->signal, .log = launch->log, .last = true});
    return status;
}

static dnnl_status_t append_steps(const run_t *run) {
    dnnl_stream_t stream = run->stream;
    ze_event_handle_t before = NULL;
    bool first = true;
    dnnl_status_t status =
            stream->recording && run->signal ? reset_in_list(stream, run->signal) : dnnl_success;
    if (status == dnnl_success && run->last < 0) return append_nothing(run);
    for (int i = 0; i <= run->last && status == dnnl_success; i++) {
        const exec_step_t *step = &run->x->steps[i];
        if (plan_step_is_empty(&run->plan->steps[step->index])) continue;
        status = append_step(run, i, first, &before);
        first = false;
    }
    /* The application may append its own commands next, without a barrier. */
    if (status == dnnl_success && stream->order == ORDER_BY_BARRIERS)
        status = barrier(stream, NULL, 0, NULL);
    return status;
}

/* Called with the lock of the stream held. */
static dnnl_status_t launch_locked(run_t *run) {
    dnnl_stream_t stream = run->stream;
    executable_t *x = run->x;
    void *scratch = NULL;
    dnnl_status_t status = dnnl_success;
    if (run->timed || run->chained)
        status = track_reserve(stream, (size_t)x->nsteps + 1, run->timed);
    if (status == dnnl_success && run->shares_scratch)
        status = stream_scratch(stream, x->pd->scratchpad_size, &scratch);
    event_supply_t *returned =
            run->timed && run->last >= 0 ? &stream->returned_timed : &stream->returned;
    if (status == dnnl_success && run->launch->return_event)
        status = events_take(returned, &run->signal);
    if (status != dnnl_success) return status;
    run->scratch = scratch;
    const uint64_t forgotten = stream->tracker.forgotten;
    const uint64_t first_time = stream->tracker.first_time + stream->tracker.ntimes;
    const size_t ntracked = stream->tracker.n;
    short_lock_take(&x->lock);
    status = append_steps(run);
    short_lock_drop(&x->lock);
    if (status == dnnl_success) {
        if (run->signal) *run->launch->return_event = run->signal;
        track_end(stream, first_time);
        return status;
    }
    if (run->signal) events_return(returned, run->signal);
    const size_t before = ntracked - (size_t)(stream->tracker.forgotten - forgotten);
    if (stream->tracker.n > before) {
        track_cut(stream, before);
        track_end(stream, first_time);
    }
    return status;
}

static inline uint64_t plain_value(const plain_binding_t *binding, const dnnl_exec_arg_t *args) {
    const struct dnnl_memory *memory = args[binding->slot].memory;
    return memory ? pointer_value(memory->ptr[binding->handle], binding->offset) : 0;
}

/* Called with the lock of the executable held, like the next function. False: the caller must set
 * each argument with a call of its own. */
static __attribute__((noinline)) bool launch_plain_in_one_call(executable_t *x,
        dnnl_stream_t stream, const dnnl_exec_arg_t *args, ze_event_handle_t signal,
        uint32_t nwaits, const ze_event_handle_t *waits, dnnl_status_t *status) {
    const plain_t *plain = &x->plain;
    forget_arguments(x, x->steps);
    for (int i = 0; i < plain->n; i++)
        plain->bindings[i].value = plain_value(&plain->bindings[i], args);
    const ze_result_t result =
            x->core->launch_with_arguments(stream->list, plain->kernel, plain->count, plain->size,
                    plain->arguments, NULL, signal, nwaits, (ze_event_handle_t *)(uintptr_t)waits);
    /* A layer of the loader may be older than the driver. */
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) return false;
    *status = ze_check(result, ONE_CALL);
    return true;
}

static inline dnnl_status_t set_and_launch_plain(executable_t *x, dnnl_stream_t stream,
        const dnnl_exec_arg_t *args, ze_event_handle_t signal, uint32_t nwaits,
        const ze_event_handle_t *waits) {
    const plain_t *plain = &x->plain;
    dnnl_status_t status;
    if (plain->arguments &&
            launch_plain_in_one_call(x, stream, args, signal, nwaits, waits, &status))
        return status;
    live_binding_t *live = x->live;
    for (const plain_binding_t *b = plain->bindings, *end = b + plain->n; b < end; b++, live++) {
        const struct dnnl_memory *memory = args[b->slot].memory;
        const uint64_t allocation = memory ? memory->allocation : 0;
        if (allocation && live->allocation == allocation) continue;
        const uint64_t value = plain_value(b, args);
        live->allocation = allocation;
        const ze_result_t result = ze.KernelSetArgumentValue(
                plain->kernel, b->argument, sizeof value, LIKELY(value) ? &value : NULL);
        if (LIKELY(result == ZE_RESULT_SUCCESS)) continue;
        live->allocation = 0;
        return ze_report(result, "zeKernelSetArgumentValue");
    }
    const ze_result_t result = ze.CommandListAppendLaunchKernel(stream->list, plain->kernel,
            &plain->count, signal, nwaits, (ze_event_handle_t *)(uintptr_t)waits);
    return LIKELY(result == ZE_RESULT_SUCCESS)
                   ? dnnl_success
                   : ze_report(result, "zeCommandListAppendLaunchKernel");
}

/* Called with the lock of the stream held. */
static __attribute__((noinline)) dnnl_status_t launch_any(
        executable_t *x, dnnl_stream_t stream, const plan_t *plan, const launch_t *launch) {
    run_t run = {.x = x,
            .stream = stream,
            .plan = plan,
            .launch = launch,
            .shares_scratch = x->scratch_slot < 0 && x->pd->scratchpad_size,
            .timed = stream->profiling || launch->log,
            .last = executable_last_step(x, plan)};
    run.chained = stream->order == ORDER_BY_CALLER && stream->immediate && run.last >= 0 &&
                  (run.last > 0 || run.shares_scratch);
    if (stream->tracker.nlogs) track_collect(stream);
    return launch_locked(&run);
}

/* Launches a plain primitive. Called with the lock of a plain stream held. */
static dnnl_status_t launch_plain(executable_t *x, dnnl_stream_t stream, const launch_t *launch) {
    ze_event_handle_t signal = NULL;
    dnnl_status_t status = dnnl_success;
    if (launch->return_event) status = events_take(&stream->returned, &signal);
    if (status != dnnl_success) return status;
    short_lock_take(&x->lock);
    status = set_and_launch_plain(x, stream, launch->args, signal, launch->ndeps, launch->deps);
    short_lock_drop(&x->lock);
    if (!signal) return status;
    if (status == dnnl_success) *launch->return_event = signal;
    else events_return(&stream->returned, signal);
    return status;
}

dnnl_status_t executable_launch(
        executable_t *x, dnnl_stream_t stream, const plan_t *plan, const launch_t *launch) {
    if (x->core->backend) return x->core->backend->launch(x, stream, plan, launch);
    short_lock_take(&stream->lock);
    work_note(&stream->work, &x->core->flights);
    const bool plain = x->plain.kernel && stream->plain && !launch->log && !stream->tracker.nlogs &&
                       !ze_is_over;
    const dnnl_status_t status =
            plain ? launch_plain(x, stream, launch) : launch_any(x, stream, plan, launch);
    short_lock_drop(&stream->lock);
    return status;
}

static __attribute__((noinline)) dnnl_status_t launch_plain_anyhow(
        executable_t *x, dnnl_stream_t stream, const dnnl_exec_arg_t *args) {
    return executable_launch(x, stream, &x->pd->plan, &(launch_t){.args = args});
}

dnnl_status_t executable_launch_plain(
        executable_t *x, dnnl_stream_t stream, const dnnl_exec_arg_t *args) {
    atomic_uint *of_stream = short_lock_take(&stream->lock);
    if (!LIKELY(!stream->tracker.nlogs && !ze_is_over)) {
        short_lock_give(of_stream);
        return launch_plain_anyhow(x, stream, args);
    }
    work_note(&stream->work, &x->core->flights);
    atomic_uint *of_kernel = short_lock_take(&x->lock);
    const dnnl_status_t status = set_and_launch_plain(x, stream, args, NULL, 0, NULL);
    short_lock_give(of_kernel);
    short_lock_give(of_stream);
    return status;
}

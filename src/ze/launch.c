/* SPDX-License-Identifier: Apache-2.0 */
/* Appends the steps of a primitive to a command list. Nothing is allocated here but events that the caller
 * asked for, profiling data, and a scratchpad larger than any before on the stream. */
#include <string.h>

#include "core/verbose.h"
#include "ze/executable.h"

static uint64_t pointer_value(const void *ptr, uint64_t offset) {
    return ptr ? (uint64_t)(uintptr_t)ptr + offset : 0;
}

static uint64_t live_value(
        const executable_t *x, const binding_t *binding, const launch_t *launch, const void *scratch) {
    const struct dnnl_memory *memory = binding->slot >= 0 ? launch->mems[binding->slot] : NULL;
    union {
        float f32;
        int32_t s32;
        uint64_t bits;
    } scalar = {.bits = 0};
    switch ((bind_kind_t)binding->kind) {
    case BIND_ARG: return memory ? pointer_value(memory->ptr[binding->handle], binding->offset) : 0;
    case BIND_SCRATCH:
        memory = x->scratch_slot >= 0 ? launch->mems[x->scratch_slot] : NULL;
        return pointer_value(memory ? memory->ptr[0] : scratch, binding->offset);
    case BIND_SCALAR_F32: scalar.f32 = memory ? memory_scalar_f32(memory) : 1.0f; break;
    case BIND_SCALAR_S32: scalar.s32 = memory ? memory_scalar_s32(memory) : 0; break;
    case BIND_SCALAR_LOW: scalar.bits = memory ? (uint32_t)memory_scalar_s64(memory) : 0; break;
    case BIND_SCALAR_HIGH: scalar.bits = memory ? (uint64_t)memory_scalar_s64(memory) >> 32 : 0; break;
    default: break;
    }
    return scalar.bits;
}

static dnnl_status_t set_const(
        executable_t *x, ze_kernel_handle_t kernel, live_binding_t *live, const plan_t *plan) {
    const binding_t *binding = &plan->bindings[live->binding];
    uint8_t *now = x->consts + binding->offset;
    const uint8_t *wanted = plan->consts + binding->offset;
    if (live->known && !memcmp(now, wanted, binding->size)) return dnnl_success;
    const dnnl_status_t status =
            ZE_CALL(KernelSetArgumentValue, kernel, live->argument, binding->size, wanted);
    live->known = status == dnnl_success;
    memcpy(now, wanted, binding->size);
    return status;
}

/* With the executable's lock held. Values that an argument has already are left alone, pointers are not: the
 * same address may have become another allocation, and drivers keep track of allocations when a pointer is
 * set. */
static dnnl_status_t set_arguments(executable_t *x, const exec_step_t *step, const plan_t *plan,
        const launch_t *launch, const void *scratch) {
    live_binding_t *live = x->live + step->first_live;
    for (int i = 0; i < step->nlive; i++, live++) {
        const binding_t *binding = &plan->bindings[live->binding];
        if (binding->kind == BIND_CONST) {
            const dnnl_status_t status = set_const(x, step->kernel, live, plan);
            if (status != dnnl_success) return status;
            continue;
        }
        const uint64_t value = live_value(x, binding, launch, scratch);
        const bool scalar = binding->kind != BIND_ARG && binding->kind != BIND_SCRATCH;
        if (scalar && live->known && live->value == value) continue;
        live->known = false;
        const dnnl_status_t status = ZE_CALL(KernelSetArgumentValue, step->kernel, live->argument,
                scalar ? 4 : sizeof(void *), scalar || value ? &value : NULL);
        if (status != dnnl_success) return status;
        live->known = true;
        live->value = value;
    }
    return dnnl_success;
}

static bool is_empty(const plan_step_t *step) {
    return !step->group_count[0] || !step->group_count[1] || !step->group_count[2];
}

/* The plan of a step, if the first one is `first`. */
static const plan_t *plan_of(const executable_t *x, const plan_t *first, const exec_step_t *step) {
    return step->part ? pd_plan(x->pd, step->part) : first;
}

static int last_step(const executable_t *x, const plan_t *plan) {
    int last = x->nsteps - 1;
    while (last >= 0 && is_empty(&plan_of(x, plan, &x->steps[last])->steps[x->steps[last].index])) last--;
    return last;
}

static dnnl_status_t barrier(
        dnnl_stream_t stream, ze_event_handle_t signal, uint32_t ndeps, const ze_event_handle_t *deps) {
    return ZE_CALL(CommandListAppendBarrier, stream->list, signal, ndeps, (ze_event_handle_t *)deps);
}

/* A list that runs again signals its events again: each run begins by taking the signal back. */
static dnnl_status_t reset_in_list(dnnl_stream_t stream, ze_event_handle_t event) {
    return ZE_CALL(CommandListAppendEventReset, stream->list, event);
}

static dnnl_status_t append(dnnl_stream_t stream, ze_kernel_handle_t kernel, const plan_step_t *step,
        ze_event_handle_t signal, uint32_t ndeps, const ze_event_handle_t *deps) {
    const ze_group_count_t count = {step->group_count[0], step->group_count[1], step->group_count[2]};
    if (!stream->profiling)
        return ZE_CALL(CommandListAppendLaunchKernel, stream->list, kernel, &count, signal, ndeps,
                (ze_event_handle_t *)deps);
    /* The event with the times is reset some day, the one handed out is not: they are two. */
    ze_event_handle_t timed;
    dnnl_status_t status = stream_profile_kernel(stream, &timed);
    if (status != dnnl_success) return status;
    if (stream->recording) {
        status = reset_in_list(stream, timed);
        if (status == dnnl_success) status = barrier(stream, NULL, 0, NULL);
    }
    if (status == dnnl_success)
        status = ZE_CALL(CommandListAppendLaunchKernel, stream->list, kernel, &count, timed, ndeps,
                (ze_event_handle_t *)deps);
    if (status != dnnl_success) {
        events_return(&stream->timed, timed);
        stream->nkernels--;
        return status;
    }
    return signal ? barrier(stream, signal, 1, &timed) : dnnl_success;
}

/* Whether what comes next must be kept apart from what is in the list. Later steps read what earlier ones
 * wrote; primitives that are not in order share the scratchpad. */
static bool needs_barrier(const executable_t *x, const struct dnnl_stream *stream, bool first) {
    if (stream->order == ORDER_BY_LIST) return false;
    if (stream->order == ORDER_BY_BARRIERS || !first) return true;
    return x->scratch_slot < 0 && x->pd->scratchpad_size;
}

static dnnl_status_t append_steps(executable_t *x, dnnl_stream_t stream, const plan_t *plan,
        const launch_t *launch, const void *scratch, ze_event_handle_t signal) {
    const int last = last_step(x, plan);
    uint32_t ndeps = launch->ndeps;
    bool first = true;
    dnnl_status_t status = stream->recording && signal ? reset_in_list(stream, signal) : dnnl_success;
    for (int i = 0; i <= last && status == dnnl_success; i++) {
        const exec_step_t *step = &x->steps[i];
        const plan_t *its_plan = plan_of(x, plan, step);
        const plan_step_t *planned = &its_plan->steps[step->index];
        if (is_empty(planned)) continue;
        if (needs_barrier(x, stream, first)) status = barrier(stream, NULL, 0, NULL);
        if (status == dnnl_success) status = set_arguments(x, step, its_plan, launch, scratch);
        if (status == dnnl_success)
            status = append(stream, step->kernel, planned, i == last ? signal : NULL, ndeps, launch->deps);
        ndeps = 0;
        first = false;
    }
    /* Nothing to run, but what comes after this waits as if there were. */
    if (last < 0 && (signal || ndeps)) status = barrier(stream, signal, ndeps, launch->deps);
    /* The application may append commands of its own behind this, and they bring no barrier. */
    if (last >= 0 && status == dnnl_success && stream->order == ORDER_BY_BARRIERS)
        status = barrier(stream, NULL, 0, NULL);
    return status;
}

dnnl_status_t executable_launch(
        executable_t *x, dnnl_stream_t stream, const plan_t *plan, const launch_t *launch) {
    void *scratch = NULL;
    ze_event_handle_t signal = NULL;
    dnnl_status_t status = dnnl_success;
    pthread_mutex_lock(&stream->lock);
    const size_t nkernels = stream->nkernels;
    if (x->scratch_slot < 0 && x->pd->scratchpad_size)
        status = stream_scratch(stream, x->pd->scratchpad_size, &scratch);
    if (status == dnnl_success && launch->return_event) status = events_take(&stream->returned, &signal);
    if (status == dnnl_success) {
        pthread_mutex_lock(&x->lock);
        status = append_steps(x, stream, plan, launch, scratch, signal);
        pthread_mutex_unlock(&x->lock);
        if (status != dnnl_success && signal) events_return(&stream->returned, signal);
    }
    if (stream->profiling && (status == dnnl_success || stream->nkernels > nkernels)) stream->executions++;
    if (status == dnnl_success && launch->return_event) *launch->return_event = signal;
    pthread_mutex_unlock(&stream->lock);
    return status;
}

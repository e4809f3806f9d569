/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/frames.h"

#include <pthread.h>

#include "core/alloc.h"
#include "core/check.h"
#include "graph/device.h"

typedef struct frame {
    struct frame *next;
    dnnl_exec_arg_t args[]; /* of all steps, one after the other; their memory objects are owned,
                             * but not those of the program */
} frame_t;

struct frames {
    atomic_int refs;
    program_t program;
    frame_t *_Atomic spare; /* the one that most executions use; NULL: it is in use */
    pthread_mutex_t lock;   /* guards: */
    frame_t *idle;
};

static const operand_t *next_operand(const program_t *program, size_t *step, int *i) {
    while (*step < program->nsteps && *i == program->steps[*step].noperands) {
        ++*step;
        *i = 0;
    }
    return *step < program->nsteps ? &program->steps[*step].operands[(*i)++] : NULL;
}

static void frame_free(const program_t *program, frame_t *frame) {
    const operand_t *operand;
    size_t step = 0;
    int i = 0;
    for (dnnl_exec_arg_t *arg = frame->args; (operand = next_operand(program, &step, &i)); arg++)
        if (operand->place.kind != AT_OWNED) dnnl_memory_destroy(arg->memory);
    dz_free(frame);
}

static dnnl_status_t make_memory(
        const program_t *program, const operand_t *operand, dnnl_memory_t *memory) {
    int64_t zero = 0;
    if (operand->place.kind == AT_OWNED) {
        *memory = program->owned[operand->place.at];
        return dnnl_success;
    }
    if (md_is_host_scalar(&operand->md))
        return dnnl_memory_create_host_scalar(memory, &operand->md, &zero);
    return device_memory_create(memory, &operand->md, program->engine, DNNL_MEMORY_NONE);
}

static dnnl_status_t frame_make(const program_t *program, frame_t **out) {
    const operand_t *operand;
    size_t step = 0;
    int i = 0;
    frame_t *frame = dz_calloc(1, sizeof *frame + program->noperands * sizeof(dnnl_exec_arg_t));
    if (!frame) return dnnl_out_of_memory;
    for (dnnl_exec_arg_t *arg = frame->args; (operand = next_operand(program, &step, &i)); arg++) {
        arg->arg = operand->arg;
        const dnnl_status_t status = make_memory(program, operand, &arg->memory);
        if (status == dnnl_success) continue;
        frame_free(program, frame);
        return status;
    }
    *out = frame;
    return dnnl_success;
}

dnnl_status_t frames_make(frames_t **out, program_t *program) {
    frames_t *frames = dz_calloc(1, sizeof *frames);
    if (!frames) {
        program_end(program);
        return dnnl_out_of_memory;
    }
    atomic_init(&frames->refs, 1);
    frames->program = *program;
    pthread_mutex_init(&frames->lock, NULL);
    *out = frames;
    return dnnl_success;
}

void frames_ref(frames_t *frames) {
    atomic_fetch_add(&frames->refs, 1);
}

int frames_refs(const frames_t *frames) {
    return atomic_load(&frames->refs);
}

void frames_unref(frames_t *frames) {
    if (!frames || atomic_fetch_sub(&frames->refs, 1) != 1) return;
    for (frame_t *frame = frames->idle, *next; frame; frame = next) {
        next = frame->next;
        frame_free(&frames->program, frame);
    }
    frame_t *spare = atomic_load(&frames->spare);
    if (spare) frame_free(&frames->program, spare);
    program_end(&frames->program);
    pthread_mutex_destroy(&frames->lock);
    dz_free(frames);
}

const program_t *frames_program(const frames_t *frames) {
    return &frames->program;
}

static dnnl_status_t take(frames_t *frames, frame_t **frame) {
    *frame = atomic_exchange_explicit(&frames->spare, NULL, memory_order_acquire);
    if (*frame) return dnnl_success;
    pthread_mutex_lock(&frames->lock);
    *frame = frames->idle;
    if (*frame) frames->idle = (*frame)->next;
    pthread_mutex_unlock(&frames->lock);
    return *frame ? dnnl_success : frame_make(&frames->program, frame);
}

static void give(frames_t *frames, frame_t *frame) {
    frame_t *none = NULL;
    if (atomic_compare_exchange_strong_explicit(
                &frames->spare, &none, frame, memory_order_release, memory_order_relaxed))
        return;
    pthread_mutex_lock(&frames->lock);
    frame->next = frames->idle;
    frames->idle = frame;
    pthread_mutex_unlock(&frames->lock);
}

/* A host scalar of the primitive's type, which is that of the tensor or f32. */
static dnnl_status_t bind_scalar(
        const operand_t *operand, dnnl_memory_t memory, const_dnnl_graph_tensor_t tensor) {
    const dnnl_data_type_t dt = tensor->lt.data_type;
    if (operand->md.data_type != dnnl_f32 || dt == dnnl_f32)
        return dnnl_memory_set_host_scalar_value(memory, &tensor->scalar);
    const float value = dt == dnnl_s32 ? (float)tensor->scalar.s32 : (float)tensor->scalar.s64;
    return dnnl_memory_set_host_scalar_value(memory, &value);
}

static dnnl_status_t bind_tensor(
        const operand_t *operand, dnnl_memory_t memory, const_dnnl_graph_tensor_t tensor) {
    const bool host = md_is_host_scalar(&operand->md);
    CHECK_NOT_NULL(tensor, "graph");
    CHECK_ARG(host == !tensor->engine, "graph",
            "a tensor is a host scalar, and was none at compilation, or the other way round");
    if (host) return bind_scalar(operand, memory, tensor);
    CHECK_ARG(tensor->ptr || !md_size(&operand->md, 0), "graph", "a tensor has no memory");
    return dnnl_memory_set_data_handle(memory, tensor->ptr);
}

static dnnl_status_t bind(
        const operand_t *operand, dnnl_memory_t memory, const execution_t *execution) {
    const place_t place = operand->place;
    switch (place.kind) {
    case AT_INPUT: return bind_tensor(operand, memory, execution->in[place.at]);
    case AT_OUTPUT: return bind_tensor(operand, memory, execution->out[place.at]);
    case AT_SCRATCH:
        return dnnl_memory_set_data_handle(memory, (char *)execution->scratch + place.at);
    case AT_KEPT: return dnnl_memory_set_data_handle(memory, (char *)execution->kept + place.at);
    default: return dnnl_success;
    }
}

static dnnl_status_t bind_all(
        const program_t *program, frame_t *frame, const execution_t *execution) {
    const operand_t *operand;
    size_t step = 0;
    int i = 0;
    for (dnnl_exec_arg_t *arg = frame->args; (operand = next_operand(program, &step, &i)); arg++)
        TRY(bind(operand, arg->memory, execution));
    return dnnl_success;
}

static bool is_done(const step_t *step, const execution_t *execution) {
    return step->constant && execution->has_kept;
}

/* Events connect the steps only where the stream does not keep them in order. */
static dnnl_status_t submit(
        const program_t *program, const frame_t *frame, const execution_t *execution) {
    const bool ordered = stream_orders(execution->stream);
    const dnnl_exec_arg_t *args = frame->args;
    device_event_t between = NULL;
    bool first = true;
    size_t end = program->nsteps;
    while (end && is_done(&program->steps[end - 1], execution)) end--;
    for (size_t i = 0; i < end; i++) {
        const step_t *step = &program->steps[i];
        const dnnl_exec_arg_t *own = args;
        const device_event_t before = between;
        args += step->noperands;
        if (is_done(step, execution)) continue;
        device_event_t *event = i + 1 == end ? execution->event : ordered ? NULL : &between;
        const int ndeps = first ? execution->ndeps : before != NULL;
        TRY(device_execute(step->primitive, execution->stream, step->noperands, own, ndeps,
                first ? execution->deps : &before, event));
        first = false;
    }
    return dnnl_success;
}

dnnl_status_t frames_execute(frames_t *frames, const execution_t *execution) {
    frame_t *frame;
    TRY(take(frames, &frame));
    dnnl_status_t status = bind_all(&frames->program, frame, execution);
    if (status == dnnl_success) status = submit(&frames->program, frame, execution);
    give(frames, frame);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/frames.h"

#include <pthread.h>

#include "core/alloc.h"
#include "core/check.h"
#include "graph/device.h"

/* A buffer in a frame. */
typedef struct {
    void *bound;          /* its address in the last execution */
    dnnl_memory_t memory; /* owned, unless it is the program's */
} slot_t;

typedef struct frame {
    struct frame *next;
    slot_t *slots;          /* of the buffers; behind the arguments */
    dnnl_exec_arg_t args[]; /* of all steps, one after the other */
} frame_t;

/* What an execution reads of an operand: memory may have left the caches since the last one. */
typedef struct {
    size_t at;                /* as in place_t */
    uint8_t kind;             /* place_kind_t */
    bool is_host;             /* a host scalar */
    const operand_t *operand; /* the first one of those that share it */
} buffer_t;

struct frames {
    atomic_int refs;
    program_t program;
    buffer_t *buffers; /* operands of the same place and descriptor share one */
    size_t nbuffers;
    size_t *which;          /* of each operand: its buffer */
    frame_t *_Atomic spare; /* the one that most executions use; NULL: it is in use */
    pthread_mutex_t lock;   /* guards: */
    frame_t *idle;
};

static void frame_free(const frames_t *frames, frame_t *frame) {
    for (size_t i = 0; i < frames->nbuffers; i++)
        if (frames->buffers[i].kind != AT_OWNED) dnnl_memory_destroy(frame->slots[i].memory);
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

static dnnl_status_t fill_frame(const frames_t *frames, frame_t *frame) {
    const program_t *program = &frames->program;
    size_t n = 0;
    for (size_t i = 0; i < frames->nbuffers; i++)
        TRY(make_memory(program, frames->buffers[i].operand, &frame->slots[i].memory));
    for (size_t s = 0; s < program->nsteps; s++)
        for (int i = 0; i < program->steps[s].noperands; i++, n++)
            frame->args[n] = (dnnl_exec_arg_t){
                    program->steps[s].operands[i].arg, frame->slots[frames->which[n]].memory};
    return dnnl_success;
}

static dnnl_status_t frame_make(const frames_t *frames, frame_t **out) {
    const size_t args = frames->program.noperands * sizeof(dnnl_exec_arg_t);
    frame_t *frame = dz_calloc(1, sizeof *frame + args + frames->nbuffers * sizeof(slot_t));
    if (!frame) return dnnl_out_of_memory;
    frame->slots = (slot_t *)(void *)(frame->args + frames->program.noperands);
    const dnnl_status_t status = fill_frame(frames, frame);
    if (status == dnnl_success) *out = frame;
    else frame_free(frames, frame);
    return status;
}

static bool is_in(const buffer_t *buffer, const operand_t *operand) {
    return buffer->kind == operand->place.kind && buffer->at == operand->place.at &&
           md_equal(&buffer->operand->md, &operand->md);
}

static dnnl_status_t find_buffers(frames_t *frames) {
    const program_t *program = &frames->program;
    size_t n = 0;
    frames->buffers = dz_calloc(program->noperands + 1, sizeof *frames->buffers);
    frames->which = dz_calloc(program->noperands + 1, sizeof *frames->which);
    if (!frames->buffers || !frames->which) return dnnl_out_of_memory;
    for (size_t s = 0; s < program->nsteps; s++)
        for (int i = 0; i < program->steps[s].noperands; i++, n++) {
            const operand_t *operand = &program->steps[s].operands[i];
            size_t b = 0;
            while (b < frames->nbuffers && !is_in(&frames->buffers[b], operand)) b++;
            frames->which[n] = b;
            if (b < frames->nbuffers) continue;
            frames->buffers[frames->nbuffers++] = (buffer_t){operand->place.at,
                    (uint8_t)operand->place.kind, md_is_host_scalar(&operand->md), operand};
        }
    return dnnl_success;
}

static void frames_free(frames_t *frames) {
    program_end(&frames->program);
    pthread_mutex_destroy(&frames->lock);
    dz_free(frames->buffers);
    dz_free(frames->which);
    dz_free(frames);
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
    const dnnl_status_t status = find_buffers(frames);
    if (status == dnnl_success) *out = frames;
    else frames_free(frames);
    return status;
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
        frame_free(frames, frame);
    }
    frame_t *spare = atomic_load(&frames->spare);
    if (spare) frame_free(frames, spare);
    frames_free(frames);
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
    return *frame ? dnnl_success : frame_make(frames, frame);
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

/* NULL: all buffers in the block are empty, so that there is none. */
static void *in_block(void *block, size_t at) {
    return block ? (char *)block + at : NULL;
}

/* The address of a buffer in an execution. */
static dnnl_status_t find_address(
        const buffer_t *buffer, const execution_t *execution, void **address) {
    const_dnnl_graph_tensor_t tensor;
    switch ((place_kind_t)buffer->kind) {
    case AT_INPUT: tensor = execution->in[buffer->at]; break;
    case AT_OUTPUT: tensor = execution->out[buffer->at]; break;
    case AT_SCRATCH: *address = in_block(execution->scratch, buffer->at); return dnnl_success;
    default: *address = in_block(execution->kept, buffer->at); return dnnl_success;
    }
    CHECK_NOT_NULL(tensor, "graph");
    CHECK_ARG(buffer->is_host == !tensor->engine, "graph",
            "a tensor is a host scalar, and was none at compilation, or the other way round");
    *address = tensor->ptr;
    return dnnl_success;
}

static dnnl_status_t bind(const frames_t *frames, frame_t *frame, size_t i, void *address) {
    const buffer_t *buffer = &frames->buffers[i];
    const bool is_tensor = buffer->kind == AT_INPUT || buffer->kind == AT_OUTPUT;
    CHECK_ARG(!is_tensor || address || !md_size(&buffer->operand->md, 0), "graph",
            "a tensor has no memory");
    slot_t *slot = &frame->slots[i];
    slot->bound = NULL;
    TRY(dnnl_memory_set_data_handle(slot->memory, address));
    slot->bound = address;
    return dnnl_success;
}

static dnnl_status_t bind_all(
        const frames_t *frames, frame_t *frame, const execution_t *execution) {
    for (size_t i = 0; i < frames->nbuffers; i++) {
        const buffer_t *buffer = &frames->buffers[i];
        void *address;
        __builtin_prefetch(frame->slots[i].memory);
        if (buffer->kind == AT_OWNED) continue;
        TRY(find_address(buffer, execution, &address));
        if (buffer->is_host)
            TRY(bind_scalar(buffer->operand, frame->slots[i].memory, execution->in[buffer->at]));
        else if (!address || address != frame->slots[i].bound) TRY(bind(frames, frame, i, address));
    }
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
        const dnnl_status_t status = device_execute(step->primitive, execution->stream,
                step->noperands, own, ndeps, first ? execution->deps : &before, event);
        device_drop_event(program->engine, before);
        if (status != dnnl_success) return status;
        first = false;
    }
    return dnnl_success;
}

dnnl_status_t frames_execute(frames_t *frames, const execution_t *execution) {
    frame_t *frame;
    TRY(take(frames, &frame));
    dnnl_status_t status = bind_all(frames, frame, execution);
    if (status == dnnl_success) status = submit(&frames->program, frame, execution);
    give(frames, frame);
    return status;
}

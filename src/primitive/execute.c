/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the arguments of an execution and submits it. */
#include "primitive/primitive.h"

#include <string.h>

#include "core/alloc.h"
#include "core/status.h"
#include "core/util.h"
#include "core/verbose.h"
#include "ops/verbose_columns.h"
#include "plan/op.h"
#include "primitive/any_address.h"
#include "primitive/by_shape_exec.h"
#include "primitive/group_ends.h"

#define COMPONENT "primitive"
#define REQUIRE(condition, ...)                                                                    \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return verbose_exec_check(dnnl_invalid_arguments, COMPONENT, __VA_ARGS__);             \
    } while (0)

/* The size of an array with an element for each argument. Most primitives have a few; concat and
 * sum of many sources have a thousand. An array needs one element at least. */
#define ROOM_FOR(x) ((x)->nslots + 1)

/* The bytes of the buffer that kernels use. Kernels use all of a layout with extra data behind the
 * tensor. */
static size_t used_bytes(const md_t *md) {
    if (md->extra.flags) return md_size(md, 0);
    return ((size_t)md_end(md) * (size_t)dt_bits(md->data_type) + 7) / 8;
}

/* Checks a memory object whose descriptor differs from the primitive's. Kernels go by the
 * primitive's descriptor, so the buffer has to be large enough and nothing else: a program may pass
 * the bytes of one tensor as another tensor. */
static dnnl_status_t check_extent(
        const executable_t *x, int slot, const struct dnnl_memory *memory) {
    const md_t *want = &x->pd->args[slot].md;
    const int arg = x->slots[slot].arg;
    if (x->runtime_dims && md_has_runtime_dims_or_strides(want))
        return dnnl_success; /* op->replan() or the primitive of the shape checks it */
    if (md_is_zero(want) || md_has_zero_dim(want)) return dnnl_success;
    if (!md_is_blocked(want)) {
        if (md_equal(want, &memory->md)) return dnnl_success;
        return verbose_exec_check(dnnl_invalid_arguments, COMPONENT,
                "argument %d has another kind of descriptor", arg);
    }
    const size_t size = used_bytes(want);
    if (memory->size[0] < size)
        return verbose_exec_check(dnnl_invalid_arguments, COMPONENT,
                "argument %d has %zu bytes, and the primitive uses %zu", arg, memory->size[0],
                size);
    if (arg != DNNL_ARG_SCRATCHPAD)
        verbose_exec_check(dnnl_success, COMPONENT,
                "the descriptor of argument %d differs from the primitive's, and the primitive's "
                "is used",
                arg);
    return dnnl_success;
}

/* Devices load and store an element at a multiple of its size only. A scratchpad has elements of
 * any type, a zero descriptor has none. */
static size_t alignment_of(const executable_t *x, int slot, int handle) {
    const md_t *md = &x->pd->args[slot].md;
    if (x->slots[slot].arg == DNNL_ARG_SCRATCHPAD) return MEMORY_ALIGNMENT;
    if (md_is_zero(md)) return 1;
    return dt_size(md_handle_type(md, handle));
}

static dnnl_status_t check_memory(const executable_t *x, int slot, const struct dnnl_memory *memory,
        ze_context_handle_t context) {
    const slot_t *s = &x->slots[slot];
    if (s->flags & PD_HOST) {
        if (!memory->context) return dnnl_success;
        return verbose_exec_check(
                dnnl_invalid_arguments, COMPONENT, "argument %d has to be a host scalar", s->arg);
    }
    if (memory->context != context)
        return verbose_exec_check(dnnl_invalid_arguments, COMPONENT, "argument %d %s", s->arg,
                memory->context ? "is of another engine" : "is a host scalar");
    if (memory->md_hash != s->md_hash) TRY(check_extent(x, slot, memory));
    for (int i = 0; i < memory->nhandles; i++)
        if (!memory->ptr[i] && memory->size[i])
            return verbose_exec_check(
                    dnnl_invalid_arguments, COMPONENT, "argument %d has no buffer %d", s->arg, i);
    for (int i = 0; i < memory->nhandles; i++)
        if (memory->size[i] && !memory->is_buffer &&
                (uintptr_t)memory->ptr[i] % alignment_of(x, slot, i))
            return verbose_exec_check(dnnl_invalid_arguments, COMPONENT,
                    "argument %d: buffer %d is at %p, which is not a multiple of %zu", s->arg, i,
                    memory->ptr[i], alignment_of(x, slot, i));
    return dnnl_success;
}

/* Sorts the arguments by the slots of the primitive. A slot without an argument gets memory
 * NULL. */
static dnnl_status_t gather(const executable_t *x, ze_context_handle_t context, int nargs,
        const dnnl_exec_arg_t *args, dnnl_exec_arg_t *all) {
    for (int i = 0; i < x->nslots; i++) all[i] = (dnnl_exec_arg_t){x->slots[i].arg, NULL};
    for (int i = 0; i < nargs; i++) {
        const int arg = args[i].arg;
        if (!args[i].memory) continue; /* counts as absent */
        const int slot = i < x->nslots && x->slots[i].arg == arg ? i : executable_find_slot(x, arg);
        if (slot < 0) {
            if (arg != DNNL_ARG_SCRATCHPAD || !x->drops_scratchpad)
                verbose_exec_check(
                        dnnl_success, COMPONENT, "argument %d is not used by the primitive", arg);
            continue;
        }
        if (all[slot].memory)
            return verbose_exec_check(
                    dnnl_invalid_arguments, COMPONENT, "argument %d is passed twice", arg);
        TRY(check_memory(x, slot, args[i].memory, context));
        all[slot].memory = args[i].memory;
    }
    for (int i = 0; i < x->nslots; i++)
        if (!all[i].memory && !(x->slots[i].flags & PD_OPTIONAL))
            return verbose_exec_check(
                    dnnl_invalid_arguments, COMPONENT, "argument %d is missing", x->slots[i].arg);
    return dnnl_success;
}

/* The descriptors by slot, with the memory object's descriptor where the primitive's has run-time
 * values. */
static void real_mds(const executable_t *x, const dnnl_exec_arg_t *args, const md_t **mds) {
    for (int i = 0; i < x->nslots; i++) {
        const md_t *md = &x->pd->args[i].md;
        mds[i] = !args[i].memory                      ? NULL
                 : md_has_runtime_dims_or_strides(md) ? &args[i].memory->md
                                                      : md;
    }
}

/* Not inlined: few buffers need it. */
static __attribute__((noinline)) dnnl_status_t submit_any_address(
        executable_t *x, dnnl_stream_t stream, const launch_t *launch) {
    executable_t *other;
    TRY(any_address_find(x, stream->engine, &other));
    dnnl_exec_arg_t args[ROOM_FOR(other)];
    by_shape_args(x, launch->args, other, args);
    launch_t here = *launch;
    here.args = args;
    const dnnl_status_t status = executable_launch(other, stream, &other->pd->plan, &here);
    executable_unref(other);
    return status;
}

static dnnl_status_t submit_planned(executable_t *x, dnnl_stream_t stream, const launch_t *launch) {
    if (x->expects_alignment && !any_address_is_needless(x, launch->args))
        return submit_any_address(x, stream, launch);
    return executable_launch(x, stream, &x->pd->plan, launch);
}

/* The primitive of the shape checks its arguments again, since sizes of scales and the like follow
 * from the shape. */
static __attribute__((noinline)) dnnl_status_t submit_by_shape(
        executable_t *x, dnnl_stream_t stream, const launch_t *launch) {
    executable_t *of_shape;
    TRY(by_shape_find(x, stream->engine, launch->args, &of_shape));
    dnnl_exec_arg_t args[ROOM_FOR(of_shape)];
    by_shape_args(x, launch->args, of_shape, args);
    dnnl_status_t status = dnnl_success;
    for (int i = 0; i < of_shape->nslots && status == dnnl_success; i++)
        if (args[i].memory)
            status = check_memory(of_shape, i, args[i].memory, stream->engine->core->context);
    launch_t here = *launch;
    here.args = args;
    if (status == dnnl_success) status = submit_planned(of_shape, stream, &here);
    executable_unref(of_shape);
    return status;
}

/* Not inlined: the plan takes much of the stack, and most primitives execute their own. */
static __attribute__((noinline)) dnnl_status_t submit_replanned(
        executable_t *x, dnnl_stream_t stream, const launch_t *launch) {
    const md_t *mds[ROOM_FOR(x)];
    plan_room_t room;
    plan_t plan = plan_in_room(&room);
    const bool fits = plan_copy(&plan, &x->pd->plan);
    if (!x->pd->op->replan)
        return verbose_exec_check(
                dnnl_unimplemented, COMPONENT, "this kind does not support run-time dimensions");
    real_mds(x, launch->args, mds);
    for (int i = 0; i < x->nslots; i++)
        REQUIRE(!mds[i] || !(x->slots[i].flags & PD_OUT) || !md_repeats(mds[i]),
                "argument %d is written, and a stride of 0 puts several of its elements into one "
                "place",
                x->slots[i].arg);
    if (fits) TRY(x->pd->op->replan(x->pd, &x->core->caps, mds, &plan));
    if (!fits || plan.failed)
        return verbose_exec_check(
                dnnl_unimplemented, COMPONENT, "the plan for these dimensions has too many steps");
    return executable_launch(x, stream, &plan, launch);
}

static dnnl_status_t submit(executable_t *x, dnnl_stream_t stream, const launch_t *launch) {
    if (x->has_groups) TRY(group_ends_check(x, stream, launch));
    if (x->pd->by_shape) return submit_by_shape(x, stream, launch);
    return x->runtime_dims ? submit_replanned(x, stream, launch)
                           : submit_planned(x, stream, launch);
}

/* A line of the log. Where the descriptor has run-time values, it shows those of the memory
 * objects. */
static exec_log_t *new_log(const executable_t *x, int engine_index, const dnnl_exec_arg_t *args) {
    const md_t *mds[ROOM_FOR(x)];
    char open[4096];
    const char *text = pd_info(x->pd);
    if (x->runtime_dims) {
        real_mds(x, args, mds);
        pd_format(x->pd, mds, open, sizeof open);
        text = open;
    }
    const size_t size = strlen(text) + 1;
    exec_log_t *log = dz_malloc(sizeof *log + size);
    if (!log) return NULL;
    log->engine_index = engine_index;
    memcpy(log->text, text, size);
    log->start = verbose_now_ms();
    return log;
}

/* The stream prints the line when the device has reported the time. A recorded execution does not
 * run yet: its line is called "record" and has the host's time. */
static __attribute__((noinline)) dnnl_status_t submit_logged(
        executable_t *x, dnnl_stream_t stream, const launch_t *launch) {
    exec_log_t *log = new_log(x, core_log_index(stream->engine->core), launch->args);
    if (!log)
        return verbose_error(dnnl_out_of_memory, COMPONENT, "no memory for a line of the log");
    launch_t logged = *launch;
    if (!stream->recording) logged.log = log;
    const dnnl_status_t status = submit(x, stream, &logged);
    if (status == dnnl_success && stream->recording)
        verbose_profile(
                "record", log->engine_index, log->text, log->start, verbose_now_ms() - log->start);
    if (status != dnnl_success || stream->recording) dz_free(log);
    return status;
}

/* A reorder between two engines of one device runs on a stream of either. */
static bool runs_on(const_dnnl_primitive_t primitive, const struct dnnl_stream *stream) {
    const struct dnnl_primitive_desc *desc = &primitive->desc;
    return stream->engine == desc->engine ||
           (stream->engine == desc->other && stream->engine->core == primitive->exec->core);
}

dnnl_status_t primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args, int ndeps, const ze_event_handle_t *deps,
        ze_event_handle_t *return_event) {
    TRY(ze_check_process("primitive"));
    REQUIRE(primitive && stream, "the primitive or the stream is NULL");
    REQUIRE(runs_on(primitive, stream), "the primitive and the stream are of different engines");
    REQUIRE(nargs >= 0 && (nargs == 0 || args), "%d arguments at %p", nargs, (const void *)args);
    REQUIRE(ndeps >= 0 && (ndeps == 0 || deps), "%d events to wait for at %p", ndeps,
            (const void *)deps);
    for (int i = 0; i < ndeps; i++) REQUIRE(deps[i], "event %d to wait for is NULL", i);

    executable_t *x = primitive->exec;
    dnnl_exec_arg_t room[ROOM_FOR(x)];
    const dnnl_exec_arg_t *all = args;
    if (!args_in_order(x, nargs, args)) {
        TRY(gather(x, stream->engine->core->context, nargs, args, room));
        all = room;
    }
    const launch_t launch = {all, (uint32_t)ndeps, deps, return_event, NULL};
    return verbose_on_kind(VERBOSE_EXEC, x->pd->op->kind) ? submit_logged(x, stream, &launch)
                                                          : submit(x, stream, &launch);
}

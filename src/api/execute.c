/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the arguments of an execution and submits it. */
#include <string.h>

#include "api/check.h"
#include "api/primitive.h"
#include "ops/op.h"

#define COMPONENT "primitive"
#define REQUIRE(condition, ...)                                                                              \
    do {                                                                                                     \
        if (!(condition)) return verbose_exec_check(dnnl_invalid_arguments, COMPONENT, __VA_ARGS__);         \
    } while (0)

/* From here on argument numbers are about attributes, whose buffers are described by count and type only. */
enum { FIRST_ATTRIBUTE_ARG = DNNL_ARG_ATTR_SCALES };

static uint64_t end_in_bits(const md_t *md) {
    return (uint64_t)md->offset0 * (uint64_t)dt_bits(md->data_type) + 8 * (uint64_t)md_size(md, 0);
}

/* Whether kernels that were chosen for one layout find in the other what they look for: the same tensor, or
 * one that it is a part of. Strides of dimensions of one block do not matter. */
static bool has_layout(const md_t *want, const md_t *have) {
    const md_blocking_t *a = &want->format_desc.blocking, *b = &have->format_desc.blocking;
    if (want->format_kind != have->format_kind) return false;
    if (want->format_kind != dnnl_blocked) return md_equal(want, have);
    if (want->offset0 < have->offset0 || a->inner_nblks != b->inner_nblks) return false;
    dnnl_dims_t blocks;
    for (int d = 0; d < want->ndims; d++) blocks[d] = 1;
    for (int i = 0; i < a->inner_nblks; i++) {
        if (a->inner_blks[i] != b->inner_blks[i] || a->inner_idxs[i] != b->inner_idxs[i]) return false;
        blocks[a->inner_idxs[i]] *= a->inner_blks[i];
    }
    for (int d = 0; d < want->ndims; d++) {
        if (want->dims[d] > have->dims[d] || want->padded_dims[d] > have->padded_dims[d]) return false;
        if (want->padded_dims[d] > blocks[d] && a->strides[d] != b->strides[d]) return false;
    }
    return end_in_bits(want) <= end_in_bits(have);
}

/* A descriptor with another number of dimensions is a view of the same bytes, as far as anyone can tell. */
static bool md_fits(const executable_t *x, int slot, const md_t *have) {
    const md_t *want = &x->pd->args[slot].md;
    const int arg = x->slots[slot].arg;
    if (x->runtime_dims && md_has_runtime_dims_or_strides(want)) return true; /* checked by the operation */
    if (md_is_zero(want)) return true;
    if (arg == DNNL_ARG_SCRATCHPAD) return md_size(have, 0) >= md_size(want, 0);
    if (want->data_type != have->data_type) return false;
    if (md_has_zero_dim(want)) return md_has_zero_dim(have);
    if (arg < FIRST_ATTRIBUTE_ARG && want->ndims == have->ndims) return has_layout(want, have);
    return md_size(have, 0) >= md_size(want, 0);
}

static dnnl_status_t check_memory(
        const executable_t *x, int slot, const struct dnnl_memory *memory, ze_context_handle_t context) {
    const slot_t *s = &x->slots[slot];
    if (s->flags & PD_HOST) {
        if (!memory->context) return dnnl_success;
        return verbose_exec_check(
                dnnl_invalid_arguments, COMPONENT, "argument %d has to be a host scalar", s->arg);
    }
    if (memory->context != context)
        return verbose_exec_check(dnnl_invalid_arguments, COMPONENT, "argument %d %s", s->arg,
                memory->context ? "is of another engine" : "is a host scalar");
    if (memory->md_hash != s->md_hash && !md_fits(x, slot, &memory->md))
        return verbose_exec_check(
                dnnl_invalid_arguments, COMPONENT, "argument %d has another descriptor", s->arg);
    if (!memory->ptr[0] && memory->size[0])
        return verbose_exec_check(dnnl_invalid_arguments, COMPONENT, "argument %d has no buffer", s->arg);
    return dnnl_success;
}

static dnnl_status_t gather(const executable_t *x, ze_context_handle_t context, int nargs,
        const dnnl_exec_arg_t *args, const struct dnnl_memory **mems) {
    memset(mems, 0, (size_t)x->nslots * sizeof *mems);
    for (int i = 0; i < nargs; i++) {
        const int arg = args[i].arg;
        if (!args[i].memory) continue; /* as good as not there */
        const int slot = i < x->nslots && x->slots[i].arg == arg ? i : executable_find_slot(x, arg);
        if (slot < 0) {
            verbose_exec_check(dnnl_success, COMPONENT, "argument %d is not used by the primitive", arg);
            continue;
        }
        if (mems[slot])
            return verbose_exec_check(dnnl_invalid_arguments, COMPONENT, "argument %d is passed twice", arg);
        TRY(check_memory(x, slot, args[i].memory, context));
        mems[slot] = args[i].memory;
    }
    for (int i = 0; i < x->nslots; i++)
        if (!mems[i] && !(x->slots[i].flags & PD_OPTIONAL))
            return verbose_exec_check(
                    dnnl_invalid_arguments, COMPONENT, "argument %d is missing", x->slots[i].arg);
    return dnnl_success;
}

typedef const struct dnnl_memory *const *mems_t;

static void real_mds(const executable_t *x, mems_t mems, const md_t **mds) {
    for (int i = 0; i < x->nslots; i++) mds[i] = mems[i] ? &mems[i]->md : NULL;
}

/* Kept out of line: the plan is large, and most primitives need no other than their own. */
static __attribute__((noinline)) dnnl_status_t submit_replanned(
        executable_t *x, dnnl_stream_t stream, const launch_t *launch) {
    const md_t *mds[EXECUTABLE_MAX_SLOTS];
    plan_t plan = x->pd->plan;
    if (!x->pd->op->replan)
        return verbose_exec_check(dnnl_unimplemented, COMPONENT, "no runtime dimensions for this kind");
    real_mds(x, launch->mems, mds);
    TRY(x->pd->op->replan(x->pd, &x->core->caps, mds, &plan));
    return executable_launch(x, stream, &plan, launch);
}

static dnnl_status_t submit(executable_t *x, dnnl_stream_t stream, const launch_t *launch) {
    return x->runtime_dims ? submit_replanned(x, stream, launch)
                           : executable_launch(x, stream, &x->pd->plan, launch);
}

/* The line names the tensors as they are, where the descriptor leaves them open. */
static void log_execution(const executable_t *x, int index, mems_t mems, double start) {
    const double duration = verbose_now_ms() - start;
    const md_t *mds[EXECUTABLE_MAX_SLOTS];
    char text[4096];
    if (!x->runtime_dims) {
        verbose_profile("exec", index, pd_info(x->pd), start, duration);
        return;
    }
    real_mds(x, mems, mds);
    pd_format(x->pd, mds, text, sizeof text);
    verbose_profile("exec", index, text, start, duration);
}

static dnnl_status_t submit_timed(executable_t *x, dnnl_stream_t stream, const launch_t *launch) {
    TRY(stream_wait(stream));
    const double start = verbose_now_ms();
    TRY(submit(x, stream, launch));
    TRY(stream_wait(stream));
    log_execution(x, core_log_index(stream->engine->core), launch->mems, start);
    return dnnl_success;
}

dnnl_status_t primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args, int ndeps, const ze_event_handle_t *deps,
        ze_event_handle_t *return_event) {
    REQUIRE(primitive && stream, "the primitive or the stream is NULL");
    REQUIRE(primitive->desc.engine == stream->engine,
            "the primitive and the stream are of different engines");
    REQUIRE(nargs >= 0 && (nargs == 0 || args), "%d arguments at %p", nargs, (const void *)args);
    REQUIRE(ndeps >= 0 && (ndeps == 0 || deps), "%d events to wait for at %p", ndeps, (const void *)deps);
    for (int i = 0; i < ndeps; i++) REQUIRE(deps[i], "event %d to wait for is NULL", i);

    executable_t *x = primitive->exec;
    const struct dnnl_memory *mems[EXECUTABLE_MAX_SLOTS];
    TRY(gather(x, stream->engine->core->context, nargs, args, mems));
    const launch_t launch = {mems, (uint32_t)ndeps, deps, return_event};
    return verbose_on_kind(VERBOSE_EXEC, x->pd->op->kind) ? submit_timed(x, stream, &launch)
                                                          : submit(x, stream, &launch);
}

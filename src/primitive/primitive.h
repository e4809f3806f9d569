/* SPDX-License-Identifier: Apache-2.0 */
/* A primitive: a descriptor and what executes it on a device. */
#ifndef PRIMITIVE_PRIMITIVE_H
#define PRIMITIVE_PRIMITIVE_H

#include "core/util.h"
#include "core/verbose.h"
#include "oneapi/dnnl/dnnl.h"
#include "ze/executable.h"
#include "ze/stream.h"

/* Immutable. */
struct dnnl_primitive {
    executable_t *exec; /* one reference; equal primitives of a device and context share it */
    struct dnnl_primitive_desc desc; /* one reference to the descriptor and to each engine */
};

/* blob: what dnnl_primitive_get_cache_blob() wrote, or NULL. It is checked even if the executable
 * is in the cache and the blob is not needed. */
dnnl_status_t primitive_create(
        dnnl_primitive_t *out, const_dnnl_primitive_desc_t desc, size_t size, const uint8_t *blob);
void primitive_free(dnnl_primitive_t primitive);

/* Milliseconds: the first creation that takes longer says so in the log, so that nobody thinks that
 * it hangs. Tests set it to 0. */
extern double primitive_slow_ms HIDDEN;

/* The executable of a descriptor, from the cache or made, with a reference. */
dnnl_status_t primitive_find(executable_t **out, device_core_t *core, pd_t *pd);

/* That of a request, whose descriptor is in the cache or made as well. */
dnnl_status_t primitive_find_request(executable_t **out, device_core_t *core,
        const struct op_kind *op, dnnl_engine_t engine, const pd_request_t *request);

/* Checks everything and submits. deps and return_event as in
 * dnnl_ze_interop_primitive_execute(). */
dnnl_status_t primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args, int ndeps, const ze_event_handle_t *deps,
        ze_event_handle_t *return_event);

/* Are the arguments in the order of the slots, each with a memory object of the slot's own
 * descriptor? Then they need no further check, and this is the common case. */
static inline bool args_in_order(const executable_t *x, int nargs, const dnnl_exec_arg_t *args) {
    const int nslots = x->nslots;
    const bool as_many = nargs == nslots || (x->drops_scratchpad && nargs == nslots + 1 &&
                                                    args[nslots].arg == DNNL_ARG_SCRATCHPAD);
    if (!as_many) return false;
    const slot_t *slot = x->slots;
    for (const dnnl_exec_arg_t *end = args + nslots; args < end; args++, slot++)
        if (!LIKELY(args->arg == slot->arg && args->memory &&
                    args->memory->fit - slot->fit <= (uint64_t)slot->least))
            return false;
    return true;
}

/* Launches the common case: one kernel, no events, no log, arguments in order. False: not so, and
 * nothing is launched. */
static inline bool primitive_launch_plain(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
        int nargs, const dnnl_exec_arg_t *args, dnnl_status_t *status) {
    executable_t *x = primitive->exec;
    if (!LIKELY(x->plain.kernel && stream->plain && stream->engine == primitive->desc.engine &&
                verbose_is_off(VERBOSE_EXEC) && args_in_order(x, nargs, args)))
        return false;
    *status = executable_launch_plain(x, stream, args);
    return true;
}

#endif

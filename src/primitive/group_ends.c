/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the ends of the groups of all grouped matrices of an execution. */
#include "primitive/group_ends.h"

#include <string.h>

#include "core/status.h"
#include "core/verbose.h"
#include "oneapi/dnnl/dnnl.h"

enum { ENDS = 1 }; /* the buffer with the ends */

static const void *ends_of(const struct dnnl_memory *memory) {
    return memory->ptr[ENDS];
}

/* The library's own buffers are the device's, and need no question to the driver. */
static bool is_host_readable(device_core_t *core, const struct dnnl_memory *memory) {
    usm_kind_t kind;
    return !memory->owned[ENDS] && usm_kind(core, ends_of(memory), &kind) == dnnl_success &&
           (kind == USM_HOST || kind == USM_SHARED);
}

/* The first grouped matrix at or behind a slot; nslots: there is none. */
static int next_grouped(const executable_t *x, const dnnl_exec_arg_t *args, int slot) {
    while (slot < x->nslots && !(args[slot].memory && md_is_grouped(&x->pd->args[slot].md))) slot++;
    return slot;
}

/* Matrices that share the buffer need no comparison: that is the usual case. */
static bool all_share(const executable_t *x, const dnnl_exec_arg_t *args, int first) {
    for (int i = first; i < x->nslots; i = next_grouped(x, args, i + 1))
        if (ends_of(args[i].memory) != ends_of(args[first].memory)) return false;
    return true;
}

dnnl_status_t group_ends_check(
        const executable_t *x, dnnl_stream_t stream, const launch_t *launch) {
    device_core_t *core = x->core;
    const dnnl_exec_arg_t *args = launch->args;
    const int first = next_grouped(x, args, 0);
    if (launch->ndeps || core->backend || all_share(x, args, first)) return dnnl_success;
    if (!is_host_readable(core, args[first].memory) || !stream_is_idle(stream)) return dnnl_success;
    const size_t size = md_size(&x->pd->args[first].md, ENDS);
    for (int i = next_grouped(x, args, first + 1); i < x->nslots; i = next_grouped(x, args, i + 1))
        if (is_host_readable(core, args[i].memory) &&
                memcmp(ends_of(args[first].memory), ends_of(args[i].memory), size) != 0)
            return verbose_exec_check(dnnl_invalid_arguments, "primitive",
                    "the groups of argument %d do not end where those of argument %d end",
                    args[i].arg, args[first].arg);
    return dnnl_success;
}

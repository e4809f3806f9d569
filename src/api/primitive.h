/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives. */
#ifndef API_PRIMITIVE_H
#define API_PRIMITIVE_H

#include "oneapi/dnnl/dnnl.h"
#include "ze/executable.h"

/* Immutable. */
struct dnnl_primitive {
    executable_t *
            exec; /* one reference; shared by equal primitives of all engines on a device and context */
    struct dnnl_primitive_desc desc; /* one reference to the descriptor and to each engine */
};

/* The executable of a descriptor, from the cache or made, with a reference. */
dnnl_status_t primitive_find(executable_t **out, device_core_t *core, pd_t *pd);

/* Checks everything and submits. deps and return_event as in dnnl_ze_interop_primitive_execute(). */
dnnl_status_t primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args, int ndeps, const ze_event_handle_t *deps,
        ze_event_handle_t *return_event);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes as arguments of the primitive. */
#ifndef PLAN_ATTR_ARGS_H
#define PLAN_ATTR_ARGS_H

#include "core/primitive_desc.h"

/* Appends the arguments of scales, zero points, precomputed reductions, dropout, rounding and
 * post-ops. The result and the quantised tensors must be there, with their layouts. */
dnnl_status_t attr_add_args(pd_t *pd);
/* Sets pd->scratchpad_size, and appends DNNL_ARG_SCRATCHPAD in user mode. The last thing that
 * init() does to the arguments. */
dnnl_status_t attr_add_scratchpad(pd_t *pd, size_t size);

#endif

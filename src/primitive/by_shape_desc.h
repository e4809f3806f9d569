/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time dimensions of operations whose whole plan depends on the shape, not just the group
 * counts. Such a primitive has no steps of its own. When it is executed, primitive/by_shape_exec.h
 * makes a primitive for the shape at hand. Here is the descriptor that promises it. */
#ifndef PRIMITIVE_BY_SHAPE_DESC_H
#define PRIMITIVE_BY_SHAPE_DESC_H

#include "core/primitive_desc.h"

/* Does a tensor of the request have run-time dimensions or strides? */
bool by_shape_is_needed(const pd_request_t *request);
/* In place of op->init() for such a request: checks it, adds the arguments, sets the name, writes
 * no plan. */
dnnl_status_t by_shape_init(pd_t *pd, const caps_t *caps);
/* After an op->init() that has set pd->by_shape: the plan was an example. */
dnnl_status_t by_shape_drop_plan(pd_t *pd);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time dimensions of kinds whose plans depend on the shape in more than group counts: such a primitive
 * has no steps of its own. For each shape that it is executed with a primitive of that shape is made, through
 * the caches, and kept. */
#ifndef API_BY_SHAPE_H
#define API_BY_SHAPE_H

#include "ze/executable.h"

/* Does the request leave dimensions or strides open? */
bool by_shape_open(const pd_request_t *request);
/* op->init() of such a descriptor: checks, arguments, name, no plan. */
dnnl_status_t by_shape_init(pd_t *pd, const caps_t *caps);
/* The executable for the shapes of the memories (by slot of x, checked otherwise), and the memories by its
 * slots. It comes with a reference. The engine is the primitive's. */
dnnl_status_t by_shape_find(executable_t *x, dnnl_engine_t engine, const dnnl_exec_arg_t *args,
        executable_t **found, dnnl_exec_arg_t *found_args);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The second half of primitive/by_shape_desc.h: for each shape that such a primitive is executed with, a
 * primitive of that shape is made, through the caches, and kept. */
#ifndef PRIMITIVE_BY_SHAPE_EXEC_H
#define PRIMITIVE_BY_SHAPE_EXEC_H

#include "ze/executable.h"

/* The executable for the shapes of the memory objects, with a reference, and the memory objects by its slots.
 * args: by slot of x, checked otherwise. engine: the primitive's. */
dnnl_status_t by_shape_find(executable_t *x, dnnl_engine_t engine, const dnnl_exec_arg_t *args,
        executable_t **found, dnnl_exec_arg_t *found_args);

#endif

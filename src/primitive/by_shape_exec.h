/* SPDX-License-Identifier: Apache-2.0 */
/* Executes what primitive/by_shape_desc.h has promised. For each shape that such a primitive is
 * executed with, a primitive of that shape is made, through the caches, and kept. */
#ifndef PRIMITIVE_BY_SHAPE_EXEC_H
#define PRIMITIVE_BY_SHAPE_EXEC_H

#include "ze/executable.h"

/* Finds or makes the executable for the shapes of the memory objects. *found gets a reference.
 * args: by slot of x, not checked against the shape. engine: the primitive's. */
dnnl_status_t by_shape_find(
        executable_t *x, dnnl_engine_t engine, const dnnl_exec_arg_t *args, executable_t **found);
/* Writes the memory objects by the slots of the shape's executable. */
void by_shape_args(const executable_t *x, const dnnl_exec_arg_t *args, const executable_t *of_shape,
        dnnl_exec_arg_t *its_args);

#endif

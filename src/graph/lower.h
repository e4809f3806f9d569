/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering: an operation becomes primitives of a program. */
#ifndef GRAPH_LOWER_H
#define GRAPH_LOWER_H

#include "graph/objects.h"
#include "graph/program.h"

/* The state while one operation is lowered. It owns what primitives are made from, so that a
 * failure on the way leaks nothing. */
typedef struct {
    program_t *program;
    const graph_mode_t *mode;
    const op_t *op;          /* its logical tensors have dims and strides */
    const place_t *in, *out; /* of its inputs and outputs */
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t post_ops;
    dnnl_primitive_desc_t desc, hint;
} lower_t;

typedef dnnl_status_t (*lower_fn_t)(lower_t *l);

/* NULL: the operation is not supported. */
lower_fn_t lower_find(const op_t *op);
/* Appends the primitives of an operation to a program. */
dnnl_status_t lower_op(program_t *program, const graph_mode_t *mode, const op_t *op,
        const place_t *in, const place_t *out);

#endif

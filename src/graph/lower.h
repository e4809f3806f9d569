/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering: an operation becomes primitives of a program. */
#ifndef GRAPH_LOWER_H
#define GRAPH_LOWER_H

#include "graph/objects.h"
#include "graph/program.h"

/* An operation and the places of its ports. */
typedef struct {
    const op_t *op; /* its logical tensors have dims and strides */
    const place_t *in, *out;
} node_t;

enum { MOST_EPILOGUE = 32, MOST_EXTRA = 2 * MOST_EPILOGUE + 8, MOST_FACTORS = 3 };

/* An operation that is computed as part of the primitive of the one before. */
typedef struct {
    const node_t *node;
    size_t port;         /* the input that is the result so far */
    const node_t *other; /* Multiply of a value with its Sigmoid: the latter */
} epilogue_op_t;

/* Operations that one primitive computes. */
typedef struct {
    const node_t *node; /* the first one */
    int nepilogue;
    epilogue_op_t epilogue[MOST_EPILOGUE];
    /* Of its inputs: the operation that dequantises it, whose integers are the input instead. */
    const node_t *from[MOST_FACTORS];
} fused_t;

/* The state while operations are lowered. It owns what primitives are made from, so that a failure
 * on the way leaks nothing. */
typedef struct lower {
    program_t *program;
    const graph_mode_t *mode;
    const fused_t *fused;
    const op_t *op;          /* the first operation */
    const place_t *in, *out; /* of its inputs, and of the outputs of the last one */
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t post_ops;
    dnnl_primitive_desc_t desc, hint;
    int nextra;
    step_arg_t extra[MOST_EXTRA];      /* of the next primitive: those of its attributes */
    view_t vectors[2 * MOST_EPILOGUE]; /* of operations of the epilogue */
    int nfolded;                       /* of these operations: the first, in the weights already */
} lower_t;

typedef dnnl_status_t (*lower_fn_t)(lower_t *l);

/* NULL: the operation is not supported. */
lower_fn_t lower_find(const op_t *op);
/* Appends the primitives of operations to a program. After unimplemented or invalid_arguments the
 * program is as before. */
dnnl_status_t lower_fused(program_t *program, const graph_mode_t *mode, const fused_t *fused);
/* Can a primitive of this operation have an epilogue, and dequantised inputs? */
bool lower_has_epilogue(const op_t *op);

#endif

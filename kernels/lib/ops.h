/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of elementwise operations, for kernels and for the code that writes plans: one bit each in
 * the masks SPEC_PO_MASK_*. */
#ifndef KERNELS_OPS_H
#define KERNELS_OPS_H

/* In the order of the public enumerations, so that a code is an offset from the first algorithm. */
enum {
    OP_ELTWISE_FIRST = 0,
    OP_RELU = OP_ELTWISE_FIRST,
    OP_TANH,
    OP_ELU,
    OP_SQUARE,
    OP_ABS,
    OP_SQRT,
    OP_LINEAR,
    OP_SOFT_RELU,
    OP_HARDSIGMOID,
    OP_LOGISTIC,
    OP_EXP,
    OP_GELU_TANH,
    OP_SWISH,
    OP_LOG,
    OP_CLIP,
    OP_CLIP_V2,
    OP_POW,
    OP_GELU_ERF,
    OP_ROUND,
    OP_MISH,
    OP_HARDSWISH,
    OP_ELTWISE_LAST = OP_HARDSWISH,

    OP_BINARY_FIRST = 32,
    OP_ADD = OP_BINARY_FIRST,
    OP_MUL,
    OP_MAX,
    OP_MIN,
    OP_DIV,
    OP_SUB,
    OP_GE,
    OP_GT,
    OP_LE,
    OP_LT,
    OP_EQ,
    OP_NE,
    OP_SELECT,
    OP_BINARY_LAST = OP_SELECT,

    OP_SUM = 48, /* adds what the destination held: its source */
    OP_PRELU,    /* negative values are multiplied by the source */
    OP_DROPOUT,  /* drops values at random and scales the others */
    OP_ROUND_RANDOMLY,

    OP_BIT_SCALED = 63 /* not an operation: the mask's bit for a source that has a scale */
};

#endif

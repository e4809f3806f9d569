/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of the epilogue ops, for kernels and planners. Each code is a bit in the masks
 * SPEC_PO_MASK_*. */
#ifndef KERNELS_OPS_H
#define KERNELS_OPS_H

/* The codes are in the order of the public enumerations, so that a code is the offset of an
 * algorithm from the first one. */
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

    /* Derivatives as functions of the result. Only modules of backward propagation have them
     * (kernels/lib/eltwise_bwd.h), and there the codes above stand for derivatives, too. */
    OP_RELU_USE_DST,
    OP_TANH_USE_DST,
    OP_ELU_USE_DST,
    OP_SQRT_USE_DST,
    OP_LOGISTIC_USE_DST,
    OP_EXP_USE_DST,
    OP_CLIP_V2_USE_DST,

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

    OP_SUM = 48, /* adds the previous contents of the destination, which is its source */
    OP_PRELU,    /* multiplies negative values by the source */
    OP_DROPOUT,  /* drops values at random and scales the others */
    OP_ROUND_RANDOMLY,

    OP_BIT_SCALED = 63 /* not an operation: this bit says that a source has a scale */
};

#endif

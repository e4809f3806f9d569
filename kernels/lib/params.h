/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that kernels receive by value. The constants in a plan have the same layout. */
#ifndef KERNELS_PARAMS_H
#define KERNELS_PARAMS_H

#ifdef __OPENCL_C_VERSION__
typedef int par_i32_t;
typedef uint par_u32_t;
typedef long par_i64_t;
#else
#include <stdint.h>
typedef int32_t par_i32_t;
typedef uint32_t par_u32_t;
typedef int64_t par_i64_t;
#endif

enum {
    /* The limit of loops: the logical dimensions, and one more loop for each inner block. */
    PAR_MAX_DIMS = 10,
    PO_MAX_ENTRIES = 12, /* a longer epilogue continues in a further step */
    PO_MAX_SRCS = 8,     /* pointers to sources of the epilogue */
    PO_MAX_HOST = 6,     /* host scalars, passed by value */
    PO_NO_SRC = 255,
    PO_HOST_SRC = 128 /* added to the number of a source that is a host scalar */
};

/* One epilogue op: value = op(value). Sources are numbered; PO_NO_SRC means that there is none. */
typedef struct {
    par_u32_t code; /* op | src << 8 | condition << 16 | scale of src << 24 */
    float a, b,
            /* eltwise: scale, alpha, beta; sum: scale, zero point; OP_DROPOUT and OP_ROUND_RANDOMLY
             * are described below */
            c;
} po_entry_t;

/* OP_DROPOUT: the source is the mask. Without a mask it is the destination, and only its strides
 * are used. The condition is the probability and the scale is the seed. a and b hold the bits of a
 * 64-bit integer that is added to the position of an element. c holds the bits of DROP_* | (source
 * of the offset) << 8. Integers are in memory, or in two host scalars that hold the lower and the
 * upper half.
 *
 * OP_ROUND_RANDOMLY: the source is the destination and the condition is the seed. a is the largest
 * number, b the smallest normal number or 0, and c the number of bits that are dropped from the
 * mantissa of a float. */
enum {
    DROP_MASK = 1,      /* the source is a mask that the kernel writes */
    DROP_OFFSET = 2,    /* there is an offset, and the seed has 64 bits */
    DROP_SHORT_SEED = 4 /* the seed in memory has 32 bits */
};

/* How the kernel reads a source of the epilogue: it loads element sum(pos[d] * stride[d]) of the
 * pointer. Stride 0 broadcasts. */
typedef struct {
    par_i32_t dt;
    par_i32_t vec_stride; /* stride of the last axis */
    par_i32_t stride[PAR_MAX_DIMS];
} po_src_t;

/* Operations of an epilogue that is applied to sums in registers (block_ops.h): beside the
 * operation is a bit for a source that is a value of the host, and one for a source whose columns
 * lie beside one another. */
enum { PO_MAX_BLOCK_OPS = 4, PO_BLOCK_HOST = 64, PO_BLOCK_DENSE = 128 };

/* If PO_LARGE is set in SPEC_PO_DTS, strides have 64 bits and there are at most PO_MAX_LARGE
 * sources. The entry of source n + PO_MAX_LARGE then holds the upper halves of the strides of
 * source n. */
enum { PO_MAX_LARGE = PO_MAX_SRCS / 2, PO_LARGE = 1 << 30 };
typedef struct {
    po_entry_t entry[PO_MAX_ENTRIES];
    po_src_t src[PO_MAX_SRCS];
} po_params_t;

#define PO_CODE(op, src, cond, scale)                                                              \
    ((par_u32_t)(op) | (par_u32_t)(src) << 8 | (par_u32_t)(cond) << 16 | (par_u32_t)(scale) << 24)

/* elementwise/tile.cl: elements of a work-item along a line of the source that count as few. */
enum { TILE_SHORT_LINE = 64 };

/* The loops of an elementwise kernel. The last loop is the vector axis; a row is all its elements
 * at one position of the other loops.
 *
 * A padded logical dimension has a limit. The sum of pos * mult over its loops is the position in
 * that dimension. The destination gets zeros from position limit[] on, and it ends at position
 * skip[]. */
enum { ND_MAX_LIMITS = 4 };
typedef struct {
    par_i32_t ndims;
    par_i32_t nlimits;
    par_i32_t size[PAR_MAX_DIMS];
    par_i32_t mult[PAR_MAX_DIMS];
    signed char limit_of[PAR_MAX_DIMS + 2]; /* the limit that a loop counts towards; -1: none */
    par_i32_t chunk;         /* elements of the vector axis per work-item, a multiple of 16 */
    par_i32_t rows_per_item; /* rows per work-item */
    par_i32_t chunk2;        /* elements of the second last axis per work-item */
    par_i64_t nrows;
    par_i64_t limit[ND_MAX_LIMITS], skip[ND_MAX_LIMITS];
    par_i64_t src_stride[PAR_MAX_DIMS];
    par_i64_t dst_stride[PAR_MAX_DIMS];
} nd_params_t;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that kernels take by value; the plan's constants have the same layout. */
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
    /* loops a kernel may have: logical dimensions, and one more for each inner block */
    PAR_MAX_DIMS = 10,
    PO_MAX_ENTRIES = 12, /* longer chains go on in a further step */
    PO_MAX_SRCS = 8,     /* pointers of chain sources */
    PO_MAX_HOST = 6,     /* values of host scalars */
    PO_NO_SRC = 255,
    PO_HOST_SRC = 128 /* added to a source's number: it is one of the host scalars */
};

/* One epilogue op: value = op(value). Sources are numbers of the epilogue's sources, PO_NO_SRC
 * where there is none. */
typedef struct {
    par_u32_t code; /* op | src << 8 | condition << 16 | scale of src << 24 */
    float a, b,
            /* eltwise: scale, alpha, beta; sum: scale, zero point; OP_DROPOUT, OP_ROUND_RANDOMLY:
             * see there */
            c;
} po_entry_t;

/* OP_DROPOUT: the source is the mask, or without one the destination, which says where elements
 * lie; the condition is the probability and the scale the seed. a and b hold the bits of a 64-bit
 * integer to add to an element's position, c those of the flags and of the source of the offset <<
 * 8. Integers are in memory, or two host scalars with their lower and upper halves.
 * OP_ROUND_RANDOMLY: the source is the destination, the condition the seed; a: largest number, b:
 * smallest normal one or 0, c: how many bits of a float's mantissa are dropped. */
enum {
    DROP_MASK = 1,      /* the source is a mask, written */
    DROP_OFFSET = 2,    /* there is an offset, and the seed has 64 bits */
    DROP_SHORT_SEED = 4 /* the seed in memory has 32 bits */
};

/* How a source of the epilogue is read: element number sum(pos[d] * stride[d]) of the pointer.
 * Stride 0 broadcasts. */
typedef struct {
    par_i32_t dt;
    par_i32_t vec_stride; /* of the last axis */
    par_i32_t stride[PAR_MAX_DIMS];
} po_src_t;

/* With PO_LARGE among the types there are at most PO_MAX_LARGE sources, and the upper halves of
 * source n's strides are where those of source n + PO_MAX_LARGE would be. */
enum { PO_MAX_LARGE = PO_MAX_SRCS / 2, PO_LARGE = 1 << 30 };
typedef struct {
    po_entry_t entry[PO_MAX_ENTRIES];
    po_src_t src[PO_MAX_SRCS];
} po_params_t;

#define PO_CODE(op, src, cond, scale)                                                              \
    ((par_u32_t)(op) | (par_u32_t)(src) << 8 | (par_u32_t)(cond) << 16 | (par_u32_t)(scale) << 24)

/* The loops of an elementwise kernel; the last one is the vector axis. A padded logical dimension
 * has limits: the sum over its loops of pos * mult is a position in it; from limit[] on the
 * destination gets zero, from skip[] on there is no destination. */
enum { ND_MAX_LIMITS = 4 };
typedef struct {
    par_i32_t ndims;
    par_i32_t nlimits;
    par_i32_t size[PAR_MAX_DIMS];
    par_i32_t mult[PAR_MAX_DIMS];
    signed char limit_of[PAR_MAX_DIMS + 2]; /* which limit a loop counts towards, -1: none */
    par_i32_t chunk; /* elements of the vector axis that a work-item does; a multiple of 16 */
    par_i32_t rows_per_item; /* rows (all the other loops) that a work-item does */
    par_i32_t chunk2; /* the same for the second last axis, where a kernel takes two at once */
    par_i64_t nrows;
    par_i64_t limit[ND_MAX_LIMITS], skip[ND_MAX_LIMITS];
    par_i64_t src_stride[PAR_MAX_DIMS];
    par_i64_t dst_stride[PAR_MAX_DIMS];
} nd_params_t;

#endif

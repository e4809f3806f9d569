/* SPDX-License-Identifier: Apache-2.0 */
/* Identifiers of the specialisation constants, which are 32-bit integers. Kernels and planners
 * share them. */
#ifndef KERNELS_SPEC_H
#define KERNELS_SPEC_H

enum {
    SPEC_SRC_DT = 1,  /* data type (dnnl_data_type_t) of the source, which is source 0 */
    SPEC_SRC1_DT = 2, /* data type of the second source: the weights of matmul */
    SPEC_DST_DT = 3,
    SPEC_FLAGS = 4,      /* SPECF_* */
    SPEC_PO_COUNT = 5,   /* number of epilogue ops; 0 removes the epilogue */
    SPEC_PO_MASK_LO = 6, /* bit n: op code n occurs in the epilogue (ops.h) */
    SPEC_PO_MASK_HI = 7, /* bit n: op code 32 + n occurs */
    SPEC_PO_DTS = 8,     /* bit n: a source of the epilogue has data type n */
    SPEC_PO_NSRCS = 9,   /* number of source pointers that the epilogue uses */
    SPEC_SG_LOOPS = 10,  /* sg.h */
    SPEC_SG_GROUPS = 11,
    SPEC_SG_TILES = 12,
    SPEC_SG_PIECE = 13,        /* sg_pieces.h */
    SPEC_TRANSPOSE_WORDS = 14, /* elementwise/transpose.cl: size of a vector in 32-bit words */
    SPEC_BLOCK_OPS = 15,       /* block_ops.h: the epilogue's operations */
    SPEC_SG_WHOLE = 16,        /* sg_tile.h: there are only whole tiles, and they are aligned */
    SPEC_FIRST_FREE = 32       /* families number their own constants from here */
};

enum {
    SPECF_STREAM = 1, /* non-temporal stores: the destination is larger than the caches */
    SPECF_PADDED = 2, /* nd_params_t has limits */
    /* elementwise/transpose.cl: lanes are contiguous in the destination, vectors in the source.
     * Without this flag it is the other way round. */
    SPECF_GATHER = 4,
    SPECF_WHOLE = 8,     /* transpose.cl: a row of a tile is 128 elements of one loop */
    SPECF_COMBINED = 16, /* transpose.cl: an element is several smaller ones */
    SPECF_BROADCAST = 32 /* contiguous.cl: a row of the source is one element */
};

#ifdef __OPENCL_C_VERSION__
/* Loops whose unrolling costs more compile time than it saves at run time use NO_UNROLL_*. */
#define NO_UNROLL_FOR __attribute__((opencl_unroll_hint(1))) for
#define NO_UNROLL_WHILE __attribute__((opencl_unroll_hint(1))) while
#define UNROLL_FOR __attribute__((opencl_unroll_hint)) for

/* Loops over arrays, and accesses to arrays, in structures that a kernel receives by value or
 * declares itself. A compiler for GPUs keeps such an array in registers only if every index is
 * constant. Otherwise each work-item first copies the whole structure, about a kilobyte, to private
 * memory.
 *
 *     EACH(i, n, max) { ... }        i from 0 to n - 1, n <= max; the index is constant. If n is a
 *                                    specialisation constant of 0, the library drops the loop
 *     AT(array, max, i, .field)      array[i].field, selected from max elements; not needed where i
 *                                    is a specialisation constant
 *     SET(array, max, i, value);     array[i] = value */
#if VW == 16
#define EACH(i, n, max) NO_UNROLL_FOR (int i = 0; i < (n); i++)
#define EACH_DOWN(i, n, max) NO_UNROLL_FOR (int i = (n) - 1; i >= 0; i--)
#define AT(array, max, i, field) ((array)[i] field)
#define SET(array, max, i, value) ((array)[i] = (value))
#else
#define EACH(i, n, max)                                                                            \
    if ((n) > 0)                                                                                   \
        UNROLL_FOR (int i = 0; i < (max); i++)                                                     \
            if (i < (n))
#define EACH_DOWN(i, n, max)                                                                       \
    if ((n) > 0)                                                                                   \
        UNROLL_FOR (int i = (max) - 1; i >= 0; i--)                                                \
            if (i < (n))
#define AT(array, max, i, field)                                                                   \
    __extension__({                                                                                \
        const int at_ = (i);                                                                       \
        __typeof__((array)[0] field + 0) it_ = (array)[0] field;                                   \
        UNROLL_FOR (int k_ = 1; k_ < (max); k_++) {                                                \
            const __typeof__(it_) other_ = (array)[k_] field;                                      \
            it_ = k_ == at_ ? other_ : it_;                                                        \
        }                                                                                          \
        it_;                                                                                       \
    })
#define SET(array, max, i, value)                                                                  \
    __extension__({                                                                                \
        const int at_ = (i);                                                                       \
        const __typeof__((array)[0]) new_ = (value);                                               \
        UNROLL_FOR (int k_ = 0; k_ < (max); k_++) (array)[k_] = k_ == at_ ? new_ : (array)[k_];    \
    })
#endif

int __attribute__((overloadable)) __spirv_SpecConstant(int id, int default_value);
/* A module has one call site per identifier: the getter. */
#define SPEC_GETTER(name, id, default_value)                                                       \
    static inline int name(void) {                                                                 \
        return __spirv_SpecConstant(id, default_value);                                            \
    }
#endif

#endif

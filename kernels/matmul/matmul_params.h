/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that the matmul kernels take by value, and the meaning of their flags. */
#ifndef KERNELS_MATMUL_PARAMS_H
#define KERNELS_MATMUL_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

enum { MM_DIMS = 6 };

/* Bits of SPEC_FLAGS in the matmul kernels. */
enum {
    MMF_INT = 1, /* both matrices hold 8-bit integers and the sum over k is an exact 32-bit one */
    MMF_ZA = 2,  /* source zero point */
    MMF_ZB = 4,  /* weights zero point */
    MMF_SA = 8,  /* source scale that changes along k, applied before the sum */
    MMF_SB = 16, /* weights scale that changes along k or has groups */
    MMF_WINDOW = 32,     /* tile: b is not padded, the last panel starts where it ends with b */
    MMF_DENSE_K = 256,   /* sg16.cl: elements of a row of a lie beside one another */
    MMF_STREAM_K = 8192, /* sg16.cl, xmx16.cl: stream-K: work-groups leave sums, mm_stream_k_t */
    MMF_COUNTED = 16384  /* tiles are counted in the first dimension of work-groups */
};

/* Where the scale or zero point of an element is: number sum((pos[d] / group[d]) * stride[d]);
 * groups of 1 but in the last two dimensions. */
typedef struct {
    par_i32_t dt;
    par_i32_t group[2];
    par_i32_t stride[MM_DIMS];
} mm_quant_t;

/* wide.cl: rows that a work-item takes at most, vectors of sums, and rows from which on the weights
 * are copied. */
enum { MM_WIDE_ROWS = 16, MM_WIDE_SUMS = 256, MM_WIDE_COPIED_FROM = 4 };

/* The register tile: c = a * b for a of floats with any strides and b of floats in panels of NR
 * columns. */
typedef struct {
    par_i32_t ndims;
    par_i32_t tiles;         /* tiles of rows that a work-item does, one below the other */
    par_i32_t dims[MM_DIMS]; /* of c */
    par_i32_t k, n;
    par_i64_t rows; /* of c that share a b: M, or more where b is the same for a whole batch */
    par_i64_t a_k;  /* elements from one k to the next */
    /* elements from one k to the next, from one panel (dot.cl: column) to the next */
    par_i64_t b_k, b_panel;
    par_i64_t a_stride[MM_DIMS], b_stride[MM_DIMS], c_stride[MM_DIMS];
    /* zero points: types, and elements from the one of a column to the next (0 or 1) */
    par_i32_t za_dt, zb_dt, zb_n;
    par_i32_t panel_width,
            panel_rows; /* wide.cl: columns, a multiple of 16, and rows of a work-item */
    par_i32_t pad;
} mm_tile_t;

/* Work-groups that take equal shares of the products of many tiles, whatever tile they begin and
 * end in. The units of k of all these tiles are counted one tile after the other; share n begins
 * with unit n * size + min(n, longer). Sums go to slots of the scratchpad, those of share n and
 * tile number t of those that are shared to slot t + n: fixup.cl adds up the slots of a tile. */
typedef struct {
    par_i32_t whole;         /* tiles before them, which are not shared */
    par_i32_t tiles;         /* that are */
    par_i32_t units;         /* of k in a tile */
    par_i32_t size, longer;  /* units in a share, and how many shares have one more */
    par_i32_t across, below; /* tiles of a matrix beside, and below one another */
} mm_stream_k_t;

/* What is left to do to tiles that are shared. A slot has the tiles of a work-group, `across` of
 * which lie beside one another, and each tile blocks of 8 x 16 sums, row by row. */
enum { MM_FIXUP_GROUP = 128 }; /* sums of a block */
typedef struct {
    mm_stream_k_t shares;
    par_i32_t ndims;
    par_i32_t dims[MM_DIMS];          /* of c */
    par_i32_t slot;                   /* sums in it */
    par_i32_t tile_rows, tile_blocks; /* and blocks of a tile beside one another */
    par_i32_t across;
    par_i32_t pairs; /* two blocks have the even and the odd ones of 32 columns */
    par_i64_t c_stride[MM_DIMS];
} mm_fixup_t;

/* Matrix units: sizes in elements, those of surfaces in bytes and rows. */
enum {
    /* bits of SPEC_FLAGS: b lies in pairs of panels of 16 columns (8 lanes: fours of 8), 32 bits of
     * k beside one another */
    MMX_PACKED = 64,
    /* work-groups of MMX_GROUP_M x MMX_GROUP_N tiles of 64 x 32, which load ahead together */
    MMX_PREFETCH = 128,
    MMX_COLUMNS = 512, /* b lies in columns */
    MMX_SPLIT = 1024,  /* work-groups of one tile: each sub-group sums up a part of k */
    MMX_GROUPS = 2048, /* scales or zero points of b change along k */
    MMX_SCALES = 4096, /* scales of b that do */
    MMX_ZA = MMF_ZA,   /* zero points of a and b */
    MMX_ZB = MMF_ZB,
    MMX_STREAM_K = MMF_STREAM_K,
    MMX_COUNTED = MMF_COUNTED
};
enum {
    MMX_GROUP_M = 4,
    MMX_GROUP_N = 8,
    MMX_GROUP = MMX_GROUP_M * MMX_GROUP_N,
    MMX_MAX_SPLIT = 16
};
/* xmx8.cl: a stage of local memory holds 64 bytes of k for so many rows and columns, and a team of
 * sub-groups two of them; panels are as wide as a tile. */
#define MMX8_STAGE(rows, columns) (((rows) + (columns)) * 64)
enum { MMX8_STAGES = 2, MMX8_COLUMNS = 32 };
enum { SPEC_MMX_SCALE_DT = SPEC_FIRST_FREE, SPEC_MMX_ZERO_DT };
/* The scale or zero point of row k and column n of b is number k / group_k * k + n / group_n * n.
 */
typedef struct {
    par_i32_t group_k, group_n;
    par_i64_t k, n;
} mm_xmx_quant_t;
typedef struct {
    par_i32_t ndims;
    par_i32_t dims[MM_DIMS]; /* of c */
    par_i32_t rows, columns; /* of c */
    par_i32_t k, n;          /* elements of a row of a, and of b */
    par_i32_t a_width, a_pitch;
    par_i32_t b_width, b_rows, b_pitch; /* packed: rows of all panels together, in 64 bytes each */
    par_i32_t panel_steps;              /* 64 bytes of k in a panel */
    par_i32_t group_n;                  /* tiles of a work-group beside one another */
    par_i32_t a_end, part,
            group; /* 16 bits of a row of a: all, a part with MMX_SPLIT or a unit of a share, a group with MMX_GROUPS. With 8 lanes
                                   * steps of 64 bytes */
    par_i32_t za_dt;
    mm_stream_k_t shares;
    par_i64_t a_stride[MM_DIMS], b_stride[MM_DIMS], c_stride[MM_DIMS]; /* of the batch */
    par_i64_t c_row, c_col;
    par_i64_t a_row, b_row, b_col; /* elements, for addresses that the units cannot take */
    mm_xmx_quant_t scale, zero;
} mm_xmx_t;

/* Packing: elements (row, col) of any type become floats at
 *     (col / 16 / nv) * panel + (col / 16 % nv) * 16 + row * dst_row + col % 16.
 * Columns up to a multiple of 16 * nv are filled with zeros. With pairs, two rows lie element by
 * element: 32 instead of 16, row / 2 and col % 16 * 2 + row % 2. */
typedef struct {
    par_i32_t rows, cols;
    par_i32_t rows_per_item;
    par_i32_t nv;
    par_i32_t dims[MM_DIMS - 2]; /* of the batch; group 2 counts through it */
    par_i64_t src_batch[MM_DIMS - 2], dst_batch;
    par_i64_t src_row, src_col;
    par_i64_t dst_row, dst_panel;
    /* which of the last two dimensions, 0 or 1, the rows are: for scales and zero points */
    par_i32_t row_dim;
    par_i32_t pairs;
    mm_quant_t scale, zero;
} mm_pack_t;

/* Dynamic quantisation of a dense matrix of floats: flags, and what belongs to the destination. */
enum {
    MMQ_POWERS = 1, /* scales are powers of two */
    MMQ_ROUND = 2   /* round at random */
};
typedef struct {
    par_i32_t ndims, group, groups; /* elements of a group, groups of a row */
    par_i32_t dims[MM_DIMS];
    par_u32_t dropped;  /* as OP_ROUND_RANDOMLY's */
    float most, normal; /* largest number, smallest normal one */
    par_i64_t stride[MM_DIMS];
} mm_quantise_t;

/* The portable kernel: any strides, one element of c for each work-item. */
typedef struct {
    par_i32_t ndims, k;
    par_i32_t dims[MM_DIMS]; /* of c */
    par_i64_t a_k, b_k;
    par_i64_t a_stride[MM_DIMS], b_stride[MM_DIMS],
            c_stride[MM_DIMS]; /* a's and b's for positions in c */
    mm_quant_t sa, sb, za, zb;
} mm_any_t;

#endif

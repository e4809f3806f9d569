/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that the matmul kernels receive by value, and their flags. */
#ifndef KERNELS_MATMUL_PARAMS_H
#define KERNELS_MATMUL_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

enum { MM_DIMS = 6 };

/* Bits of SPEC_FLAGS in the matmul kernels. */
enum {
    MMF_INT = 1,         /* both matrices hold 8-bit integers, and the 32-bit sum is exact */
    MMF_ZA = 2,          /* source zero point */
    MMF_ZB = 4,          /* weights zero point */
    MMF_SA = 8,          /* source scale that changes along k; it is applied before the sum */
    MMF_SB = 16,         /* weights scale that changes along k or has groups */
    MMF_UNPADDED = 32,   /* tile.cl: b is not padded, and the last panel ends where b ends */
    MMF_DENSE_K = 256,   /* sg16.cl, local.cl: the elements of a row of a are contiguous */
    MMF_DENSE_B = 512,   /* local.cl: the elements of a column of b are contiguous */
    MMF_STREAM_K = 8192, /* sg16.cl, xmx16.cl: stream-K; sums go to slots (mm_stream_k_t) */
    MMF_COUNTED = 16384, /* the first dimension of work-groups counts all tiles */
    MMF_TILES = 32768    /* dots.h: tile registers multiply */
};

/* The scale or zero point of an element is number sum((pos[d] / group[d]) * stride[d]). Only the
 * last two dimensions have groups; the group size of the others is 1. */
typedef struct {
    par_i32_t dt;
    par_i32_t group[2];
    par_i32_t stride[MM_DIMS];
} mm_quant_t;

/* wide.cl. The sums and the copied weights fill the nearest cache. */
enum {
    MM_WIDE_ROWS = 32,           /* the most of a work-item */
    MM_WIDE_COPIED_FROM = 4,     /* rows from which on it pays to copy weights */
    MM_WIDE_VECTORS = 128,       /* the most of 16 columns, for fewer rows than that */
    MM_WIDE_VECTORS_COPIED = 16, /* the same for as many and more */
    MM_WIDE_SUMS = MM_WIDE_ROWS * MM_WIDE_VECTORS_COPIED /* vectors */
};

/* The register tile: c = a * b. a holds floats with any strides, and b holds floats in panels of
 * NR columns. */
typedef struct {
    par_i32_t ndims;
    par_i32_t tiles;         /* tiles per work-item, one below the other */
    par_i32_t dims[MM_DIMS]; /* dimensions of c */
    par_i32_t k, n;
    /* Rows of c that share a b: M, or more if all matrices of a batch have the same b. */
    par_i64_t rows;
    par_i64_t a_k; /* elements from one k to the next */
    /* Elements from one k to the next, and from one panel (dot.cl: column) to the next. */
    par_i64_t b_k, b_panel;
    par_i64_t a_stride[MM_DIMS], b_stride[MM_DIMS], c_stride[MM_DIMS];
    /* Zero points: their types, and elements from one column's to the next one's (0 or 1). */
    par_i32_t za_dt, zb_dt, zb_n;
    /* wide.cl: columns (a multiple of 16) and rows per work-item. */
    par_i32_t panel_width, panel_rows;
    /* dots.h: what packing has added to the elements, and so to their zero points */
    par_i32_t za_moved, zb_moved;
    par_i32_t along; /* tile.cl: work-groups that follow one another are beside one another */
} mm_tile_t;

/* Stream-K: work-groups have equal shares of the products of many tiles, and a share may begin and
 * end inside of a tile. The units of k of all these tiles are numbered, one tile after the other.
 * Share n begins at unit n * size + min(n, longer). Work-groups store their sums in slots of the
 * scratchpad: share n stores its part of tile t in slot t + n, where t counts the tiles with
 * stream-K. fixup.cl adds the slots of a tile. */
typedef struct {
    par_i32_t whole;         /* tiles before the first one with stream-K */
    par_i32_t tiles;         /* tiles with stream-K */
    par_i32_t units;         /* units of k per tile */
    par_i32_t size, longer;  /* units per share; the number of shares with one more unit */
    par_i32_t across, below; /* tiles of a matrix in a row, and in a column */
} mm_stream_k_t;

/* The fixup of stream-K. A slot holds the tiles of a work-group, `across` of them side by side.
 * Each tile consists of blocks of 8 x 16 sums, row by row. */
enum { MM_FIXUP_GROUP = 128 }; /* sums per block */
typedef struct {
    mm_stream_k_t shares;
    par_i32_t ndims;
    par_i32_t dims[MM_DIMS];          /* dimensions of c */
    par_i32_t slot;                   /* sums per slot */
    par_i32_t tile_rows, tile_blocks; /* rows of a tile; blocks of a tile side by side */
    par_i32_t across;
    par_i32_t pairs; /* two blocks hold the even and the odd columns of 32 */
    par_i64_t c_stride[MM_DIMS];
} mm_fixup_t;

/* Matrix units: sizes are in elements, but sizes of surfaces are in bytes and rows. */
enum {
    /* Bits of SPEC_FLAGS: b is packed in pairs of panels of 16 columns (with 8 lanes: groups of
     * four panels of 8). 32 bits along k are contiguous. */
    MMX_PACKED = 64,
    /* Work-groups of MMX_GROUP_M x MMX_GROUP_N tiles of 64 x 32 share their prefetches. */
    MMX_PREFETCH = 128,
    MMX_COLUMNS = 512, /* b is stored column by column */
    MMX_SPLIT = 1024,  /* a work-group has one tile; each sub-group sums a part of k */
    MMX_GROUPS = 2048, /* scales or zero points of b change along k */
    MMX_SCALES = 4096, /* scales of b change along k */
    MMX_ZA = MMF_ZA,   /* zero points of a and b */
    MMX_ZB = MMF_ZB,
    MMX_STREAM_K = MMF_STREAM_K,
    MMX_COUNTED = MMF_COUNTED,
    /* Work-groups have two tiles side by side. Each prefetches half of the rows of a. */
    MMX_PAIRS = 32768,
    MMX_BLOCKS = 65536, /* xmx16.cl: block stores write c (xmx_write.h) */
    /* The batch has several dimensions. Without this flag its strides are the first ones. */
    MMX_BATCH = 131072,
    /* xmx16.cl: what block accesses reach begins at a multiple of 64 bytes: a and b, c with
     * MMX_BLOCKS, and the partial sums. */
    MMX_ALIGNED = 262144
};
enum {
    MMX_GROUP_M = 4,
    MMX_GROUP_N = 8,
    MMX_GROUP = MMX_GROUP_M * MMX_GROUP_N,
    MMX_MAX_SPLIT = 16
};
/* xmx8.cl: a stage of local memory holds 64 bytes of k for `rows` rows and `columns` columns. A
 * team of sub-groups has two stages, and panels are as wide as a tile. */
#define MMX8_STAGE(rows, columns) (((rows) + (columns)) * 64)
enum { MMX8_STAGES = 2, MMX8_COLUMNS = 32 };
enum { SPEC_MMX_SCALE_DT = SPEC_FIRST_FREE, SPEC_MMX_ZERO_DT };
/* The scale or zero point of row k and column n of b is number k / group_k * k + n / group_n * n,
 * where the factors are members of this structure. */
typedef struct {
    par_i32_t group_k, group_n;
    par_i64_t k, n;
} mm_xmx_quant_t;
typedef struct {
    par_i32_t ndims;
    par_i32_t dims[MM_DIMS]; /* dimensions of c */
    par_i32_t rows, columns; /* rows and columns of c */
    par_i32_t k, n;          /* elements per row of a, and of b */
    par_i32_t a_width, a_pitch;
    /* b_rows: if b is packed, rows of 64 bytes of all panels together. */
    par_i32_t b_width, b_rows, b_pitch;
    par_i32_t panel_steps; /* steps of 64 bytes of k per panel */
    par_i32_t group_shift; /* binary logarithm of the tiles of a work-group side by side */
    /* Lengths along k, in units of 16 bits of a row of a (with 8 lanes: in steps of 64 bytes).
     * a_end: the whole row. part: a part with MMX_SPLIT, or a unit with stream-K. group: a group
     * with MMX_GROUPS. */
    par_i32_t a_end, part, group;
    par_i32_t za_dt;
    mm_stream_k_t shares;
    par_i64_t a_stride[MM_DIMS], b_stride[MM_DIMS], c_stride[MM_DIMS]; /* strides of the batch */
    par_i64_t c_row, c_col;
    par_i32_t c_width, c_pitch; /* with MMX_BLOCKS */
    /* Strides in elements, for addresses that the matrix units do not support. */
    par_i64_t a_row, b_row, b_col;
    mm_xmx_quant_t scale, zero;
} mm_xmx_t;

/* Packing: element (row, col) of any type becomes a float at
 *
 *     (col / 16 / nv) * panel + (col / 16 % nv) * 16 + row * dst_row + col % 16.
 *
 * Columns up to a multiple of 16 * nv are filled with zeros. With pairs, the elements of two rows
 * alternate: rows are counted as row / 2, a vector has 32 elements instead of 16, and col % 16 * 2
 * + row % 2 replaces col % 16. */
typedef struct {
    par_i32_t rows, cols;
    par_i32_t rows_per_item;
    par_i32_t nv;
    par_i32_t dims[MM_DIMS - 2]; /* dimensions of the batch, which work-group dimension 2 counts */
    par_i64_t src_batch[MM_DIMS - 2], dst_batch;
    par_i64_t src_row, src_col;
    par_i64_t dst_row, dst_panel;
    /* The dimension of the rows among the last two, 0 or 1; scales and zero points depend on it. */
    par_i32_t row_dim;
    par_i32_t pairs; /* pack_dots.cl: panels of words; else rows of elements */
    /* pack_dots.cl: bits of a byte to be inverted: 128 moves a byte of the other sign by 128 */
    par_i32_t flip, pad;
    mm_quant_t scale, zero;
} mm_pack_t;

/* Dynamic quantisation of a dense matrix of floats: flags, and properties of the destination. */
enum {
    MMQ_POWERS = 1, /* scales are powers of two */
    MMQ_ROUND = 2   /* stochastic rounding */
};
typedef struct {
    par_i32_t ndims, group, groups; /* elements per group; groups per row */
    par_i32_t dims[MM_DIMS];
    par_u32_t dropped;  /* as for OP_ROUND_RANDOMLY */
    float most, normal; /* largest number, smallest normal number */
    par_i64_t stride[MM_DIMS];
} mm_quantise_t;

/* The portable kernel: any strides, one element of c per work-item. */
typedef struct {
    par_i32_t ndims, k;
    par_i32_t dims[MM_DIMS]; /* dimensions of c */
    par_i64_t a_k, b_k;
    /* Strides for positions in c. */
    par_i64_t a_stride[MM_DIMS], b_stride[MM_DIMS], c_stride[MM_DIMS];
    mm_quant_t sa, sb, za, zb;
} mm_any_t;

#endif

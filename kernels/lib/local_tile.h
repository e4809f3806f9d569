/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of sums of products for GPUs with work-groups and local memory. A work-group of 256
 * work-items computes a tile of 16 * MR rows x 64 * NV columns. A work-item has MR x 4 * NV of the
 * sums, in blocks of 4 x 4 that lie 64 rows or columns apart, so that neighbours read neighbouring
 * vectors of local memory.
 *
 * Both inputs pass through local memory in steps along k, in two buffers: while a step is
 * multiplied, the elements of the next one are on their way to registers. Each work-item brings
 * A_FOURS times four elements of the rows and B_FOURS times four of the columns. With INTS the sums
 * are of integers. The file that includes this one has load_int(). */
#ifndef KERNELS_LOCAL_TILE_H
#define KERNELS_LOCAL_TILE_H

#include "bytes.h"

#ifdef INTS
typedef int num_t;
typedef int4 num4_t;
#define MULTIPLY_ADD(a, b, c) (mad24(a, b, c))
#else
typedef float num_t;
typedef float4 num4_t;
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#endif

#define NR (4 * NV)
enum {
    ITEMS = 256,
    SIDE = 16, /* work-items beside and below one another */
    TILE_M = SIDE * MR,
    TILE_N = SIDE * NR,
    STEP = 64 / NR, /* elements of k: at least four of both inputs for each work-item */
    A_FOURS = MR * STEP / 64,
    B_FOURS = NR * STEP / 64,
    A_PITCH = TILE_M + 4, /* elements of a row of local memory: 4 keep banks apart */
    B_PITCH = TILE_N + 4,
    A_BUFFER = STEP * A_PITCH,
    B_BUFFER = STEP * B_PITCH
};
#define LOCAL_TILE_KERNEL __attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel

/* ---- inputs ---- */

static inline bool has_vectors(int dt) {
    return dt == DT_F32 || dt == DT_F16 || dt == DT_BF16 || dt == DT_S8 || dt == DT_U8;
}

static inline num4_t read_vector(gcptr_t p, long i, int dt) {
#ifdef INTS
    if (dt == DT_S8) return convert_int4(*(__global const char4 *)(p + i));
    return convert_int4(*(__global const uchar4 *)(p + i));
#else
    if (dt == DT_F32) return *(__global const float4 *)((__global const float *)p + i);
    if (dt == DT_F16 || dt == DT_BF16) {
        const ushort4 bits = *(__global const ushort4 *)((__global const ushort *)p + i);
        return dt == DT_F16 ? vload_half4(0, (const half *)&bits)
                            : as_float4(convert_uint4(bits) << 16);
    }
    if (dt == DT_S8) return convert_float4(*(__global const char4 *)(p + i));
    return convert_float4(*(__global const uchar4 *)(p + i));
#endif
}

static inline num_t read_one(gcptr_t p, long i, int dt) {
#ifdef INTS
    return load_int(p, i, dt);
#else
    return load_1(p, i, dt);
#endif
}

/* Stores four elements along k, or along the lines. */
static inline void keep_four(num4_t x, __local num_t *to, int pitch, bool along_k) {
    if (along_k) {
        to[0] = x.s0;
        to[pitch] = x.s1;
        to[2 * pitch] = x.s2;
        to[3 * pitch] = x.s3;
    } else {
        *(__local num4_t *)to = x;
    }
}

/* ---- matrices ---- */

/* How a work-item reads a matrix whose `lines` are rows of a, or columns of b. Its four elements
 * lie next to each other along the dimension in which the matrix is contiguous: along k (along_k),
 * or along the lines. */
typedef struct {
    gcptr_t p;
    long at;           /* of its first element at k = 0, in elements */
    long k_step, step; /* elements from one k to the next; to the next of the four */
    int dt, k;         /* its k in a step */
    int left;          /* lines from its own on */
    bool along_k;
    bool vectors; /* four elements are one access */
    int to;       /* where they go in local memory */
} reader_t;

/* first: offset of the first line of the tile; line_step: elements from one line to the next;
 * tile: lines of the tile; item: number of the four elements. */
static inline reader_t reader_of(gcptr_t p, long first, long line_step, long k_step, int lines,
        int tile, bool along_k, int dt, int item) {
    reader_t r;
    const int line = along_k ? item / (STEP / 4) : item % (tile / 4) * 4;
    r.p = p, r.dt = dt, r.along_k = along_k;
    r.k = along_k ? item % (STEP / 4) * 4 : item / (tile / 4);
    r.at = first + line * line_step + r.k * k_step;
    r.k_step = k_step;
    r.step = along_k ? k_step : line_step;
    r.left = lines - line;
    r.to = r.k * (tile + 4) + line;
    const uint four = 4 * element_bytes(dt);
    r.vectors = has_vectors(dt) && r.step == 1 &&
                (((ulong)p + first * element_bytes(dt)) & (four - 1)) == 0 &&
                ((along_k ? line_step : k_step) & 3) == 0;
    return r;
}

/* The four elements in the step at k0; those beyond the ends are 0. */
static inline num4_t read_four(const reader_t *r, int k0, int k_end) {
    const int k_left = k_end - k0 - r->k;
    const int n = r->along_k ? (r->left > 0 ? k_left : 0) : (k_left > 0 ? r->left : 0);
    const long at = r->at + k0 * r->k_step;
    if (n >= 4 && r->vectors) return read_vector(r->p, at, r->dt);
    num4_t x = 0;
    if (n > 0) x.s0 = read_one(r->p, at, r->dt);
    if (n > 1) x.s1 = read_one(r->p, at + r->step, r->dt);
    if (n > 2) x.s2 = read_one(r->p, at + 2 * r->step, r->dt);
    if (n > 3) x.s3 = read_one(r->p, at + 3 * r->step, r->dt);
    return x;
}

/* ---- sums ---- */

typedef struct {
    num_t s[MR][NR];
} sums_t;

static inline sums_t no_sums(void) {
    sums_t x;
    UNROLL_FOR (int i = 0; i < MR; i++)
        UNROLL_FOR (int j = 0; j < NR; j++) x.s[i][j] = 0;
    return x;
}

/* row, column: of the work-item's first block in the tile. */
static inline void multiply_step(
        sums_t *sums, __local const num_t *a, __local const num_t *b, int row, int column) {
    UNROLL_FOR (int k = 0; k < STEP; k++) {
        num_t av[MR], bv[NR];
        UNROLL_FOR (int i = 0; i < MR / 4; i++) {
            const num4_t x = *(__local const num4_t *)(a + k * A_PITCH + 64 * i + row);
            av[4 * i] = x.s0, av[4 * i + 1] = x.s1, av[4 * i + 2] = x.s2, av[4 * i + 3] = x.s3;
        }
        UNROLL_FOR (int j = 0; j < NV; j++) {
            const num4_t y = *(__local const num4_t *)(b + k * B_PITCH + 64 * j + column);
            bv[4 * j] = y.s0, bv[4 * j + 1] = y.s1, bv[4 * j + 2] = y.s2, bv[4 * j + 3] = y.s3;
        }
        UNROLL_FOR (int i = 0; i < MR; i++)
            UNROLL_FOR (int j = 0; j < NR; j++)
                sums->s[i][j] = MULTIPLY_ADD(av[i], bv[j], sums->s[i][j]);
    }
}

/* ---- results ---- */

/* Four sums that lie next to each other, as they are. The address must be a multiple of the size of
 * four. */
static inline bool stores_vectors(int dt) {
#ifdef INTS
    return dt == DT_S32;
#else
    return dt == DT_F32 || dt == DT_F16 || dt == DT_BF16;
#endif
}
static inline void write_vector(num4_t x, gptr_t p, long i, int dt) {
#ifdef INTS
    (void)dt;
    *(__global int4 *)((__global int *)p + i) = x;
#else
    if (dt == DT_F32) {
        *(__global float4 *)((__global float *)p + i) = x;
        return;
    }
    ushort4 bits = (ushort4)(bf16_bits(x.s0), bf16_bits(x.s1), bf16_bits(x.s2), bf16_bits(x.s3));
    if (dt == DT_F16) vstore_half4_rte(x, 0, (half *)&bits);
    *(__global ushort4 *)((__global ushort *)p + i) = bits;
#endif
}
static inline num4_t four_sums(const sums_t *sums, int i, int j) {
    const num_t *x = sums->s[i] + 4 * j;
    return (num4_t)(x[0], x[1], x[2], x[3]);
}

/* Row i of a work-item's sums, where i is not known to the compiler: an epilogue is compiled in
 * only once, and the unrolled loops only select. */
typedef struct {
    num_t s[NR];
} line_t;
static inline line_t line_of(const sums_t *sums, int i) {
    line_t x;
    UNROLL_FOR (int j = 0; j < NR; j++) x.s[j] = sums->s[0][j];
    UNROLL_FOR (int n = 1; n < MR; n++)
        UNROLL_FOR (int j = 0; j < NR; j++) x.s[j] = n == i ? sums->s[n][j] : x.s[j];
    return x;
}
static inline num_t sum_of(const line_t *line, int j) {
    num_t x = line->s[0];
    UNROLL_FOR (int n = 1; n < NR; n++) x = n == j ? line->s[n] : x;
    return x;
}
/* The place of row or column i of a work-item in the tile, behind its first one. */
static inline int place_in_tile(int i) {
    return i / 4 * 64 + i % 4;
}

#endif

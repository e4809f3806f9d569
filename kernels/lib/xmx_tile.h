/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the kernels for matrix units with 16 lanes. A sub-group keeps MT x (16 * NT) sums in
 * registers and walks along k in steps of 64 bytes.
 *
 * The including file defines MT (8, 16 or a multiple of 32), NT (1, 2 or 4), INTS for 8-bit
 * integers or TF32 for f32, and the functions src_dt() and wei_dt(), which return the types of the
 * factors. The kernel then contains
 *
 *     const surface_t a = surface(first_a, ...), b = surface(first_b, ...);
 *     sum8_t sum[MT / 8][NT];
 *     clear_sums(sum);
 *     for each 64 bytes of k {
 *         a_word_t av[A_PIECES][A_WORDS];
 *         uint bv[NT][16];
 *         read_a(&a, at, row, av);          64 bytes of each row; `at` is in units of 16 bits
 *         read_plain(&b, column, k, bv);    or another function that reads weights
 *         multiply_step(sum, av, bv);
 *     }
 *     NO_UNROLL_FOR (int block = 0; block < BLOCKS; block++) ... block_of_sums(sum, block) ...
 *
 * Block n has 8 rows from row 8 * (n / NT) on, and 16 columns, one per lane, from 16 * (n % NT)
 * on. */
#ifndef KERNELS_XMX_TILE_H
#define KERNELS_XMX_TILE_H

#define LANES 16
#include "xmx_sums.h"

/* One step of a is read in pieces of A_ROWS rows: the largest pieces that the hardware supports, if
 * the including file does not define A_ROWS. The values of a lane are first those of the first half
 * of the step, row by row, and then those of the second half. */
#ifndef A_ROWS
#if MT < 32
#define A_ROWS MT
#else
#define A_ROWS 32
#endif
#endif
#ifdef TF32
typedef uint a_word_t;
#define A_WORDS A_ROWS
#if A_ROWS == 8
#define READ_A_HALF intel_sub_group_2d_block_read_32b_8r8x1c
#elif A_ROWS == 16
#define READ_A_HALF intel_sub_group_2d_block_read_32b_16r8x1c
#else
#define READ_A_HALF intel_sub_group_2d_block_read_32b_32r8x1c
#endif
#else
typedef ushort a_word_t;
#define A_WORDS (2 * A_ROWS)
#if A_ROWS == 8
#define READ_A intel_sub_group_2d_block_read_16b_8r16x2c
#elif A_ROWS == 16
#define READ_A intel_sub_group_2d_block_read_16b_16r16x2c
#else
#define READ_A intel_sub_group_2d_block_read_16b_32r16x2c
#endif
#endif
#define A_PIECES (MT / A_ROWS)
#define AHEAD 3 /* steps from a prefetch to its use */

/* Multiplies 8 rows from row 8 * i on, for half a step. */
#ifdef TF32
/* The code first selects the whole vector that a load returned and then a part of it. Intel's
 * compiler would otherwise copy the 4 values that are read from an array. */
static inline sum8_t multiply_rows(
        a_word_t (*a)[A_WORDS], int half_step, int i, const uint *b, sum8_t sum) {
    const a_word_t *half_rows = a[8 * i / A_ROWS] + half_step * A_ROWS / 2;
#if A_ROWS == 8
    const float4 rows = as_float4(vload4(0, half_rows));
#elif A_ROWS == 16
    const float8 all = as_float8(vload8(0, half_rows));
    const float4 rows = i % 2 ? all.hi : all.lo;
#else
    const float16 all = as_float16(vload16(0, half_rows));
    const float8 pair = i % 4 < 2 ? all.lo : all.hi;
    const float4 rows = i % 2 ? pair.hi : pair.lo;
#endif
    return multiply(rows, as_int8(vload8(0, b)), sum);
}
#else
static inline sum8_t multiply_rows(
        a_word_t (*a)[A_WORDS], int half_step, int i, const uint *b, sum8_t sum) {
    const a_word_t *rows = a[8 * i / A_ROWS] + half_step * A_ROWS + 8 * i % A_ROWS;
    return multiply(as_rows8(vload8(0, rows)), as_int8(vload8(0, b)), sum);
}
#endif

static inline void multiply_step(sum8_t (*sum)[NT], a_word_t (*a)[A_WORDS], uint (*b)[16]) {
    UNROLL_FOR (int s = 0; s < 2; s++)
        UNROLL_FOR (int j = 0; j < NT; j++)
            UNROLL_FOR (int i = 0; i < MT / 8; i++)
                sum[i][j] = multiply_rows(a, s, i, b[j] + s * 8, sum[i][j]);
}

/* ---- memory ---- */

/* A matrix as the block loads see it. They require a base that is a multiple of 64, so
 * unaligned_surface() rounds the base down and shifts the corner. */
typedef struct {
    __global void *base;
    int width, height, pitch, x; /* x: first column, in bytes */
} surface_t;

/* The arguments of a block load: the surface and the corner. `at` is in elements of `bytes`
 * bytes. */
#define PLACE(s, bytes, at, row)                                                                   \
    (s)->base, (s)->width, (s)->height, (s)->pitch, (int2)((at) + (s)->x / (bytes), row)

static inline surface_t surface(gcptr_t p, int width, int height, int pitch) {
    const surface_t s = {(__global void *)p, width, height, pitch, 0};
    return s;
}
static inline surface_t unaligned_surface(gcptr_t p, int width, int height, int pitch) {
    const int x = (int)((ulong)p & 63);
    const surface_t s = {(__global void *)(p - x), width + x, height, pitch, x};
    return s;
}

/* True if the block accesses do not support the surface. */
static inline bool is_misplaced(const surface_t *s) {
    return (s->x & 3) != 0 || s->width > s->pitch;
}

/* An opaque zero: a 0 that the compiler cannot see. It is added to the position of each block load.
 * Without it Intel's compiler shares one address register among the loads and copies it to the
 * message of each load. */
static inline int opaque_zero(const surface_t *s, int piece) {
    return s->width >> 31 & piece;
}

/* Reads MT rows of 64 bytes of a. `at` is the position along k in units of 16 bits. */
static inline void read_a(const surface_t *s, int at, int row, a_word_t (*out)[A_WORDS]) {
#ifdef TF32
    UNROLL_FOR (int i = 0; i < A_PIECES; i++)
        UNROLL_FOR (int h = 0; h < 2; h++) {
            const int from = min(row + A_ROWS * i, (s->height - 1) & -A_ROWS),
                      first = h ? max(from - 16, 0) : from;
            READ_A_HALF((gptr_t)s->base + (long)first * s->pitch, s->width, s->height - first,
                    s->pitch,
                    (int2)((at >> 1) + (s->x / 4 + 8 * h + opaque_zero(s, 2 * i + h)),
                            from - first),
                    out[i] + h * A_ROWS / 2);
        }
#else
    UNROLL_FOR (int i = 0; i < A_PIECES; i++) READ_A(PLACE(s, 2, at, row + A_ROWS * i), out[i]);
#endif
}

/* The row of the surface where the packed weights of a panel begin. Packed weights have, for every
 * STEP of k, two panels of 16 columns one after the other, 16 rows of 64 bytes each. k is a
 * multiple of STEP. */
static inline int panel_row(int panel, int k, int steps) {
    return (panel / 2 * steps) * 32 + panel % 2 * 16 + (k * ELEMENT >> 1);
}

/* Reads STEP rows of weights that are stored row by row. 16-bit elements are grouped in pairs along
 * k, 8-bit elements in groups of four, and 32-bit elements stay as they are. */
static inline void read_plain(const surface_t *s, int col, int k, uint (*out)[16]) {
#if ELEMENT == 1
    uint t[2][NT * 8];
    UNROLL_FOR (int i = 0; i < 2; i++)
#if NT == 1
        intel_sub_group_2d_block_read_transform_8b_32r16x1c(PLACE(s, 1, col, k + 32 * i), t[i]);
#elif NT == 2
        intel_sub_group_2d_block_read_transform_8b_32r16x2c(PLACE(s, 1, col, k + 32 * i), t[i]);
#else
        intel_sub_group_2d_block_read_transform_8b_32r16x4c(PLACE(s, 1, col, k + 32 * i), t[i]);
#endif
    UNROLL_FOR (int j = 0; j < NT; j++)
        UNROLL_FOR (int i = 0; i < 16; i++) out[j][i] = t[i / 8][j * 8 + i % 8];
#elif ELEMENT == 4
    UNROLL_FOR (int j = 0; j < NT; j++) {
        const int x = s->x / 4 + col + 16 * j, first = j ? min(64 * j, (s->width - 64) & -64)
                                                         : 0; /* the minimum width is 64 bytes */
        intel_sub_group_2d_block_read_32b_16r16x1c((gptr_t)s->base + first, s->width - first,
                s->height, s->pitch, (int2)(x - first / 4, k), out[j]);
    }
#elif NT == 1
    intel_sub_group_2d_block_read_transform_16b_32r16x1c(PLACE(s, 2, col, k), out[0]);
#else
    UNROLL_FOR (int j = 0; j < NT; j += 2)
        intel_sub_group_2d_block_read_transform_16b_32r16x2c(PLACE(s, 2, col + 16 * j, k), out[j]);
#endif
}

/* Reads weights that are stored column by column, so a column is a row of the surface. `at` has the
 * same meaning as in read_a(). Each load has a surface of its own, which begins at the first column
 * of the load or 16 columns before it. Compilers that build one message per load then keep the
 * messages in registers and change only the position along k in each step. */
static inline void read_columns(const surface_t *s, int col, int at, uint (*out)[16]) {
    UNROLL_FOR (int j = 0; j < NT; j++)
        UNROLL_FOR (int i = 0; i < 2; i++) {
            const int row = min(col + 16 * j, (s->height - 1) & -16),
                      first = i ? max(row - 16, 0) : row;
            intel_sub_group_2d_block_read_transpose_32b_16r8x1c(
                    (gptr_t)s->base + (long)first * s->pitch, s->width, s->height - first, s->pitch,
                    (int2)((at >> 1) + (s->x / 4 + 8 * i + opaque_zero(s, 2 * j + i)), row - first),
                    out[j] + 8 * i);
        }
}

/* Reads packed weights. The next pair of panels begins `next` rows after this one. */
static inline void read_packed(const surface_t *s, int row, int next, uint (*out)[16]) {
#if NT == 1
    (void)next;
    intel_sub_group_2d_block_read_32b_16r16x1c(
            s->base, s->width, s->height, s->pitch, (int2)(0, row), out[0]);
#else
    UNROLL_FOR (int j = 0; j < NT / 2; j++)
        intel_sub_group_2d_block_read_32b_32r16x1c(
                s->base, s->width, s->height, s->pitch, (int2)(0, row + j * next), out[2 * j]);
#endif
}

/* Multiplies a step by packed weights, two panels at a time. Two panels need fewer registers than
 * all panels. */
static inline void multiply_by_pairs(
        sum8_t (*sum)[NT], a_word_t (*a)[A_WORDS], const surface_t *b, int row, int next) {
#if NT > 1
    UNROLL_FOR (int j = 0; j < NT; j += 2) {
        uint pair[2][16];
        intel_sub_group_2d_block_read_32b_32r16x1c(
                b->base, b->width, b->height, b->pitch, (int2)(0, row + j / 2 * next), pair[0]);
        UNROLL_FOR (int s = 0; s < 2; s++)
            UNROLL_FOR (int h = 0; h < 2; h++)
                UNROLL_FOR (int i = 0; i < MT / 8; i++)
                    sum[i][j + h] = multiply_rows(a, s, i, pair[h] + s * 8, sum[i][j + h]);
    }
#else
    (void)sum, (void)a, (void)b, (void)row, (void)next;
#endif
}

/* ---- loads of one operand each, for half a step of k ----
 * A loop that carries values into its next iteration keeps them in the registers they were loaded
 * to only if each variable is exactly one operand. */

static inline rows8_t read_a_operand(const surface_t *s, int at, int row) {
#ifdef TF32
    uint out[4];
    intel_sub_group_2d_block_read_32b_8r8x1c(PLACE(s, 4, at >> 1, row), out);
    return as_float4(vload4(0, out));
#else
    ushort out[8];
    intel_sub_group_2d_block_read_16b_8r16x1c(PLACE(s, 2, at, row), out);
    return as_short8(vload8(0, out));
#endif
}
static inline int8 read_plain_operand(const surface_t *s, int col, int k) {
    uint out[8];
#if ELEMENT == 1
    intel_sub_group_2d_block_read_transform_8b_32r16x1c(PLACE(s, 1, col, k), out);
#elif ELEMENT == 4
    intel_sub_group_2d_block_read_32b_8r16x1c(PLACE(s, 4, col, k), out);
#else
    intel_sub_group_2d_block_read_transform_16b_16r16x1c(PLACE(s, 2, col, k), out);
#endif
    return as_int8(vload8(0, out));
}
static inline int8 read_columns_operand(const surface_t *s, int col, int at) {
    uint out[8];
    intel_sub_group_2d_block_read_transpose_32b_16r8x1c(PLACE(s, 4, at >> 1, col), out);
    return as_int8(vload8(0, out));
}
static inline int8 read_packed_operand(const surface_t *s, int row) {
    uint out[8];
    intel_sub_group_2d_block_read_32b_8r16x1c(
            s->base, s->width, s->height, s->pitch, (int2)(0, row), out);
    return as_int8(vload8(0, out));
}

/* Prefetches rows of 64 bytes, or of 32 bytes (half rows); x is in units of 16 bits. */
static inline void prefetch(const surface_t *s, int x, int row) {
    intel_sub_group_2d_block_prefetch_16b_8r16x2c(PLACE(s, 2, x, row));
}
static inline void prefetch_16_rows(const surface_t *s, int x, int row) {
    intel_sub_group_2d_block_prefetch_16b_16r16x2c(PLACE(s, 2, x, row));
}
static inline void prefetch_32_rows(const surface_t *s, int x, int row) {
    intel_sub_group_2d_block_prefetch_16b_32r16x2c(PLACE(s, 2, x, row));
}
static inline void prefetch_32_half_rows(const surface_t *s, int x, int row) {
    intel_sub_group_2d_block_prefetch_16b_32r16x1c(PLACE(s, 2, x, row));
}

/* A message that the program keeps: see xmx.h. */
typedef int *message_t;

/* The message of a prefetch of 32 rows of 64 bytes; x is in units of 16 bits. */
static inline message_t prefetch_message(const surface_t *s, int x, int row) {
    return __builtin_IB_subgroup_createBlock2DAddressPayload(
            (long)s->base, s->width - 1, s->height - 1, s->pitch - 1, x + s->x / 2, row, 16, 32, 2);
}
static inline void prefetch_at_x(message_t m, const surface_t *s, int x) {
    __builtin_IB_subgroup_setBlock2DAddressPayloadBlockX(m, x + s->x / 2);
    __builtin_IB_subgroup_block_read_ap_prefetch_u16_m32k16v2(m, 0, 0, 0);
}
static inline void prefetch_at_row(message_t m, int row) {
    __builtin_IB_subgroup_setBlock2DAddressPayloadBlockY(m, row);
    __builtin_IB_subgroup_block_read_ap_prefetch_u16_m32k16v2(m, 0, 0, 0);
}
static inline void prefetch_at(message_t m, const surface_t *s, int x, int row) {
    __builtin_IB_subgroup_setBlock2DAddressPayloadBlockX(m, x + s->x / 2);
    prefetch_at_row(m, row);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of kernels that sum up products on matrix units with 8 lanes, for GPUs that load no rectangles: a team of SGM x SGN sub-groups, each
 * with MT x 32 sums in registers, walks along k in steps of 64 bytes, which its lanes bring to local memory in pieces of 16 bytes. Pieces have
 * numbers that count through the team's lanes: neighbours load what is close together, and store it so.
 *
 * Before this is included: SGM, SGN, MT, INTS for 8-bit integers, and src_dt() and wei_dt(), the types of the two factors. */
#ifndef KERNELS_XMX8_TILE_H
#define KERNELS_XMX8_TILE_H

#define LANES 8
#define NT 4
#include "xmx_sums.h"

#define TEAM (SGM * SGN)
#define TEAM_LANES (TEAM * LANES)
#define ROWS (MT * SGM) /* of a team */
#define COLUMNS (TILE_N * SGN)
#define WORDS 16            /* of 32 bits, in a step of k */
#define PER (4 / ELEMENT)   /* elements of a word */
#define WIDE (16 / ELEMENT) /* elements of a piece */
#define A_WORDS (ROWS * WORDS)
#define B_WORDS (COLUMNS * WORDS)
#define STAGE (A_WORDS + B_WORDS)
#define A_PIECES (A_WORDS / 4 / TEAM_LANES) /* of a lane */
#define B_PIECES (B_WORDS / 4 / TEAM_LANES)

SG_FUNCTION uint8 intel_sub_group_block_read8(const __local uint *);

/* ---- local memory ----
 * Eight rows after eight rows, and eight columns. Of each eight one half of the step and then the other: 8 words of a row after each other, and
 * each word of all columns. */

static inline int row_word(int row, int word) {
    return row / 8 * 128 + word / 8 * 64 + row % 8 * 8 + word % 8;
}
static inline int column_word(int col, int word) {
    return col / 8 * 128 + word * 8 + col % 8;
}

static inline uint4 load_piece(gcptr_t p) {
    return vload4(0, (__global const uint *)p);
}
static inline void store_piece(__local uint *to, uint4 v) {
    *(__local uint4 *)to = v;
}

/* All operands are there before the first multiplication: long chains of these keep the matrix unit to themselves. */
static inline void multiply_half(sum8_t (*sum)[NT], const __local uint *a, const __local uint *b) {
    int8 rows[MT / 8], columns[NT];
    UNROLL_FOR (int i = 0; i < MT / 8; i++)
        rows[i] = as_int8(intel_sub_group_block_read8(a + i * 128));
    UNROLL_FOR (int j = 0; j < NT; j++)
        columns[j] = as_int8(intel_sub_group_block_read8(b + j * 128));
    UNROLL_FOR (int j = 0; j < NT; j++)
        UNROLL_FOR (int i = 0; i < MT / 8; i++)
            sum[i][j] = multiply(rows[i], columns[j], sum[i][j]);
}

#endif

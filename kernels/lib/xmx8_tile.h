/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the kernels for matrix units with 8 lanes, on GPUs without 2D block loads. A team of SGM
 * x SGN sub-groups walks along k in steps of 64 bytes. Each sub-group keeps MT x 32 sums in
 * registers. In each step the lanes copy the operands to local memory in pieces of 16 bytes.
 * Consecutive lanes of the team copy consecutive pieces.
 *
 * The including file defines SGM, SGN, MT, INTS for 8-bit integers, and the functions src_dt() and
 * wei_dt(), which return the types of the two factors. */
#ifndef KERNELS_XMX8_TILE_H
#define KERNELS_XMX8_TILE_H

#define LANES 8
#define NT 4
#include "xmx_sums.h"

#define TEAM (SGM * SGN)
#define TEAM_LANES (TEAM * LANES)
#define ROWS (MT * SGM) /* rows of a team */
#define COLUMNS (TILE_N * SGN)
#define WORDS 16            /* 32-bit words of k per step */
#define PER (4 / ELEMENT)   /* elements per word */
#define WIDE (16 / ELEMENT) /* elements per piece */
#define A_WORDS (ROWS * WORDS)
#define B_WORDS (COLUMNS * WORDS)
#define STAGE (A_WORDS + B_WORDS)
#define A_PIECES (A_WORDS / 4 / TEAM_LANES) /* pieces of a per lane */
#define B_PIECES (B_WORDS / 4 / TEAM_LANES)

SG_FUNCTION uint8 intel_sub_group_block_read8(const __local uint *);

/* ---- local memory ----
 * Rows are grouped in blocks of eight, and so are columns. A block holds the first half of the step
 * and then the second half. For rows, a half holds 8 words of each row, row by row. For columns, it
 * holds all 8 columns of each word, word by word. */

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

/* All operands are loaded before the first multiplication. The multiplications then follow one
 * another without a wait and keep the matrix unit busy. */
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

/* Split-K: stores the sums of this part of k to local memory, and waits for those of the other
 * parts. */
static inline void share_partial_sums(sum8_t (*sum)[NT], __local sum_t *partial, int part) {
    const int lane = get_sub_group_local_id();
    NO_UNROLL_FOR (int block = 0; block < BLOCKS; block++) {
        lines_t x;
        x.v = block_of_sums(sum, block);
        UNROLL_FOR (int r = 0; r < 8; r++)
            partial[((part * BLOCKS + block) * 8 + r) * LANES + lane] = x.s[r];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#endif

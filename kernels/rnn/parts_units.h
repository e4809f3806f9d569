/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of a sub-group on matrix units of 16 lanes. */
#ifndef KERNELS_RNN_PARTS_UNITS_H
#define KERNELS_RNN_PARTS_UNITS_H

enum { K_STEP = STEP };

/* The sums of a block, 8 rows at a time. */
typedef struct {
    sum8_t rows[MT / 8];
} block_sums_t;

/* Adds a step. */
static inline void add_step(block_sums_t *sums, const surface_t *a, const surface_t *u,
        const piece_t *x, const rnn_factor_t *f, int k) {
    a_word_t rows[A_PIECES][A_WORDS];
    read_a(a, k * ELEMENT / 2, x->row, rows);
    UNROLL_FOR (int b = 0; b < MAX_BLOCKS; b++) {
        uint columns[NT][16];
        if (b >= block_count(x)) continue;
        read_plain(u, block_column(x, f, b), k, columns);
        UNROLL_FOR (int s = 0; s < 2; s++)
            UNROLL_FOR (int i = 0; i < MT / 8; i++)
                sums[b].rows[i] = multiply_rows(rows, s, i, columns[0] + 8 * s, sums[b].rows[i]);
    }
}

/* The same for addresses that block loads do not support: one row and block. */
static inline sum_t unaligned_sum(gcptr_t a, gcptr_t u, const piece_t *x, const rnn_cell_t *p,
        const rnn_factor_t *f, int row, int block) {
    const long from = min(row, p->rows - 1) * f->a_row,
               column = block_column(x, f, block) +
                        min(x->lane, p->channels - 1 - x->channel - WIDTH * (block / x->gates));
    sum_t sum = 0;
    NO_UNROLL_FOR (int k = x->first; k < min(x->last, (int)f->k); k++)
        sum += (sum_t)load_1(a, from + k, factor_dt()) *
               (sum_t)load_1(u, k * f->u_k + column, weights_dt());
    return sum;
}

/* The sums of a sub-group's part: [block][row][lane]. */
static inline void multiply_part(__local float *sums_of_part, gcptr_t a, gcptr_t u,
        const piece_t *x, const rnn_cell_t *p, const rnn_factor_t *f) {
    __local sum_t *to = (__local sum_t *)sums_of_part;
    const int columns = (x->first_gate + x->gates - 1) * (int)f->u_gate + p->channels;
    const surface_t of_a = unaligned_surface(a, ELEMENT * f->k, p->rows, (int)(ELEMENT * f->a_row)),
                    of_u = unaligned_surface(u, ELEMENT * columns, f->k, (int)(ELEMENT * f->u_k));
    const bool unaligned = is_misplaced(&of_a) || is_misplaced(&of_u);
    block_sums_t sums[MAX_BLOCKS];
    UNROLL_FOR (int b = 0; b < MAX_BLOCKS; b++)
        UNROLL_FOR (int i = 0; i < MT / 8; i++) sums[b].rows[i] = 0;
    for (int k = x->first; k < (unaligned || f->k == 0 ? 0 : x->last); k += STEP)
        add_step(sums, &of_a, &of_u, x, f, k);
    UNROLL_FOR (int b = 0; b < MAX_BLOCKS; b++) {
        if (b >= block_count(x)) continue;
        UNROLL_FOR (int i = 0; i < MT / 8; i++) {
            lines_t block;
            block.v = sums[b].rows[i];
            UNROLL_FOR (int r = 0; r < 8; r++) to[place_of_sum(b, 8 * i + r, x->lane)] = block.s[r];
        }
    }
    if (unaligned)
        NO_UNROLL_FOR (int i = 0; i < block_count(x) * MT; i++)
            to[i * WIDTH + x->lane] = unaligned_sum(a, u, x, p, f, x->row + i % MT, i / MT);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Several time steps on sub-groups of 16 lanes: a work-group has all channels of its rows, which
 * need no other rows. The second product of GRU is that of reset * state, which lies in `extra`. */
#include "step_parts.h"

#include "parts_team.h"
#include "walk.h"

/* Part `which` of a step. */
static inline void step_of_rows(const tensors_t *t, accv_t *products, __local float *sums,
        int which, gcptr_t a, gcptr_t u, int parts, const rnn_cell_t *p, const rnn_factor_t *f) {
    const int number = sg_number();
    piece_t x = piece_of_team(f, parts, first_gate(which), gate_count(which));
    EACH_PIECE(x, parts, p) {
        multiply_part(sums + number * PART_SUMS, a, u, &x, p, f);
        barrier(CLK_LOCAL_MEM_FENCE);
        finish_rows(t, products, sums_of_team(sums, parts), which, parts, &x, p);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

SG_KERNEL void rnn_steps_parts(gptr_t gates, gcptr_t a, gcptr_t u, gcptr_t bias, gcptr_t scales,
        gcptr_t column_sums, gcptr_t h_prev, gptr_t h, gcptr_t c_prev, gptr_t c, gcptr_t peephole,
        gcptr_t attention, gptr_t extra, const rnn_cell_t p, const rnn_factor_t f,
        const rnn_walk_t w) {
    __local float sums[RNN_TEAMS * PART_SUMS];
    accv_t products[MAX_BLOCKS];
    const int parts = (int)w.parts;
    tensors_t t = {{gates, products, bias, scales, column_sums}, h_prev, h, c_prev, c, peephole,
            attention, extra};
    rnn_factor_t second = f;
    second.a_row = second.k = p.channels;
    NO_UNROLL_FOR (int step = 0; step < w.steps; step++) {
        step_of_rows(&t, products, sums, 0, a, u, parts, &p, &f);
        if (cell() == RNN_CELL_GRU)
            step_of_rows(&t, products, sums, 1, t.extra, u, parts, &p, &second);
        walk(&t, &a, &w);
    }
}

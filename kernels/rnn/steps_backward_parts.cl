/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of several time steps on sub-groups of 16 lanes: a work-group has all
 * channels of its rows, which need no other rows. */
#include "step_backward_parts.h"

#include "parts_team.h"
#include "walk_backward.h"

/* Part `which` of a step. */
static inline void step_of_rows(const tensors_t *t, accv_t *product, __local float *sums, int which,
        gcptr_t a, gcptr_t u, int parts, const rnn_cell_t *p, const rnn_factor_t *f) {
    piece_t x = piece_of_team(f, parts, 0, 1);
    EACH_PIECE(x, parts, p) {
        multiply_part(sums + sg_number() * PART_SUMS, a, u, &x, p, f);
        barrier(CLK_LOCAL_MEM_FENCE);
        finish_gradients(t, product, sums_of_team(sums, parts), which, parts, &x, p);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

SG_KERNEL void rnn_steps_backward_parts(gcptr_t gates, gcptr_t h_prev, gcptr_t c, gcptr_t c_prev,
        gcptr_t peephole, gcptr_t attention, gcptr_t state, gcptr_t above, gcptr_t next,
        gptr_t carry, gcptr_t dc_in, gptr_t dc, gptr_t dg, gptr_t dg_state, gptr_t terms, gcptr_t a,
        gcptr_t u, const rnn_cell_t p, const rnn_factor_t f, const rnn_walk_t w) {
    __local float sums[RNN_TEAMS * PART_SUMS];
    accv_t product;
    const int parts = (int)w.parts;
    tensors_t t = {gates, h_prev, c, c_prev, peephole, attention, state, above, next, carry, dc_in,
            dc, dg, dg_state, terms, &product};
    const rnn_factor_t second = factor_of_candidate(&p, &f);
    NO_UNROLL_FOR (int step = 0; step < w.steps; step++) {
        step_of_rows(&t, &product, sums, 0, a, u, parts, &p, &f);
        if (cell() == RNN_CELL_GRU)
            step_of_rows(&t, &product, sums, 1, candidate_of(&t, &p),
                    weights_of_candidate(u, weights_dt(), &p, &f), parts, &p, &second);
        walk_back(&t, &a, &w);
    }
}

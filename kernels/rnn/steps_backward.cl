/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation of several time steps: a work-item has all channels of its rows, which need
 * no other rows. */
#include "step_backward.h"
#include "walk_backward.h"

__kernel void rnn_steps_backward(gcptr_t gates, gcptr_t h_prev, gcptr_t c, gcptr_t c_prev,
        gcptr_t peephole, gcptr_t attention, gcptr_t state, gcptr_t above, gcptr_t next,
        gptr_t carry, gcptr_t dc_in, gptr_t dc, gptr_t dg, gptr_t dg_state, gptr_t terms, gcptr_t a,
        gcptr_t u, const rnn_cell_t p, const rnn_factor_t f, const rnn_walk_t w) {
    accv_t products[RNN_BLOCK];
    tensors_t t = {gates, h_prev, c, c_prev, peephole, attention, state, above, next, carry, dc_in,
            dc, dg, dg_state, terms, products};
    const rnn_factor_t second = factor_of_candidate(&p, &f);
    block_t b;
    find_block(&b, &p, &f, 1);
    NO_UNROLL_FOR (int step = 0; step < w.steps; step++) {
        gradients_of_block(&t, products, 0, a, u, &b, &p, &f);
        if (cell() == RNN_CELL_GRU)
            gradients_of_block(&t, products, 1, candidate_of(&t, &p),
                    weights_of_candidate(u, DT_F32, &p, &f), &b, &p, &second);
        walk_back(&t, &a, &w);
    }
}

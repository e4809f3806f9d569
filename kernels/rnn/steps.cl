/* SPDX-License-Identifier: Apache-2.0 */
/* Several time steps: a work-item has all channels of its rows, which need no other rows. The
 * second product of GRU is that of reset * state, which lies in `extra`. */
#include "step.h"
#include "walk.h"

__kernel void rnn_steps(gptr_t gates, gcptr_t a, gcptr_t u, gcptr_t bias, gcptr_t scales,
        gcptr_t column_sums, gcptr_t h_prev, gptr_t h, gcptr_t c_prev, gptr_t c, gcptr_t peephole,
        gcptr_t attention, gptr_t extra, const rnn_cell_t p, const rnn_factor_t f,
        const rnn_walk_t w) {
    accv_t products[4 * RNN_BLOCK];
    tensors_t t = {{gates, products, bias, scales, column_sums}, h_prev, h, c_prev, c, peephole,
            attention, extra};
    rnn_factor_t second = f;
    block_t b, after;
    second.a_row = second.k = p.channels;
    find_block(&b, &p, &f, gate_count(0));
    find_block(&after, &p, &f, gate_count(1));
    NO_UNROLL_FOR (int step = 0; step < w.steps; step++) {
        step_of_block(&t, products, 0, a, u, &b, &p, &f);
        if (cell() == RNN_CELL_GRU) step_of_block(&t, products, 1, t.extra, u, &after, &p, &second);
        walk(&t, &a, &w);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Several time steps: a work-item has all channels of its rows, which need no other rows. */
#include "step.h"

__kernel void rnn_steps(gptr_t gates, gcptr_t a, gcptr_t u, gcptr_t bias, gcptr_t h_prev, gptr_t h,
        gcptr_t c_prev, gptr_t c, gcptr_t peephole, gcptr_t attention, gptr_t extra,
        const rnn_cell_t p, const rnn_factor_t f, const rnn_walk_t w) {
    accv_t products[4 * RNN_BLOCK];
    tensors_t t = {{gates, products, bias, 0, 0}, h_prev, h, c_prev, c, peephole, attention, extra};
    block_t b;
    find_block(&b, &p, &f, gate_count());
    NO_UNROLL_FOR (int step = 0; step < w.steps; step++) {
        step_of_block(&t, products, a, u, &b, &p, &f);
        t.g.gates += w.gates;
        a += w.state;
        t.h_prev += w.state;
        t.h += w.state;
        t.c_prev += w.cell;
        t.c += w.cell;
        t.attention += w.attention;
        t.extra += w.extra;
    }
}
